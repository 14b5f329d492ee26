import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../../test/label-views.js'
import { sparseFromTriplets } from '../../../numeric/linalg/sparse.js'
import { rng } from '../../../numeric/random/rng.js'
import { usualScale } from '../../../numeric/random/scale-vector.js'
import type { Derive } from '../../derivation.js'
import type { Sums } from '../usable-sums.js'
import { nowAndThen } from './detector.js'
import {
  type FeatureOptions,
  featureSums,
  madeUp,
  type PropertyView,
  roundItems,
  summedFeature,
} from './feature-sums.js'

/** Three clients: the first two in round 4, the second in 7, all in 9, the last in 12; in units of two records. */
const sums: Sums = {
  ids: ['a', 'b', 'c'],
  neverSeen: [],
  rounds: [4, 7, 9, 12],
  A: sparseFromTriplets({ rows: 4, cols: 3 }, [
    [0, 0, 1],
    [0, 1, 1.5],
    [1, 1, 1.5],
    [2, 0, 1],
    [2, 1, 1.5],
    [2, 2, 0.5],
    [3, 2, 0.5],
  ]),
  unit: 2,
}

function viewOf(change: Record<string, unknown> = {}, heard = (round: number): number[] => [round, 1]): PropertyView {
  const read = async (round: number) => ({ round, dThetaSum: Float64Array.from(heard(round)), derived: false })
  return {
    protocol: protocolOf(),
    aggregates: { rounds: sums.rounds, read },
    globals: { rounds: sums.rounds, read: async () => new Float64Array(2) },
    participation: [],
    sampleCounts: [
      { id: 'a', samples: 2 },
      { id: 'b', samples: 3 },
    ],
    ...change,
  } as unknown as PropertyView
}

const options: FeatureOptions = {
  property: 'inversion',
  pairs: 30,
  records: 0,
  floor: 0.1,
  features: 1,
  maxNorm: 2,
  riding: 'stale',
}

test('a sum of features: of the sum in its unit, with the offset once for all who are in it', () => {
  const detector = { a: Float64Array.of(2, -1), c: 10 }
  expect(summedFeature(detector, Float64Array.of(3, 4), { unit: 4, weight: 2.5 })).toBe(0.5 + 25)
})

describe('what made-up clients depend on', () => {
  const of = (change: Partial<FeatureOptions>, view = viewOf()) => madeUp(view, sums, { ...options, ...change })

  test('nothing but what matters for the property', async () => {
    const plain = { pairs: 30, sizes: [2, 3], record: null, maxNorm: 0, riding: 'any', noiseStd: 0, scale: usualScale }
    const scale = { factor: 5, part: 0.1, key: 3 }
    for (const property of ['inversion', 'mislabelled'] as const)
      expect(await of({ property, scale })).toEqual({ ...plain, property })
    expect(await of({ property: 'ascent' })).toEqual({ ...plain, property: 'ascent', maxNorm: 2 })
    expect(await of({ property: 'scaled' })).toEqual({ ...plain, property: 'scaled' })
    expect(await of({ property: 'scaled', scale })).toEqual({ ...plain, property: 'scaled', scale })
    expect(await of({ property: 'membership' })).toEqual({ ...plain, property: 'membership', record: 0 })
    const named = viewOf({ property: { record: 6 } })
    expect((await of({ property: 'membership' }, named)).record).toBe(6)
    expect((await of({ property: 'ascent' }, named)).record).toBe(null)
    expect((await of({ property: 'free-rider' })).riding).toBe('stale')
  })

  test('as many records as clients hold, or as are asked for', async () => {
    const silent = viewOf({ sampleCounts: undefined })
    expect((await of({ records: 7 }, silent)).sizes).toEqual([7])
    expect((await of({ records: 1 })).sizes).toEqual([1])
    await expect(of({}, silent)).rejects.toThrow('set records')
  })

  test('noise as loud as the louder sums: their median coordinate, of all rounds the upper quartile', async () => {
    const loud = (heard: (round: number) => number[]) =>
      of({ property: 'free-rider' }, viewOf({}, heard)).then(({ noiseStd }) => noiseStd)
    // Of 1, 2, 3 and 4 times the sum that of place floor(0.75 * 3).
    const times = (round: number) => 1 + sums.rounds.indexOf(round)
    expect(await loud((round) => [-3, 1, -2].map((x) => x * times(round)))).toBeCloseTo((3 * 2) / 0.6745 / 2, 12)
    expect(await loud((round) => [1, -7, 2, -4].map((x) => x * times(round)))).toBeCloseTo((3 * 4) / 0.6745 / 2, 12)
    expect(await loud((round) => [-0.03, 0.01, -0.02].map((x) => x * times(round)))).toBeCloseTo(0.03 / 0.6745, 12)
    expect(await loud((round) => [0, 0, -5 * times(round)])).toBe((3 * 5) / 2)
    expect(await loud(() => [0, 0])).toBe(0)
  })
})

test('items are rounds, and for riders also when each participant was last asked', () => {
  expect(roundItems(sums, 'scaled')).toEqual([4, 7, 9, 12].map((round) => ({ rounds: [round] })))
  expect(roundItems(sums, 'free-rider')).toEqual([
    { rounds: [4] },
    { rounds: [7, 4] },
    { rounds: [9, 4, 7] },
    { rounds: [12, 9] },
  ])
})

test('riders remember the rounds of their own, not those of who comes next', () => {
  const A = sparseFromTriplets({ rows: 3, cols: 2 }, [
    [0, 0, 1],
    [1, 1, 1],
    [2, 0, 1],
  ])
  const items = roundItems({ ...sums, A, rounds: [4, 7, 9] }, 'free-rider')
  expect(items).toEqual([{ rounds: [4] }, { rounds: [7] }, { rounds: [9, 4] }])
})

describe('features of sums', () => {
  /** Detectors as kept: of each its a, then c, the penalty and the shape. */
  const shape = (f: number) => ({ plusMean: f + 2, plusStd: 1, minusMean: f, minusStd: 2, measured: 9, v: 0.5 })
  const kept = (f: number) => [Float64Array.of(f + 1, 0), Float64Array.of(f, 0.1, ...Object.values(shape(f)))]
  const derive =
    (asked: Record<string, unknown>[]): Derive =>
    async (derivation, { settings, items, onItem, tick }) => {
      asked.push({ id: derivation.id, items, ...(settings as object) })
      for (const index of [3, 0, 2, 1]) await onItem(index, [0, 1, 2].flatMap(kept))
      tick?.(4, 4)
    }
  const made = async (change: Partial<FeatureOptions>) => {
    const asked: Record<string, unknown>[] = []
    const told: string[] = []
    const ticks: number[] = []
    const found = await featureSums(
      viewOf(),
      sums,
      { ...options, ...change },
      {
        rng: rng(1),
        derive: derive(asked),
        tick: (done, total) => ticks.push(done, total),
        onDetector: ({ c }, { index, feature }) => told.push(`${index} ${feature} ${c}`),
      },
    )
    return { found, asked, told, ticks }
  }
  // a . sum / 2 + weight c, with sums of 4, 7, 9, 12 and weights of 2.5, 1.5, 3 and 0.5
  const G = (f: number) => [4, 7, 9, 12].map((x, r) => ((f + 1) * x) / 2 + [2.5, 1.5, 3, 0.5][r]! * f)

  test('one list a feature, over the same rounds', async () => {
    const { found, asked, told, ticks } = await made({ features: 2 })
    expect(found.map((one) => [...one.G])).toEqual([G(0), G(1)])
    expect(found.map(({ shapes }) => shapes)).toEqual([0, 1].map((f) => new Array(4).fill(shape(f))))
    for (const one of found) expect(one.A).toBe(sums.A)
    expect(asked).toEqual([
      expect.objectContaining({ id: 'detectors', floor: 0.1, features: 2, property: 'inversion' }),
    ])
    expect(asked[0]!.items).toEqual([4, 7, 9, 12].map((round) => ({ rounds: [round] })))
    expect(told).toEqual(['3 0 0', '3 1 1', '0 0 0', '0 1 1', '2 0 0', '2 1 1', '1 0 0', '1 1 1'])
    expect(ticks).toEqual([4, 4])
  })

  test('joined: their mean alone, which comes last', async () => {
    const { found, told } = await made({ features: 2, joined: true })
    expect(found.map((one) => [...one.G])).toEqual([G(2)])
    expect(found[0]!.shapes[1]).toEqual(shape(2))
    expect(told).toEqual(['3 0 2', '0 0 2', '2 0 2', '1 0 2'])
  })

  test('those who act now and then look less different', async () => {
    const { found } = await made({ acting: 0.25 })
    expect(found[0]!.shapes[2]).toEqual(nowAndThen(shape(0), 0.25))
    expect(found[0]!.shapes[2]!.plusMean).toBe(0.5)
  })
})
