import { describe, expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import { propagate } from './expectation-propagation.js'

describe('expectation propagation', () => {
  /** Exact probabilities by going through all assignments. */
  function enumerated(Q: Float64Array, b: Float64Array, logPrior: readonly Float64Array[], n: number): number[][] {
    const K = logPrior.length
    const N = b.length
    const total = logPrior.map(() => new Array<number>(n).fill(0))
    let all = 0
    for (let code = 0; code < K ** n; code++) {
      const v = Array.from({ length: n }, (_, i) => Math.floor(code / K ** i) % K)
      const on = v.flatMap((value, i) => (value === 0 ? [] : [(value - 1) * n + i]))
      let log = v.reduce((sum, value, i) => sum + logPrior[value]![i]!, 0)
      for (const c of on) {
        log += b[c]!
        for (const d of on) log -= Q[c * N + d]! / 2
      }
      const weight = Math.exp(log)
      all += weight
      v.forEach((value, i) => {
        total[value]![i]! += weight
      })
    }
    return total.map((one) => one.map((x) => x / all))
  }

  test.each([
    [2, 9],
    [3, 6],
  ])('with %d values gives the probabilities that enumeration gives', (K, n) => {
    const N = n * (K - 1)
    const draw = rng(6)
    const rows = Math.ceil(N * 0.7) // fewer equations than unknowns
    const D = draw.normals(rows * N)
    const y = draw.normals(rows, { mean: 0, std: 2 })
    const Q = new Float64Array(N * N)
    const b = new Float64Array(N)
    for (let i = 0; i < N; i++) {
      for (let k = 0; k < rows; k++) b[i]! += D[k * N + i]! * y[k]!
      for (let j = 0; j < N; j++) for (let k = 0; k < rows; k++) Q[i * N + j]! += D[k * N + i]! * D[k * N + j]!
    }
    const logPrior = Array.from({ length: K }, () => draw.normals(n))
    const { shares, settled, dispersion } = propagate({ Q, b, records: n, logPrior })
    expect(dispersion).toBeGreaterThanOrEqual(1)
    const scaled = (x: number): number => x / dispersion
    const exact = enumerated(Q.map(scaled), b.map(scaled), logPrior, n)
    expect(settled).toBe(true)
    shares.forEach((one, v) => {
      one.forEach((q, i) => {
        expect(Math.abs(q - exact[v]![i]!)).toBeLessThan(0.06)
      })
    })
  })

  test('errors larger than Q says are found out, and sharp likelihoods do not throw it off', () => {
    const n = 60
    const draw = rng(8)
    const truth = Float64Array.from({ length: n }, () => draw.integer(2))
    const D = draw.normals(4 * n * n)
    const Q = new Float64Array(n * n)
    const b = new Float64Array(n)
    for (let k = 0; k < 4 * n; k++) {
      const row = D.subarray(k * n, (k + 1) * n)
      const y = row.reduce((sum, x, i) => sum + x * truth[i]!, 4 * draw.normal()) // the noise is said to be 1
      for (let i = 0; i < n; i++) {
        b[i]! += 100 * row[i]! * y
        for (let j = 0; j < n; j++) Q[i * n + j]! += 100 * row[i]! * row[j]!
      }
    }
    const flat = [new Float64Array(n), new Float64Array(n)]
    const { shares, dispersion } = propagate({ Q, b, records: n, logPrior: flat })
    expect(dispersion / 1600).toBeGreaterThan(0.4) // 4^2 of the noise times the weight of 100
    expect(dispersion / 1600).toBeLessThan(2)
    const right = truth.filter((v, i) => Math.round(shares[1]![i]!) === v).length
    const sure = shares[1]!.reduce((sum, q) => sum + Math.max(q, 1 - q), 0)
    expect(right).toBeGreaterThan(50)
    expect(Math.abs(sure - right)).toBeLessThan(6)
  })

  test('what the messages say nothing about keeps its prior', () => {
    const logPrior = [
      Float64Array.from([Math.log(0.7), Math.log(0.4)]),
      Float64Array.from([Math.log(0.3), Math.log(0.6)]),
    ]
    const { shares } = propagate({ Q: new Float64Array(4), b: new Float64Array(2), records: 2, logPrior })
    for (const [i, p] of [0.3, 0.6].entries()) expect(shares[1]![i]).toBeCloseTo(p, 6)
  })
})
