import { describe, expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { rng } from '../../../numeric/random/rng.js'
import { nearby, polish } from './flip-guesses.js'

const [n, values, rows] = [6, 3, 20]
const columns = Array.from({ length: n * (values - 1) }, (_, c) => rng(1).fork(c).normals(rows))
const truth = Int32Array.of(0, 1, 2, 2, 0, 1)
const sumOf = (guesses: Int32Array) => {
  const y = new Float64Array(rows)
  for (const [i, v] of guesses.entries()) {
    if (v > 0) for (let r = 0; r < rows; r++) y[r]! += columns[(v - 1) * n + i]![r]!
  }
  return y
}
const y = sumOf(truth)
const changed = (...changes: [record: number, to: number][]) => {
  const guesses = truth.slice()
  for (const [i, v] of changes) guesses[i] = v
  return guesses
}
/** Shares that say nothing of some records, and are whole for the others. */
const undecided = (...open: number[]) =>
  Float64Array.from({ length: n * (values - 1) }, (_, c) => (open.includes(c % n) ? 0.4 : 0))

describe('guesses are polished', () => {
  test('where one is wrong, whichever it is', () => {
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < values; v++) {
        const guesses = changed([i, v])
        polish(guesses, { columns, y, p: undecided(), n })
        expect(guesses).toEqual(truth)
      }
    }
  })

  test('where two are, both undecided, neither of which gains by itself', () => {
    // Two columns that differ little: exchanged, each is worse alone.
    const near = columns.map((column, c) => (c === 1 ? columns[0]!.map((v, r) => v + 0.01 * column[r]!) : column))
    const sum = near[0]!.slice() // record 0 has value 1, the others value 0
    const start = Int32Array.of(0, 1, 0, 0, 0, 0)
    const guesses = start.slice()
    polish(guesses, { columns: near, y: sum, p: undecided(), n })
    expect(guesses).toEqual(start) // nobody is open
    polish(guesses, { columns: near, y: sum, p: undecided(0, 1), n })
    expect(guesses).toEqual(Int32Array.of(1, 0, 0, 0, 0, 0))
  })
})

describe('a pair is changed where both are open', () => {
  // Two columns that differ little, of the last values of the first record and the last one: exchanged, each is worse alone.
  const [own, other] = [n, columns.length - 1]
  const near = columns.map((column, c) => (c === other ? columns[own]!.map((v, r) => v + 0.01 * column[r]!) : column))
  const polished = (p: Float64Array): number[] => {
    const guesses = Int32Array.of(0, 0, 0, 0, 0, 2)
    polish(guesses, { columns: near, y: near[own]!, p, n })
    return [...guesses]
  }
  const shares = (first: number, last: number): Float64Array => {
    const p = new Float64Array(columns.length)
    ;[p[own], p[other]] = [first, last]
    return p
  }
  test.each([
    [0.4, 0.6],
    [0.21, -0.21],
    [1.95, 0.5],
    [0.75, 3.5],
    [1.3, 0.3],
  ])('shares of %d and %d', (first, last) => expect(polished(shares(first, last))).toEqual([2, 0, 0, 0, 0, 0]))
  test.each([
    [0.2, 0.5],
    [0.5, 0.8],
    [1, 0.5],
    [0.5, 0],
    [1.15, 0.5],
  ])('but not of %d and %d', (first, last) => expect(polished(shares(first, last))).toEqual([0, 0, 0, 0, 0, 2]))

  test('of two records: one has one value', () => {
    const axes = columns.map((_, c) => Float64Array.from({ length: rows }, (_, r) => Number(r === c)))
    const between = axes[0]!.map((v, r) => 0.9 * v + axes[n]![r]!)
    const guesses = new Int32Array(n)
    polish(guesses, { columns: axes, y: between, p: undecided(0), n })
    expect([...guesses]).toEqual([2, 0, 0, 0, 0, 0])
  })
})

describe('what is nearby', () => {
  const slack = (size: number) => new Float64Array(rows).fill(size)
  test('is what is left in units of the slack, and sure where nothing else fits', () => {
    const { excess, confidence } = nearby(truth, { columns, y: y.map((v) => v + 0.02), n, slack: slack(0.01) })
    expect(excess).toBeCloseTo(2, 10)
    for (const p of confidence) expect(p).toBeGreaterThan(0.999)
  })
  test('leaves a record in doubt whose values cannot be told apart, and it alone', () => {
    const twin = columns.map((column, c) => (c === 3 ? column.map((v) => v / 1e6) : column)) // values 0 and 1 of record 3
    const guesses = changed([3, 0])
    const { confidence } = nearby(guesses, { columns: twin, y: sumOf(guesses), n, slack: slack(0.1) })
    expect(confidence[3]).toBeCloseTo(0.5, 3)
    for (const [i, p] of confidence.entries()) if (i !== 3) expect(p).toBeGreaterThan(0.99)
  })
  test('leaves two in doubt that may have been exchanged', () => {
    const same = columns.map((column, c) => (c === 1 ? columns[0]! : column)) // value 1 of records 0 and 1
    const guesses = Int32Array.of(1, 0, 0, 0, 0, 0)
    const { confidence } = nearby(guesses, { columns: same, y: columns[0]!, n, slack: slack(0.1) })
    for (const i of [0, 1]) expect(confidence[i]).toBeCloseTo(0.5, 3)
    for (const i of [2, 3, 4, 5]) expect(confidence[i]).toBeGreaterThan(0.99)
  })
  test('is weighed without kernel memory in the end', () => {
    const before = engine().inUse()
    nearby(truth, { columns, y, n, slack: slack(1) })
    expect(engine().inUse()).toBe(before)
  })
})
