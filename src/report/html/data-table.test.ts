import { expect, test } from 'vitest'
import { tableIn } from '../../../test/html-tables.js'
import { type Cell, dataTable, figureCell } from './data-table.js'

const options = { id: 't', caption: 'all of "them"', columns: ['name', 'chance', 'size'] }
const rowsOf = (count: number): Cell[][] =>
  Array.from({ length: count }, (_, i) => [`row ${i}`, figureCell(`${i}`), { t: `<${i}>`, c: 'n', h: 'why' }])

test('of no rows there is no table', () => {
  expect(dataTable([], { ...options, source: 'audit.json' })).toBe('')
})

test('words, second lines, classes, explanations and links stand in their cells', () => {
  const cell = (one: Cell): string => /<tbody><tr>(.*)<\/tr><\/tbody>/.exec(dataTable([[one]], options))![1]!
  expect(cell('a<b')).toBe('<td>a&lt;b</td>')
  expect(cell(figureCell('1'))).toBe('<td class="n">1</td>')
  expect(cell(figureCell('1', { h: 'by "x"' }))).toBe('<td class="n" title="by &quot;x&quot;">1</td>')
  expect(cell({ t: 'a', d: 'quiet & low' })).toBe('<td>a<br><span class="dim">quiet &amp; low</span></td>')
  expect(cell({ t: 'a', d: '' })).toBe('<td>a</td>')
  expect(cell({ t: 'a', a: 'q1' })).toBe('<td><a href="#q1">a</a></td>')
})

test('heads say which columns are figures and what known words mean', () => {
  const html = dataTable(rowsOf(1), { ...options, figures: [1, 2] })
  expect(tableIn(html, 't')).toEqual({
    caption: 'all of &quot;them&quot;',
    heads: ['name', 'chance', 'size'],
    rows: [['row 0', '0', '&lt;0&gt;']],
    figures: [1, 2],
  })
  expect(html).toContain('<th scope="col">name</th><th scope="col" class="n" title="What the best guesser')
  expect(tableIn(dataTable(rowsOf(1), options), 't')!.figures).toEqual([])
})

test('a source is named where there is one', () => {
  expect(dataTable(rowsOf(1), { ...options, source: 'a&b' })).toMatch(
    /<p class="source dim screen">Source: <code>a&amp;b<\/code><\/p>$/,
  )
  expect(dataTable(rowsOf(1), options)).not.toContain('Source')
})

test('sixty rows stand in the page, those after them beside it', () => {
  const sixty = dataTable(rowsOf(60), options)
  expect(tableIn(sixty, 't')!.rows).toHaveLength(60)
  expect(sixty).not.toContain('<script')
  const more = dataTable(rowsOf(62), options)
  expect(tableIn(more, 't')!.rows).toHaveLength(60)
  expect(more).toContain('The first 60 of 62 rows are shown;')
  const [, json] = /<script type="application\/json" id="t-rows" data-count="2">(.*)<\/script>/.exec(more)!
  // A figure alone is its words; one with an explanation keeps that, and its class is said by the column.
  expect(JSON.parse(json!)).toEqual([
    ['row 60', '60', { t: '<60>', h: 'why' }],
    ['row 61', '61', { t: '<61>', h: 'why' }],
  ])
})

test('rows beside the page keep the classes of what is no figure', () => {
  const rows = [...rowsOf(60), ['a', { t: 'b' }, { t: 'leaks', c: 'leak' }] as Cell[]]
  const [, json] = /data-count="1">(.*)<\/script>/.exec(dataTable(rows, options))!
  expect(JSON.parse(json!)).toEqual([['a', { t: 'b' }, { t: 'leaks', c: 'leak' }]])
})
