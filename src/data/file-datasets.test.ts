import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { encodeSource, type Source } from './dataset.js'
import type { FileReader, TableOptions } from './dataset-entry.js'
import { datasets } from './index.js'
import { columnOf, numberColumn, numbersOf, type Table, tableOf, wordAt, wordColumn } from './table.js'

/** Files that are made up here, with what was asked about each. */
function made(files: Readonly<Record<string, Table | Uint8Array>>) {
  const asked: [path: string, options?: TableOptions][] = []
  const fileAt = (path: string, options?: TableOptions): unknown => {
    asked.push(options === undefined ? [path] : [path, options])
    return files[path]
  }
  const reader: FileReader = {
    table: async ({ path }, options) => fileAt(path, options) as Table,
    bytes: async ({ path }) => fileAt(path) as Uint8Array,
  }
  return { asked, files: reader, rng: rng(1) }
}

const wordsOf = ({ table }: Source, name: string): (string | null)[] =>
  Array.from({ length: table.rows }, (_, i) => wordAt(columnOf(table, name), i) ?? null)

describe('acs-income', () => {
  const people = (more: readonly ReturnType<typeof numberColumn>[] = []) =>
    tableOf([
      numberColumn('AGEP', [20, 30, 40, 40]),
      numberColumn('COW', [2, 3, 6, 6]),
      numberColumn('SCHL', [10, 16, 22, 22]),
      numberColumn('MAR', [1, 5, 3, 3]),
      numberColumn('OCCP', [100, 200, 100, 100]),
      numberColumn('RAC1P', [1, 2, 9, 9]),
      numberColumn('WKHP', [40, 20, 60, 60]),
      numberColumn('SEX', [1, 2, 1, 1]),
      numberColumn('ST', [22, 22, 6, 6]),
      ...more,
    ])
  const income = numberColumn('PINCP', [1000, 2000, 4000, 4000])
  const area = wordColumn('PUMA', ['a', 'b', 'c', 'd'])
  const whole = tableOf([...people([income]).columns, area])
  const paths = {
    'acs-income/acs_income_la_2024.csv.gz': whole,
    'acs-income/acs_income_states_2024_sample20.csv.gz': whole,
    'acs-income/acs_income_la_2018_binary.csv.gz': people([numberColumn('PINCP_GT_50K', [0, 1, 0, 0])]),
  }
  const load = (params: object) => datasets['acs-income'].load(made(paths), params as never)

  test('areas are words, and people who agree in all else are one', async () => {
    const context = made(paths)
    const once = await datasets['acs-income'].load(context)
    expect(context.asked).toEqual([['acs-income/acs_income_la_2024.csv.gz', { words: ['PUMA'] }]])
    expect([once.table.rows, (await load({ duplicates: 'keep' })).table.rows]).toEqual([3, 4])
  })

  test('the codes of the survey become words', async () => {
    const source = await load({})
    expect(wordsOf(source, 'SEX')).toEqual(['male', 'female', 'male'])
    expect(wordsOf(source, 'MAR')).toEqual(['married', 'never married', 'divorced'])
    expect(wordsOf(source, 'RAC1P')).toEqual(['white', 'black', 'two or more'])
    expect([source.task, source.labelUnit, source.client, source.sensitive]).toEqual(['regression', 'dollars', 'ST', ['SEX', 'MAR', 'RAC1P']]) // biome-ignore format: a line
  })

  test('for a network: numbers and sex standardised, each category by the levels that occur, in the order of their codes', async () => {
    const { columns, records } = encodeSource(await load({}))
    expect(columns.map(({ name }) => name)).toEqual(['AGEP', 'SCHL', 'WKHP', 'SEX_female', 'COW_3', 'COW_6', 'MAR_divorced', 'MAR_never married', 'OCCP_200', 'RAC1P_black', 'RAC1P_two or more']) // biome-ignore format: a line
    expect([...records.labels]).toEqual([1000, 2000, 4000])
    // 20, 30 and 40 are one deviation of 10 sqrt(2/3) apart from their mean.
    expect(records.features.data[0]).toBeCloseTo(-Math.sqrt(1.5), 12)
  })

  test('for a linear model: logs, married or not, white or not, three kinds of employer', async () => {
    const source = await load({ encoding: 'linear' })
    expect(wordsOf(source, 'COW')).toEqual(['private', 'government', 'own business'])
    expect(wordsOf(source, 'MAR')).toEqual(['married', 'other', 'other'])
    expect(wordsOf(source, 'RAC1P')).toEqual(['white', 'other', 'other'])
    expect(source.labelUnit).toBe('deviations of log(dollars)')
    const { columns, records } = encodeSource(source)
    expect(columns.map(({ name }) => name)).toEqual(['AGEP', 'SCHL', 'WKHP', 'SEX_female', 'MAR_married', 'RAC1P_white', 'COW_government', 'COW_own business']) // biome-ignore format: a line
    // Incomes double from one to the next: in logs they are as far apart as 20, 30 and 40.
    const [low, middle, high] = records.labels as unknown as [number, number, number]
    expect([low, middle, high].map((x) => Math.abs(x))).toEqual([expect.closeTo(Math.sqrt(1.5), 12), expect.closeTo(0, 12), expect.closeTo(Math.sqrt(1.5), 12)]) // biome-ignore format: a line
    expect(low).toBeLessThan(high)
  })

  test('employers by their codes: up to 2 private, up to 5 government', async () => {
    const codes = [1, 2, 3, 5, 6, 8]
    const six = (column: ReturnType<typeof numberColumn>) => numberColumn(column.name, codes.map((code) => (column.name === 'COW' ? code : column.values[0]! + (column.name === 'AGEP' ? code : 0)))) // biome-ignore format: a line
    const files = { 'acs-income/acs_income_la_2024.csv.gz': tableOf([...people([income]).columns.map((one) => six(one as never)), wordColumn('PUMA', codes.map(String))]) } // biome-ignore format: a line
    const source = await datasets['acs-income'].load(made(files), { encoding: 'linear', duplicates: 'keep' })
    expect(wordsOf(source, 'COW')).toEqual(['private', 'private', 'government', 'government', 'own business', 'own business']) // biome-ignore format: a line
  })

  test('one state alone, which must have people', async () => {
    expect((await load({ state: 6, part: 'states', duplicates: 'keep' })).table.rows).toBe(2)
    expect((await load({ state: 22 })).table.rows).toBe(2)
    expect((await load({ state: 6 })).table.rows).toBe(1)
    expect((await load({ state: 0, duplicates: 'keep' })).table.rows).toBe(4)
    await expect(load({ state: 99 })).rejects.toThrow('nobody lives in state 99')
    await expect(load({ state: 100 })).rejects.toThrow('a whole number from 0 up to 99')
    await expect(load({ state: 7 })).rejects.toThrow('nobody lives in state 7; known: 6, 22')
  })

  test('of 2018 there is a class in place of dollars', async () => {
    const context = made(paths)
    const source = await datasets['acs-income'].load(context, { part: 'louisiana-2018' })
    expect(context.asked).toEqual([['acs-income/acs_income_la_2018_binary.csv.gz', {}]])
    expect([source.task, source.labelUnit, source.client]).toEqual(['classification', undefined, undefined])
    expect([...encodeSource(source).records.labels]).toEqual([0, 1, 0])
    expect(encodeSource(await load({ part: 'louisiana-2018', encoding: 'linear' })).columns).toHaveLength(8)
  })
})

describe('adult', () => {
  const people = (
    rows: readonly (readonly [work: string | null, school: string, job: string | null, income: string])[],
  ) =>
    tableOf([
      ...['age', 'fnlwgt', 'education-num', 'capital-gain', 'capital-loss', 'hours-per-week'].map((name) => numberColumn(name, rows.map((_, i) => i))), // biome-ignore format: a line
      wordColumn('workclass', rows.map(([work]) => work)), // biome-ignore format: a line
      wordColumn('education', rows.map(([, school]) => school)), // biome-ignore format: a line
      wordColumn('occupation', rows.map(([, , job]) => job)), // biome-ignore format: a line
      ...['marital-status', 'relationship', 'race', 'sex', 'native-country'].map((name) => wordColumn(name, rows.map((_, i) => `${name} ${i % 2}`))), // biome-ignore format: a line
      wordColumn('income', rows.map(([, , , income]) => income)), // biome-ignore format: a line
    ])
  const files = {
    'adult/adult.data.gz': people([['Private', 'Bachelors', 'Sales', '<=50K'], ['Private', 'HS-grad', 'Tech', '>50K'], [null, 'Masters', 'Sales', '>50K']]), // biome-ignore format: people
    'adult/adult.test.gz': people([['State', 'Doctorate', 'Tech', '>50K.'], ['State', 'Masters', null, '<=50K.'], ['State', 'Prof-school', 'Sales', '<=50K.']]), // biome-ignore format: people
  }
  const load = (params: object, context = made(files)) => datasets.adult.load(context, params as never)

  test('the second file stands below the first, with a line to skip and labels that end in a dot', async () => {
    const context = made(files)
    const source = await load({ education: 'all', complete: false }, context)
    expect(context.asked.map(([path, options]) => [path, options!.missing, options!.skip, options!.names!.length])).toEqual([['adult/adult.data.gz', '?', undefined, 15], ['adult/adult.test.gz', '?', 1, 15]]) // biome-ignore format: a line
    expect(wordsOf(source, 'income')).toEqual(['<=50K', '>50K', '>50K', '>50K', '<=50K', '<=50K'])
    expect([...numbersOf(source.table, 'age')]).toEqual([0, 1, 2, 0, 1, 2])
    expect(wordsOf(source, 'workclass')).toEqual(['Private', 'Private', 'unknown', 'State', 'State', 'State'])
    expect([...encodeSource(source).records.labels]).toEqual([0, 1, 1, 1, 0, 0])
  })

  test('complete rows of people with at least a Bachelor, of either file', async () => {
    expect(wordsOf(await load({}), 'education')).toEqual(['Bachelors', 'Doctorate'])
    expect(wordsOf(await load({ complete: false }), 'education')).toEqual(['Bachelors', 'Masters', 'Doctorate', 'Masters']) // biome-ignore format: a line
    expect(wordsOf(await load({ education: 'all' }), 'education')).toEqual(['Bachelors', 'HS-grad', 'Doctorate', 'Prof-school']) // biome-ignore format: a line
    for (const [split, school] of [
      ['train', 'Bachelors'],
      ['test', 'Doctorate'],
    ] as const) {
      // biome-ignore format: a line
      const context = made(files)
      expect(wordsOf(await load({ split }, context), 'education')).toEqual([school])
      expect(context.asked).toHaveLength(1)
    }
  })

  test('measures lie between 0 and 1, and every category has a column for each of its words', async () => {
    const { columns, records } = encodeSource(await load({ education: 'all', complete: false }))
    expect(columns.slice(0, 5).map(({ name }) => name)).toEqual(['age', 'education-num', 'capital-gain', 'capital-loss', 'hours-per-week']) // biome-ignore format: a line
    expect(columns.filter(({ from }) => from === 'workclass')).toHaveLength(3)
    expect(columns.some(({ from }) => from === 'native-country' || from === 'fnlwgt')).toBe(false)
    expect([...records.features.data.subarray(0, 5)]).toEqual([0, 0, 0, 0, 0])
    expect([...records.features.data.subarray(columns.length, columns.length + 5)]).toEqual([0.5, 0.5, 0.5, 0.5, 0.5])
  })
})

test('medical: standardised for a network, logs and plain dummies for a linear model', async () => {
  const table = tableOf([
    numberColumn('age', [20, 40]),
    wordColumn('sex', ['female', 'male']),
    numberColumn('bmi', [20, 30]),
    numberColumn('children', [0, 1]),
    wordColumn('smoker', ['no', 'yes']),
    wordColumn('region', ['north', 'south']),
    numberColumn('charges', [100, 300]),
  ])
  const load = async (params: object) =>
    datasets.medical.load(made({ 'medical/insurance.csv': table }), params as never)
  const network = await load({})
  expect([network.labelUnit, network.task, network.sensitive]).toEqual(['dollars', 'regression', ['smoker', 'sex']])
  const { records, columns } = encodeSource(network)
  expect(columns.map(({ name }) => name)).toEqual(['age', 'bmi', 'children', 'sex_male', 'smoker_yes', 'region_south'])
  expect([...records.features.data.subarray(0, 6)]).toEqual([-1, -1, -1, -1, -1, -1])
  expect([...records.labels]).toEqual([100, 300])
  const linear = await load({ encoding: 'linear' })
  expect(linear.labelUnit).toBe('deviations of log(dollars)')
  const encoded = encodeSource(linear).records
  expect([...encoded.features.data.subarray(6)].map((x) => Number(x.toFixed(12)))).toEqual([1, 1, 1, 1, 1, 1])
  expect([...encoded.features.data.subarray(3, 6)]).toEqual([0, 0, 0])
  expect([...encoded.labels].map((x) => Number(x.toFixed(12)))).toEqual([-1, 1])
  expect(linear.rules.slice(0, 3).map(({ encode }) => encode)).toEqual(['log1p', 'log1p', 'log1p'])
})

test('salary: complete rows of two genders from 1,000 on, titles taken apart', async () => {
  const row = (title: string | null, salary: number, gender = 'Male', level = "Bachelor's Degree") => ({ title, salary, gender, level }) // biome-ignore format: a line
  const rows = [row('Junior Software Engineer', 20_000), row('Junior Software Engineer', 20_000), row('Senior Data Analyst', 1000, 'Female', 'phD'), row('Clerk', 999), row('Clerk', 30_000, 'Other'), row(null, 40_000), row('Clerk', 50_000, 'Female', 'High School'), row('Clerk', 60_000, 'Male', "master's")] // biome-ignore format: people
  const table = tableOf([
    numberColumn('Age', rows.map(() => 30)), // biome-ignore format: a line
    wordColumn('Gender', rows.map(({ gender }) => gender)), // biome-ignore format: a line
    wordColumn('Education Level', rows.map(({ level }) => level)), // biome-ignore format: a line
    wordColumn('Job Title', rows.map(({ title }) => title)), // biome-ignore format: a line
    numberColumn('Years of Experience', rows.map(() => 5)), // biome-ignore format: a line
    numberColumn('Salary', rows.map(({ salary }) => salary)), // biome-ignore format: a line
  ])
  const load = async (params: object) =>
    datasets.salary.load(made({ 'salary/Salary_Data.csv': table }), params as never)
  const source = await load({})
  expect([...numbersOf(source.table, 'Salary')]).toEqual([2, 2, 0.1, 5, 6])
  expect([...numbersOf((await load({ duplicates: 'drop' })).table, 'Salary')]).toEqual([2, 0.1, 5, 6])
  expect(wordsOf(source, 'Role')).toEqual(['engineer', 'engineer', 'analyst', null, null])
  expect(wordsOf(source, 'Field')).toEqual(['software', 'software', 'data', null, null])
  expect(wordsOf(source, 'Seniority')).toEqual(['junior', 'junior', 'senior', null, null])
  expect(wordsOf(source, 'Education Level')).toEqual(['Bachelor', 'Bachelor', 'PhD', 'High School', 'Master'])
  expect(encodeSource(source).columns).toHaveLength(2 + 1 + 3 + 14 + 13 + 2)
  expect([source.metaclass, source.labelUnit]).toEqual(['Education Level', '10,000'])
  expect(source.rules[0]!.scale).toBe('none')
  expect((await load({ scale: 'standardise' })).rules[1]!.scale).toBe('standardise')
})

describe('pictures', () => {
  const idx = (shape: readonly number[], bytes: readonly number[]) => Uint8Array.from([0, 0, 8, shape.length, ...shape.flatMap((n) => [0, 0, 0, n]), ...bytes]) // biome-ignore format: a line
  const digits = (images: Uint8Array, labels: Uint8Array) => ({
    'mnist/train-images-idx3-ubyte.gz': images,
    'mnist/train-labels-idx1-ubyte.gz': labels,
  })
  const two = idx([2, 1, 2], [0, 51, 102, 255])

  test('idx files: a label for each picture, brightness from 0 to 1 where asked', async () => {
    const source = await datasets.mnist.load(made(digits(two, idx([2], [7, 0]))), { scale: 'unit' })
    expect([source.name, source.pixels!.shape, wordsOf(source, 'class')]).toEqual(['mnist', [1, 1, 2], ['7', '0']])
    const { records } = encodeSource(source)
    expect([...records.features.data]).toEqual([0, 0.2, 0.4, 1])
    expect([...records.labels]).toEqual([7, 0])
    const context = made({ 'fashion-mnist/t10k-images-idx3-ubyte.gz': two, 'fashion-mnist/t10k-labels-idx1-ubyte.gz': idx([2], [9, 1]) }) // biome-ignore format: a line
    const clothes = await datasets['fashion-mnist'].load(context, { split: 'test' })
    expect([wordsOf(clothes, 'class'), clothes.pixels!.scale]).toEqual([['ankle boot', 'trouser'], 'standardise'])
  })

  test('each file has a digest of its own, pictures and labels in turn', () => {
    const told = (name: 'mnist' | 'fashion-mnist') => datasets[name].files!.map(({ path, sha256 }) => [path.split('/')[1]!.slice(0, 10), sha256!.slice(0, 4)]) // biome-ignore format: a line
    expect(told('mnist')).toEqual([['train-imag', '0b36'], ['train-labe', '1787'], ['t10k-image', '1a1a'], ['t10k-label', 'b916']]) // biome-ignore format: a line
    expect(told('fashion-mnist').map(([, sum]) => sum)).toEqual(['3aed', 'a04f', '346e', '67da'])
  })

  test('idx files that do not fit together are refused, and so is an eleventh digit', async () => {
    const load = (images: Uint8Array, labels: Uint8Array) => datasets.mnist.load(made(digits(images, labels)))
    await expect(load(two, idx([1], [7]))).rejects.toThrow('dataset "mnist": 2 x 1 x 2 pictures, 1 labels; one label a picture is needed') // biome-ignore format: a line
    await expect(load(idx([2, 2], [1, 2, 3, 4]), idx([2], [7, 0]))).rejects.toThrow('2 x 2 pictures, 2 labels')
    await expect(load(two, idx([2, 1], [7, 0]))).rejects.toThrow('2 x 1 labels')
    await expect(load(two, idx([2], [7, 10]))).rejects.toThrow('dataset "mnist": image 1 has class 10; known: 0 to 9')
  })

  test('cifar10: records of a class and three channels', async () => {
    const record = (label: number, from: number) => [label, ...Array.from({ length: 3072 }, (_, i) => (from + i) % 256)]
    const load = (bytes: readonly number[]) => datasets.cifar10.load(made({ 'cifar10/data_batch_1.bin.gz': Uint8Array.from(bytes) }), { scale: 'unit' }) // biome-ignore format: a line
    const source = await load([...record(9, 0), ...record(1, 5)])
    expect([wordsOf(source, 'class'), source.pixels!.shape]).toEqual([
      ['truck', 'automobile'],
      [3, 32, 32],
    ])
    expect(source.pixels!.bytes).toHaveLength(2 * 3072)
    expect([...source.pixels!.bytes.subarray(3070, 3074)]).toEqual([254, 255, 5, 6])
    expect(encodeSource(source).records.features).toMatchObject({ rows: 2, cols: 3072 })
    await expect(load([])).rejects.toThrow('cifar10/data_batch_1.bin.gz: 0 bytes; records of 3073 bytes are needed')
    await expect(load(record(1, 0).slice(1))).rejects.toThrow('3072 bytes')
    const testing = made({ 'cifar10/test_batch.bin.gz': Uint8Array.from(record(0, 0)) })
    expect((await datasets.cifar10.load(testing, { split: 'test' })).table.rows).toBe(1)
  })
})

test('without files there is nothing to read', async () => {
  await expect(datasets.medical.load({ rng: rng(1) })).rejects.toThrow('dataset "medical" is made from files; they can be read in Node only') // biome-ignore format: a line
})
