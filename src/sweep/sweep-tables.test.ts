import { expect, test } from 'vitest'
import { csvLine, rowsOf } from './sweep-tables.js'
import { columnsOf, ownColumns, reserved } from './table-columns.js'
import type { TrialLine } from './trial-line.js'

const result = {
  ...{ hash: 'h', level: 'none-found', tested: 4, notTested: 0 },
  questions: [{ observer: 'server', kind: 'labels', recordStep: 0, notTested: 'x' }],
  scores: [{ attack: 'a', value: 0.5, oracle: false }, { attack: 'b' }],
  utility: [],
}
const line = (over: object = {}) =>
  ({ id: 'i', seed: 7, at: { n: 3, list: [1, 2], none: null, flag: false, word: 'w' }, result, reason: null, ...over }) as unknown as TrialLine // biome-ignore format: a line

test('a trial is one row of trials, finished or not', () => {
  expect(rowsOf('trials', line(), [])).toEqual([['i', 7, 'done', null, 'none-found', 4, 0]])
  const failed = line({ result: null, reason: 'it crashed' })
  expect(rowsOf('trials', failed, [])).toEqual([['i', 7, 'failed', 'it crashed', null, null, null]])
  for (const table of ['questions', 'scores', 'utility'] as const) expect(rowsOf(table, failed, [])).toEqual([])
})

test('every row has the place of its trial, and a cell for every column', () => {
  const axes = ['n', 'list', 'none', 'flag', 'word', 'absent']
  const rows = rowsOf('scores', line(), axes)
  expect(rows.map((row) => row.slice(0, 8))).toEqual(Array(2).fill(['i', 7, 3, '[1,2]', null, false, 'w', null]))
  expect(rows.map((row) => row.length)).toEqual(Array(2).fill(columnsOf('scores', axes).length))
  const at = (table: keyof typeof ownColumns, column: string) => 2 + ownColumns[table].indexOf(column)
  const [first, second] = rowsOf('scores', line(), [])
  expect([first![at('scores', 'value')], first![at('scores', 'oracle')], second![at('scores', 'value')]]).toEqual([0.5, false, null]) // biome-ignore format: a line
  expect(rowsOf('questions', line(), [])[0]![at('questions', 'recordStep')]).toBe(0)
  expect(rowsOf('utility', line(), axes)).toEqual([])
})

test('an axis may not be called as any column is', () => {
  expect(columnsOf('trials', ['x'])).toEqual(['trial', 'seed', 'x', 'status', 'reason', 'level', 'tested', 'notTested'])
  expect(['trial', 'seed', 'status', 'everybody', 'lift', 'diverged'].every((name) => reserved.includes(name))).toBe(true) // biome-ignore format: a line
  expect(new Set(reserved).size).toBe(reserved.length)
})

test.each([
  [['a', 1, null, true], 'a,1,,true\n'],
  [['a,b', 'c"d', 'e\nf', 'g\rh'], '"a,b","c""d","e\nf","g\rh"\n'],
  [[' a', 'b ', 'c d', ''], '" a","b ",c d,\n'],
])('%j is the line %j', (cells, text) => {
  expect(csvLine(cells)).toBe(text)
})
