import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { numberColumn, tableOf, wordColumn } from '../../data/table.js'
import { slugOf, tableScenario } from './table-scenario.js'

test.each([
  ['My Table (1).csv', 'my-table-1'],
  ['data.tsv.gz', 'data'],
  ['--.csv', 'table'],
  ['x'.repeat(50), 'x'.repeat(40)],
])('%s is called %s', (file, slug) => {
  expect(slugOf(file)).toBe(slug)
})

const rows = (n: number) =>
  tableOf([
    numberColumn(
      'two',
      Array.from({ length: n }, (_, i) => i % 2),
    ),
    numberColumn(
      'three',
      Array.from({ length: n }, (_, i) => 5 + (i % 3)),
    ),
    wordColumn(
      'word',
      Array.from({ length: n }, (_, i) => (i === 0 ? 'yes' : i % 2 === 0 ? 'yes' : 'no')),
    ),
    wordColumn(
      'site',
      Array.from({ length: n }, () => 'north'),
    ),
  ])
const guess = { label: 'two', sensitive: [], client: null, id: null, task: 'regression' }
const made = (more: object, n = 100, file = 'a.csv') =>
  parse(tableScenario(file, rows(n), { ...guess, ...more } as never))

test('numbers are predicted by a linear model, two classes by a logistic one', () => {
  const kind = (more: object) => made(more).models[0].kind
  expect(kind({})).toBe('linear')
  expect(kind({ task: 'classification' })).toBe('logistic')
  expect(kind({ task: 'classification', label: 'word' })).toBe('logistic')
  expect(kind({ task: 'classification', label: 'three' })).toBe('softmax')
  expect(kind({ task: 'classification', label: null })).toBe('softmax')
})

test('clients are those of a column, or some of forty rows each', () => {
  const clients = (n: number) => made({}, n).partition.params.clients
  expect([10, 119, 120, 319, 320, 5000].map(clients)).toEqual([2, 2, 3, 7, 8, 8])
  expect(made({}).knowledge.targets).toEqual(['0'])
  const sites = made({ client: 'site' })
  expect(sites.partition).toEqual({ name: 'by-column', params: { column: 'site' } })
  expect(sites.knowledge.targets).toEqual(['north'])
  expect(made({ client: 'three' }).knowledge.targets).toEqual(['5'])
})

test('what is guessed of columns is said, and nothing else', () => {
  expect(made({}).data).toMatchObject({ name: 'csv', params: { file: 'a.csv', label: 'two', missing: 'drop' } })
  expect(Object.keys(made({}).data.params)).toEqual(['file', 'label', 'missing'])
  expect(made({}).knowledge).toEqual({ targets: ['0'], candidates: 40 })
  const full = made({ sensitive: ['word', 'site'], client: 'site', id: 'three', task: 'classification', label: null })
  expect(full.data.params).toEqual({ file: 'a.csv', label: '', task: 'classification', sensitive: 'word, site', client: 'site', id: 'three', missing: 'drop' }) // biome-ignore format: a line
  expect(full.knowledge.sensitive).toEqual(['word', 'site'])
  expect(made({}, 100, 'A.PARQUET').data.name).toBe('parquet')
  expect(made({}, 100, 'a.parquet.csv').data.name).toBe('csv')
})

test('a few attacks that are quick, by what is asked; how to have all of them is said', () => {
  const ids = (more: object): string[] =>
    made(more).attacks.map((one: string | { id: string }) => (typeof one === 'string' ? one : one.id))
  expect(ids({ sensitive: ['word'] })).toEqual(expect.arrayContaining(['lmra-ols', 'aia-linear', 'label-mean', 'protocol'])) // biome-ignore format: a line
  expect(ids({}).some((id) => id.startsWith('aia-'))).toBe(false)
  expect(ids({ sensitive: ['word'], task: 'classification' })).not.toContain('label-mean')
  expect(tableScenario('a.csv', rows(100), guess as never)).toContain('# "attacks: all"')
})
