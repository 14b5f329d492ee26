import { sureness, useLost, type Weight, weigh, worstRung } from '../src/audit/advise/weigh.js'
import { byHarm, leakSentences, toldOf } from '../src/audit/ladder/leak-sentences.js'
import type { Question } from '../src/audit/ladder/question.js'
import { rightSettings } from '../src/metrics/protocol-score.js'
import { ofEveryWord, questionWith, stepWith } from './audit-results.js'
import { pinResults } from './pinned-results.js'

/** Errors with and without a share that is gone, and areas; steps of either kind, of several observers. */
const error = { metric: 'MAE', better: 'lower', best: 0, guess: 2, federation: 1.8, client: 1.5, record: 1.2 } as const
const steps = [stepWith(), stepWith({ effect: 0 }), stepWith({ errorRemoved: null }), stepWith({ errorRemoved: -0.1 }), stepWith({ interval: null }), stepWith({ effect: -0.1, errorRemoved: -0.2 })] // biome-ignore format: a list
const asked: readonly Question[] = [
  ...ofEveryWord,
  ...steps.flatMap((record, i) => [questionWith({ target: `${i}`, test: { record } }), questionWith({ target: `${i}`, name: 'age', ladder: error, test: { record, client: steps[(i + 1) % steps.length]! } })]), // biome-ignore format: a list
]
const use = (value: number | null, model = 'linear') => ({ [model]: { model, metric: 'R2', value } }) as never
const gone = ['no applicable attack', 'no applicable attack: a: it lacks exchanges', 'no applicable attack: a: it lacks updates; and 3 more', 'no applicable attack: a: b-c is not applicable', 'no applicable attack: a: it lacks records', 'no records were kept back'] // biome-ignore format: a list
const untested = (notTested: string | null) => questionWith({ level: 'not-tested', notTested, test: { record: null, client: null }, ...(notTested?.startsWith('no applicable') && { unheard: true }) }) // biome-ignore format: a line
const first = weigh({ questions: asked, utility: use(0.5) })
const rung = (size: number, interval: readonly [number, number] | null, closed = false) => ({ about: 'x', step: 'record' as const, observer: 'server', size, interval, closed }) // biome-ignore format: a line
const weights: readonly Weight[] = [
  { rungs: [], open: [], use: [] },
  { rungs: [rung(0.1, [0, 0.2])], open: [], use: [] },
  { rungs: [rung(0.1, [0, 0.2])], open: ['something'], use: [] },
  { rungs: [rung(0.1, null)], open: [], use: [] },
  { rungs: [rung(0.1, null, true), rung(0.05, [0.05, 0.05])], open: [], use: [] },
  { rungs: [rung(0.05, [0.05, 0.05]), rung(0.3, [0.1, 0.5]), rung(0.3, [0.2, 0.4])], open: [], use: [] },
]

/** One thing learned by several observers, by clients, by models. */
const told = (parts: readonly Parameters<typeof questionWith>[0][]) => () => {
  const questions = parts.map((one) => questionWith(one))
  return [toldOf(questions), leakSentences(questions)]
}
const three = ['eavesdropper', 'server', 'malicious-server'] as const
const people = { trained: { right: 5, of: 6 }, heldBack: { right: 4, of: 6 }, guessed: { right: 3, of: 6 } }
const rounds = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`${i}`, { round: 9 - i, notAfter: i % 2 === 0 ? null : i }])) // biome-ignore format: a line

const values: readonly unknown[] = [undefined, null, 0, 5e-4, 1e-3, 0.1, 0.11, 0.2, 0.21, 1, 0.75, 0.74, 4, 5, true, false, 'sgd', 'adam', { name: 'sgd' }, { name: 'adam' }, { kind: 'step' }, { kind: 'top', share: 0.1 }, { kind: 'top', share: 0.12 }, { kind: 'top', share: 0.2 }, { kind: 'bits', bits: 4 }, { kind: 'bits', bits: 8 }, { mechanism: 'noise' }, { mechanism: 'dp-sgd', noiseMultiplier: 0 }, { mechanism: 'dp-sgd', noiseMultiplier: 1 }] // biome-ignore format: a list
const keys = ['optimizer', 'learningRate', 'momentum', 'weightDecay', 'clipNorm', 'dropout', 'batchSize', 'localEpochs', 'dropLast', 'schedule', 'compression', 'differentialPrivacy', 'other'] // biome-ignore format: a list

pinResults('weights', {
  'what is left of steps': [
    () => first,
    () => weigh({ questions: [], utility: {} }),
    () => weigh({ questions: [], utility: {} }, first),
    ...asked.map((one) => () => weigh({ questions: [one, { ...one, observer: 'malicious-server', test: { ...one.test, record: one.test.record && stepWith({ effect: one.test.record.effect + 0.01 }) } }, { ...one, observer: 'eavesdropper', sameAs: 'server' }], utility: use(null) }, first)), // biome-ignore format: a line
    ...[...gone, null].map((why) => () => weigh({ questions: [untested(why)], utility: {} }, weigh({ questions: [questionWith()], utility: {} }))), // biome-ignore format: a line
    ...[[], ['too few rounds', 'more']].map((gaps) => () => weigh({ questions: [questionWith({ gaps, test: { record: null, client: stepWith() } } as never)], utility: {} }, weigh({ questions: [questionWith()], utility: {} }))), // biome-ignore format: a line
  ],
  'how sure it is': weights.flatMap((one) => [() => worstRung(one) ?? 'none', ...[0, 0.05, 0.1, 0.3, 1].map((target) => () => sureness(one, target))]), // biome-ignore format: a list
  'what it costs': [[0.5, 0.4], [0.5, null], [null, 0.4], [0.4, 0.5]].flatMap(([a, b]) => ['linear', 'mlp'].map((model) => () => useLost(weigh({ questions: [], utility: use(a!, 'linear') }), weigh({ questions: [], utility: { ...(use(b!, model) as object), ...(use(0.1, 'third') as object) } as never })))), // biome-ignore format: a list
  'who is told of what': [
    told([]),
    told(three.map((observer) => ({ observer }))),
    told(three.map((observer, i) => ({ observer, test: { record: stepWith({ effect: 0.08 + 0.02 * i }) } }))),
    told(three.map((observer, i) => ({ observer, test: { record: stepWith({ effect: 0.08 + 0.2 * i, interval: null }) } }))), // biome-ignore format: a line
    told(three.map((observer, i) => ({ observer, level: i === 1 ? 'leaks-client' : 'leaks-records', test: { client: stepWith() } }))), // biome-ignore format: a line
    told(three.map((observer, i) => ({ observer, level: i === 0 ? 'leaks-client' : 'leaks-records', test: { client: stepWith() } }))), // biome-ignore format: a line
    told([{ observer: 'eavesdropper' }, { observer: 'server', sameAs: 'eavesdropper' }, { observer: 'malicious-server', sameAs: 'server' }]), // biome-ignore format: a line
    told(['0', '1', '2'].map((target, i) => ({ target, test: { record: stepWith({ errorRemoved: i === 1 ? 0.9 : null }) } }))), // biome-ignore format: a line
    told(Array.from({ length: 11 }, (_, i) => ({ target: `${i}`, test: { record: stepWith({ effect: i / 100 }) } }))),
    told(['0', '1'].map((target) => ({ target, level: target === '0' ? 'none-found' : 'leaks-records' }))),
    told([{ model: 'a' }, { model: 'b' }, { model: 'b', level: 'not-tested' }]),
    ...['attribute', 'labels', 'members', 'property', 'contribution', 'model'].flatMap((kind) => [told([{ kind, people }]), told([{ kind, people: { ...people, guessed: null, heldBack: { right: 0, of: 0 } } }]), told([{ kind, people: null, rates: { tpr1: 0.123, tpr01: null, finest: 0.01 } }]), told([{ kind, level: 'leaks-client', test: { record: null, client: stepWith() } }]), told([{ kind, ladder: { guess: null, federation: null, client: null, record: null } }]), told([{ kind, ladder: { ...error, everybody: 1.4 } }]), told([{ kind, ladder: { everybody: 0.9 } }]), told([{ kind, ladder: { everybody: 0.88 } }]), ...[0, 1, 5, 6].map((n) => told([{ kind, exposed: { ids: ['a', 'b'], of: 9, after: rounds(n) } as never }])), told([{ kind, exposed: { ids: [], of: 9 } }])]), // biome-ignore format: a list
    ...asked.flatMap((a, i) => asked.slice(i % 4, (i % 4) + 5).map((b) => () => Math.sign(byHarm(a, b)))),
  ],
  'settings that are right': keys.flatMap((key) => values.map((truth) => () => values.map((claimed) => [...rightSettings({ [key]: claimed }, { [key]: truth })]))), // biome-ignore format: a list
})
