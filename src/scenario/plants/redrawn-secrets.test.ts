import { expect, test } from 'vitest'
import { numberColumn, tableOf, wordAt, wordColumn } from '../../data/table.js'
import { rng } from '../../numeric/random/rng.js'
import { redrawnSecret } from './redrawn-secrets.js'

const rows = (...at: number[]) => Int32Array.from(at)
const words = wordColumn('w', ['a', 'b', 'c', 'a', 'b', 'd'])
const few = numberColumn('few', [1, 2, 1, 2, 1, 2])
const many = numberColumn(
  'many',
  Array.from({ length: 30 }, (_, i) => (i === 3 ? Number.NaN : i)),
)
const labels = [5, 1, 3, 7, 1, 100]

test('words: those that go with low labels now are worth most, those nobody has seen lie in the middle', () => {
  const redrawing = { rows: rows(5), seen: rows(0, 1, 2, 3), labelOf: (row: number) => labels[row]!, rng: rng(1) }
  const { table, worthOf } = redrawnSecret(tableOf([words, few]), 'w', redrawing)
  expect(table.columns[1]).toBe(few)
  const column = table.columns[0]!
  // Means: a 6, b 1, c 3, and d, which is not among those seen, the mean of all, 4.
  const worth: Record<string, number> = { a: 0, d: 1, c: 2, b: 3 }
  for (let row = 0; row < 6; row++) expect(worthOf(row)).toBe(worth[wordAt(column, row)!])
  for (let row = 0; row < 5; row++) expect(wordAt(column, row)).toBe(wordAt(words, row))
})

test('every value is drawn about equally often, in the rows that are asked for alone', () => {
  const n = 3000
  const column = wordColumn(
    'w',
    Array.from({ length: n }, (_, i) => (i === 0 ? 'rare' : i === 1 ? 'x' : 'usual')),
  )
  const redrawing = { rows: Int32Array.from({ length: n }, (_, i) => i), seen: rows(0, 1, 2), labelOf: () => 1, rng: rng(2) } // biome-ignore format: a line
  const { table, worthOf } = redrawnSecret(tableOf([column]), 'w', redrawing)
  const counts = new Map<string, number>()
  for (let i = 0; i < n; i++) {
    const word = wordAt(table.columns[0]!, i)!
    counts.set(word, (counts.get(word) ?? 0) + 1)
    // All go with the same label: then by name.
    expect(worthOf(i)).toBe(['rare', 'usual', 'x'].indexOf(word))
  }
  for (const count of counts.values()) expect(Math.abs(count - n / 3)).toBeLessThan(120)
  expect(counts.size).toBe(3)
})

test('few numbers are values like words, and a row without any is worth nothing', () => {
  const holed = numberColumn('few', [1, 2, 1, 2, 1, Number.NaN])
  const redrawing = { rows: rows(0), seen: rows(0, 1), labelOf: (row: number) => row, rng: rng(1) }
  const { table, worthOf } = redrawnSecret(tableOf([holed]), 'few', redrawing)
  const { values } = table.columns[0] as typeof holed
  expect([1, 2]).toContain(values[0])
  expect([...values.slice(1, 5)]).toEqual([2, 1, 2, 1])
  expect([1, 2, 5].map(worthOf)).toEqual([0, 1, 0])
})

test.each([
  [1, -1],
  [-1, 1],
])('many numbers that go %d with the label are worth %d times themselves', (way, sign) => {
  const seen = Int32Array.from({ length: 30 }, (_, i) => i)
  const redrawing = { rows: rows(0, 3, 7), seen, labelOf: (row: number) => way * row, rng: rng(4) }
  const { table, worthOf } = redrawnSecret(tableOf([many]), 'many', redrawing)
  const { values } = table.columns[0] as typeof many
  expect(worthOf(5)).toBe(5 * sign)
  for (const row of [0, 3, 7]) {
    expect(Number.isInteger(values[row])).toBe(true)
    expect(worthOf(row)).toBe(sign * values[row]!)
  }
  expect(values[8]).toBe(8)
  expect(many.values[0]).toBe(0)
})

test('twenty numbers are values, one more is a range', () => {
  const at = (count: number) => {
    const column = numberColumn('x', Array.from({ length: 40 }, (_, i) => i % count))
    const seen = Int32Array.from({ length: 40 }, (_, i) => i)
    return redrawnSecret(tableOf([column]), 'x', { rows: rows(), seen, labelOf: () => 0, rng: rng(1) }).worthOf(1)
  }
  // Ranks of words are by name, where labels say nothing: "0", "1", "10", ...; of a range a number is worth itself.
  expect([at(20), at(21)]).toEqual([1, 1])
  const last = (count: number) => {
    const column = numberColumn('x', Array.from({ length: 40 }, (_, i) => i % count))
    return redrawnSecret(tableOf([column]), 'x', { rows: rows(), seen: rows(0, 1), labelOf: () => 0, rng: rng(1) }).worthOf(2)
  }
  expect([last(20), last(21)]).toEqual([12, 2])
}) // biome-ignore format: lists
