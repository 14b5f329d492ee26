import { encodeSource } from '../src/data/dataset.js'
import type { FileReader, FileSpec, TableOptions } from '../src/data/dataset-entry.js'
import { datasets, loadDataset } from '../src/data/index.js'
import { numberColumn, type Table, tableOf, wordColumn } from '../src/data/table.js'
import { rng } from '../src/numeric/random/rng.js'
import { dealRows } from '../src/partition/index.js'
import { pinResults } from './pinned-results.js'

const draws = rng('files')
/** So many made-up rows: a list is of words to draw from (null: missing), a pair of numbers is a range of whole ones. */
function made(
  name: string,
  n: number,
  columns: Readonly<Record<string, readonly (string | null)[] | readonly [number, number]>>,
): Table {
  return tableOf(
    Object.entries(columns).map(([column, from]) => {
      const u = Array.from(draws.fork(name, column).uniforms(n))
      // The last six rows are the first six again, but for their area.
      if (column !== 'PUMA') u.splice(n - 6, 6, ...u.slice(0, 6))
      if (typeof from[0] === 'number') {
        const [low, high] = from as readonly [number, number]
        return numberColumn(column, u.map((x) => low + Math.floor(x * (high - low + 1)))) // biome-ignore format: a line
      }
      const words = from as readonly (string | null)[]
      return wordColumn(column, u.map((x) => words[Math.floor(x * words.length)]!)) // biome-ignore format: a line
    }),
  )
}
const people = (income: readonly string[]) => ({ age: [17, 80], workclass: ['Private', 'State-gov', null], fnlwgt: [1, 9], education: ['Bachelors', 'Masters', 'Doctorate', 'HS-grad'], 'education-num': [1, 16], 'marital-status': ['Divorced', 'Never-married'], occupation: ['Sales', 'Tech-support', null], relationship: ['Wife', 'Husband'], race: ['White', 'Black'], sex: ['Male', 'Female'], 'capital-gain': [0, 99], 'capital-loss': [0, 9], 'hours-per-week': [1, 60], 'native-country': ['US', null], income }) as const // biome-ignore format: a line
const survey = { AGEP: [18, 70], COW: ['1', '2', '3', '5', '6', '8'], SCHL: [1, 24], MAR: ['1', '2', '3', '5'], OCCP: ['10', '20'], POBP: [1, 3], RELP: ['0', '1'], WKHP: [1, 60], SEX: ['1', '2'], RAC1P: ['1', '2', '6', '9'] } as const // biome-ignore format: a line
const tables: Readonly<Record<string, Table>> = {
  'adult/adult.data.gz': made('adult', 40, people(['<=50K', '>50K'])),
  'adult/adult.test.gz': made('adult test', 25, people(['<=50K.', '>50K.'])),
  'medical/insurance.csv': made('medical', 30, { age: [18, 64], sex: ['male', 'female'], bmi: [15, 50], children: [0, 4], smoker: ['yes', 'no'], region: ['northeast', 'southwest', 'southeast'], charges: [1000, 9999] }), // biome-ignore format: a line
  'salary/Salary_Data.csv': made('salary', 60, { Age: [21, 23], Gender: ['Male', 'Female', 'Other', null], 'Education Level': ['High School', "Bachelor's", "Bachelor's Degree", "Master's", 'phD', 'PhD', null], 'Job Title': ['Senior Software Engineer', 'Junior Data Analyst', 'Marketing Director', 'Sales Manager', 'CEO'], 'Years of Experience': [0, 2], Salary: [900, 3000] }), // biome-ignore format: a line
  'acs-income/acs_income_la_2024.csv.gz': made('acs', 40, {
    ...survey,
    PINCP: [100, 300],
    PUMA: ['a', 'b'],
    ST: [22, 22],
  }),
  'acs-income/acs_income_states_2024_sample20.csv.gz': made('states', 40, {
    ...survey,
    PINCP: [100, 300],
    PUMA: ['a', 'b'],
    ST: [1, 3],
  }),
  'acs-income/acs_income_la_2018_binary.csv.gz': made('binary', 40, {
    ...survey,
    PINCP_GT_50K: ['0', '1'],
    ST: [22, 22],
  }),
}
/** A file of this shape, of bytes below a number. */
const idx = (shape: readonly number[], below: number) => {
  const size = shape.reduce((a, b) => a * b, 1)
  const head = [0, 0, 8, shape.length, ...shape.flatMap((s) => [0, 0, s >> 8, s & 255])]
  return Uint8Array.from([
    ...head,
    ...draws
      .fork('idx', size)
      .uniforms(size)
      .map((x) => Math.floor(x * below)),
  ])
}
function reader(change: Readonly<Record<string, Uint8Array>> = {}, seen: unknown[] = []): FileReader {
  return {
    async table({ path }: FileSpec, options?: TableOptions) {
      seen.push([path, options])
      return tables[path]!
    },
    async bytes({ path }: FileSpec) {
      seen.push(path)
      if (change[path] !== undefined) return change[path]
      if (path.startsWith('cifar10'))
        return Uint8Array.from(draws.fork(path).uniforms(5 * 3073), (x) => Math.floor(x * 10))
      return path.includes('images') ? idx([6, 4, 3], 256) : idx([6], 10)
    },
  }
}
const loaded = (name: string, params: object, change?: Readonly<Record<string, Uint8Array>>) => async () => {
  const seen: unknown[] = []
  const source = await loadDataset(name, { rng: rng(1), files: reader(change, seen) }, params as never)
  return [source, encodeSource(source), seen]
}
const dealt = (params: object) => async () => {
  const source = await loadDataset('adult', { rng: rng(1), files: reader() }, { education: 'all' })
  return dealRows(
    'adult-phd',
    { source, rng: rng(2), rows: Int32Array.from({ length: source.table.rows }, (_, i) => i) },
    params as never,
  )
}

pinResults('files', {
  adult: ['bachelor', 'all'].flatMap((education) => ['both', 'train', 'test'].flatMap((split) => [true, false].map((complete) => loaded('adult', { education, split, complete })))), // biome-ignore format: a line
  medical: [loaded('medical', {}), loaded('medical', { encoding: 'linear' })],
  salary: ['keep', 'drop'].flatMap((duplicates) =>
    ['none', 'standardise'].map((scale) => loaded('salary', { duplicates, scale })),
  ),
  'the survey of incomes': ['louisiana', 'states', 'louisiana-2018'].flatMap((part) => ['network', 'linear'].flatMap((encoding) => [...['keep', 'drop'].map((duplicates) => loaded('acs-income', { part, encoding, duplicates })), ...[2, 22, 99].map((state) => loaded('acs-income', { part, encoding, state }))])), // biome-ignore format: a line
  pictures: ['mnist', 'fashion-mnist', 'cifar10'].flatMap((name) => ['train', 'test'].flatMap((split) => ['unit', 'standardise'].map((scale) => loaded(name, { split, scale })))), // biome-ignore format: a line
  'wrong pictures': [
    ...[idx([5], 10), idx([6], 200), idx([6, 1], 10), idx([2, 3], 10), Uint8Array.of(1)].map((bytes) =>
      loaded('mnist', {}, { 'mnist/train-labels-idx1-ubyte.gz': bytes }),
    ),
    ...[idx([6, 4], 10), idx([6, 4, 3, 1], 10)].map((bytes) =>
      loaded('mnist', {}, { 'mnist/train-images-idx3-ubyte.gz': bytes }),
    ),
    ...datasets.cifar10.files!.flatMap(({ path }) => [new Uint8Array(3072), new Uint8Array(3073).fill(11), new Uint8Array(0)].map((bytes) => loaded('cifar10', { split: path.includes('test') ? 'test' : 'train' }, { [path]: bytes }))), // biome-ignore format: a line
  ],
  doctors: [
    {},
    { clients: 4 },
    { clients: 3 },
    { ages: [30, 40] },
    { ages: [40, 40] },
    { ages: [50, 40] },
    { ages: [40] },
  ].map(dealt),
})
