import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { meanOf, medianOf } from '../numeric/special/summaries.js'
import { papers } from '../papers.js'
import { cpsWagesTable } from './cps-wages.js'
import { encodeSource, fitSource, inputsOf } from './dataset.js'
import { decode } from './decode.js'
import { datasets, loadDataset } from './index.js'
import { columnOf, numbersOf, wordAt } from './table.js'

const context = () => ({ rng: rng(1).fork('data') })

const inside = Object.entries(datasets).filter(([, entry]) => entry.origin !== 'files')

describe.each(inside)('dataset contract: %s', (name, entry) => {
  test('says what it is', () => {
    expect(entry.id).toBe(name)
    if (entry.paper !== undefined) expect(papers).toHaveProperty(entry.paper)
    for (const { doc } of Object.values(entry.params)) expect(doc.length).toBeGreaterThan(3)
  })

  test('the same seed gives the same bits, another seed others', async () => {
    const [a, b] = [await entry.load(context()), await entry.load(context())]
    expect(encodeSource(a).records).toEqual(encodeSource(b).records)
    if (entry.origin === 'generator') {
      const other = encodeSource(await entry.load({ rng: rng(2).fork('data') })).records
      expect(other.features.data).not.toEqual(encodeSource(a).records.features.data)
    }
  })

  test('every number is finite, every attribute finds back to its words', async () => {
    const source = await entry.load(context())
    const rows = Int32Array.from({ length: Math.min(100, source.table.rows) }, (_, i) => i)
    const fitted = fitSource(source)
    const { records, columns, sensitive, task } = encodeSource(source, { rows, fit: fitted })
    expect(entry.tasks).toContain(task)
    expect(records.features.data.every(Number.isFinite)).toBe(true)
    expect(records.labels.every(Number.isFinite)).toBe(true)
    expect(records.features.cols).toBe(columns.length)
    expect(inputsOf(fitted)).toBe(columns.length)
    expect(sensitive.map(({ name }) => name)).toEqual(entry.sensitive)
    for (const { name, columns: own } of sensitive) {
      const at = own.map((column) => columns.findIndex((c) => c.name === column))
      for (const i of rows) {
        const encoded = at.map((j) => records.features.data[i * columns.length + j]!)
        expect(decode(fitted.encoder, name, encoded)).toBe(wordAt(columnOf(source.table, name), i))
      }
    }
  })

  test('refuses a parameter it does not have', async () => {
    await expect(entry.load(context(), { 'no such': 1 })).rejects.toThrow(/unknown parameter of dataset/)
  })
})

test('an unknown dataset is an error that lists the known', async () => {
  await expect(loadDataset('cps-wage', context())).rejects.toThrow(/did you mean "cps-wages".*toy-least-squares/)
})

test('cps-wages: the counts of the survey', () => {
  // Berndt's sample of the CPS of May 1985: 534 workers, 96 union members, 350 married, 245 women.
  const table = cpsWagesTable()
  const count = (column: string, word: string) =>
    Array.from({ length: 534 }, (_, i) => wordAt(columnOf(table, column), i)).filter((w) => w === word).length
  expect(table.rows).toBe(534)
  expect([count('union', 'yes'), count('married', 'yes'), count('gender', 'female')]).toEqual([96, 350, 245])
  expect([count('race', 'white'), count('race', 'hispanic'), count('race', 'other')]).toEqual([440, 27, 67])
  expect([
    count('occupation', 'professional'),
    count('occupation', 'service'),
    count('sector', 'construction'),
  ]).toEqual([105, 83, 24])
  const wage = numbersOf(table, 'wage')
  expect([Math.min(...wage), medianOf(wage), Math.max(...wage)]).toEqual([1, 7.78, 44.5])
  const [education, experience, age] = ['education', 'experience', 'age'].map((name) => numbersOf(table, name))
  expect(age!.filter((x, i) => x !== education![i]! + experience![i]! + 6)).toHaveLength(1)
})

test('metaclass-synthetic: labels follow the law of their metaclass, deviations are those asked for', async () => {
  const source = await datasets['metaclass-synthetic'].load(context(), { inputs: 1, withinStd: 0.3, noiseStd: 0 })
  const groups = columnOf(source.table, 'metaclass')
  const x = numbersOf(source.table, 'x0')
  const y = numbersOf(source.table, 'y')
  for (const word of ['A', 'B', 'C', 'D']) {
    const own = [...x].filter((_, i) => wordAt(groups, i) === word)
    const mean = meanOf(own)
    expect(Math.sqrt(meanOf(own.map((v) => (v - mean) * (v - mean))))).toBeCloseTo(0.3, 1)
    expect(own.length).toBeGreaterThan(1300)
    const at = [...x.keys()].filter((i) => wordAt(groups, i) === word)
    const slopes = at.slice(1, 50).map((i) => (y[i]! - y[at[0]!]!) / (x[i]! - x[at[0]!]!))
    expect(Math.max(...slopes) - Math.min(...slopes)).toBeLessThan(1e-6)
  }
})

test('leaf-synthetic: sizes, spread of the features, redrawn clients', async () => {
  const entry = datasets['leaf-synthetic']
  const spread = async (covariance: string) => {
    const { table } = await entry.load(context(), { sizes: [4000], covariance })
    return Array.from({ length: 10 }, (_, j) => {
      const x = numbersOf(table, `x${j}`)
      const mean = meanOf(x)
      return Math.sqrt(meanOf(x.map((v) => (v - mean) * (v - mean))))
    })
  }
  const leaf = await spread('leaf')
  const lmra = await spread('lmra')
  for (let j = 0; j < 10; j++) {
    expect(leaf[j]! / (j + 1) ** -0.6).toBeCloseTo(1, 1)
    expect(lmra[j]! / (j + 1)).toBeCloseTo(1, 1)
  }
  const drawn = await entry.load(context(), { sizes: [], clients: 50 })
  const counts = new Map<number, number>()
  for (const t of numbersOf(drawn.table, 'client')) counts.set(t, (counts.get(t) ?? 0) + 1)
  expect(counts.size).toBe(50)
  expect([...counts.values()].every((n) => n >= 5 && n <= 1000)).toBe(true)
  const even = await entry.load(context(), { minorityShare: 0.2 })
  const classes = numbersOf(even.table, 'class')
  numbersOf(even.table, 'client').forEach((t, i, all) => {
    if (i > 0 && all[i - 1] === t) return
    const own = classes.filter((_, r) => all[r] === t)
    expect(Math.min(meanOf(own), 1 - meanOf(own))).toBeGreaterThanOrEqual(0.2)
  })
  await expect(entry.load(context(), { sizes: [1], minorityShare: 0.1 })).rejects.toThrow(/minority share of 0.1/)
})

test('tiny-images: pictures of a class are nearer to its mean than to the others', async () => {
  const source = await datasets['tiny-images'].load(context(), { channels: 3 })
  const { records } = encodeSource(source)
  const d = records.features.cols
  expect(d).toBe(3 * 8 * 8)
  const row = (i: number) => records.features.data.subarray(i * d, (i + 1) * d)
  const means = [0, 1, 2, 3].map((c) => {
    const own = [...records.labels.keys()].filter((i) => records.labels[i] === c)
    return Float64Array.from({ length: d }, (_, j) => meanOf(own.map((i) => row(i)[j]!)))
  })
  const nearest = (x: Float64Array) => {
    const distances = means.map((m) => m.reduce((sum, v, j) => sum + (v - x[j]!) ** 2, 0))
    return distances.indexOf(Math.min(...distances))
  }
  const right = [...records.labels].filter((c, i) => nearest(row(i)) === c).length
  expect(right / records.labels.length).toBeGreaterThan(0.8)
})
