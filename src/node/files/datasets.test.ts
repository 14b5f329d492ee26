import { describe, expect, test } from 'vitest'
import { describeWithShared, sharedFolder } from '../../../test/shared.js'
import { encodeSource, encodeSourceSparse, fitSource, inputsOf, type Source } from '../../data/dataset.js'
import { datasets } from '../../data/index.js'
import { educationLevels } from '../../data/salary.js'
import { columnOf, levelsOf, numbersOf, wordAt } from '../../data/table.js'
import { rng } from '../../numeric/random/rng.js'
import { meanOf, medianOf } from '../../numeric/special/summaries.js'
import { dealRows } from '../../partition/index.js'
import { fileReader } from './dataset-files.js'

// Counts, medians and input sizes are those of data/README.md in the shared folder, taken there by other tools.

const load = (name: keyof typeof datasets, params: Record<string, unknown> = {}): Promise<Source> => {
  const entry = datasets[name]
  const dataDir = `${sharedFolder()}/data`
  return entry.load({ rng: rng(1), files: fileReader(entry, { dataDir }) }, params)
}

const counts = (source: Source, name: string): Record<string, number> => {
  const column = columnOf(source.table, name)
  const found: Record<string, number> = {}
  for (let i = 0; i < source.table.rows; i++) {
    const word = wordAt(column, i) ?? 'missing'
    found[word] = (found[word] ?? 0) + 1
  }
  return found
}

const median = (source: Source, name: string, keep: (row: number) => boolean = () => true) =>
  medianOf(numbersOf(source.table, name).filter((_, i) => keep(i)))

describeWithShared('medical', () => {
  test('has the people it should have, and 8 inputs', async () => {
    const source = await load('medical')
    expect(source.table.rows).toBe(1338)
    expect(counts(source, 'smoker')).toEqual({ no: 1064, yes: 274 })
    expect(counts(source, 'sex')).toEqual({ male: 676, female: 662 })
    expect(counts(source, 'region')).toEqual({ southeast: 364, southwest: 325, northwest: 325, northeast: 324 })
    expect(median(source, 'charges')).toBeCloseTo(9382.03, 2)
    const smoker = columnOf(source.table, 'smoker')
    expect(median(source, 'charges', (i) => wordAt(smoker, i) === 'no')).toBeCloseTo(7345.41, 2)
    const { columns, records, sensitive } = encodeSource(source)
    expect(columns.map(({ name }) => name)).toEqual([
      'age',
      'bmi',
      'children',
      'sex_male',
      'smoker_yes',
      'region_northwest',
      'region_southeast',
      'region_southwest',
    ])
    for (let j = 0; j < 8; j++) {
      const x = records.features.data.filter((_, i) => i % 8 === j)
      expect(meanOf(x)).toBeCloseTo(0, 12)
      expect(meanOf(x.map((v) => v * v))).toBeCloseTo(1, 12)
    }
    // 274 of 1,338 smoke: (0 - p) / sqrt(p (1 - p)), as in knowledge.json
    const p = 274 / 1338
    expect(sensitive[0]).toMatchObject({ name: 'smoker', columns: ['smoker_yes'], words: ['no', 'yes'] })
    expect(sensitive[0]!.values[0]![0]).toBeCloseTo(-p / Math.sqrt(p * (1 - p)), 12)
  })

  test('linear encoding: logs standardised, dummies 0 or 1', async () => {
    const { records, columns } = encodeSource(await load('medical', { encoding: 'linear' }))
    const column = (name: string) => {
      const j = columns.findIndex((c) => c.name === name)
      return records.features.data.filter((_, i) => i % columns.length === j)
    }
    expect(new Set(column('smoker_yes'))).toEqual(new Set([0, 1]))
    expect(meanOf(column('age'))).toBeCloseTo(0, 12)
    expect(meanOf(records.labels.map((y) => y * y))).toBeCloseTo(1, 12)
  })
})

describeWithShared('salary', () => {
  test('has complete, believable rows, four educations and 35 inputs', async () => {
    const source = await load('salary')
    expect(source.table.rows).toBe(6698 - 4 - 14)
    expect(counts(source, 'Gender')).toEqual({ Male: 3671 - 2, Female: 3013 - 2 }) // less the four odd salaries
    expect(Object.keys(counts(source, 'Education Level')).sort()).toEqual([...educationLevels].sort())
    expect(median(source, 'Salary')).toBe(11.5)
    const education = columnOf(source.table, 'Education Level')
    const medians = educationLevels.map((word) => median(source, 'Salary', (i) => wordAt(education, i) === word))
    expect(medians).toEqual([3, 8, 13, 17])
    expect(inputsOf(fitSource(source))).toBe(35)
    expect(levelsOf(columnOf(source.table, 'Role'))).toHaveLength(14)
    expect(levelsOf(columnOf(source.table, 'Field'))).toHaveLength(13)
    expect(levelsOf(columnOf(source.table, 'Seniority'))).toHaveLength(2)
    expect(encodeSource(source).records.features.cols).toBe(35)
  })

  test('can be had without copies', async () => {
    const { table } = await load('salary', { duplicates: 'drop' })
    // Python: 1,787 distinct complete rows, 1,776 of them with a salary from 1,000 and gender Male or Female
    expect(table.rows).toBe(1776)
  })
})

describeWithShared('adult', () => {
  test('both files, all rows', async () => {
    const source = await load('adult', { education: 'all', complete: false })
    expect(source.table.rows).toBe(48842)
    const { '>50K': rich, '<=50K': poor } = counts(source, 'income')
    expect(rich! + poor!).toBe(48842)
    expect(rich! / 48842).toBeCloseTo(0.239, 3)
    expect(counts(source, 'education')).toMatchObject({
      Bachelors: 8025,
      Masters: 2657,
      'Prof-school': 834,
      Doctorate: 594,
    })
    const age = numbersOf(source.table, 'age')
    const education = columnOf(source.table, 'education')
    const doctors = [...age].filter((_, i) => wordAt(education, i) === 'Doctorate')
    const third = [
      doctors.filter((a) => a < 38),
      doctors.filter((a) => a >= 38 && a <= 52),
      doctors.filter((a) => a > 52),
    ]
    expect(third.map((ages) => ages.length)).toEqual([127, 281, 186])
    expect(encodeSource(source, { rows: [0, 1, 40000] }).records.labels).toHaveLength(3)
  })

  test('the partition of the paper: three clients of doctors', async () => {
    const source = await load('adult', { split: 'train', complete: false })
    const { clients } = dealRows('adult-phd', { source, rng: rng(1) })
    expect(clients.slice(0, 3).map((own) => own.length)).toEqual([93, 186, 134])
    expect(clients).toHaveLength(10)
    const rest = clients.slice(3).map((own) => own.length)
    expect(Math.max(...rest) - Math.min(...rest)).toBeLessThanOrEqual(1)
  })
})

describeWithShared('acs-income', () => {
  test('Louisiana 2024: people, medians and 529 inputs', async () => {
    const source = await load('acs-income', { duplicates: 'keep' })
    expect(source.table.rows).toBe(21346)
    expect(counts(source, 'SEX')).toEqual({ male: 10848, female: 10498 })
    const sex = columnOf(source.table, 'SEX')
    expect(median(source, 'PINCP')).toBe(45000)
    expect(median(source, 'PINCP', (i) => wordAt(sex, i) === 'male')).toBe(55005)
    expect(median(source, 'PINCP', (i) => wordAt(sex, i) === 'female')).toBe(36400)
    expect(meanOf(numbersOf(source.table, 'PINCP'))).toBeCloseTo(62385, -1)
    expect(levelsOf(columnOf(source.table, 'PUMA'))).toHaveLength(35)
    expect(columnOf(source.table, 'PUMA').kind).toBe('word')
    expect(inputsOf(fitSource(source))).toBe(529)
  })

  test('without copies 21,018 remain, of which Alg. 5 deals about 16,850', async () => {
    const source = await load('acs-income')
    expect(source.table.rows).toBe(21018)
    const deal = dealRows('heterogeneous', { source, rng: rng(1) }, { attribute: 'SEX', value: 'male' })
    const left = 21018 - deal.discarded.length
    expect(deal.clients).toHaveLength(10)
    // data/README.md: 16,828 to 16,870 with training and test rows equalised apart
    expect(left).toBeGreaterThan(16800)
    expect(left).toBeLessThan(16900)
  })

  test('linear encoding has 8 inputs', async () => {
    const source = await load('acs-income', { encoding: 'linear' })
    expect(inputsOf(fitSource(source))).toBe(8)
    expect(meanOf(encodeSource(source).records.labels)).toBeCloseTo(0, 10)
  })

  test('49 regions: rows, clients and 551 inputs, kept sparse', async () => {
    const source = await load('acs-income', { part: 'states', duplicates: 'keep' })
    expect(source.table.rows).toBe(279983)
    expect(median(source, 'PINCP')).toBe(50000)
    const { clients, ids } = dealRows('by-column', { source, rng: rng(1) })
    const sizes = clients.map((own) => own.length)
    expect([ids.length, Math.min(...sizes), Math.max(...sizes)]).toEqual([49, 642, 21562])
    const { features } = encodeSourceSparse(source)
    expect([features.rows, features.cols]).toEqual([279983, 551])
    expect(features.value.length).toBeLessThan(279983 * 8)
  })

  test('one state', async () => {
    expect((await load('acs-income', { state: 22, duplicates: 'keep' })).table.rows).toBe(21346)
    await expect(load('acs-income', { state: 6 })).rejects.toThrow(/nobody lives in state 6; known: 22/)
  })

  test('Louisiana 2018: classes and 548 inputs', async () => {
    const source = await load('acs-income', { part: 'louisiana-2018', duplicates: 'keep' })
    expect([source.table.rows, source.task]).toEqual([20667, 'classification'])
    expect(counts(source, 'SEX')).toEqual({ male: 10477, female: 10190 })
    expect(meanOf(numbersOf(source.table, 'PINCP_GT_50K'))).toBeCloseTo(0.332, 3)
    expect(inputsOf(fitSource(source))).toBe(548)
  })
})

describeWithShared('images', () => {
  test.each([
    ['mnist', [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949], 0.1307, 0.3081],
    ['fashion-mnist', new Array(10).fill(6000), 0.286, 0.353],
  ] as const)('%s: classes, mean and deviation', async (name, expected, mean, std) => {
    const source = await load(name)
    const { words } = encodeSource(source, { rows: [0], fit: [0] }).label
    expect(words.map((word) => counts(source, 'class')[word])).toEqual(expected)
    const { pixels } = fitSource(source)
    expect(pixels!.mean[0]).toBeCloseTo(mean, 4)
    expect(pixels!.std[0]).toBeCloseTo(std, 4)
    const few = encodeSource(source, { rows: [5, 3], fit: { ...fitSource(source, [0]), pixels: pixels! } })
    expect(few.records.features).toMatchObject({ rows: 2, cols: 784 })
    const byte = source.pixels!.bytes[5 * 784 + 400]!
    expect(few.records.features.data[400]).toBeCloseTo((byte / 255 - mean) / std, 2)
    expect((await load(name, { split: 'test' })).table.rows).toBe(10000)
  })

  test('cifar10: classes of both batches, channel means', async () => {
    const train = await load('cifar10')
    const words = encodeSource(train, { rows: [0], fit: [0] }).label.words
    const found = counts(train, 'class')
    expect(words.map((word) => found[word])).toEqual([1005, 974, 1032, 1016, 999, 937, 1030, 1001, 1025, 981])
    // Full training set: 0.4914, 0.4822, 0.4465; one batch is near.
    const { mean } = fitSource(train).pixels!
    expect(mean.map((m) => Math.round(m * 100))).toEqual([49, 48, 45])
    expect(new Set(Object.values(counts(await load('cifar10', { split: 'test' }), 'class')))).toEqual(new Set([1000]))
  })
})

describe('without files', () => {
  test('a dataset of files says where it can be read', async () => {
    await expect(datasets.medical.load({ rng: rng(1) })).rejects.toThrow('dataset "medical" is made from files')
  })
})
