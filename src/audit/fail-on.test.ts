import { describe, expect, test } from 'vitest'
import { type QuestionParts, questionWith, stepWith } from '../../test/audit-results.js'
import { checkRule, judge, parseRule } from './fail-on.js'
import type { Question } from './ladder/question.js'

const judged = (rule: string, ...questions: readonly Question[]) => judge([parseRule(rule)], { questions })
const effect = (x: number, parts: QuestionParts = {}) =>
  questionWith({ test: { record: stepWith({ effect: x }) }, ...parts })
const untested = questionWith({ level: 'not-tested', notTested: 'out of time', test: { record: null } })
const clean = { violated: [], untested: [] }

describe('a rule', () => {
  test.each([
    ['attribute.record>0.05', { about: 'attribute', field: 'record', op: '>', number: 0.05 }],
    ['  lmra-ols.client.value <= 1e-3 ', { about: 'lmra-ols', field: 'client.value', op: '<=', number: 1e-3 }],
    ['members.low>=-.5', { about: 'members', field: 'low', op: '>=', number: -0.5 }],
    ['a.high==1', { about: 'a', field: 'high', op: '==', number: 1 }],
    ['members.tpr1<0', { about: 'members', field: 'tpr1', op: '<', number: 0 }],
    ['property.exposed>0', { about: 'property', field: 'exposed', op: '>', number: 0 }],
  ])('%j is understood', (text, rule) => {
    expect(parseRule(text)).toEqual({ text: text.trim(), ...rule })
  })

  test.each([
    '',
    'aia',
    'aia.record',
    'aia.record>',
    'aia.record>x',
    'aia.record=1',
    'aia.record=>1',
    '.record>1',
    'aia.>1',
    'aia.lift>1',
    'aia.value>1',
    'aia.record.low>1',
    'aia.record>1 2',
    'aia.record>Infinity',
    'aia.record>NaN',
    'a b.record>1',
    'aia.record!=1',
  ])('%j is refused with what is needed', (text) => {
    expect(() => parseRule(text)).toThrow(
      `--fail-on is "${text}"; <question kind, or an attack or its beginning>.<field><op><number> is needed`,
    )
  })

  test('must be about a kind of question, or an attack by its id or by how it begins', () => {
    const known = { attacks: ['aia-model', 'lmra-ols'], kinds: ['attribute', 'members'] }
    for (const about of ['aia', 'aia-model', 'lmra', 'l', 'members', 'attribute']) {
      checkRule(parseRule(`${about}.record>1`), known)
    }
    for (const about of ['member', 'model', 'aia-models']) {
      const message = `--fail-on "${about}.record>1" matches no kind of question and no attack; kinds: attribute`
      expect(() => checkRule(parseRule(`${about}.record>1`), known)).toThrow(message)
    }
  })
})

describe('a rule is violated', () => {
  test('by the worst match, over all observers and clients', () => {
    const rule = 'attribute.record>0.05'
    expect(judged(rule, effect(0.05), effect(0.01))).toEqual(clean)
    const worst = effect(0.2, { target: '7', observer: 'eavesdropper', model: 'mlp-8' })
    expect(judged(rule, effect(0.1), worst, effect(0.15)).violated).toEqual([
      'attribute.record>0.05: union of client 7 (mlp-8), as heard by eavesdropper, has record 0.200',
    ])
    expect(judged('attribute.record<0.5', effect(0.1), effect(-0.3)).violated[0]).toContain('has record -0.300')
  })

  test.each([
    ['>', [false, false, true]],
    ['>=', [false, true, true]],
    ['<', [true, false, false]],
    ['<=', [true, true, false]],
    ['==', [false, true, false]],
  ] as const)('where %s holds', (op, found) => {
    expect(found.map((_, i) => judged(`attribute.record${op}2`, effect(i + 1)).violated.length === 1)).toEqual(found)
  })

  test('shows a figure that violates it, also where rounding would hide it', () => {
    expect(judged('attribute.record>0.05', effect(0.05004)).violated[0]).toContain('has record 0.05004')
  })

  test.each([
    ['record', 0.08],
    ['client', 0.3],
    ['record.value', 0.96],
    ['client.value', 0.88],
    ['federation.value', 0.86],
    ['guess.value', 0.8],
    ['everybody.value', 0.91],
    ['low', 0.05],
    ['high', 0.11],
    ['tpr1', 0.23],
    ['exposed', 2],
  ])('by its field %s', (field, x) => {
    const full = questionWith({
      ladder: { everybody: 0.91 },
      test: { client: stepWith({ effect: 0.3, interval: [0.2, 0.4] }) },
      rates: { tpr1: 0.23, tpr01: null, finest: 0.01 },
      exposed: { ids: ['3', '9'], of: 55 },
    })
    expect(judged(`attribute.${field}==${x}`, full).violated).toHaveLength(1)
    expect(judged(`attribute.${field}>${x}`, full)).toEqual(clean)
  })

  test('by the ends of the client step where there is no record step', () => {
    const one = questionWith({ test: { record: null, client: stepWith({ interval: [0.2, 0.4] }) } })
    expect(judged('attribute.low==0.2', one).violated).toHaveLength(1)
    expect(judged('attribute.high==0.4', one).violated).toHaveLength(1)
  })

  test('by questions in which the attack took part, and by no others', () => {
    expect(judged('aia-lin.record>0', effect(0.1)).violated).toHaveLength(1)
    const other = effect(0.5, { attacks: [{ attack: 'aia-gradient', params: {}, cells: {} }], target: '1' })
    expect(judged('aia-lin.record>0', effect(0.1), other).violated[0]).toContain('client 0')
    expect(judged('aia.record>0', effect(0.1), other).violated[0]).toContain('client 1')
  })
})

describe('a rule is not tested', () => {
  test('where it matches no question', () => {
    expect(judged('members.record>0', effect(0.1))).toEqual({
      violated: [],
      untested: ['members.record>0: not tested, it matches no question of this audit'],
    })
    expect(judged('dlg.record>0').untested).toHaveLength(1)
  })

  test('where a question was not tested, with the reason, however the others did', () => {
    const line = 'attribute.record>0.05: not tested for union of client 0, as heard by server (out of time)'
    expect(judged('attribute.record>0.05', effect(0), untested)).toEqual({ violated: [], untested: [line] })
    expect(judged('attribute.record>0.05', effect(1), untested, untested)).toEqual({
      violated: [expect.stringContaining('has record 1.00')],
      untested: [`${line}, and 1 more`],
    })
  })

  test('where a question has no such figure, or an end of its interval is not known', () => {
    expect(judged('attribute.client>0', effect(1)).untested[0]).toContain('(it has no client)')
    const open = questionWith({ test: { record: stepWith({ interval: [Number.NEGATIVE_INFINITY, 1] }) } })
    expect(judged('attribute.low>0', open).untested).toHaveLength(1)
    expect(judged('attribute.high>0', open).violated).toHaveLength(1)
  })

  test('by the first round after which a client is given away', () => {
    const leak = { kind: 'property', name: 'ascent', target: null, level: 'leaks-client' } as const
    const after = { '3': { round: 40, notAfter: 35 }, '9': { round: 20, notAfter: null } }
    const found = questionWith({ ...leak, exposed: { ids: ['3', '9'], of: 10, after } })
    expect(judged('property.exposedAfter<50', found).violated[0]).toContain('has exposedAfter 20')
    expect(judged('property.exposedAfter<20', found)).toEqual(clean)
    // Nobody given away is later than any round; accused without a curve is not tested.
    expect(judged('property.exposedAfter<50', questionWith({ ...leak, exposed: { ids: [], of: 10 } }))).toEqual(clean)
    expect(judged('property.exposedAfter<50', questionWith({ ...leak, level: 'none-found' }))).toEqual(clean)
    const bare = questionWith({ ...leak, exposed: { ids: ['3'], of: 10 } })
    expect(judged('property.exposedAfter<50', bare).untested).toHaveLength(1)
  })

  test('for exposed records where a leak has no list; where nothing leaks, none is exposed', () => {
    expect(judged('attribute.exposed>0', questionWith()).untested).toHaveLength(1)
    expect(judged('attribute.exposed>0', questionWith({ level: 'none-found' }))).toEqual(clean)
    expect(judged('attribute.exposed>0', { ...untested, exposed: null }).untested).toHaveLength(1)
  })

  test('by the copy of a question', () => {
    expect(judged('attribute.record>0', effect(-1), { ...untested, sameAs: 'eavesdropper' })).toEqual(clean)
    expect(judged('attribute.record>0', effect(1, { sameAs: 'eavesdropper' })).untested).toHaveLength(1)
  })
})
