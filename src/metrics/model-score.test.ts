import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { functionsOf } from '../models/functions.js'
import { linear } from '../models/linear.js'
import { model } from './model-score.js'

const claimOf = (...theta: number[]) => ({ kind: 'model', client: 'c', theta: Float64Array.from(theta) }) as const
const truth = truthOf({ optimum: { c: [3, 4] } })

describe('a model', () => {
  test('distance to the optimum in units of its length, against the last global model', async () => {
    const known = { lastGlobal: Float64Array.of(3, -6) }
    const score = await model.grade(claimOf(3, 3), { truth, known })
    expect(score).toMatchObject({ metric: 'relative error', value: 0.2, chance: 2, lift: 0.9, better: 'lower' })
    expect(score).toMatchObject({ guesser: 'the last global model', interval: null, also: {} })
  })

  test('digits, at most those of a double', async () => {
    const digits = async (y: number) => {
      const score = await model.grade(claimOf(3, y), { truth, known: {} })
      return 'missing' in score ? Number.NaN : score.also.digits
    }
    expect(await digits(4.005)).toBeCloseTo(3, 6)
    expect(await digits(4)).toBeCloseTo(15.65, 2)
    expect(await digits(54)).toBeCloseTo(-1, 12)
  })

  test('without a global model there is no chance level', async () => {
    const score = await model.grade(claimOf(3, 3), { truth, known: {} })
    expect(score).toMatchObject({ chance: null, lift: null, guesser: 'none: no global model is known' })
  })

  test('an optimum of zero is graded by the distance itself', async () => {
    const score = await model.grade(claimOf(3, 4), { truth: truthOf({ optimum: { c: [0, 0] } }), known: {} })
    expect(score).toMatchObject({ metric: 'error', value: 5 })
  })

  test("the client's losses where its records and the model are known", async () => {
    // y = 2 x + 1 exactly; at (0, 1) the errors are 2 and 4, at (2, 0) both 1; the trained loss is half the square.
    const clients = { c: tableOf(['x'], [[1], [2]], { labels: [3, 5] }) }
    const functions = functionsOf(linear({ inputs: 1, outputs: 1 }), { lossScale: 0.5 })
    const known = { lastGlobal: Float64Array.of(0, 1), functions }
    const score = await model.grade(claimOf(2, 0), { truth: truthOf({ clients, optimum: { c: [2, 1] } }), known })
    expect(score).toMatchObject({ also: { lossAtClaim: 0.5, lossAtOptimum: 0, lossAtGlobal: 5, lossLift: 0.9 } })
  })

  test.each([[[1]], [[1, 2, 3]]])('another size is an error: %j', async (theta) => {
    await expect(model.grade(claimOf(...theta), { truth, known: {} })).rejects.toThrow('2 are needed')
  })

  test('numbers too large to square are still graded', async () => {
    const score = await model.grade(claimOf(1e200, 0), { truth, known: {} })
    expect('missing' in score ? Number.NaN : score.value / 2e199).toBeCloseTo(1, 12)
  })
})
