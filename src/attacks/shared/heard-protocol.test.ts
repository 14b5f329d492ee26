import { describe, expect, test } from 'vitest'
import { affordable, type HeardView, turnsHeard } from './heard-protocol.js'

const [zero, nan] = [Float64Array.of(0, 0), Float64Array.of(1, Number.NaN)]
const received = Float64Array.of(1, 2)
const heardOf = (updates: readonly object[], more: (round: number) => object = () => ({ received })) =>
  ({
    exchanges: {
      rounds: updates.map((_, i) => 10 + i),
      read: async (round: number) => ({ update: updates[round - 10], learningRate: 0.1, ...more(round) }),
    },
  }) as unknown as HeardView

describe('turns that were heard', () => {
  test('are changes of the model, whatever was sent; nothing, and what is no number, are passed over', async () => {
    const updates = [
      { kind: 'parameters', theta: Float64Array.of(3, 1) },
      { kind: 'delta', dTheta: Float64Array.of(0, 0.5) },
      { kind: 'gradient', grad: Float64Array.of(4, -1) },
      { kind: 'delta', dTheta: zero },
      { kind: 'delta', dTheta: nan },
      { kind: 'parameters', theta: received },
    ]
    const turns = await turnsHeard(heardOf(updates), 6)
    expect(turns).toEqual([
      { round: 10, theta: received, change: Float64Array.of(2, -1), learningRate: 0.1 },
      { round: 11, theta: received, change: Float64Array.of(0, 0.5), learningRate: 0.1 },
      { round: 12, theta: received, change: Float64Array.of(-4, 1), learningRate: 0.1 },
    ])
  })

  test('are the first and ever fewer of the later ones, the last among them', async () => {
    const updates = Array.from({ length: 10 }, () => ({ kind: 'delta', dTheta: Float64Array.of(1) }))
    const rounds = async (most: number) => (await turnsHeard(heardOf(updates), most)).map(({ round }) => round - 10)
    expect(await rounds(1)).toEqual([0])
    expect(await rounds(2)).toEqual([0, 9])
    expect(await rounds(4)).toEqual([0, 1, 4, 9])
    expect(await rounds(7)).toEqual([0, 1, 2, 3, 4, 6, 9])
    expect(await rounds(20)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const unread = await turnsHeard(
      heardOf(updates, (round) => (round === 10 ? {} : { received })),
      2,
    )
    expect(unread.map(({ round }) => round)).toEqual([19])
  })
})

test('as many messages as work allows, and two at least', () => {
  const protocol = { localEpochs: 1, batchSize: null } as never
  const of = (d: number, more: object = {}) => affordable({ parameters: [{ shape: [d, 2] }, { shape: [] }], protocol, ...more } as never, 10) // biome-ignore format: a line
  expect(of(500_000)).toBe(Math.floor(4e9 / (10 * 1_000_001 + 1)))
  expect(of(500_000, { samples: 7 })).toBe(Math.floor(4e9 / (70 * 1_000_001 + 1)))
  expect(of(500_000, { records: { features: { rows: 5 } } })).toBe(Math.floor(4e9 / (50 * 1_000_001 + 1)))
  expect(of(500_000, { auxiliary: { features: { rows: 3 } } })).toBe(Math.floor(4e9 / (30 * 1_000_001 + 1)))
  expect(of(500_000, { samples: 1000 })).toBe(2)
})
