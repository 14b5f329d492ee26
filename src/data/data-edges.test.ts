import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { checkedSource, encodeSource, encodeSourceSparse, fitSource, type Source } from './dataset.js'
import { decode } from './decode.js'
import { encodeDense, encodeSparse, fitEncoder, type Rule } from './encoder.js'
import { readIdx } from './idx.js'
import { loadDataset } from './index.js'
import { fieldOf, roleOf, seniorityOf } from './job-title.js'
import { encodePixels, fitPixels } from './pixels.js'
import { checkSize } from './sensible-size.js'
import { distinctRows, numberColumn, some, tableOf, takeRows, wordColumn } from './table.js'

test('idx files: four bytes are a head, and a head may be all there is', () => {
  expect(() => readIdx(Uint8Array.of(0, 0, 8), 'x')).toThrow('x: not an idx file; it begins with two zero bytes')
  expect(() => readIdx(Uint8Array.of(0, 0, 8, 0), 'x')).toThrow('x: 4 bytes; its header is cut off')
  expect(() => readIdx(Uint8Array.of(0, 0, 8, 1, 0, 0, 0), 'x')).toThrow('x: 7 bytes; its header is cut off')
  expect(readIdx(Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 0), 'x')).toEqual({ shape: [0], bytes: new Uint8Array(0) })
})

test('made-up tables of 50 million numbers are allowed, and no larger ones', () => {
  expect(() => checkSize('toy', 10_000_000, 5)).not.toThrow()
  expect(() => checkSize('toy', 50_000_001, 1)).toThrow('dataset toy: 50000001 records of 1 numbers were asked for; at most 50000000 numbers') // biome-ignore format: a line
  expect(() => checkSize('toy', 1, 50_000_001)).toThrow('1 records of 50000001 numbers')
})

describe('job titles', () => {
  test('the field that stands first, whatever the order of the patterns', () => {
    expect([fieldOf('Data Software Engineer'), fieldOf('Software Data Engineer')]).toEqual(['data', 'software'])
    expect(fieldOf('Head of Financial Operations')).toBe('finance')
    expect(fieldOf('Clerk')).toBeNull()
  })
  test('a rep is a representative, and the last role counts', () => {
    expect([roleOf('Sales Rep'), roleOf('Engineer Manager'), roleOf('Clerk')]).toEqual(['representative', 'manager', null]) // biome-ignore format: a line
    expect([seniorityOf('Juniour Clerk'), seniorityOf('Seniority Expert'), seniorityOf('A Senior')]).toEqual(['junior', null, null]) // biome-ignore format: a line
  })
})

describe('rows that agree', () => {
  const distinct = (...columns: Parameters<typeof tableOf>[0]) => [...distinctRows(tableOf(columns))]
  test('0 is -0, and what is missing is what is missing, whatever its bits', () => {
    const other = new Float64Array(new BigUint64Array([0x7ff8_0000_0000_0001n, 0x7ff8_0000_0000_0000n, 0n]).buffer)
    expect(distinct(numberColumn('a', other))).toEqual([0, 2])
    expect(distinct(numberColumn('a', [0, -0, 1, 1]))).toEqual([0, 2])
    expect(distinct(numberColumn('a', [Number.NaN, 0, Number.NaN]))).toEqual([0, 1])
    expect(distinct(wordColumn('a', [null, 'x', null]))).toEqual([0, 1])
  })
  test('many rows of few values, against every pair', () => {
    const draws = rng(4)
    const columns = ['a', 'b', 'c'].map((name) => numberColumn(name, Array.from({ length: 300 }, () => draws.integer(5) / 3))) // biome-ignore format: a line
    const alike = (i: number, j: number): boolean => columns.every(({ values }) => values[i] === values[j])
    const plain = Array.from({ length: 300 }, (_, i) => i).filter((i) => !Array.from({ length: i }, (_, j) => j).some((j) => alike(i, j))) // biome-ignore format: a line
    expect(distinct(...columns)).toEqual(plain)
  })
})

test('twelve words are named, of more the first twelve', () => {
  const words = Array.from({ length: 14 }, (_, i) => `${i}`)
  expect(some(words.slice(0, 12))).toBe(words.slice(0, 12).map((word) => `"${word}"`).join(', ')) // biome-ignore format: a line
  expect(some(words)).toMatch(/"11" and 2 more$/)
  expect(some(words.slice(0, 13))).toMatch(/"11" and 1 more$/)
})

test('numbers of a column are kept as they are, and made doubles where they are none', () => {
  const own = Float64Array.of(1, 2)
  expect(numberColumn('a', own).values).toBe(own)
  expect(numberColumn('a', Float32Array.of(1, 2)).values).toEqual(own)
})

describe('encoders', () => {
  const table = tableOf([wordColumn('w', ['a', 'b', 'c', 'b']), numberColumn('n', [0, 2, 4, 2])])
  const bothWays = (...rules: Rule[]) => {
    const encoder = fitEncoder(rules, table)
    const dense = encodeDense(encoder, table)
    const { rowStart, column, value } = encodeSparse(encoder, table)
    const back = new Float64Array(dense.data.length)
    for (let i = 0; i < 4; i++) for (let p = rowStart[i]!; p < rowStart[i + 1]!; p++) back[i * dense.cols + column[p]!] = value[p]! // biome-ignore format: a line
    return { dense, back, stored: value.length }
  }
  test.each<readonly [Rule[], number]>([
    [[{ column: 'w', encode: 'one-hot' }], 3],
    [[{ column: 'w', encode: 'one-hot', drop: 'none' }], 4],
    [[{ column: 'w', encode: 'one-hot', scale: 'standardise' }], 8],
    [[{ column: 'w', encode: 'one-hot', scale: 'min-max', drop: 'none' }], 4],
    [[{ column: 'n', encode: 'number' }], 3],
    [[{ column: 'n', encode: 'number', scale: 'standardise' }], 2],
    [
      [
        { column: 'w', encode: 'codes' },
        { column: 'n', encode: 'log1p' },
      ],
      6,
    ],
  ])('%j: the sparse rows are the dense ones without their zeros', (rules, count) => {
    const { dense, back, stored } = bothWays(...rules)
    expect([...back]).toEqual([...dense.data].map((x) => x + 0))
    expect(stored).toBe(count)
  })
  test('a column is one of a table of its own rows', () => {
    const one = encodeDense(fitEncoder([{ column: 'n', encode: 'number', scale: 'min-max' }], table), takeRows(table, [1])) // biome-ignore format: a line
    expect([...one.data]).toEqual([0.5])
  })
})

test('between two levels that are as near, the first', () => {
  const table = tableOf([wordColumn('w', ['a', 'b', 'c'])])
  const encoder = fitEncoder([{ column: 'w', encode: 'one-hot' }], table)
  expect([decode(encoder, 'w', [0.5, 0]), decode(encoder, 'w', [0.5, 0.5]), decode(encoder, 'w', [0.4, 0.3])]).toEqual(['a', 'a', 'a']) // biome-ignore format: a line
  expect(decode(fitEncoder([{ column: 'w', encode: 'codes' }], table), 'w', [1.5])).toBe('b')
  expect(decode(encoder, 'w', [0.1, 0.9])).toBe('c')
  // However near levels lie to each other.
  const [rule] = fitEncoder([{ column: 'w', encode: 'codes' }], table).rules
  const narrow = { rules: [{ ...rule!, outputs: [{ name: 'w', shift: 0, scale: 1e9 }] }] }
  expect(decode(narrow, 'w', [2e-9])).toBe('c')
})

describe('pictures', () => {
  const pixels = { bytes: Uint8Array.of(0, 100, 200, 7, 7, 7), shape: [1, 1, 3], scale: 'standardise' } as const
  test('one brightness has a deviation of 1, two that hardly differ have their own', () => {
    expect(fitPixels(pixels, [1])).toMatchObject({ mean: [7 / 255], std: [1] })
    expect(fitPixels({ ...pixels, bytes: Uint8Array.of(1, 1, 2), shape: [1, 1, 3] }, 1).std[0]).toBeCloseTo(Math.sqrt(2) / 3 / 255, 15) // biome-ignore format: a line
    const unit = { shape: [1, 1, 3], mean: [0], std: [1] } as const
    expect([...encodePixels(pixels, unit, [1, 0]).data]).toEqual([7, 7, 7, 0, 100, 200].map((b) => b / 255))
    expect([...encodePixels({ ...pixels, bytes: Uint8Array.of(255, 254, 0) }, unit, 1).data]).toEqual([1, 254 / 255, 0])
  })
  test('the picture behind the last is not there', () => {
    for (const row of [2, -1, 0.5 + 1.5]) expect(() => fitPixels(pixels, [0, row])).toThrow(`image ${row} was asked for; there are 2`) // biome-ignore format: a line
  })

  const source: Source = { name: 's', task: 'classification', table: tableOf([wordColumn('c', ['x', 'y'])]), rules: [], pixels, label: { column: 'c', encode: 'codes' }, sensitive: [] } // biome-ignore format: a line
  test('are fitted on the rows that are asked for, named by their places, and not offered sparsely', () => {
    expect(fitSource(source).pixels!.mean[0]).toBeCloseTo(321 / 6 / 255, 15)
    expect(fitSource(source, [1]).pixels!.mean).toEqual([7 / 255])
    expect(encodeSource(source, { rows: [1] }).columns).toEqual([0, 1, 2].map((j) => ({ name: `pixel_${j}`, from: 'pixels' }))) // biome-ignore format: a line
    expect(encodeSource(source).records.features).toMatchObject({ rows: 2, cols: 3 })
    expect(() => encodeSourceSparse(source)).toThrow('dataset "s" holds images; encode it densely')
  })
})

test('sources: units are told where there are any, levels of one-hot columns alone, labels must be there', async () => {
  const table = tableOf([numberColumn('n', [1, 2]), wordColumn('w', ['a', 'b']), numberColumn('y', [3, 4])])
  const source: Source = { name: 's', task: 'regression', table, rules: [{ column: 'n', encode: 'number' }, { column: 'w', encode: 'one-hot' }], label: { column: 'y', encode: 'number' }, sensitive: [] } // biome-ignore format: a line
  const { label, columns } = encodeSource(source)
  expect(label).toStrictEqual({ name: 'y', names: ['y'], words: [] })
  expect(encodeSource({ ...source, labelUnit: 'kg' }).label).toMatchObject({ unit: 'kg' })
  expect(columns).toStrictEqual([{ name: 'n', from: 'n' }, { name: 'w_b', from: 'w', level: 'b' }]) // biome-ignore format: a list
  expect(encodeSourceSparse(source, { rows: [1] }).labels).toEqual(Float64Array.of(4))
  expect(encodeSourceSparse(source).labels).toEqual(Float64Array.of(3, 4))
  expect(() => checkedSource({ ...source, label: { column: 'z', encode: 'number' } })).toThrow('unknown column: "z"')
  const wages = await loadDataset('cps-wages', { rng: rng(1) })
  expect([wages.label.encode, wages.labelUnit]).toEqual(['number', 'dollars an hour'])
  const logs = await loadDataset('cps-wages', { rng: rng(1) }, { wage: 'log' })
  expect([logs.label, logs.labelUnit]).toEqual([{ column: 'wage', encode: 'log', scale: 'standardise' }, 'deviations of log(dollars an hour)']) // biome-ignore format: a line
})
