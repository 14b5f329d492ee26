import { describe, expect, test } from 'vitest'
import { f1Of, featureWorld } from '../../../../test/property-world.js'
import { cholesky, choleskySolve } from '../../../numeric/linalg/cholesky.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { columnOf } from '../../../numeric/linalg/matrix-vector.js'
import { denseFromSparse } from '../../../numeric/linalg/sparse.js'
import { rng } from '../../../numeric/random/rng.js'
import { blup } from '../best-linear-prediction.js'
import { nowAndThen } from '../detector/detector.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { firstRounds } from '../expected-features.js'
import { bestForF1 } from '../f1-decision.js'
import { byPosterior, byReg } from '../property-estimators.js'
import { extras, gibbsModel, rhos } from './gibbs-model.js'
import { agreement, posterior, startsOf } from './sampled-posterior.js'

/** Every assignment, every rho and extra, phi integrated out: exact, and feasible for few clients only. */
function enumerated(features: FeatureSums, share: number): number[] {
  const { A, G, shapes } = features
  const [n, N] = [A.rows, A.cols]
  const W = denseFromSparse(A)
  const model = gibbsModel(features)
  const logBeta = (k: number): number => {
    // log B(a + k, b + N - k) up to a constant, by products.
    let sum = 0
    for (let j = 0; j < k; j++) sum += Math.log(10 * share + j)
    for (let j = 0; j < N - k; j++) sum += Math.log(10 * (1 - share) + j)
    return sum
  }
  const terms: { c: number; L: number }[] = []
  for (let c = 0; c < 1 << N; c++) {
    const has = Array.from({ length: N }, (_, i) => (c >> i) & 1)
    const k = has.reduce((sum, x) => sum + x, 0)
    const e = new Float64Array(n)
    for (let r = 0; r < n; r++) {
      e[r] = G[r]!
      for (let i = 0; i < N; i++) e[r]! -= W.data[r * N + i]! * (has[i] ? shapes[r]!.plusMean : shapes[r]!.minusMean)
    }
    for (const { value: rho } of rhos) {
      for (const { value: extra, prior } of extras) {
        const S = matrix(n, n)
        for (let r = 0; r < n; r++) {
          S.data[r * n + r] = model.measured[r]! + extra * model.spread[r]!
          for (let q = 0; q < n; q++) {
            for (let i = 0; i < N; i++) {
              const s = (at: number) => W.data[at * N + i]! * (has[i] ? shapes[at]!.plusStd : shapes[at]!.minusStd)
              S.data[r * n + q]! += s(r) * s(q) * (r === q ? 1 : rho)
            }
          }
        }
        const C = cholesky(S)
        const x = choleskySolve(C, columnOf(e)).data
        let L = Math.log(prior) + logBeta(k)
        for (let r = 0; r < n; r++) L -= Math.log(C.data[r * n + r]!) + 0.5 * e[r]! * x[r]!
        terms.push({ c, L })
      }
    }
  }
  const most = terms.reduce((max, { L }) => Math.max(max, L), Number.NEGATIVE_INFINITY)
  const weight = new Float64Array(N)
  let all = 0
  for (const { c, L } of terms) {
    const w = Math.exp(L - most)
    all += w
    for (let i = 0; i < N; i++) if ((c >> i) & 1) weight[i]! += w
  }
  return Array.from(weight, (w) => w / all)
}

describe('the sampler', () => {
  test.each([
    { seed: 1, N: 6, n: 8, perRound: 3, positives: 2, gap: 2 },
    { seed: 2, N: 7, n: 5, perRound: 3, positives: 2, gap: 3, plusStd: 2, rho: 0.5 },
    { seed: 3, N: 6, n: 3, perRound: 2, positives: 1, gap: 4, measured: 9 },
  ])('agrees with enumeration: $N clients, $n rounds', (options) => {
    const { features } = featureWorld(options)
    const exact = enumerated(features, 0.2)
    const { probability, rHat } = posterior(features, { rng: rng(1), share: 0.2, sweeps: 3000, maxSweeps: 3000 })
    expect(rHat).toBeLessThan(1.05)
    for (const [i, p] of exact.entries()) expect(Math.abs(probability[i]! - p)).toBeLessThan(0.02)
  })

  test('is at least as good as ridge regression, most of all after few rounds', () => {
    let [ours, theirs] = [0, 0]
    for (let seed = 0; seed < 8; seed++) {
      const { features, having } = featureWorld({ seed, N: 30, n: 30, perRound: 8, positives: 3, gap: 3.3 })
      const tools = { rng: rng(seed), tick() {} }
      const options = { share: 0.1, chains: 4, sweeps: 100, maxSweeps: 300 }
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

  test('its probabilities are close to the exact ones', () => {
    const { features } = featureWorld({ seed: 1, N: 6, n: 12, perRound: 3, positives: 2, gap: 2 })
    const exact = enumerated(firstRounds(features, 12), 0.2)
    const { probability } = blup(features, 0.2)
    const off = exact.map((p, i) => Math.abs(p - probability[i]!))
    expect(off.reduce((sum, x) => sum + x, 0) / 6).toBeLessThan(0.15)
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
