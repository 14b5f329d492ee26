// biome-ignore-all format: lists of cases
/** Questions of every kind and word, alone and in lists: what is told of them is pinned. */
import { ofEveryWord, type QuestionParts, questionWith, stepWith } from './audit-results.js'

const people = (right: number, guessed: number | null) => ({ trained: { right, of: 20 }, heldBack: { right: 9, of: 18 }, guessed: guessed === null ? null : { right: guessed, of: 20 } })
const variants: readonly QuestionParts[] = [
  {}, { level: 'leaks-client', test: { client: stepWith({ effect: 0.2 }) } }, { level: 'leaks-client', test: { client: null } }, { level: 'leaks-client', ladder: { federation: null, guess: null } },
  { level: 'inconclusive' }, { level: 'known-anyway' }, { level: 'none-found' }, { level: 'not-tested', notTested: 'why not' },
  { kind: 'members', name: null, rates: { tpr1: 0.126, tpr01: null, finest: 0.01 } }, { kind: 'members', name: null, rates: { tpr1: null, tpr01: null, finest: 0.1 }, ladder: { client: null } }, { kind: 'members', name: null, ladder: { record: null }, test: { record: null } },
  { kind: 'property', name: 'late', target: null, ladder: { federation: null, client: 0.7, record: null } }, { kind: 'property', name: 'late', target: null, ladder: { federation: null, client: null, guess: null }, test: { record: null, client: stepWith() } }, { kind: 'contribution', name: null, target: null, ladder: { client: null, record: null }, test: { record: null } },
  { people: people(20, 12) }, { people: people(20, null) }, { people: people(8, 12) }, { people: people(12, 12), kind: 'labels', name: null }, { people: people(1, 1), test: { record: null } },
  { exposed: { ids: [], of: 5 } }, { exposed: { ids: ['a'], of: 1 } }, { exposed: { ids: Array.from({ length: 12 }, (_, i) => `p${i}`), of: 40 } }, { exposed: { ids: ['a', 'b'], of: 4, after: { a: { round: 3, notAfter: null }, b: { round: 5, notAfter: 4 } } } },
  { ladder: { everybody: 0.9 } }, { ladder: { everybody: 0.96 } }, { ladder: { everybody: 0.99, client: null } }, { ladder: { better: 'lower', best: 0, guess: 4, federation: 3, client: 2.5, record: 2, everybody: 2.2, metric: 'MAE' } },
  { test: { record: stepWith({ repeats: 1, leastSeen: null }) } }, { test: { record: stepWith({ interval: [Number.NEGATIVE_INFINITY, 0.2] }) } }, { test: { record: stepWith({ interval: null, effect: -0.02, errorRemoved: null }), client: stepWith({ repeats: 1 }) } },
  { model: 'mlp' }, { gaps: ['a first gap', 'a second gap'] }, { name: 'a name that is much longer than there is room for in a table of them', target: 'a client with a long name' }, { by: {} }, { observer: 'eavesdropper' }, { sameAs: 'eavesdropper' },
]
export const all = variants.map(questionWith)
const clients = (count: number, parts: QuestionParts = {}) => Array.from({ length: count }, (_, i) => questionWith({ target: `${i}`, ...parts, test: { record: stepWith({ effect: 0.1 + 0.01 * ((7 * i) % count), errorRemoved: i % 3 === 0 ? null : 0.1 * (i % 4) }) } }))
export const lists = [[], all, all.slice().reverse(), clients(2), clients(9), clients(10), clients(12, { model: 'a' }).concat(clients(3, { model: 'b' })), ofEveryWord,
  [questionWith({ observer: 'eavesdropper' }), questionWith(), questionWith({ observer: 'server', target: '1' })],
  [questionWith({ observer: 'eavesdropper' }), questionWith({ test: { record: stepWith({ effect: 0.11 }) } })], [questionWith({ observer: 'eavesdropper' }), questionWith({ test: { record: stepWith({ effect: 0.12 }) } })],
  [questionWith({ observer: 'eavesdropper', level: 'inconclusive' }), questionWith()], [questionWith({ observer: 'eavesdropper' }), questionWith({ level: 'inconclusive' })],
  [questionWith({ observer: 'eavesdropper' }), questionWith({ sameAs: 'eavesdropper' })], [questionWith({ observer: 'eavesdropper', test: { record: stepWith({ interval: null }) } }), questionWith({ test: { record: stepWith({ effect: 0.0801 }) } })]]
