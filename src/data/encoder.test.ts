import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode, inWords, sensitiveOf } from './decode.js'
import { type Encoder, encodeDense, encodeSparse, fitEncoder, outputNames, type Rule } from './encoder.js'
import { numberColumn, tableOf, takeRows, wordColumn } from './table.js'

const people = tableOf([
  numberColumn('age', [20, 40, 60, 80]),
  wordColumn('smoker', ['yes', 'no', 'no', 'no']),
  wordColumn('region', ['south', 'north', 'west', 'south']),
  numberColumn('flat', [7, 7, 7, 7]),
  numberColumn('children', [0, 1, 3, 7]),
])

const rules: Rule[] = [
  { column: 'age', encode: 'number', scale: 'standardise' },
  { column: 'smoker', encode: 'one-hot', scale: 'standardise' },
  { column: 'region', encode: 'one-hot' },
  { column: 'flat', encode: 'number', scale: 'standardise' },
  { column: 'children', encode: 'log1p', scale: 'min-max' },
]
const row = (encoder: Encoder, i: number) => {
  const X = encodeDense(encoder, people)
  return [...X.data.subarray(i * X.cols, (i + 1) * X.cols)]
}

describe('an encoder', () => {
  const encoder = fitEncoder(rules, people)

  test('gives the columns their names and values', () => {
    expect(outputNames(encoder)).toEqual(['age', 'smoker_yes', 'region_south', 'region_west', 'flat', 'children'])
    // age: mean 50, deviation sqrt(500); smoker: mean 1/4, deviation sqrt(3)/4; flat: constant, shifted only
    const yes = (1 - 0.25) / (Math.sqrt(3) / 4)
    expect(row(encoder, 0)).toEqual([-30 / Math.sqrt(500), yes, 1, 0, 0, 0].map((x) => expect.closeTo(x, 12)))
    const no = -0.25 / (Math.sqrt(3) / 4)
    expect(row(encoder, 2)).toEqual(
      [10 / Math.sqrt(500), no, 0, 1, 0, Math.log(4) / Math.log(8)].map((x) => expect.closeTo(x, 12)),
    )
  })

  test('learns from the fitted rows only', () => {
    const few = fitEncoder(rules.slice(0, 1), takeRows(people, [0, 1]))
    expect(encodeDense(few, people).data[3]).toBe((80 - 30) / 10)
  })

  test('is plain data', () => {
    const back = JSON.parse(JSON.stringify(encoder)) as Encoder
    expect(back).toEqual(encoder)
    expect(encodeDense(back, people)).toEqual(encodeDense(encoder, people))
  })

  test('finds the way back', () => {
    const { values, words, kind, columns } = sensitiveOf(encoder, 'smoker')
    expect([words, kind, columns]).toEqual([['no', 'yes'], 'binary', ['smoker_yes']])
    expect(inWords(encoder, 'smoker', values[1]!)).toBe('smoker: yes')
    expect(decode(encoder, 'smoker', [-0.1])).toBe('no')
    const regions = sensitiveOf(encoder, 'region')
    expect(regions).toMatchObject({
      kind: 'categorical',
      values: [
        [0, 0],
        [1, 0],
        [0, 1],
      ],
    })
    expect(regions.values.map((v) => decode(encoder, 'region', v))).toEqual(['north', 'south', 'west'])
    expect(decode(encoder, 'age', [0])).toBeCloseTo(50, 12)
    expect(decode(encoder, 'children', [1])).toBeCloseTo(7, 12)
    expect(decode(encoder, 'flat', [0])).toBe(7)
    expect(sensitiveOf(encoder, 'children')).toMatchObject({ kind: 'continuous', values: [[0], [1]], words: [] })
    expect(() => decode(encoder, 'region', [1])).toThrow(/given 1 encoded values; its encoding has 2/)
    expect(() => decode(encoder, 'smoker', [Number.NaN])).toThrow(/not finite/)
  })

  test('keeps every level when asked, and gives codes in a stated order', () => {
    const all = fitEncoder([{ column: 'region', encode: 'one-hot', drop: 'none' }], people)
    expect(row(all, 1)).toEqual([1, 0, 0])
    const codes = fitEncoder([{ column: 'region', encode: 'codes', levels: ['west', 'north', 'south'] }], people)
    expect([...encodeDense(codes, people).data]).toEqual([2, 1, 0, 2])
    expect(decode(codes, 'region', [0.9])).toBe('north')
  })

  test('gives a column of one level no dummy', () => {
    const one = tableOf([wordColumn('a', ['x', 'x'])])
    const none = fitEncoder([{ column: 'a', encode: 'one-hot', scale: 'standardise' }], one)
    expect(encodeDense(none, one)).toMatchObject({ rows: 2, cols: 0 })
    expect(decode(none, 'a', [])).toBe('x')
  })
})

describe('what it cannot encode', () => {
  const seen = takeRows(people, [1, 2])

  test('an unseen word names column, row, word and the known ones', () => {
    const encoder = fitEncoder([{ column: 'region', encode: 'one-hot' }], seen)
    expect(() => encodeDense(encoder, people)).toThrow('column "region", row 0: "south"; known: "north", "west"')
    const lax = fitEncoder([{ column: 'region', encode: 'one-hot', unseen: 'ignore' }], seen)
    expect([...encodeDense(lax, people).data]).toEqual([0, 0, 1, 0])
  })

  test('missing and non-finite values', () => {
    const holes = tableOf([wordColumn('a', ['x', null]), numberColumn('b', [0, Number.NaN])])
    expect(() => fitEncoder([{ column: 'b', encode: 'number' }], holes)).toThrow(/column "b", row 1: number of NaN/)
    expect(() => fitEncoder([{ column: 'b', encode: 'log' }], holes)).toThrow(/row 0: log of 0 is -Infinity/)
    const encoder = fitEncoder([{ column: 'a', encode: 'one-hot' }], holes)
    expect(() => encodeDense(encoder, holes)).toThrow('column "a", row 1: a missing value; known: "x"')
    expect(() => fitEncoder([], tableOf([]))).toThrow(/0 rows/)
  })
})

test('dense and sparse are the same numbers', () => {
  const scale = fc.constantFrom('none', 'standardise', 'min-max')
  const rule = fc.record({
    encode: fc.constantFrom('number', 'one-hot', 'codes'),
    scale,
    drop: fc.constantFrom('first', 'none'),
  })
  const columns = fc.array(fc.tuple(rule, fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 5, maxLength: 5 })), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(columns, (drawn) => {
      const table = tableOf(drawn.map(([, values], j) => numberColumn(`c${j}`, values)))
      const encoder = fitEncoder(
        drawn.map(([options], j) => ({ column: `c${j}`, ...options }) as Rule),
        table,
      )
      const X = encodeDense(encoder, table)
      const S = encodeSparse(encoder, table)
      expect([S.rows, S.cols]).toEqual([X.rows, X.cols])
      const back = new Float64Array(X.data.length)
      for (let i = 0; i < S.rows; i++) {
        for (let p = S.rowStart[i]!; p < S.rowStart[i + 1]!; p++) {
          if (p > S.rowStart[i]!) expect(S.column[p]!).toBeGreaterThan(S.column[p - 1]!)
          expect(S.value[p]).not.toBe(0)
          back[i * X.cols + S.column[p]!] = S.value[p]!
        }
      }
      expect(back).toEqual(X.data.map((x) => x + 0)) // -0 counts as 0
    }),
    { numRuns: 100 },
  )
})
