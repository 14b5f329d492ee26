import { expect, test } from 'vitest'
import { resultWith, scoreWith } from '../../test/audit-results.js'
import { exposureSection } from './exposure-curves.js'
import { rowOf } from './result-rows.js'

const clients = [
  { id: '1', positive: true, probability: 0.99 },
  { id: '<2>', positive: true, probability: 0.97 },
  { id: '3', positive: false, probability: 0.1 },
]
const exposure = {
  rounds: [4, 9, 14],
  probability: { '1': [0.5, 0.96, 0.99], '<2>': [0.1, 0.2, 0.97], '3': [0.96, 0.3, 0.1] },
  above: 0.95,
  exposedAt: { '<2>': 14, '1': 9, '3': 4 },
  lastBelow: { '<2>': 9, '1': 4, '3': null },
}
const property = (parts: { exposure?: object; sameAs?: 'secagg-server' } = {}) => {
  const { exposure: curves, ...more } = parts
  return rowOf(
    resultWith({
      attack: 'property-posterior',
      target: null,
      claim: { kind: 'property', property: 'inversion', clients, ...(curves !== undefined && { exposure: curves }) },
      score: {
        ...scoreWith(),
        perClient: [
          { id: '1', right: true },
          { id: '<2>', right: false },
          { id: '3', right: true },
        ],
      },
      ...more,
    }),
  )
}

test('tells when each client was exposed, whether for good and whether rightly', () => {
  const html = exposureSection([property({ exposure })])
  expect(html).toContain('property-posterior, inversion: after how many rounds?')
  expect(html).toContain(
    'client 3 after round 4 (not at the end); client 1 after round 9, not yet after round 4; client &lt;2&gt; after round 14, not yet after round 9 (wrongly).</p>',
  )
  // The grey curve is drawn first; the ends of the axis are the rounds.
  const strokes = [...html.matchAll(/polyline[^>]*stroke="var\(--(\w+)\)"/g)].map(([, colour]) => colour)
  expect(strokes).toEqual(['line', 'leak', 'weak'])
  expect(html).toContain('>4<')
  expect(html).toContain('>14<')
  expect(html).not.toContain('<2>')
})

test('of many exposed clients the first forty are named', () => {
  const exposedAt = Object.fromEntries(Array.from({ length: 42 }, (_, i) => [`c${i}`, i]))
  const html = exposureSection([property({ exposure: { ...exposure, exposedAt } })])
  expect(html).toContain('client c39 after round 39 (not at the end); and 2 more.</p>')
  expect(html).not.toContain('client c40')
})

test('one round is a point at the end, and nobody may be exposed', () => {
  const one = { rounds: [7], probability: { '1': [0.5] }, above: 0.9, exposedAt: {} }
  const html = exposureSection([property({ exposure: one })])
  expect(html).toContain('points="770.0,')
  expect(html).toContain('No client passes 0.9 in any round')
})

test('is absent without curves, and where another observer shows the same', () => {
  expect(exposureSection([property(), rowOf(resultWith())])).toBe('')
  expect(exposureSection([property({ sameAs: 'secagg-server', exposure })])).toBe('')
})
