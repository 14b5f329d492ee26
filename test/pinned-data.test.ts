import { cpsWagesTable } from '../src/data/cps-wages.js'
import { checkedSource, encodeSource, encodeSourceSparse, fitSource, type Source } from '../src/data/dataset.js'
import { decode, inWords, sensitiveOf } from '../src/data/decode.js'
import { encodeDense, encodeSparse, fitEncoder, outputNames, type Rule } from '../src/data/encoder.js'
import { readIdx } from '../src/data/idx.js'
import { datasets, loadDataset } from '../src/data/index.js'
import { fieldOf, roleOf, seniorityOf } from '../src/data/job-title.js'
import { encodePixels, fitPixels } from '../src/data/pixels.js'
import * as tables from '../src/data/table.js'
import { rng } from '../src/numeric/random/rng.js'
import { holdOut } from '../src/partition/hold-out.js'
import { dealRows, partitions } from '../src/partition/index.js'
import { pinResults } from './pinned-results.js'

const { numberColumn, wordColumn, tableOf } = tables
const people = tableOf([
  numberColumn('age', [30, 40, 50, 20, 33, 41]),
  numberColumn('bmi', [20.5, 31, 28, 25, 19, 22]),
  wordColumn('sex', ['f', 'm', 'f', 'f', 'm', 'f']),
  wordColumn('town', ['b', 'a', 'c', 'a', 'a', 'c']),
  numberColumn('flat', [7, 7, 7, 7, 7, 7]),
  numberColumn('code', [2, 10, 1, 2, 10, 1]),
])
const holes = tableOf([numberColumn('n', [1, Number.NaN, 3, 1]), wordColumn('w', ['x', 'y', null, 'x'])])
const ways: readonly Omit<Rule, 'column'>[] = [
  ...(['number', 'log', 'log1p', 'codes'] as const).flatMap((encode) => (['none', 'standardise', 'min-max'] as const).map((scale) => ({ encode, scale }))), // biome-ignore format: a list
  { encode: 'one-hot' },
  { encode: 'one-hot', drop: 'none' },
  { encode: 'one-hot', scale: 'standardise' },
  { encode: 'one-hot', drop: 'none', scale: 'min-max' },
  { encode: 'one-hot', levels: ['a', 'b'], unseen: 'ignore' },
  { encode: 'one-hot', levels: ['c', 'b', 'a'] },
  { encode: 'one-hot', levels: ['a', 'b'] },
  { encode: 'codes', levels: ['a', 'b', 'c'] },
]
const rules = people.columns.flatMap(({ name }) => ways.map((way) => ({ column: name, ...way })))
const source: Source = { name: 'people', task: 'regression', table: people, rules: [{ column: 'age', encode: 'number', scale: 'standardise' }, { column: 'sex', encode: 'one-hot' }, { column: 'town', encode: 'one-hot', drop: 'none' }], label: { column: 'bmi', encode: 'number' }, labelUnit: 'kg', sensitive: ['sex', 'age'], metaclass: 'town', client: 'town' } // biome-ignore format: a line
const wrongs: readonly Partial<Source>[] = [{}, { task: 'classification' }, { sensitive: ['bmi'] }, { sensitive: ['nobody'] }, { metaclass: 'no' }, { client: 'no' }, { label: { column: 'no', encode: 'number' } }, { label: { column: 'town', encode: 'codes' }, task: 'classification' }, { label: { column: 'town', encode: 'one-hot' } }, { rules: [] }, { rules: [{ column: 'bmi', encode: 'number' }] }] // biome-ignore format: a list
const pixels = {
  bytes: new Uint8Array(48).map((_, i) => (i * 29) % 256),
  shape: [3, 2, 2],
  scale: 'standardise',
} as const
const titles = ['Senior Software Engineer', 'Junior Data Analyst', 'Director of Marketing', 'CEO', 'HR Manager', 'Sales Representative', 'Principal Scientist', 'Receptionist', 'Full Stack Engineer', 'VP of Finance', 'Data Entry Clerk', 'Back end Developer', 'Chief Technology Officer', 'Junior HR Coordinator', 'Product Designer', ''] // biome-ignore format: a list
const idx = (...head: number[]) => Uint8Array.from([...head, 1, 2, 3, 4, 5, 6])
const own: readonly (readonly [string, object])[] = [
  ['cps-wages', {}],
  ['cps-wages', { wage: 'log' }],
  ['toy-least-squares', { clients: 3, recordsPerClient: 4, numericColumns: 2, heterogeneity: 0.5, noiseStd: 0.3 }],
  ['toy-least-squares', { clients: 1, recordsPerClient: 5 }],
  ['metaclass-synthetic', { records: 20, inputs: 3, metaclasses: 2, withinStd: 0.1, noiseStd: 0 }],
  ['leaf-synthetic', { sizes: [3, 5], inputs: 2, classes: 3, clusters: 2 }],
  ['leaf-synthetic', { sizes: [], clients: 2, covariance: 'lmra', minorityShare: 0.1 }],
  ['tiny-images', { records: 9, classes: 3, side: 4, channels: 3, noiseStd: 0.5 }],
  ['tiny-images', { records: 5, classes: 2, side: 3 }],
]
const dealt = (name: string, params: object) => async () => {
  const wages = await loadDataset('cps-wages', { rng: rng(1) })
  const rows = Int32Array.from({ length: 90 }, (_, i) => 2 * i)
  return dealRows(name, { source: wages, rng: rng(2), rows }, params as never)
}

pinResults('data', {
  encoders: rules.map((rule) => () => {
    const encoder = fitEncoder([rule], people)
    const dense = encodeDense(encoder, people)
    const words = [dense.data.subarray(0, dense.cols), dense.data.subarray(dense.cols, 2 * dense.cols)]
    return [
      encoder,
      outputNames(encoder),
      dense,
      encodeSparse(encoder, people),
      words.map((one) => inWords(encoder, rule.column, one)),
    ]
  }),
  'what encoders say of a column': rules.flatMap((rule) => [
    () => sensitiveOf(fitEncoder([rule], people), rule.column),
    () => decode(fitEncoder([rule], people), rule.column, [0.1, 0.9, 0]),
    () => decode(fitEncoder([rule], people), rule.column, [1]),
    () => decode(fitEncoder([rule], people), 'nobody', [1]),
  ]),
  'encoders of what is missing or unseen': [
    ...ways.flatMap((way) =>
      ['n', 'w'].map((column) => () => encodeDense(fitEncoder([{ column, ...way }], holes), holes)),
    ),
    ...ways.map(
      (way) => () => encodeDense(fitEncoder([{ column: 'town', ...way }], tables.takeRows(people, [0, 1])), people),
    ),
    () => fitEncoder([], tables.takeRows(people, [])),
    () => fitEncoder([{ column: 'age', encode: 'number' }, { column: 'age', encode: 'log' }], people), // biome-ignore format: a line
    () => encodeDense(fitEncoder([{ column: 'n', encode: 'log' }], tableOf([numberColumn('n', [1, 2])])), tableOf([numberColumn('n', [0, -1])])), // biome-ignore format: a line
  ],
  sources: wrongs.flatMap((change) => [
    () => checkedSource({ ...source, ...change }),
    () => encodeSource({ ...source, ...change }),
    () => encodeSource({ ...source, ...change }, { rows: [1, 3], fit: fitSource({ ...source, ...change }, [0, 1, 2]) }),
    () => encodeSourceSparse({ ...source, ...change }, { rows: [5, 0] }),
  ]),
  tables: [
    () => tables.takeRows(people, [5, 0, 0]),
    () => tables.takeRows(people, [6]),
    () => tables.takeRows(people, [-1]),
    ...people.columns.map((column) => () => [
      tables.levelsOf(column),
      tables.asWords(column),
      tables.wordAt(column, 1),
      tables.wordAt(column, 9),
    ]),
    ...holes.columns.map((column) => () => [
      tables.levelsOf(column),
      tables.asWords(column),
      [0, 1, 2].map((i) => tables.wordAt(column, i)),
    ]),
    () => [
      tables.completeRows(holes),
      tables.completeRows(holes, ['n']),
      tables.completeRows(holes, ['w']),
      tables.distinctRows(holes),
    ],
    () => [
      tables.distinctRows(people),
      tables.distinctRows(tables.pickColumns(people, ['code', 'town'])),
      tables.distinctRows(tables.pickColumns(people, [])),
    ],
    () => [
      tables.rowsWhere(people, (i) => i % 2 === 1),
      tables.withColumns(people, [
        numberColumn('age', [1, 2, 3, 4, 5, 6]),
        wordColumn('new', ['a', 'b', 'c', 'd', 'e', 'f']),
      ]),
    ],
    () => tables.mapWords(people.columns[3]!, (word) => (word === 'a' ? null : word === 'b' ? 'c' : word)),
    () => tables.numbersOf(people, 'sex'),
    () => tables.columnOf(people, 'agee'),
    () => tableOf([numberColumn('a', [1]), numberColumn('a', [2])]),
    () => tableOf([numberColumn('a', [1]), numberColumn('b', [2, 3])]),
    () => tableOf([], 3),
    ...[[], ['a'], Array.from({ length: 12 }, (_, i) => `w${i}`)].map((words) => () => tables.some(words)),
    () =>
      tables.distinctRows(
        tables.takeRows(
          cpsWagesTable(),
          Array.from({ length: 534 }, (_, i) => i),
        ),
      ),
  ],
  pictures: [
    ...([[3, 2, 2], [1, 4, 4], [4, 2, 2], [1, 3, 1]] as const).flatMap((shape) => (['unit', 'standardise'] as const).flatMap((scale) => [[0, 2], 3, [0], [9], [-1], []].map((rows) => () => { const all = { ...pixels, shape, scale }; const fitted = fitPixels(all, rows); return [fitted, encodePixels(all, fitted, [1, 0])] }))), // biome-ignore format: a list
    ...[idx(0, 0, 8, 1, 0, 0, 0, 6), idx(0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3), idx(0, 0, 8, 1, 0, 0, 0, 5), idx(0, 0, 9, 1, 0, 0, 0, 6), idx(1, 0, 8, 1, 0, 0, 0, 6), idx(0, 1, 8, 1, 0, 0, 0, 6), idx(0, 0, 8, 0), Uint8Array.of(0, 0, 8), Uint8Array.of(0, 0, 8, 1, 0)].map((bytes) => () => readIdx(bytes, 'x')), // biome-ignore format: a list
  ],
  'job titles': titles.map((title) => () => [roleOf(title), fieldOf(title), seniorityOf(title)]),
  datasets: [
    ...own.map(
      ([name, params]) =>
        async () =>
          encodeSource(await loadDataset(name, { rng: rng(3) }, params as never)),
    ),
    ...Object.entries(datasets).map(
      ([name]) =>
        () =>
          loadDataset(name, { rng: rng(3) }, { nothing: 1 }),
    ),
    ...Object.entries(datasets).filter(([, { origin }]) => origin === 'files').map(([name]) => () => loadDataset(name, { rng: rng(3) })), // biome-ignore format: a line
  ],
  partitions: [
    ...Object.keys(partitions).flatMap((name) =>
      [{}, { clients: 3 }, { clients: 91 }, { clients: 0 }].map((params) => dealt(name, params)),
    ),
    ...['union', 'race', 'nobody', 'age'].map((column) => dealt('by-column', { column })),
    ...[[10, 20], [90], [91], [0, 5], []].flatMap((sizes) =>
      [true, false].map((shuffle) => dealt('sizes', { sizes, shuffle })),
    ),
    ...[{ concentration: 0.1, column: 'race' }, { concentration: 100, column: 'union', least: 5 }, { least: 40, clients: 3, column: 'union' }, { concentration: 0, column: 'union' }].map((params) => dealt('dirichlet', params)), // biome-ignore format: a list
    ...[{ heterogeneity: 0 }, { heterogeneity: 0.5, clients: 4 }, { attribute: 'race' }, { attribute: 'gender', value: 'male', clients: 2 }, { attribute: 'gender', value: 'none' }, { heterogeneity: 0.6 }, { clients: 5, heterogeneity: 0.3 }].map((params) => dealt('heterogeneous', params)), // biome-ignore format: a list
    ...[0, 0.1, 0.5, 0.99, 1, -0.1].flatMap((share) => [0, 1, 2, 11].map((n) => () => holdOut(Int32Array.from({ length: n }, (_, i) => i), { share, rng: rng(1) }))), // biome-ignore format: a list
  ],
})
