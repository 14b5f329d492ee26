import { expect, test } from 'vitest'
import type { AttackResult } from '../attack-result.js'
import { ungradedClaims } from './ungraded-claims.js'

const result = (claim: object, more: object = {}, score: number | null = null) =>
  ({ attack: 'x', observer: 'server', target: 'a', status: 'claimed', findings: [{ claim, score }], ...more }) as unknown as AttackResult // biome-ignore format: a line
const planted = (status: string) => ({ controls: { planted: { status } } })
const model = { kind: 'model', theta: [1], fit: { misfit: 0.05, expected: 1, p: 0.5 } }

test('what is graded, a copy, told the truth, or about the protocol is not among them', () => {
  const other = { kind: 'labels' }
  const none = [
    result(other, {}, 0.5),
    result(other, { sameAs: 'y' }),
    result(other, { oracle: true }),
    result(other, { status: 'failed' }),
    result({ kind: 'protocol' }),
  ]
  expect(ungradedClaims(none)).toEqual([])
  expect(ungradedClaims([result(other, {}, 0)])).toEqual([])
})

test('what each is called, and how sure it is', () => {
  const found = ungradedClaims([
    result({ kind: 'attribute', name: 'union', confidence: [0.5, 1] }),
    result({ kind: 'attribute', name: 'union', confidence: [] }),
    result({ kind: 'attribute', name: 'union' }),
    result({ kind: 'property', property: 'mislabelled', confidence: [1] }),
    result({ kind: 'labels', confidence: [1] }, { target: null }),
  ])
  expect(found.map(({ what, confidence, client, standing }) => [what, confidence, client, standing])).toEqual([
    ['union', 0.75, 'a', 'open'],
    ['union', null, 'a', 'open'],
    ['union', null, 'a', 'open'],
    ['mislabelled', null, 'a', 'open'],
    ['labels', null, null, 'open'],
  ])
})

test.each([
  [{}, 0.05, 'passed', 'stands'],
  [{ misfit: 0.1 }, 0.05, 'passed', 'open'],
  [{ p: 0.01 }, 0.05, 'passed', 'stands'],
  [{ p: 0.0099 }, 0.05, 'passed', 'falls'],
  [{}, 0.1, 'passed', 'open'],
  [{}, 0.5, 'passed', 'open'],
  [{}, 0.51, 'passed', 'falls'],
  [{}, null, 'passed', 'open'],
  [{}, 0.05, 'none', 'open'],
  [{}, 0.05, 'broken', 'falls'],
  [null, 0.05, 'passed', 'open'],
  [null, 0.6, 'none', 'falls'],
] as const)('fit %j, halves %j apart, what was planted %s: %s', (fit, apart, status, standing) => {
  const claim = fit === null ? { kind: 'model', theta: [1] } : { ...model, fit: { ...model.fit, ...fit } }
  const halves = { rounds: [1, 1], apart }
  // What was planted is told once, with another claim of the same attack from the same place.
  const once = result({ kind: 'labels' }, { ...planted(status), status: 'failed' })
  const elsewhere = result({ kind: 'labels' }, { ...planted('broken'), observer: 'eavesdropper', status: 'failed' })
  const [found] = ungradedClaims([once, elsewhere, result(claim, { halves })])
  expect(found).toMatchObject({
    standing,
    planted: status,
    halves,
    fit: fit === null ? null : { ...model.fit, ...fit },
  })
})
