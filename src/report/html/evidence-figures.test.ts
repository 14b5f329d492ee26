import { expect, test } from 'vitest'
import { findingWith, resultWith, scoreWith } from '../../../test/audit-results.js'
import { evidenceFigures, rankedOf, rocOf } from './evidence-figures.js'

const confusion = { values: ['no', 'yes'], counts: [[1, 1], [0, 2]] } // biome-ignore format: a table
const attribute = (more: object = {}) =>
  findingWith(scoreWith({ metric: 'auc', perRecord: [1, 0, 1, 1], confusion, ...more }), {
    kind: 'attribute',
    client: '0',
    name: 'union',
    values: [0, 1, 1, 1],
    confidence: [0.9, 0.6, 0.8, 1],
  })

test('ranks records by how surely they have the second value, and knows who truly has it', () => {
  const ranked = rankedOf(attribute())!
  expect(ranked.scores.map((x) => Number(x.toFixed(9)))).toEqual([0.1, 0.6, 0.8, 1])
  expect(ranked.truth).toEqual([false, false, true, true])
  expect(ranked.what).toBe('union is yes')
  // Of three values a wrong claim does not say what is true.
  expect(rankedOf(attribute({ confusion: { values: ['a', 'b', 'c'], counts: [] } }))).toBeNull()
  expect(rankedOf(attribute({ confusion: undefined }))).toBeNull()
  const members = { kind: 'members', client: '0', rows: [1], scores: [0.2, 0.7, 0.5] } as const
  expect(rankedOf(findingWith(scoreWith({ perRecord: [1, 1, 0] }), members))!.truth).toEqual([false, true, true])
})

test('a curve of found against false alarms; ties move together, one kind alone has none', () => {
  expect(rocOf({ scores: [0.9, 0.8, 0.8, 0.1], truth: [true, true, false, false] })).toEqual([[0, 0], [0, 0.5], [0.5, 1], [1, 1]]) // biome-ignore format: a curve
  expect(rocOf({ scores: [1, 2], truth: [true, true] })).toEqual([])
})

test('draws the curve twice, once with its corner on a log axis, how sure it was, and a table of counts', () => {
  const html = evidenceFigures(resultWith({ attack: 'aia-model' }), attribute())
  for (const name of ['found against false alarms, aia-model', 'the corner of few false alarms, aia-model', 'how sure it was, aia-model']) expect(html).toContain(`aria-label="${name}"`) // biome-ignore format: a line
  expect(html).toContain('false alarms (log)')
  expect(html).toContain('<th scope="row">truly no</th><td class="n">1</td><td class="n">1</td>')
  expect(evidenceFigures(resultWith(), findingWith(scoreWith(), { kind: 'model', theta: [] }))).toBe('')
})
