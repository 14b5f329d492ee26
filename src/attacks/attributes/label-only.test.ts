import { expect, test } from 'vitest'
import { agreement, labelOnlyRule } from './label-only.js'

const costs = [Float64Array.of(1, 9, 2, 1), Float64Array.of(2, 1, 2, 8), Float64Array.of(2, 1, 2, 8)]
const labels = Float64Array.of(3, 10, 3, 10)

test('a label has the combination that costs its records least, the first of equals', () => {
  // 3: 1 + 2, 2 + 2, 2 + 2; 10: 9 + 1, 1 + 8, 1 + 8
  expect(labelOnlyRule(labels, costs)).toEqual({ labels: [3, 10], picks: [0, 1] })
  expect(labelOnlyRule(Float64Array.of(-2, -2, -2, -2), [costs[1]!, costs[1]!])?.picks).toEqual([0])
})

test('labels that are no classes have no such rule', () => {
  expect(labelOnlyRule(Float64Array.of(3, 10, 3.5, 10), costs)).toBeUndefined()
  expect(labelOnlyRule(Float64Array.of(3, 10, 3), costs)).toBeUndefined() // several labels a record
  const many = (count: number) => Float64Array.from({ length: count }, (_, i) => i)
  expect(labelOnlyRule(many(100), [many(100), many(100)])?.labels).toHaveLength(100)
  expect(labelOnlyRule(many(101), [many(101), many(101)])).toBeUndefined()
})

test('agreement is the share of records of which the rule says the same', () => {
  const rule = { labels: [3, 10], picks: [0, 1] }
  const valueAt = (combination: number) => 5 + combination
  expect(agreement(rule, { labels }, { values: [5, 6, 6, 6], valueAt })).toBe(0.75)
  expect(agreement(rule, { labels }, { values: [6, 6, 5, 5], valueAt })).toBe(0.5)
  expect(agreement(rule, { labels }, { values: [6, 5, 6, 5], valueAt })).toBe(0)
})
