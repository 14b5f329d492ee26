import { describe, expect, test } from 'vitest'
import type { Defence, TurnContext } from '../federation/hooks.js'
import { matrixOf } from '../numeric/linalg/matrix.js'
import type { Update } from '../transcript/round-messages.js'
import { representationMaskEntry } from './representation-mask.js'

interface Given {
  readonly share: number
  readonly W: readonly (readonly number[])[]
  readonly b?: readonly number[]
  readonly rows: readonly (readonly number[])[]
  readonly outputs?: number
  readonly dense?: object
}

/** Which places of the change are left out: the change is 1, 2, 3 and so on. */
function leftOut({ share, W, b, rows, outputs = 2, dense = {} }: Given): number[] {
  const [units, inputs] = [W.length, W[0]!.length]
  const last = [...new Array(units * outputs + (b ? outputs : 0)).fill(0.5)]
  const received = Float64Array.from([...W.flat(), ...(b ?? []), ...last])
  const own = { hidden: [units], activation: 'relu', bias: b !== undefined, ...dense }
  const model = { kind: 'mlp', inputs, outputs, dense: own }
  const features = rows.length > 0 ? matrixOf(rows) : { rows: 0, cols: inputs, data: new Float64Array(0) }
  const at = { received, learningRate: 1, model, records: () => ({ features }) } as unknown as TurnContext
  const defence = representationMaskEntry.create({ share } as never) as Defence
  const update = { kind: 'delta', dTheta: received.map((_, j) => j + 1) } as const
  const found = defence.turn!(update, at) as Update
  expect([...update.dTheta]).toEqual(received.length === 0 ? [] : Array.from(received, (_, j) => j + 1))
  if (found.kind !== 'delta') throw new Error('another kind of message')
  return Array.from(found.dTheta.keys()).filter((j) => found.dTheta[j] !== j + 1)
}

describe('the last layer’s weights of the units that tell most', () => {
  // Outputs of the units on the two records: 3 and 0 by a length of 5; 2 and 2 by 1; the third has no length.
  const given = { W: [[3, 4], [0, 1], [0, 0]], b: [0, 2, 9], rows: [[1, 0], [-1, 0]] } // biome-ignore format: one line

  test('are left out, a share of all units rounded down', () => {
    // Six weights and three biases come first; then a row of three for each output.
    expect(leftOut({ ...given, share: 0.4 })).toEqual([10, 13])
    expect(leftOut({ ...given, share: 0.65 })).toEqual([10, 13])
    expect(leftOut({ ...given, share: 0.67 })).toEqual([9, 10, 12, 13])
    expect(leftOut({ ...given, share: 1 })).toEqual([9, 10, 11, 12, 13, 14])
    expect(leftOut({ ...given, share: 0.3 })).toEqual([])
  })

  test('of a network without biases, and of one output', () => {
    // 3 by 5 against 1 by 1, of which only one record turns it on.
    const W = [[3, 4], [0, 1]] // biome-ignore format: one line
    expect(leftOut({ share: 0.5, W, rows: [[0, 1], [0, -1]], outputs: 1 })).toEqual([5]) // biome-ignore format: one line
    expect(leftOut({ share: 0.5, W, rows: [[2, 1], [0, -1]], outputs: 1 })).toEqual([4]) // biome-ignore format: one line
  })

  test('of the mean over all records, and of nothing else', () => {
    // The first unit answers to records on its left: by 0.1 against 3 * 0.5 over the lengths 0.1 and 0.5.
    const W = [[-0.1, 0], [0.5, 0]] // biome-ignore format: one line
    const out = (...records: number[]) => leftOut({ share: 0.5, W, rows: records.map((x) => [x, 0]), outputs: 1 })
    expect(out(1)).toEqual([5])
    expect(out(-1)).toEqual([4])
    expect(out(-1, 3)).toEqual([5])
    expect(out(3, -1)).toEqual([5])
    expect(out(-1, 0.5)).toEqual([4])
  })

  test('of units that tell as much as others: the earlier ones', () => {
    const W = [[0, 1], [1, 0], [0, 2]] // biome-ignore format: one line
    expect(leftOut({ share: 0.4, W, rows: [[1, 1]], outputs: 1 })).toEqual([6])
    expect(leftOut({ share: 0.7, W, rows: [[1, 1]], outputs: 1 })).toEqual([6, 7])
    // Without records none tells anything.
    expect(leftOut({ share: 0.4, W, rows: [], outputs: 1 })).toEqual([6])
  })
})

test('only one hidden layer of ReLU is masked', () => {
  const given = { share: 0.5, W: [[1]], rows: [[1]] }
  for (const dense of [{ hidden: [1, 1] }, { hidden: [] }, { activation: 'tanh' }]) {
    expect(() => leftOut({ ...given, dense })).toThrow('defence representation-mask on a mlp model')
  }
})

test('the recording says so', () => {
  const { protocol } = representationMaskEntry.create({ share: 0.25 } as never) as Defence
  expect(protocol).toEqual({ compression: { kind: 'representation-mask', share: 0.25 } })
})
