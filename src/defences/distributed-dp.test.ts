import { describe, expect, test } from 'vitest'
import { smallPopulation, smallSpec } from '../../test/small-federation.js'
import { federate } from '../federation/federate.js'
import { rng } from '../numeric/random/rng.js'
import { createDefence, type DefenceSpec } from './index.js'
import { quantise } from './secure-aggregation/quantise.js'
import { clippedChange, discreteGaussian, withSharedNoise } from './secure-aggregation/shared-noise.js'

const sumOf = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, one) => sum + one, 0)
const squares = (x: ArrayLike<number>): number => sumOf(Array.from(x, (one) => one * one))

/** The probabilities of -reach to reach. */
function discretePmf(deviation: number, reach: number): number[] {
  const weights = Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-((i - reach) ** 2) / (2 * deviation ** 2)))
  return weights.map((w) => w / sumOf(weights))
}

describe('discrete Gaussian', () => {
  test.each([0.7, 1, 4, 5.5])('has its probabilities at deviation %d', (deviation) => {
    const [n, reach, own] = [40_000, Math.ceil(6 * deviation), rng('pmf')]
    const pmf = discretePmf(deviation, reach)
    const counts = new Float64Array(pmf.length)
    for (let i = 0; i < n; i++) counts[discreteGaussian(own, deviation) + reach]!++
    let [chi, cells] = [0, 0]
    for (const [i, p] of pmf.entries()) {
      if (n * p < 10) continue
      chi += (counts[i]! - n * p) ** 2 / (n * p)
      cells++
    }
    expect(chi).toBeLessThan(cells + 4 * Math.sqrt(2 * cells))
    expect(sumOf(counts)).toBe(n) // nothing beyond six deviations
  })

  test('and its variance where it is wide', () => {
    const own = rng('wide')
    const drawn = Float64Array.from({ length: 20_000 }, () => discreteGaussian(own, 3e7) / 3e7)
    expect(Math.abs(sumOf(drawn)) / 20_000).toBeLessThan(4 / Math.sqrt(20_000))
    expect(Math.abs(squares(drawn) / 20_000 - 1)).toBeLessThan(4 * Math.sqrt(2 / 20_000))
  })

  test('a sum of three has no larger Rényi divergence than what is accounted for', () => {
    const [deviation, reach, parts] = [4, 100, 3]
    const one = discretePmf(deviation, reach)
    let sum = [1]
    for (let i = 0; i < parts; i++) {
      const next = new Array<number>(sum.length + 2 * reach).fill(0)
      for (const [a, p] of sum.entries()) for (const [b, q] of one.entries()) next[a + b]! += p * q
      sum = next
    }
    for (const moved of [1, 3, 7]) {
      for (const alpha of [1.5, 2, 8]) {
        let moment = 0
        for (let x = moved; x < sum.length; x++) {
          const [p, q] = [sum[x - moved]!, sum[x]!]
          if (p > 1e-200 && q > 1e-200) moment += Math.exp(alpha * Math.log(p) + (1 - alpha) * Math.log(q))
        }
        const divergence = Math.log(moment) / (alpha - 1)
        const gaussian = (alpha * moved ** 2) / (2 * parts * deviation ** 2)
        expect(divergence).toBeLessThan(gaussian * (1 + 1e-9))
        expect(divergence).toBeGreaterThan(gaussian * 0.999)
      }
    }
  })
})

describe("a client's part", () => {
  const noise = { maxNorm: 0.5, noiseMultiplier: 2, sharers: 4 }
  const fine = { clip: 8, levels: 1 << 22 }

  test('a change is shortened to C, and to nothing less', () => {
    const long = Float64Array.from({ length: 9 }, (_, j) => j - 3)
    expect(Math.sqrt(squares(clippedChange(long, noise)))).toBeCloseTo(0.5, 12)
    const short = long.map((x) => x / 1000)
    expect(clippedChange(short, noise)).toBe(short)
    expect([...clippedChange(new Float64Array(2), noise)]).toEqual([0, 0])
  })

  test('has its share of the variance, on whole numbers', () => {
    const rounded = quantise(new Float64Array(5000), fine)
    const { values } = withSharedNoise(rounded, fine, { noise, rng: rng(3) })
    const step = 16 / (fine.levels - 1)
    const parts = Float64Array.from(values, (x, j) => (x - rounded.values[j]!) * step)
    expect(squares(parts) / 5000 / (0.25 * 4 * 0.25)).toBeGreaterThan(1 - 4 * Math.sqrt(2 / 5000))
    expect(squares(parts) / 5000 / (0.25 * 4 * 0.25)).toBeLessThan(1 + 4 * Math.sqrt(2 / 5000))
  })

  test.each([
    ['so coarse that rounding moves a change further than is accounted for', { clip: 8, levels: 1 << 14 }, 5000],
    ['so coarse that parts no longer add up to a Gaussian', { clip: 8, levels: 17 }, 0],
    ['that cuts changes off', { clip: 0.4, levels: 1 << 30 }, 10],
  ])('is refused for a rounding %s', (_, quantisation, length) => {
    const rounded = { values: new Uint32Array(length), clipped: 0 }
    expect(() => withSharedNoise(rounded, quantisation, { noise, rng: rng(1) })).toThrow('too coarse for noise')
  })
})

describe('in a federation', () => {
  /** Three clients' sums with and without noise. */
  const sums = async (params: Partial<Extract<DefenceSpec, { name: 'distributed-dp' }>>) => {
    const defence = createDefence({ name: 'distributed-dp', ...params } as DefenceSpec)
    const found: Float64Array[] = []
    const spec = { ...smallSpec, aggregateWeights: 'one', rounds: 40 } as const
    for await (const { aggregate } of federate(spec, { population: smallPopulation, defences: [defence] }))
      found.push(aggregate!)
    return found
  }

  test.each(['malicious', 'honest-but-curious'] as const)('a %s server has sigma C on its sum', async (server) => {
    // Three changes of at most C each stay beneath it.
    const noised = await sums({ server, maxNorm: 1e-3, noiseMultiplier: 4, clip: 0.02, sharers: 3 })
    const all = noised.flatMap((one) => [...one])
    const variance = squares(all) / all.length
    const expected = 4e-3 ** 2
    expect(variance / expected).toBeGreaterThan(1 - 5 * Math.sqrt(2 / all.length))
    expect(variance / expected).toBeLessThan(1 + 5 * Math.sqrt(2 / all.length) + 9 / 16 / noised[0]!.length)
  })

  test('without noise a sum is that of clipped changes', async () => {
    for (const sum of (await sums({ maxNorm: 1e-3, noiseMultiplier: 0 })).slice(0, 3))
      expect(Math.sqrt(squares(sum))).toBeLessThan(3.001e-3)
  })

  test('noise that would wrap, or be missing from a small sum, is refused', () => {
    const made = (params: object) => () => createDefence({ name: 'distributed-dp', ...params } as DefenceSpec)
    expect(made({ noiseMultiplier: 4 })).toThrow('at least 11.7 is needed')
    expect(made({ noiseMultiplier: 4, clip: 12 })).not.toThrow()
    expect(made({ sharers: 4 })).toThrow('a sum may have 3 clients')
    expect(made({ sharers: 4, least: 4 })).not.toThrow()
    expect(made({ sharers: 4, least: 4 })().protocol).toMatchObject({
      secureAggregation: true,
      differentialPrivacy: { unit: 'client', neighbours: 'add-remove', sampling: 'none', noiseMultiplier: 1 },
    })
  })
})
