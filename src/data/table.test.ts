import fc from 'fast-check'
import { expect, test } from 'vitest'
import { medianOf } from '../numeric/special/summaries.js'
import {
  asWords,
  columnOf,
  completeRows,
  distinctRows,
  levelsOf,
  mapWords,
  numberColumn,
  numbersOf,
  tableOf,
  takeRows,
  withColumns,
  wordAt,
  wordColumn,
} from './table.js'

const people = tableOf([
  numberColumn('age', [30, Number.NaN, 30, 9]),
  wordColumn('smoker', ['yes', 'no', 'yes', null]),
  numberColumn('code', [10, 9, 10, 10]),
])

test('words are found again, and missing ones are missing', () => {
  const smoker = columnOf(people, 'smoker')
  expect([0, 1, 2, 3].map((i) => wordAt(smoker, i))).toEqual(['yes', 'no', 'yes', undefined])
  expect(wordAt(columnOf(people, 'age'), 1)).toBeUndefined()
  expect(levelsOf(smoker)).toEqual(['no', 'yes'])
  expect(levelsOf(columnOf(people, 'code'))).toEqual(['9', '10']) // by size, not by letter
  expect([...asWords(columnOf(people, 'age')).codes]).toEqual([1, -1, 1, 0])
})

test('levels that no row holds any more are gone', () => {
  expect(levelsOf(columnOf(takeRows(people, [1]), 'smoker'))).toEqual(['no'])
})

test('rows: complete ones, distinct ones, chosen ones', () => {
  expect([...completeRows(people)]).toEqual([0, 2])
  expect([...completeRows(people, ['smoker'])]).toEqual([0, 1, 2])
  expect([...distinctRows(people)]).toEqual([0, 1, 3])
  expect([...numbersOf(takeRows(people, [3, 0, 3]), 'age')]).toEqual([9, 30, 9])
  expect(takeRows(people, []).rows).toBe(0)
  expect(() => takeRows(people, [4])).toThrow('row 4 was asked for; the table has 4 rows')
})

test('words can be merged', () => {
  const merged = mapWords(wordColumn('e', ["Bachelor's", "Bachelor's Degree", 'x', null]), (word) =>
    word === 'x' ? null : word.slice(0, 8),
  )
  expect(merged.words).toEqual(['Bachelor'])
  expect([...merged.codes]).toEqual([0, 0, -1, -1])
})

test('wrong columns are told apart', () => {
  expect(() => columnOf(people, 'smokr')).toThrow(
    /unknown column: "smokr" \(did you mean "smoker"\?\).*age, code, smoker/,
  )
  expect(() => numbersOf(people, 'smoker')).toThrow(/column "smoker" holds words \("yes", "no"\); numbers are needed/)
  expect(() => tableOf([numberColumn('a', [1]), numberColumn('b', [])])).toThrow('column "b" has 0 rows')
  expect(() => tableOf([numberColumn('a', [1]), numberColumn('a', [1])])).toThrow('two columns are called "a"')
  expect(withColumns(people, [numberColumn('age', [1, 2, 3, 4])]).columns.map(({ name }) => name)).toEqual([
    'age',
    'smoker',
    'code',
  ])
})

test('a median', () => {
  expect(medianOf([3, 1, 2])).toBe(2)
  expect(medianOf([10, 9, 1, 100])).toBe(9.5)
})

test('distinct rows are those of a slow comparison', () => {
  const cell = fc.constantFrom(0, -0, 1, 2.5, -1, Number.NaN)
  const rows = fc.array(fc.tuple(cell, cell, fc.constantFrom('a', 'b', null)), { maxLength: 30 })
  fc.assert(
    fc.property(rows, (drawn) => {
      const table = tableOf(
        [
          numberColumn(
            'x',
            drawn.map(([x]) => x),
          ),
          numberColumn(
            'y',
            drawn.map(([, y]) => y),
          ),
          wordColumn(
            'w',
            drawn.map(([, , w]) => w),
          ),
        ],
        drawn.length,
      )
      const keys = drawn.map(([x, y, w]) => `${x} ${y} ${w}`)
      expect([...distinctRows(table)]).toEqual(keys.flatMap((key, i) => (keys.indexOf(key) === i ? [i] : [])))
    }),
  )
})
