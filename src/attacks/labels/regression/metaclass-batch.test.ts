import { expect, test } from 'vitest'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { auxiliaryLabels } from './metaclass-batch.js'

const labelsOf = (n: number | undefined, ...labels: number[]) =>
  auxiliaryLabels({
    ...(n !== undefined && { auxiliary: { columns: [], features: matrix(n, 1) } }),
    'auxiliary.label': Float64Array.from(labels),
  } as never)

test('auxiliary labels are one a record, of several their mean', () => {
  expect([...labelsOf(2, 5, 7)!]).toEqual([5, 7])
  expect([...labelsOf(2, 1, 3, 10, 20)!]).toEqual([2, 15])
  expect([...labelsOf(0)!]).toEqual([])
  expect(auxiliaryLabels({})).toBeUndefined()
})

test('labels that are no whole number for each record are refused', () => {
  for (const [n, labels] of [
    [2, [1, 2, 3]],
    [2, []],
    [0, [1]],
    [undefined, [1]],
  ] as const) {
    // biome-ignore format: one line
    const found = `${labels.length} labels for ${n ?? 0} auxiliary records; as many each are needed`
    expect(() => labelsOf(n, ...labels)).toThrow(found)
  }
})

test('a label that is no finite number is told by its record', () => {
  expect(() => labelsOf(3, 1, Number.NaN, 2)).toThrow('the label of auxiliary record 1 is NaN')
  expect(() => labelsOf(2, 1, 2, 3, Number.POSITIVE_INFINITY)).toThrow('the label of auxiliary record 1 is Infinity')
  expect(() => labelsOf(2, Number.NaN, 2, 3, 4)).toThrow('the label of auxiliary record 0 is NaN')
})
