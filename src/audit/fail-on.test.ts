import { describe, expect, test } from 'vitest'
import { documentWith, errorWith, findingWith, resultWith, scoreWith } from '../../test/audit-results.js'
import { checkRule, parseRule, unjudged, violations } from './fail-on.js'

const lift = (x: number, parts: Parameters<typeof resultWith>[0] = {}) =>
  resultWith({ score: scoreWith({ lift: x }), ...parts })
const broken = (rules: readonly string[], ...results: Parameters<typeof documentWith>[0]) =>
  violations(rules.map(parseRule), documentWith(results))

describe('a rule', () => {
  test.each([
    ['aia.lift>0.1', { attack: 'aia', field: 'lift', op: '>', number: 0.1 }],
    ['  lmra-ols.value <= 1e-3 ', { attack: 'lmra-ols', field: 'value', op: '<=', number: 1e-3 }],
    ['dlg.low>=-.5', { attack: 'dlg', field: 'low', op: '>=', number: -0.5 }],
    ['a.high==1', { attack: 'a', field: 'high', op: '==', number: 1 }],
    ['a.chance<0', { attack: 'a', field: 'chance', op: '<', number: 0 }],
  ])('%j is understood', (text, rule) => {
    expect(parseRule(text)).toEqual({ text: text.trim(), ...rule })
  })

  test.each([
    '',
    'aia',
    'aia.lift',
    'aia.lift>',
    'aia.lift>x',
    'aia.lift=1',
    'aia.lift=>1',
    '.lift>1',
    'aia.>1',
    'aia.metric>1',
    'aia.lift>1 2',
    'aia.lift>Infinity',
    'aia.lift>NaN',
    'a b.lift>1',
    'aia.lift!=1',
  ])('%j is refused with what is needed', (text) => {
    expect(() => parseRule(text)).toThrow(`--fail-on is "${text}"; <attack or prefix>.<value|chance|lift|low|high>`)
  })

  test('must match an attack by its id or by how it begins', () => {
    const ids = ['aia-model', 'lmra-ols']
    for (const text of ['aia.lift>1', 'aia-model.lift>1', 'l.lift>1']) checkRule(parseRule(text), ids)
    for (const text of ['model.lift>1', 'aia-model-x.lift>1', 'AIA.lift>1']) {
      expect(() => checkRule(parseRule(text), ids)).toThrow('matches no attack; known: aia-model, lmra-ols')
    }
  })
})

describe('what is violated', () => {
  test('is said by the worst match: the greatest for >, the least for <', () => {
    const results = [lift(0.2), lift(0.7, { target: '3' }), lift(0.4)]
    expect(broken(['aia.lift>0.1'], ...results)).toEqual(['aia.lift>0.1: aia-model as server, client 3 has lift 0.700'])
    expect(broken(['aia.lift<0.5'], ...results)).toEqual(['aia.lift<0.5: aia-model as server, client 0 has lift 0.200'])
    expect(broken(['aia.lift>0.7', 'aia.lift<0.2'], ...results)).toEqual([])
    expect(broken(['aia.lift>=0.7', 'aia.lift<=0.2'], ...results)).toHaveLength(2)
  })

  test('is shown with as many digits as it takes to see it', () => {
    expect(broken(['aia.lift>0.1'], lift(0.10004))).toEqual([
      'aia.lift>0.1: aia-model as server, client 0 has lift 0.10004',
    ])
    expect(broken(['aia.lift<1e-3'], lift(0.00012))[0]).toMatch(/has lift 0\.00012$/)
  })

  test('by equality: any match, not only the least', () => {
    expect(broken(['aia.lift==0.7'], lift(0.2), lift(0.7))).toHaveLength(1)
    expect(broken(['aia.lift==0.5'], lift(0.2), lift(0.7))).toEqual([])
  })

  test('looks at every field, at the ends of the interval, at each of several claims', () => {
    const one = resultWith({ target: null })
    expect(broken(['aia.value>0.89', 'aia.chance==0.5', 'aia.low<0.81', 'aia.high>0.94'], one)).toEqual([
      'aia.value>0.89: aia-model as server has value 0.900',
      'aia.chance==0.5: aia-model as server has chance 0.500',
      'aia.low<0.81: aia-model as server has low 0.800',
      'aia.high>0.94: aia-model as server has high 0.950',
    ])
    const values = [null, scoreWith({ value: 0.3 }), scoreWith({ value: 0.6 })]
    const several = resultWith({ findings: values.map((score) => findingWith(score)) })
    expect(broken(['aia.value>0.5'], several)).toHaveLength(1)
  })

  test('is nothing where there is no figure, for other attacks and for oracles', () => {
    const none = resultWith({ status: 'failed' })
    const alone = resultWith({ score: errorWith(0.9) })
    expect(broken(['aia.low>-9', 'aia.high>-9'], alone, none)).toEqual([])
    expect(broken(['aia.lift>-9'], lift(0.9, { oracle: true }), lift(0.9, { attack: 'dlg' }))).toEqual([])
  })
})

test('a rule that no result can be held against says so', () => {
  const rules = ['aia.lift>0.1', 'aia.low>0.1', 'dlg.value>0'].map(parseRule)
  const results = [resultWith({ score: errorWith(0.2) }), resultWith({ attack: 'dlg', status: 'failed' })]
  expect(unjudged(rules, documentWith(results))).toEqual([
    'aia.low>0.1: no result has a low to hold against it',
    'dlg.value>0: no result has a value to hold against it',
  ])
  expect(unjudged(rules, documentWith([]))).toHaveLength(3)
})
