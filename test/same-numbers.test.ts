import { describe, expect, test } from 'vitest'
import { numberCount, rowsOf } from '../tools/audit-numbers.mjs'
import { differences } from '../tools/same-numbers.mjs'

const union = { kind: 'attribute', client: '0', name: 'union', values: [0, 1], confidence: [0.9, null] }
const gender = { kind: 'attribute', client: '0', name: 'gender', values: [1, 1] }
const score = (value: number) => ({ metric: 'accuracy', value, chance: 0.5, lift: null, interval: [0.25, 1] })
const also = { accuracy: 0.75 }
const result = { attack: 'aia-model', status: 'claimed', target: '0', model: 'linear', millis: 3 }
const controls = { planted: { status: 'passed', score: { ...score(1), perRecord: [1, 1, 1] }, reason: 'found' } }
const document = (attacks: readonly object[], more: object = {}) => ({
  observers: [{ observer: 'server', attacks }],
  utility: { linear: { model: 'linear', rounds: 3, value: 0.125, metric: 'R2' } },
  ...more,
})

describe('numbers are found', () => {
  const one = document([{ ...result, controls, claim: union, score: { ...score(1), also } }], { hash: 'a' })

  test('with one claim in either shape', () => {
    const later = document([
      { ...result, millis: 9, controls, findings: [{ claim: union, score: { ...score(1), ...also } }] },
    ])
    expect(rowsOf(later)).toEqual(rowsOf(one))
    expect(rowsOf(one).get('server | aia-model | 0 | linear | attribute | union')).toMatchObject({
      status: 'claimed',
      claim: expect.stringMatching(/^4:[0-9a-f]{16}$/),
      'score.interval': [0.25, 1],
      'score.accuracy': 0.75,
      'planted.value': 1,
      'planted.all': expect.stringMatching(/^7:/),
    })
    expect(rowsOf(one).get('- | utility | - | linear | - | -')).toEqual({ rounds: 3, value: 0.125 })
  })

  test('with several claims in either shape', () => {
    const now = document([{ ...result, claims: [union, gender], score: null, scores: [score(1), null] }])
    const findings = [
      { claim: gender, score: null },
      { claim: union, score: score(1) },
    ]
    expect(rowsOf(document([{ ...result, findings }]))).toEqual(rowsOf(now))
    expect(rowsOf(now).size).toBe(3)
  })

  test('without a claim, and of the same attack twice', () => {
    const none = { ...result, status: 'not-applicable', missing: ['exchanges', 'auxiliary'], score: null }
    const rows = rowsOf(document([none, none, { ...none, params: { from: 'lmra-ols' } }]))
    const expected = { status: 'not-applicable', missing: ['auxiliary', 'exchanges'] }
    expect(rows.get('server | aia-model | 0 | linear | - | -')).toEqual(expected)
    expect(rows.get('server | aia-model | 0 | linear | - | - #2')).toEqual(expected)
    expect(rows.get('server | aia-model from=lmra-ols | 0 | linear | - | -')).toEqual(expected)
    expect(numberCount(rows)).toBe(2)
  })
})

describe('a difference is told', () => {
  const of = (value: number, claim: object = union) => rowsOf(document([{ ...result, claim, score: score(value) }]))

  test('by row, field, before and after', () => {
    expect(differences(of(1), of(1))).toEqual([])
    const key = 'server | aia-model | 0 | linear | attribute | union'
    expect(differences(of(0.3), of(0.1 + 0.2))).toEqual([`${key}: score.value: 0.3 -> 0.30000000000000004`])
    const moved = { ...union, values: [1, 0] }
    expect(differences(of(1), of(1, moved))).toEqual([expect.stringContaining(`${key}: claim: "4:`)])
  })

  test('when a row is new or missing, or a control differs in one record', () => {
    expect(differences(of(1), of(1, gender))).toEqual([
      'server | aia-model | 0 | linear | attribute | gender: new row',
      'server | aia-model | 0 | linear | attribute | union: row is missing',
    ])
    const tested = (perRecord: number[]) => {
      const shuffled = { status: 'passed', score: { ...score(1), perRecord } }
      return rowsOf(document([{ ...result, claim: union, score: null, controls: { shuffled } }]))
    }
    expect(differences(tested([1, 0, 1]), tested([1, 1, 0]))).toEqual([expect.stringContaining('shuffled.all')])
  })
})
