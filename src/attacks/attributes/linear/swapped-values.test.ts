import { expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import { exp } from '../../../numeric/special/elementary-functions.js'
import { decide, type Propagated, type Propagation, propagate } from './expectation-propagation.js'
import { unswapped } from './swapped-values.js'

const [records, equations] = [12, 40]

/** Records of two values, of which the last ones change a message as sums of others do, but for a little. */
function twins(little: number, last: readonly (readonly number[])[]) {
  const draws = rng(7)
  const columns = Array.from({ length: records }, () => draws.normals(equations))
  for (const [k, like] of last.entries()) {
    const own = columns[records - 1 - k]!
    for (let j = 0; j < equations; j++) own[j] = like.reduce((sum, i) => sum + columns[i]![j]!, little * own[j]!)
  }
  return columns
}

/** What messages made of some values leave of all, with errors of deviation 1 / 100. */
function heard(columns: readonly Float64Array[], truth: readonly number[], values = 2): Propagated {
  const [n, weight] = [records, 1e4]
  const N = columns.length
  const y = new Float64Array(equations)
  for (const [i, v] of truth.entries()) {
    if (v > 0) for (let j = 0; j < equations; j++) y[j]! += columns[(v - 1) * n + i]![j]!
  }
  const times = (a: Float64Array, b: Float64Array): number => weight * a.reduce((sum, x, j) => sum + x * b[j]!, 0)
  return {
    Q: Float64Array.from({ length: N * N }, (_, at) => times(columns[Math.floor(at / N)]!, columns[at % N]!)),
    b: Float64Array.from({ length: N }, (_, c) => times(columns[c]!, y)),
    records: n,
    logPrior: Array.from({ length: values }, () => new Float64Array(n)),
  }
}

/** As if propagation had ended with these values. */
function endedAt(given: Propagated, values: readonly number[]): Propagation {
  const found = propagate(given)
  const shares = found.shares.map((one) => one.slice())
  const ending = { ...found.ending, shares }
  for (const [i, v] of values.entries()) decide(ending, i, v)
  return { ...found, shares, ending, settled: true, dispersion: 1 }
}

const valuesOf = ({ shares }: Propagation): number[] =>
  Array.from(shares[0]!, (_, i) => shares.reduce((best, one, v) => (one[i]! > shares[best]![i]! ? v : best), 0))
const withValues = (values: readonly number[], changed: Readonly<Record<number, number>>): number[] =>
  values.map((v, i) => changed[i] ?? v)

const truth = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0]

test('two records that are nearly alike and have each other’s value are put right', () => {
  const given = heard(twins(0.05, [[0]]), truth)
  const swapped = endedAt(given, withValues(truth, { 0: 0, 11: 1 }))
  const found = unswapped(given, swapped)
  expect(valuesOf(found)).toEqual(truth)
  expect(Math.min(...found.shares[1]!.filter((_, i) => truth[i] === 1))).toBeGreaterThan(0.99)
})

test('and so are four of which no two can change alone', () => {
  // Of four records two change the messages together as the two others do.
  const columns = twins(0, [])
  for (let j = 0; j < equations; j++)
    columns[11]![j] = columns[0]![j]! + columns[2]![j]! - columns[4]![j]! + 0.05 * columns[11]![j]!
  const right = withValues(truth, { 0: 1, 2: 1, 4: 0, 11: 0 })
  const given = heard(columns, right)
  const found = unswapped(given, endedAt(given, withValues(right, { 0: 0, 2: 0, 4: 1, 11: 1 })))
  expect(valuesOf(found)).toEqual(right)
})

test('records of three values are put right too', () => {
  const draws = rng(8)
  const columns = Array.from({ length: 2 * records }, () => draws.normals(equations))
  for (const v of [0, 1]) {
    const [own, like] = [columns[v * records + 11]!, columns[v * records]!]
    for (let j = 0; j < equations; j++) own[j] = like[j]! + 0.05 * own[j]!
  }
  const right = [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]
  const given = heard(columns, right, 3)
  const found = unswapped(given, endedAt(given, withValues(right, { 0: 1, 11: 2 })))
  expect(valuesOf(found)).toEqual(right)
})

test('records that cannot be told apart are sure of nothing, and the others stay sure', () => {
  const given = heard(twins(0, [[0]]), truth)
  const { shares } = unswapped(given, endedAt(given, truth))
  expect(shares[1]![0]).toBeCloseTo(0.5, 6)
  expect(shares[0]![11]).toBeCloseTo(0.5, 6)
  expect(shares[0]![0]! + shares[1]![0]!).toBeCloseTo(1, 12)
  for (let i = 1; i < 11; i++) expect(shares[truth[i]!]![i]).toBeGreaterThan(0.999)
})

test('where propagation did not settle, values are doubted as far as they can be and not changed', () => {
  const given = heard(twins(0.05, [[0]]), truth)
  const swapped = endedAt(given, withValues(truth, { 0: 0, 11: 1 }))
  const { shares, ending } = unswapped(given, { ...swapped, settled: false })
  expect(ending).toBe(swapped.ending)
  expect([shares[0]![0], shares[1]![11]]).toEqual([0.5, 0.5])
})

test('a value is as sure as all that differ in it, alone or in one other record, leave it: one by one', () => {
  const few = Array.from({ length: records }, (_, i) => rng(9).fork('column', i).normals(equations, { std: 0.006 }))
  const given = heard(few, truth)
  const dispersion = 1.5
  const { shares } = unswapped(given, { ...endedAt(given, truth), settled: false, dispersion })
  const N = records
  const costOf = (p: readonly number[]): number => {
    let sum = 0
    for (let c = 0; c < N; c++) {
      for (let d = 0; d < N; d++) sum += (p[c]! * p[d]! * given.Q[c * N + d]!) / 2
      sum -= p[c]! * given.b[c]!
    }
    return sum / dispersion
  }
  const least = costOf(truth)
  const oddsOf = (...those: readonly number[]): number =>
    exp(least - costOf(truth.map((v, i) => (those.includes(i) ? 1 - v : v))))
  for (let i = 0; i < N; i++) {
    const against = Array.from({ length: N }, (_, k) => (k === i ? oddsOf(i) : oddsOf(i, k)))
    const sure = 1 / (1 + against.reduce((sum, one) => sum + one, 0))
    expect(shares[truth[i]!]![i]).toBeCloseTo(Math.max(0.5, sure), 9)
  }
  expect(Math.max(...shares[1]!.filter((_, i) => truth[i] === 1))).toBeGreaterThan(0.6)
})
