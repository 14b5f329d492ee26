import { expect, test } from 'vitest'
import { tableOf } from '../../../test/hand-truth.js'
import { functionsOf, type ModelFunctions } from '../../models/functions.js'
import { linear } from '../../models/linear.js'
import { logistic } from '../../models/logistic.js'
import { mlp } from '../../models/mlp.js'
import { softmaxRegression } from '../../models/softmax.js'
import type { Table } from '../../transcript/encoded-table.js'
import { evenOutput, whyNotUnique } from './unique-optimum.js'

const why = (
  functions: ModelFunctions,
  table: Table,
  classes: boolean,
  optimum: readonly number[] = new Array(functions.size).fill(0),
) => whyNotUnique({ functions, table, classes, optimum: Float64Array.from(optimum) })
const rows = [[0, 1], [1, 0], [2, 2], [1, 3]] // biome-ignore format: a row each
const table = tableOf(['x', 'y'], rows, { labels: [0, 1, 0, 1] })

test('an affine model of records that tell all directions apart has one best model', () => {
  const flat = functionsOf(linear({ inputs: 2, outputs: 1 }))
  expect(why(flat, table, false)).toBeUndefined()
  expect(why(functionsOf(linear({ inputs: 2, outputs: 2 })), table, false)).toBeUndefined()
  expect(why(flat, tableOf(['x', 'y'], rows.slice(0, 2)), false)).toBe(
    "the client's records tell 2 of 3 directions apart",
  )
  // A constant column is a second bias, and no direction of its own; without a bias it is one.
  const constant = tableOf(['x', 'y'], [[0, 1], [1, 1], [2, 1]]) // biome-ignore format: a row each
  expect(why(flat, constant, false)).toBe("the client's records tell 2 of 3 directions apart")
  expect(why(functionsOf(linear({ inputs: 2, outputs: 1, bias: false })), constant, false)).toBeUndefined()
  const two = tableOf(['x', 'y'], [[0, 1], [1, 0]]) // biome-ignore format: a row each
  expect(why(functionsOf(linear({ inputs: 2, outputs: 1, bias: false })), two, false)).toBeUndefined()
})

test('several layers have many, and so have several classes', () => {
  const deep = functionsOf(mlp({ inputs: 2, hidden: [2], outputs: 1 }))
  expect([why(deep, table, false), why(deep, table, true)]).toEqual(['a model of the kind mlp has many optima', 'a model of the kind mlp has many optima']) // biome-ignore format: a line
  expect(why(functionsOf(softmaxRegression({ inputs: 2, outputs: 2 })), table, true)).toMatch(/^a shift of all classes/)
  expect(why(functionsOf(logistic({ inputs: 2 })), table, false)).toBe('a model of the kind logistic has many optima')
})

test('classes that a plane parts have none: a logistic model that has every record right', () => {
  const functions = functionsOf(logistic({ inputs: 2 }))
  // Labels 0, 1, 0, 1 of scores w x + v y + b.
  const parted = tableOf(['x', 'y'], rows, { labels: [0, 0, 1, 1] })
  expect(why(functions, parted, true, [1, 1, -3])).toMatch(/^the classes of the records can be separated/)
  expect(why(functions, parted, true, [-1, -1, 3])).toBeUndefined()
  expect(why(functions, table, true, [1, 1, -3])).toBeUndefined()
  // A record just between the classes counts as the lower one.
  expect(why(functions, parted, true, [1, 1, -1])).toMatch(/^the classes/)
  const even = evenOutput(functions)
  expect(even).toBe(functions.model.outputActivation === 'sigmoid' ? 0.5 : 0)
  expect(evenOutput(functionsOf(linear({ inputs: 2, outputs: 1 })))).toBe(0)
  expect(evenOutput({ model: { outputActivation: 'sigmoid' } } as never)).toBe(0.5)
})
