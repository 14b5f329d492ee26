import { describe, expect, test } from 'vitest'
import { matrix, matrixOf } from '../../numeric/linalg/matrix.js'
import { fillInto, unknownsOf } from './unknown-columns.js'

type Given = Parameters<typeof unknownsOf>[0]
const sexed = { name: 'sex', columns: ['sex'], kind: 'categorical', values: [[0], [1]], words: [['f'], ['m']] } as const
const aged = { name: 'age', columns: ['age'], kind: 'continuous', range: [10, 42] } as const

const viewOf = (more: { rows?: number[][]; sensitive?: readonly unknown[] } = {}): Given => {
  const rows = more.rows ?? [
    [5, 1, 7],
    [6, 0, 8],
  ]
  const features = rows.length === 0 ? matrix(0, 3) : matrixOf(rows)
  return {
    records: { columns: ['sex', 'age', 'pay'], features },
    'records.label': Float64Array.from(rows, (_, i) => i),
    sensitive: more.sensitive ?? [sexed],
  } as unknown as Given
}

describe('unknownsOf', () => {
  test('blanks what is sensitive and nothing else, and leaves the view alone', () => {
    const view = viewOf({ sensitive: [sexed, aged] })
    const { attributes, known, labels } = unknownsOf(view)
    expect([...known.data]).toEqual([0, 0, 7, 0, 0, 8])
    expect([...view.records.features.data]).toEqual([5, 1, 7, 6, 0, 8])
    expect([...labels]).toEqual([0, 1])
    expect(attributes.map(({ places }) => places)).toEqual([[0], [1]])
    expect(attributes[0]!.candidates).toEqual([[0], [1]])
  })

  test('lays 33 points over the range of a continuous one', () => {
    const [age] = unknownsOf(viewOf({ sensitive: [aged] })).attributes
    expect(age!.candidates).toEqual(Array.from({ length: 33 }, (_, g) => [10 + g]))
  })

  test('a sensitive column may hold anything, one record is enough', () => {
    expect([...unknownsOf(viewOf({ rows: [[Number.NaN, 1, 7]] })).known.data]).toEqual([0, 1, 7])
  })

  test.each([
    ['no records', { rows: [] }, 'no records to infer an attribute of'],
    ['a value that is none', { sensitive: [{ ...sexed, values: [[0], [Number.NaN]] }] }, 'attribute sex: a value is NaN'],
    ['one value', { sensitive: [{ ...sexed, values: [[0]] }] }, 'attribute sex has 1 values'],
    ['a column in two attributes', { sensitive: [sexed, { ...sexed, name: 'gender' }] }, 'two sensitive attributes share a column'],
    ['a column twice', { sensitive: [{ ...sexed, columns: ['sex', 'sex'] }] }, 'two sensitive attributes share a column'],
    ['a column that is not there', { sensitive: [{ ...sexed, columns: ['tax'] }] }, 'the sensitive column "tax" is not in the records'],
    ['a gap in what is known', { rows: [[5, 1, 7], [6, 0, Number.NaN]] }, 'record 1, column pay is NaN'],
    ['a gap at the very first place', { rows: [[Number.NaN, 1, 7]], sensitive: [aged] }, 'record 0, column sex is NaN'],
  ])('refuses %s', (_, given, message) => expect(() => unknownsOf(viewOf(given))).toThrow(message)) // biome-ignore format: a table
})

test('fillInto writes each column of an attribute into each record', () => {
  const records = matrixOf([
    [1, 2, 3],
    [4, 5, 6],
  ])
  fillInto(records, { places: [2, 0] }, (i, c) => 10 * i + c + 100)
  expect([...records.data]).toEqual([101, 2, 100, 111, 5, 110])
})
