import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { f1Of, featureWorld } from '../../../../test/property-world.js'
import { cholesky, choleskySolve } from '../../../numeric/linalg/cholesky.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { columnOf } from '../../../numeric/linalg/matrix-vector.js'
import { denseFromSparse, sparseFromTriplets } from '../../../numeric/linalg/sparse.js'
import { rng } from '../../../numeric/random/rng.js'
import { blup } from '../best-linear-prediction.js'
import { nowAndThen } from '../detector/detector.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { bestForF1 } from '../f1-decision.js'
import { fewInnocent } from '../false-accusations.js'
import { byPosterior, byReg } from '../property-estimators.js'
import { extras, freeOf, gibbsModel, ownScales, rhos, shifts, shiftTerms, tails } from './gibbs-model.js'
import { oddsOf, usualBelief } from './gibbs-walk.js'
import { agreement, doubtfulOf, posterior, startsOf } from './sampled-posterior.js'

/** log N(e; 0, S), up to a constant. */
function logNormal(S: readonly (readonly number[])[], e: ArrayLike<number>): number {
  const n = e.length
  const L = S.map((row) => [...row])
  const x = Array.from(e)
  let sum = 0
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < j; k++) {
      for (let i = j; i < n; i++) L[i]![j]! -= L[i]![k]! * L[j]![k]!
      x[j]! -= L[j]![k]! * x[k]!
    }
    const root = Math.sqrt(L[j]![j]!)
    for (let i = j; i < n; i++) L[i]![j]! /= root
    x[j]! /= root
    sum -= Math.log(root) + 0.5 * x[j]! * x[j]!
  }
  return sum
}

/** All ways to give `count` places one of so many values each. */
const choices = (count: number, of: number): number[][] =>
  Array.from({ length: of ** count }, (_, k) => Array.from({ length: count }, (_, i) => Math.floor(k / of ** i) % of))

/** Every assignment, and every value of all that is drawn besides: exact, and feasible for the smallest worlds only. */
function enumerated(features: FeatureSums, share: number): number[] {
  const { A, G, shapes } = features
  const [n, N] = [A.rows, A.cols]
  const W = denseFromSparse(A).data
  const { measured, spread, basis, units, ratio } = gibbsModel(features)
  const odds = oddsOf(usualBelief(share), N)
  const rising = (x: number, k: number): number => (k === 0 ? 0 : rising(x, k - 1) + Math.log(x + k - 1))
  const scales = choices(N, ownScales.length).map((kinds) => ({
    a: kinds.map((k) => ownScales[k]!.value),
    prior: ownScales.reduce((sum, { prior }, k) => sum + rising(prior, kinds.filter((one) => one === k).length), 0),
  }))
  const wide = choices(n, tails.length).map((list) => ({
    tail: list.map((k) => tails[k]!.value),
    prior: list.reduce((sum, k) => sum + Math.log(tails[k]!.prior), 0),
  }))
  const all = choices(N, 2).flatMap((has) => {
    const k = has.reduce((sum, x) => sum + x, 0)
    const before = odds.slice(0, k).reduce((sum, x) => sum + x, 0)
    const of = (r: number, i: number) => {
      const { plusMean, plusStd, minusMean, minusStd } = shapes[r]!
      const w = W[r * N + i]!
      return has[i] ? { mean: w * plusMean, s: w * plusStd } : { mean: w * minusMean, s: w * minusStd }
    }
    const e = Array.from(G, (g, r) => has.reduce((left, _, i) => left - of(r, i).mean, g))
    const cells = rhos.flatMap((rho) => extras.flatMap((extra) => shifts.map((tau) => ({ rho, extra, tau }))))
    return cells.flatMap(({ rho, extra, tau }) => {
      const common = before + Math.log(rho.prior) + Math.log(extra.prior) + Math.log(tau.prior)
      return scales.flatMap(({ a, prior }) => {
        const base = Array.from({ length: n }, (_, r) =>
          Array.from({ length: n }, (_, q) => {
            let sum = r === q ? measured[r]! + extra.value * spread[r]! : 0
            for (let i = 0; i < N; i++) {
              const own = (round: number) => W[round * N + i]! * units[round]! * ratio[has[i] as 0 | 1]
              sum += rho.value * a[i]! * own(r) * own(q)
              if (r === q) sum += freeOf(rho.value) * of(r, i).s * of(r, i).s
            }
            for (let k = 0; k < shiftTerms; k++) sum += tau.value ** 2 * basis[k * n + r]! * basis[k * n + q]!
            return sum
          }),
        )
        return wide.map(({ tail, prior: odd }) => {
          const S = base.map((row, r) => row.map((x, q) => (r === q ? x + tail[r]! * spread[r]! : x)))
          return { has, L: common + prior + odd + logNormal(S, e) }
        })
      })
    })
  })
  const most = all.reduce((max, { L }) => Math.max(max, L), Number.NEGATIVE_INFINITY)
  const weight = new Float64Array(N)
  let total = 0
  for (const { has, L } of all) {
    const w = Math.exp(L - most)
    total += w
    for (let i = 0; i < N; i++) if (has[i]) weight[i]! += w
  }
  return Array.from(weight, (w) => w / total)
}

describe('the sampler', () => {
  test.each([
    { seed: 1, N: 3, n: 2, perRound: 2, positives: 1, gap: 5 },
    { seed: 2, N: 2, n: 3, perRound: 1, positives: 1, gap: 8, plusStd: 2, rho: 0.5 },
    { seed: 3, N: 3, n: 2, perRound: 1, positives: 2, gap: 20, measured: 9 },
  ])('agrees with enumeration: $N clients, $n rounds', (options) => {
    const { features } = featureWorld(options)
    const exact = enumerated(features, 0.2)
    const { probability, rHat } = posterior(features, { rng: rng(1), share: 0.2, sweeps: 12_000, maxSweeps: 12_000 })
    expect(rHat).toBeLessThan(1.05)
    for (const [i, p] of exact.entries()) expect(Math.abs(probability[i]! - p)).toBeLessThan(0.02)
  })

  test('weighs one client against two who explain the sums as well, between whom no single step leads', () => {
    const shape = { minusMean: -7, minusStd: 1, plusMean: 7, plusStd: 1, measured: 1e6, v: 1 }
    const triplets = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 2, 1]] as const // biome-ignore format: a line
    const A = sparseFromTriplets({ rows: 2, cols: 3 }, triplets)
    const features = { A, G: Float64Array.of(0.2, -0.1), shapes: [shape, shape] }
    const exact = enumerated(features, 0.4)
    expect(exact[0]).toBeGreaterThan(0.1)
    expect(exact[0]).toBeLessThan(0.9)
    const found = posterior(features, { rng: rng(1), share: 0.4, trial: 50, closely: 0.01, within: 0.03 })
    expect(found.rHat).toBeLessThan(1.05)
    for (const [i, p] of exact.entries()) expect(Math.abs(found.probability[i]! - p)).toBeLessThan(0.06)
  })

  test('is at least as good as ridge regression, most of all after few rounds', () => {
    let [ours, theirs] = [0, 0]
    for (let seed = 0; seed < 8; seed++) {
      const { features, having } = featureWorld({ seed, N: 30, n: 30, perRound: 8, positives: 3, gap: 3.3 })
      const tools = { rng: rng(seed), tick() {} }
      const options = { decision: 'f1', share: 0.1, chains: 4, sweeps: 100, maxSweeps: 300 } as const
      ours += f1Of(byPosterior([features], options, tools).positive, having) / 8
      theirs += f1Of(byReg([features], { lambda: 5 }).positive, having) / 8
    }
    expect(ours).toBeGreaterThan(theirs)
  })

  test('is sure where it can be, and believes the prior where nothing is heard', () => {
    const { features, having } = featureWorld({ seed: 4, gap: 12 })
    const { probability } = posterior(features, { rng: rng(1), share: 0.1 })
    for (const [i, p] of probability.entries()) expect(having[i] ? p > 0.99 : p < 0.01).toBe(true)
    const deaf = {
      ...features,
      shapes: features.shapes.map((s) => ({ ...s, plusMean: s.minusMean, plusStd: s.minusStd })),
    }
    const { probability: blind } = posterior(deaf, { rng: rng(1), share: 0.1 })
    for (const p of blind) expect(Math.abs(p - 0.1)).toBeLessThan(0.06)
  })

  test('widens its belief when sums vary more than the detectors know', () => {
    const { features } = featureWorld({ seed: 4, gap: 4 })
    const wild = { ...features, G: features.G.map((g, r) => g + 12 * Math.sin(7 * r)) }
    const { probability, extra } = posterior(wild, { rng: rng(1), share: 0.1, maxSweeps: 2000 })
    expect(extra).toBeGreaterThan(3)
    expect(probability.every((p) => p < 0.95)).toBe(true)
  })

  test('finds those who act in half of the rounds better when it expects that', () => {
    const mean = { expecting: 0, not: 0 }
    for (let seed = 1; seed <= 8; seed++) {
      const { features, having } = featureWorld({ seed, gap: 10, n: 60 })
      const { A, shapes } = features
      const acts = rng(seed).fork('acts')
      const G = features.G.map((g, r) => {
        const guilty = Array.from(A.column.subarray(A.rowStart[r], A.rowStart[r + 1])).filter((i) => having[i])
        return g - 10 * guilty.filter(() => acts.uniform() < 0.5).length
      })
      for (const [key, acting] of [
        ['expecting', 0.5],
        ['not', 1],
      ] as const) {
        const believed = { A, G, shapes: shapes.map((shape) => nowAndThen(shape, acting)) }
        const { probability } = posterior(believed, { rng: rng(seed), share: 0.15, sweeps: 200, maxSweeps: 600 })
        mean[key] += f1Of(bestForF1(probability), having) / 8
      }
    }
    expect(mean.expecting).toBeGreaterThan(0.9)
    expect(mean.not).toBeLessThan(0.8)
  })

  test('gives the same bits for the same seed, and refuses impossible beliefs', () => {
    const { features } = featureWorld({ seed: 5 })
    const run = (seed: number) => posterior(features, { rng: rng(seed), share: 0.1, sweeps: 40, maxSweeps: 40 })
    expect(run(1)).toEqual(run(1))
    expect(run(1).probability).not.toEqual(run(2).probability)
    expect(() => posterior(features, { rng: rng(1), share: 0 })).toThrow(/share is 0/)
  })
})

test('chains start from the closed form, draws from it, nobody and even odds, in turns', () => {
  const q = Float64Array.from({ length: 400 }, (_, i) => (i % 4 === 3 ? 0.9 : i % 4 === 2 ? 0.5 : 0.1))
  const starts = startsOf(q, 8, rng(1))
  const share = (start: Uint8Array, from: number) =>
    start.filter((_, i) => i % 4 === from).reduce((n, x) => n + x, 0) / 100
  for (const k of [0, 4]) expect([...starts[k]!]).toEqual(Array.from(q, (p) => (p > 0.5 ? 1 : 0)))
  for (const k of [1, 5])
    for (const i of [0, 1, 2, 3]) expect(Math.abs(share(starts[k]!, i) - q[i]!)).toBeLessThan(0.15)
  for (const k of [2, 6]) expect(starts[k]).toEqual(new Uint8Array(400))
  for (const k of [3, 7]) for (const i of [0, 1, 2, 3]) expect(Math.abs(share(starts[k]!, i) - 0.5)).toBeLessThan(0.15)
  expect(starts[1]).not.toEqual(starts[5])
  expect(starts[3]).not.toEqual(starts[7])
})

test('those whom the closed form leaves most in doubt are drawn together, sixteen at most', () => {
  expect(doubtfulOf(Float64Array.of(0.001, 0.02, 0.6, 0.995, 0.6, 0.97))).toEqual([2, 4, 5, 1])
  expect(doubtfulOf(Float64Array.of(-0.3, 1.2, 0.01, 0.99))).toEqual([])
  expect(doubtfulOf(Float64Array.from({ length: 40 }, (_, i) => 0.02 + i / 100))).toHaveLength(16)
})

describe('agreement of chains', () => {
  const chain = (mean: number, variance: number) => ({
    mean: Float64Array.of(mean),
    variance: Float64Array.of(variance),
  })
  test('is 1 for equal chains, and tells of chains that sit in different corners', () => {
    expect(agreement([chain(0.3, 0.1), chain(0.3, 0.1)], 200)).toBe(1)
    expect(agreement([chain(0, 0), chain(1, 0)], 200)).toBeGreaterThan(10)
    expect(agreement([chain(0.001, 0), chain(0.002, 0)], 200)).toBeLessThan(1.05)
  })
})

describe('the closed form', () => {
  test('is the formula', () => {
    const { features } = featureWorld({ seed: 6, N: 5, n: 7, perRound: 2, plusStd: 1.5, measured: 20 })
    const phi = 0.3
    const { A, G, shapes } = features
    const W = denseFromSparse(A)
    const M = matrix(5, 5)
    const right = new Float64Array(5)
    for (let i = 0; i < 5; i++) M.data[i * 6] = 1 / (phi * (1 - phi))
    for (const [r, s] of shapes.entries()) {
      const row = Array.from(W.data.subarray(r * 5, r * 5 + 5))
      const m = row.reduce((sum, w) => sum + w, 0)
      const delta = s.plusMean - s.minusMean
      const D = (m * m * s.minusStd ** 2) / 20 + m * (phi * s.plusStd ** 2 + (1 - phi) * s.minusStd ** 2)
      for (let i = 0; i < 5; i++) {
        right[i]! += (row[i]! * delta * (G[r]! - m * s.minusMean - phi * m * delta)) / D
        for (let j = 0; j < 5; j++) M.data[i * 5 + j]! += (row[i]! * row[j]! * delta * delta) / D
      }
    }
    const expected = choleskySolve(cholesky(M), columnOf(right)).data
    const { q } = blup(features, phi)
    for (const [i, x] of expected.entries()) expect(q[i]).toBeCloseTo(phi + x, 10)
  })
})

describe('the decision for F1', () => {
  test('is the best of all sets of the likeliest', () => {
    for (let seed = 0; seed < 30; seed++) {
      const p = rng(seed)
        .uniforms(7)
        .map((x) => x * x)
      const total = p.reduce((sum, x) => sum + x, 0)
      const value = (chosen: boolean[]) => {
        const top = p.filter((_, i) => chosen[i]).reduce((sum, x) => sum + x, 0)
        return (2 * top) / (chosen.filter(Boolean).length + total)
      }
      const best = Math.max(
        ...Array.from({ length: 127 }, (_, k) => value(Array.from(p, (_, i) => ((k + 1) >> i) % 2 === 1))),
      )
      expect(value(bestForF1(p))).toBeCloseTo(best, 12)
    }
  })
  test('accuses nobody where nothing points at anybody', () => {
    expect(bestForF1(new Float64Array(3))).toEqual([false, false, false])
    expect(bestForF1(new Float64Array(0))).toEqual([])
    expect(bestForF1(Float64Array.of(0.3, 0.02, 0.3))).toEqual([true, false, true])
  })
})

describe('the decision for few innocents', () => {
  test('is the largest set of whom at most a twentieth are innocent, or nobody', () => {
    expect(fewInnocent(Float64Array.of(0.94, 0.3, 0.9))).toEqual([false, false, false])
    expect(fewInnocent(Float64Array.of(0.99, 0.3, 0.92, 0.9))).toEqual([true, false, true, false])
    expect(fewInnocent(new Float64Array(0))).toEqual([])
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 9 }), (list) => {
        const p = Float64Array.from(list)
        const chosen = list.filter((_, i) => fewInnocent(p)[i])
        const innocent = (some: readonly number[]) => some.reduce((sum, x) => sum + 1 - x, 0)
        expect(innocent(chosen)).toBeLessThanOrEqual(0.05 * chosen.length + 1e-12)
        // No larger set would do: the likeliest so many are too innocent.
        const order = list.toSorted((a, b) => b - a)
        for (let k = chosen.length + 1; k <= list.length; k++) {
          expect(innocent(order.slice(0, k))).toBeGreaterThan(0.05 * k)
        }
      }),
      { numRuns: 200 },
    )
  })
})
