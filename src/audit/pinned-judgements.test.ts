// biome-ignore-all format: lists of cases

import { atChance, controlsWith, documentWith, errorWith, type QuestionParts, questionWith, resultWith, scoreWith, stepWith } from '../../test/audit-results.js'
import { all, lists } from '../../test/pinned-questions.js'
import { pinResults } from '../../test/pinned-results.js'
import { sureness, useLost, type Weight, weigh, worstRung } from './advise/weigh.js'
import { chanceExcluded } from './controls.js'
import { checkRule, judge, parseRule } from './fail-on.js'
import { compareAudits } from './finished/compare.js'
import { redacted } from './finished/redacted.js'
import { byHarm } from './ladder/leak-sentences.js'
import { sumAttackLine } from './sum-attacks.js'
import { adviceFor } from './untried-advice.js'
import { unfinished, verdictOf } from './verdict.js'

const results = [
  [], [resultWith()], [resultWith({ status: 'not-applicable' })], [resultWith({ status: 'failed', error: { code: 'E_TIME', message: 'm' } }), resultWith({ attack: 'b', status: 'failed', error: { code: 'E_VALUE', message: 'm' } })],
  [resultWith({ controls: controlsWith('broken') }), resultWith({ controls: controlsWith('passed'), attack: 'c' }), resultWith({ score: null, attack: 'd' }), resultWith({ score: null, attack: 'd' })], [resultWith({ status: 'failed', sameAs: 'server' }), resultWith({ findings: [] })],
]
const untested = (count: number, notTested: string | null) => Array.from({ length: count }, (_, i) => questionWith({ target: `${i}`, level: 'not-tested', notTested, ...(notTested?.startsWith('no applicable') && { unheard: true }) }))
const open = (...needed: (number | null)[]) => needed.map((repeatsNeeded, i) => questionWith({ target: `${i}`, level: 'inconclusive', repeatsNeeded }))
const none = (...seen: (number | null)[]) => seen.map((leastSeen, i) => questionWith({ target: `${i}`, level: 'none-found', ladder: { metric: i % 2 === 0 ? 'AUC' : 'MAE' }, test: { record: stepWith({ leastSeen }), client: i === 0 ? stepWith({ leastSeen: 0.2 }) : null } }))
const asked = [...lists, untested(2, 'why'), [...untested(1, 'a'), ...untested(3, 'b'), ...untested(1, null)], open(null), open(5), open(5, 9), open(5, null, 7), none(0.1), none(null), none(0.1, 0.3, 0.05), ...[6, 7, 8].map((count) => none(...Array(count).fill(0.1))), open(...Array(9).fill(3)), [questionWith({ level: 'known-anyway' }), ...none(0.1)]]

const rules = ['attribute.record>0.05', 'attribute.record>=0.08', 'attribute.record>0.08', 'attribute.record<=0.08', 'attribute.record<0.1', 'attribute.record==0.08', 'attribute.client>0', 'attribute.record.value>0.9', 'attribute.client.value<1', 'attribute.federation.value>0.5', 'attribute.guess.value>0.79999', 'attribute.everybody.value>0', 'attribute.low>0', 'attribute.high>0.1', 'members.tpr1>0.1', 'attribute.exposed>0', 'attribute.exposed>=2', 'property.exposedAfter<5', 'property.exposedAfter<1e300', 'aia.record>0', 'aia-linear.record>0.07999', 'nobody.record>0']
const spoilt = ['', 'attribute', 'attribute.record', 'attribute.recrd>1', 'attribute.record>x', 'attribute.record>', 'attribute.record=1', 'attribute.record>Infinity', ' attribute.record > 0.5 ', 'a b.record>1', 'attribute.record>>1']
const property = (more: QuestionParts) => questionWith({ kind: 'property', name: 'p', target: null, ...more })
const exposed = [property({ exposed: { ids: ['a'], of: 3, after: { a: { round: 4, notAfter: 3 }, b: { round: 2, notAfter: null } } } }), property({ exposed: { ids: ['a'], of: 3 } }), property({ exposed: { ids: [], of: 3 } }), property({ exposed: null }), property({ exposed: null, level: 'none-found' }), questionWith({ level: 'none-found' }), questionWith({ exposed: { ids: ['a', 'b'], of: 5 } })]

const kinds = ['label', 'label-mean', 'labels', 'label-counts', 'model', 'attribute', 'metaclass-means', 'metaclass-counts', 'records', 'members', 'property', 'contribution', 'protocol', 'own-kind']
const observers = ['eavesdropper', 'server', 'malicious-server', 'participant', 'malicious-secagg-server']

const document = (questions: readonly QuestionParts[], more: object = {}) => documentWith([resultWith()], { questions: questions.map(questionWith), ...more } as never)
const utility = (value: number | null, metric: string | null = 'R2') => ({ model: 'm', rounds: 3, trainLoss: 1, heldOutLoss: 2, metric, value })
const documents = [
  document([{}]), document([]), document([{ level: 'none-found', test: { record: stepWith({ effect: 0.01 }) } }]), document([{ test: { record: stepWith({ effect: 0.3, interval: null }), client: stepWith() } }]), document([{ test: { record: stepWith({ effect: 0.3, interval: [0.1, Number.POSITIVE_INFINITY] }), client: stepWith({ effect: 0.1 }) } }]), document([{ ladder: { metric: 'MAE' } }, { target: '1' }]), document([{ sameAs: 'eavesdropper' }, { observer: 'eavesdropper' }]),
  document([{ test: { record: stepWith({ effect: 0.1224, interval: [0.0924, 0.1524] }) } }], { utility: { a: utility(0.5), b: utility(null, null) } }), document([{}], { utility: { b: utility(0.25), c: utility(0.1) } }), document([{}], { scenario: { seed: 4 } }), document([{}], { scenario: { seed: 5 } }),
]
const errors = (effect: number, errorRemoved: number | null, interval: readonly [number, number] | null = [0.1, 0.4]) => ({ ladder: { metric: 'MAE', better: 'lower' }, test: { record: stepWith({ effect, errorRemoved, interval }) } }) as QuestionParts
const weighed = [...documents, ...[errors(0.5, 0.2), errors(0, 0.2), errors(0.5, null), errors(0.5, -0.2), errors(-0.5, -0.2), errors(0.5, 0.2, null)].map((one) => document([one, { target: '1' }])),
  document([{ observer: 'eavesdropper', test: { record: stepWith({ effect: 0.5 }) } }, {}, { observer: 'participant', test: { record: stepWith({ effect: 0.6 }) } }]),
  ...['no applicable attack', 'no applicable attack: aia: it lacks exchanges', 'no applicable attack: aia: it lacks exchanges; b: it lacks updates', 'no applicable attack: aia: it lacks records', 'no applicable attack: aia: b-c is not applicable; and 3 more', 'something else'].map((notTested) => document([{ level: 'not-tested', notTested }])),
  document([{ level: 'not-tested', notTested: 'no applicable attack' }, { observer: 'eavesdropper', level: 'not-tested', notTested: 'out of time' }])]
const before: Weight = weigh(document([{ test: { record: stepWith(), client: stepWith({ effect: 0.02 }) } }, { target: '9' }], { utility: { a: utility(0.6), b: utility(0.3), d: utility(null) } }))
const rung = (size: number, interval: readonly [number, number] | null, closed = false) => ({ about: 'x', step: 'record', observer: 'server', size, interval, closed }) as const
const weights = [[], [rung(0.02, [0, 0.04])], [rung(0.05, [0, 0.1]), rung(0.01, [0, 0.02])], [rung(0.04, null)], [rung(0.06, null)], [rung(0.05, null)], [rung(0, [0, 0], true)], [rung(0.03, [0.03, 0.03])], [rung(0.02, [Number.NEGATIVE_INFINITY, 0.04])], [rung(0.2, [0.1, 0.3])]]

pinResults('judgements', {
  'verdicts': [...asked.flatMap((list) => [() => verdictOf(list, results[1]!), () => verdictOf(list, results[4]!, { training: { algorithm: 'fedsgd' } } as never)]), ...results.flatMap((list) => [() => verdictOf([], list), () => verdictOf(lists[3]!, list), () => unfinished(list).map(({ attack }) => attack)]), ...all.map((one) => () => verdictOf([one], []))],
  'rules that fail': [...rules.map((text) => parseRule(text)).flatMap((rule) => [() => judge([rule], { questions: all }), () => judge([rule], { questions: exposed }), ...exposed.map((one) => () => judge([rule], { questions: [one] })), () => judge([rule], { questions: [] }), ...[0, 7, 14].map((at) => () => judge([rule], { questions: all.slice(at, at + 3) }))]), ...spoilt.map((text) => () => parseRule(text)), ...['attribute', 'aia', 'aia-x', 'x'].map((about) => () => checkRule({ ...parseRule('a.record>1'), about }, { attacks: ['aia-linear'], kinds: ['attribute'] }))],
  'advice': observers.flatMap((observer) => kinds.flatMap((kind) => [() => adviceFor([questionWith({ observer, kind } as never)]), () => adviceFor([questionWith({ observer, kind, level: 'leaks-client' } as never)], { training: { algorithm: 'fedsgd' } } as never), () => adviceFor([questionWith({ observer, kind } as never)], { training: { algorithm: 'fedavg' } } as never)])),
  'comparisons': [...documents.flatMap((a) => documents.map((b) => () => compareAudits(a, b))), ...documents.map((one) => () => redacted(one).questions)],
  'weights': [...weighed.flatMap((one) => [() => weigh(one), () => weigh(one, before), () => worstRung(weigh(one, before)) ?? null, () => sureness(weigh(one, before), 0.05), () => useLost(before, weigh(one)), () => useLost(weigh(one), before)]), ...weights.flatMap((rungs) => [0.05, 0.03].flatMap((target) => [() => sureness({ rungs, open: [], use: [] }, target), () => sureness({ rungs, open: ['x'], use: [] }, target)]))],
  'order and words': [() => all.flatMap((a) => all.map((b) => Math.sign(byHarm(a, b)))), ...[scoreWith(), atChance(), scoreWith({ interval: null }), scoreWith({ chance: null }), scoreWith({ interval: [0.5, 0.6] }), errorWith(0.5), scoreWith({ better: 'lower', interval: [0.3, 0.5] }), scoreWith({ better: 'lower', interval: [0.3, 0.4] })].map((score) => () => chanceExcluded(score)), ...[0, 2].flatMap((colluders) => [null, 1, 3].map((opened) => () => sumAttackLine({ attack: 'sybils', what: 'does', colluders, clients: 9, opened, why: 'so' })))],
})
