import { describe, expect, test } from 'vitest'
import { normalCdf } from '../numeric/special/normal.js'
import { fixedSizeRecord, type LossPair, laplaceNoise, removedRecord, replacedRecord } from './loss-pair.js'

const masses = (pair: LossPair, knots: number[]) => {
  const { P, Q, atZero } = pair.massesBetween(Float64Array.from(knots))
  return { P: [...P], Q: [...Q], atZero }
}
const near = (found: readonly number[], wanted: readonly number[]): void => {
  expect(found).toHaveLength(wanted.length)
  for (const [i, x] of found.entries()) expect(x).toBeCloseTo(wanted[i]!, 12)
}
/** What a normal distribution has between cuts. */
const normal = (cuts: readonly number[], mean: number, sigma: number): number[] => {
  const below = [0, ...cuts.map((x) => normalCdf((x - mean) / sigma)), 1]
  return below.slice(1).map((p, i) => p - below[i]!)
}

describe('a record removed', () => {
  test('from all batches: the loss (2 x - 1) / (2 sigma^2) of one Gaussian over another', () => {
    const sigma = 2
    const pair = removedRecord({ sigma, q: 1 })
    const xs = [-3, -0.5, 0.5, 2, 4]
    const { P, Q, atZero } = masses(pair, xs.map((x) => (2 * x - 1) / 8)) // biome-ignore format: a line
    near(P, normal(xs, 1, sigma))
    near(Q, normal(xs, 0, sigma))
    expect([atZero, pair.symmetric]).toEqual([0, true])
  })

  test('from some: mixtures between the places where the ratio is that of the knots', () => {
    const [sigma, q] = [1.5, 0.3]
    const pair = removedRecord({ sigma, q })
    const xs = [-4, 0, 0.5, 1, 6]
    const { P, Q } = masses(pair, xs.map((x) => Math.log(1 - q + q * Math.exp((2 * x - 1) / (2 * sigma * sigma))))) // biome-ignore format: a line
    const [zero, one] = [normal(xs, 0, sigma), normal(xs, 1, sigma)]
    near(P, zero.map((mass, i) => (1 - q) * mass + q * one[i]!)) // biome-ignore format: a line
    near(Q, zero)
    expect(pair.symmetric).toBe(false)
  })

  test('knots as close as doubles lie have next to nothing between them, and all lies in one place without any', () => {
    const [sigma, q] = [1, 0.5]
    const middle = Math.log(1 - q + q * Math.exp(-0.5))
    const knots = Array.from({ length: 40 }, (_, i) => middle + (i - 20) * 2 ** -55)
    const { P } = masses(removedRecord({ sigma, q }), knots)
    expect(Math.max(...P.slice(1, -1))).toBeLessThan(1e-15)
    expect(masses(removedRecord({ sigma, q }), [])).toEqual({ P: [1], Q: [1], atZero: 0 })
  })

  test('no loss lies below log(1 - q)', () => {
    const { P, Q } = masses(removedRecord({ sigma: 1, q: 0.5 }), [-3, -2, Math.log(0.5), 0])
    expect([P.slice(0, 3), Q.slice(0, 3)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
  })

  test('losses beyond what an exponential holds', () => {
    // The centre of the moved Gaussian has a ratio of e^1250, times q.
    const [sigma, q] = [0.02, 0.5]
    const at = 0.5 / (sigma * sigma) + Math.log(q)
    near(masses(removedRecord({ sigma, q }), [0, at]).P, [0.5, 0.25, 0.25])
    near(masses(removedRecord({ sigma, q }), [0, at]).Q, [1, 0, 0])
  })

  test('the range is the loss at both ends of the tails', () => {
    const pair = removedRecord({ sigma: 2, q: 1 })
    const z = 2 * 3.090232306167813 // of a thousandth
    expect(pair.range(1e-3).high).toBeCloseTo((1 + 2 * z) / 8, 9)
    expect(pair.range(1e-3).low).toBeCloseTo((-2 * z - 1) / 8, 9)
    const some = removedRecord({ sigma: 2, q: 0.25 }).range(1e-3)
    expect(some.high).toBeCloseTo(Math.log(0.75 + 0.25 * Math.exp((1 + 2 * z) / 8)), 9)
    expect(some.low).toBeCloseTo(Math.log(0.75 + 0.25 * Math.exp((-2 * z - 1) / 8)), 9)
    const far = removedRecord({ sigma: 0.02, q: 0.25 }).range(1e-3)
    expect(far.high).toBeCloseTo((1 + 0.02 * z) / (2 * 0.02 * 0.02) + Math.log(0.25), 6)
    const all = removedRecord({ sigma: 0.02, q: 1 }).range(1e-3)
    expect(all.low).toBeCloseTo((-0.02 * z - 1) / (2 * 0.02 * 0.02), 6)
    expect(removedRecord({ sigma: 1, q: 1 }).range(0).high).toBe(removedRecord({ sigma: 1, q: 1 }).range(1e-290).high)
  })
})

describe('a record replaced', () => {
  const ratio = (x: number, sigma: number, q: number): number => {
    const side = (centre: number) => 1 - q + q * Math.exp((2 * x * centre - 1) / (2 * sigma * sigma))
    return Math.log(side(1) / side(-1))
  }
  test.each([0.3, 1])('mixtures on either side, share %d', (q) => {
    const sigma = 1.2
    const xs = [-2, -0.7, 0, 0.4, 3]
    const pair = replacedRecord({ sigma, q })
    const { P, Q, atZero } = masses(pair, xs.map((x) => ratio(x, sigma, q))) // biome-ignore format: a line
    const [zero, up, down] = [0, 1, -1].map((centre) => normal(xs, centre, sigma))
    near(P, zero!.map((mass, i) => (1 - q) * mass + q * up![i]!)) // biome-ignore format: a line
    near(Q, zero!.map((mass, i) => (1 - q) * mass + q * down![i]!)) // biome-ignore format: a line
    expect([atZero, pair.symmetric]).toEqual([0, true])
  })

  test('in all batches with next to no noise, where exponentials are too small', () => {
    // The loss is 2 x / sigma^2: 800 at the centre of one Gaussian.
    const { P, Q } = masses(replacedRecord({ sigma: 0.05, q: 1 }), [-800, 0, 800])
    near(P, [0, 0, 0.5, 0.5])
    near(Q, [0.5, 0.5, 0, 0])
  })

  test('the range is as far on both sides', () => {
    const z = 3.090232306167813
    for (const [sigma, q] of [
      [2, 1],
      [1.2, 0.3],
    ] as const) {
      const { low, high } = replacedRecord({ sigma, q }).range(1e-3)
      expect(high).toBeCloseTo(ratio(1 + z * sigma, sigma, q), 9)
      expect(low).toBe(-high)
    }
    const far = replacedRecord({ sigma: 0.02, q: 0.5 }).range(1e-3).high
    expect(far).toBeCloseTo((1 + 2 * 0.02 * z) / (2 * 0.02 * 0.02), 6)
  })
})

describe('batches of fixed size', () => {
  test('the removed record above ratio 1, mirrored below it, and the rest at 1', () => {
    const options = { sigma: 0.9, q: 0.25 }
    const { P, Q, atZero } = masses(fixedSizeRecord(options), [-1, -0.2, 0, 0.3])
    const removed = masses(removedRecord(options), [0, 0.2, 0.3, 1])
    near(P, [removed.Q[4]!, removed.Q[2]! + removed.Q[3]!, removed.Q[1]!, removed.P[1]! + removed.P[2]!, removed.P[3]! + removed.P[4]!]) // biome-ignore format: a list
    near(Q, [removed.P[4]!, removed.P[2]! + removed.P[3]!, removed.P[1]!, removed.Q[1]! + removed.Q[2]!, removed.Q[3]! + removed.Q[4]!]) // biome-ignore format: a list
    expect(atZero).toBeCloseTo(1 - P.reduce((a, b) => a + b, 0), 14)
    expect(atZero).toBeGreaterThan(0.1)
    expect(fixedSizeRecord(options).symmetric).toBe(true)
  })
  test('the range is that of the removed record, on both sides; all records are the removed one', () => {
    const { high } = removedRecord({ sigma: 0.9, q: 0.25 }).range(1e-4)
    expect(fixedSizeRecord({ sigma: 0.9, q: 0.25 }).range(1e-4)).toEqual({ low: -high, high })
    const whole = { sigma: 0.9, q: 1 }
    expect(fixedSizeRecord(whole).range(1e-4)).toEqual(removedRecord(whole).range(1e-4))
  })
})

describe('Laplace noise', () => {
  const b = 2
  const top = 0.5
  const pair = laplaceNoise(b)
  test('half of each sits at the loss of its own side, what the other has there is e^(-1 / b) of it', () => {
    const share = 0.5 * Math.exp(-top)
    const { P, Q, atZero } = masses(pair, [-1, -top, 0, top, 1])
    // Knots at either end count what sits there as beyond them.
    const wanted = [0, share, 0.5 * Math.exp(-0.25) - share, 0.5 - 0.5 * Math.exp(-0.25), 0.5, 0]
    near(P, wanted)
    near(Q, wanted.reverse())
    expect([atZero, pair.symmetric, pair.lattice]).toEqual([0, true, top])
    expect(pair.range(1e-9)).toEqual({ low: -top, high: top })
  })
  test('a knot that is an end but for rounding is that end', () => {
    for (const near of [1, 1 + 5e-14, 1 - 5e-14]) {
      expect(masses(pair, [near * top]).P[1]).toBeCloseTo(0.5, 12)
      expect(masses(pair, [-near * top]).Q[0]).toBeCloseTo(0.5, 12)
    }
    for (const beyond of [1e-13, 1e-12]) expect(masses(pair, [top * (1 + beyond)]).P[1]).toBe(0)
    expect(masses(pair, [-top * (1 + 1e-13)]).P[0]).toBeCloseTo(0.5 * Math.exp(-top), 12)
    expect(masses(pair, [-top * (1 + 1e-12)])).toMatchObject({ P: [0, 1], Q: [0, 1] })
  })
})
