/** How sure decided values are left, beside all that one or two changes would cost, counted one by one. */
import { expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import { decide, type Propagated, type Propagation, propagate } from './expectation-propagation.js'
import { unswapped } from './swapped-values.js'

interface Made {
  readonly n: number
  readonly values: number
  /** How large columns are. */
  readonly std: number
}

const valuesOf = (n: number, count: number): number[] => Array.from({ length: n }, (_, i) => (2 * i + 1) % count)

/** What is heard of these values, with a little noise. */
function quadratic({ n, values, std }: Made): Propagated {
  const [N, rows] = [n * (values - 1), 30]
  const columns = Array.from({ length: N }, (_, c) => rng(4).fork('column', c).normals(rows, { std }))
  const y = rng(4).fork('y').normals(rows, { std: 0.5 })
  for (const [i, v] of valuesOf(n, values).entries())
    if (v > 0) for (let r = 0; r < rows; r++) y[r]! += columns[(v - 1) * n + i]![r]!
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, r) => sum + x * b[r]!, 0)
  return {
    Q: Float64Array.from({ length: N * N }, (_, at) => dot(columns[Math.floor(at / N)]!, columns[at % N]!)),
    b: Float64Array.from(columns, (column) => dot(column, y)),
    records: n,
    logPrior: Array.from({ length: values }, (_, v) => rng(4).fork('prior', v).normals(n, { std: 0.3 })),
  }
}

/** What is left of shares when every change of one record, and of two, speaks against the values that are decided. */
function doubtedByHand(
  { Q, b, records: n, logPrior }: Propagated,
  shares: readonly Float64Array[],
  dispersion: number,
) {
  const [K, N] = [shares.length, b.length]
  const decided = Array.from({ length: n }, (_, i) => shares.findIndex((one) => one[i]! >= 0.9))
  const cost = (guesses: readonly number[]): number => {
    const p = Array.from({ length: N }, (_, c) => {
      const [i, v] = [c % n, Math.floor(c / n) + 1]
      return guesses[i]! < 0 ? shares[v]![i]! : Number(guesses[i] === v)
    })
    let sum = 0
    for (let c = 0; c < N; c++) {
      sum -= p[c]! * b[c]!
      for (let d = 0; d < N; d++) sum += (p[c]! * p[d]! * Q[c * N + d]!) / 2
    }
    return guesses.reduce((all, v, i) => all - (v < 0 ? 0 : logPrior[v]![i]!), sum / dispersion)
  }
  const changes = decided.flatMap((v, i) =>
    v < 0 ? [] : Array.from({ length: K }, (_, to) => ({ i, to })).filter(({ to }) => to !== v),
  )
  const odds = new Float64Array(n)
  const add = (...some: typeof changes): void => {
    const weight = Math.exp(cost(decided) - cost(decided.map((v, i) => some.find((one) => one.i === i)?.to ?? v)))
    for (const { i } of some) odds[i]! += weight
  }
  for (const [a, one] of changes.entries()) {
    add(one)
    for (const other of changes.slice(0, a)) if (other.i !== one.i) add(one, other)
  }
  return shares.map((one, u) =>
    one.map((share, i) => {
      const v = decided[i]!
      const most = Math.max(0.5, 1 / (1 + odds[i]!))
      if (v < 0 || shares[v]![i]! <= most) return share
      if (u === v) return most
      const rest = 1 - shares[v]![i]!
      return rest > 0 ? ((1 - most) * share) / rest : (1 - most) / (K - 1)
    }),
  )
}

test.each([
  [{ n: 7, values: 2, std: 0.4 }, 1],
  [{ n: 7, values: 2, std: 0.6 }, 1.75],
  [{ n: 6, values: 3, std: 0.5 }, 1],
  [{ n: 6, values: 3, std: 0.7 }, 1.5],
  [{ n: 5, values: 4, std: 0.8 }, 2],
])('of %o, errors %d times as large as they should be', (made, dispersion) => {
  const given = quadratic(made)
  const { n, values: K } = made
  // Some are whole, some all but whole, one as sure as it must be and one less; the others share what is left unevenly.
  const sure = [1, 0.97, 0.9, 0.899, 1, 0.95, 0.999]
  const values = valuesOf(n, K)
  const shares = Array.from({ length: K }, () => new Float64Array(n))
  for (let i = 0; i < n; i++) {
    const others = Array.from({ length: K }, (_, v) => v).filter((v) => v !== values[i])
    const parts = others.map((_, k) => k + 1)
    const total = parts.reduce((sum, x) => sum + x, 0)
    for (const [k, v] of others.entries()) shares[v]![i] = ((1 - sure[i]!) * parts[k]!) / total
    shares[values[i]!]![i] = sure[i]!
  }
  const ended = { ...propagate(given), shares, dispersion, settled: false } satisfies Propagation
  const found = unswapped(given, ended).shares
  const wanted = doubtedByHand(given, shares, dispersion)
  let between = 0
  for (const [v, one] of wanted.entries())
    for (const [i, x] of one.entries()) {
      expect(found[v]![i]).toBeCloseTo(x, 11)
      if (v === values[i] && x > 0.51 && x < 0.97 && sure[i]! >= 0.9) between++
    }
  expect(between).toBeGreaterThan(0)
})

test('two records are exchanged although many others are easier to change by themselves', () => {
  const [n, rows] = [30, 60]
  // The first two are nearly alike and loud, the others quiet.
  const columns = Array.from({ length: n }, (_, i) =>
    rng(5)
      .fork(i)
      .normals(rows, { std: i < 2 ? 10 : 0.5 }),
  )
  for (let r = 0; r < rows; r++) columns[1]![r] = columns[0]![r]! + 0.05 * columns[1]![r]!
  const truth = Array.from({ length: n }, (_, i) => Number(i % 2 === 0))
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, r) => sum + x * b[r]!, 0)
  const y = columns[0]!.map((_, r) => columns.reduce((sum, column, i) => sum + truth[i]! * column[r]!, 0))
  const given: Propagated = {
    Q: Float64Array.from({ length: n * n }, (_, at) => dot(columns[Math.floor(at / n)]!, columns[at % n]!)),
    b: Float64Array.from(columns, (column) => dot(column, y)),
    records: n,
    logPrior: [new Float64Array(n), new Float64Array(n)],
  }
  const found = propagate(given)
  const shares = found.shares.map((one) => one.slice())
  const ending = { ...found.ending, shares }
  for (const [i, v] of truth.entries()) decide(ending, i, i < 2 ? 1 - v : v)
  const { shares: right } = unswapped(given, { ...found, shares, ending, settled: true, dispersion: 1 })
  for (const [i, v] of truth.entries()) expect(right[v]![i]).toBeGreaterThan(0.5)
  expect(right[1]![0]).toBeGreaterThan(0.9)
})

test('a single value is put right', () => {
  const given = quadratic({ n: 4, values: 2, std: 3 })
  const found = propagate({ ...given, b: given.Q.slice(0, 4) }) // the first has its second value, the others none
  expect(found.shares[1]!.map(Math.round)).toEqual(Float64Array.of(1, 0, 0, 0))
  const shares = found.shares.map((one) => one.slice())
  const ending = { ...found.ending, shares }
  decide(ending, 2, 1)
  const wrong = { ...found, shares, ending, settled: true, dispersion: 1 }
  const { shares: right } = unswapped({ ...given, b: given.Q.slice(0, 4) }, wrong)
  expect(right[1]!.map(Math.round)).toEqual(Float64Array.of(1, 0, 0, 0))
})
