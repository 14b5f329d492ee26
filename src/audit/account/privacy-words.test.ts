import { expect, test } from 'vitest'
import { ofEveryWord, questionWith } from '../../../test/audit-results.js'
import type { PrivacyFacts } from '../document.js'
import { brokenText, privacyText } from './privacy-words.js'

const bounds = (lower: number, upper: number) => ({ lower, upper })
const facts: PrivacyFacts = {
  mechanism: 'dp-sgd',
  unit: 'record',
  claimed: null,
  delta: 1e-5,
  accounted: bounds(1.9, 2),
  client: '3',
  clients: [4, 4],
  advantage: 0.2,
  empirical: { epsilon: 1.23456, confidence: 0.95, canaries: 300, accounted: bounds(1.8, 1.9) },
}

test('a mechanism that lets more through than it says is broken, whatever is claimed', () => {
  expect(brokenText(facts)).toBeNull()
  const heard = { ...facts.empirical!, epsilon: 1.95 }
  // Above what is accounted for the training with the canaries, if not for the one without them.
  expect(brokenText({ ...facts, empirical: heard })).toBe(
    'BROKEN: canaries show an epsilon of at least 1.95, and the mechanism as it is stated allows 1.9 at most: it does not do what it says',
  )
  expect(brokenText({ ...facts, claimed: 9, empirical: heard })).toMatch(/^BROKEN: canaries/)
})

test('a claim below what is spent is a broken promise, and one above it is none', () => {
  const { empirical: _, ...unmeasured } = facts
  expect(brokenText({ ...unmeasured, claimed: 1.5 })).toBe(
    'BROKEN PROMISE: epsilon 1.5 is claimed, at least 1.9 to 2 is spent',
  )
  expect(brokenText({ ...unmeasured, claimed: 1.95 })).toBeNull()
  expect(brokenText({ ...unmeasured, claimed: 1.5, accounted: null, why: 'no clipping norm' })).toBeNull()
})

test('what is claimed, accounted for and measured, and how far guesses may get beside how far they got', () => {
  const members = (record: number | null) =>
    questionWith({ kind: 'members', name: null, level: 'inconclusive', ladder: { client: 0.5, record } })
  // No curve lies more than 0.2 above the diagonal: at most 1 - 0.8^2 / 2 below it.
  expect(privacyText({ privacy: facts, questions: [members(0.56), members(0.61), members(null)] })).toBe(
    'epsilon (dp-sgd): no figure is claimed; 1.9 to 2 at delta 0.00001 is accounted for, of a record of client 3; 300 canaries show at least 1.2345, sure to 95 %. No guess whether a record was in the training has an AUC above 0.680; the best of this audit has 0.610',
  )
  expect(privacyText({ privacy: facts, questions: [] })).toMatch(/; no attack of this audit asked$/)
  // What was not tested reached nothing, and what is asked of attributes is no guess of members.
  const untested = questionWith({ kind: 'members', level: 'not-tested', ladder: { record: 0.9 } })
  expect(privacyText({ privacy: facts, questions: [untested, ofEveryWord[0]!] })).toMatch(
    /no attack of this audit asked$/,
  )
})

test('what is not known is said to be so', () => {
  const { empirical: _, advantage: __, ...rest } = facts
  const none = { ...rest, claimed: 2, accounted: null, why: 'no clipping norm is stated', notMeasured: 'a recording' }
  expect(privacyText({ privacy: none, questions: [] })).toBe(
    'epsilon (dp-sgd): 2 is claimed; none is accounted for: no clipping norm is stated; not measured, a recording',
  )
  const silent = { ...facts, empirical: { ...facts.empirical!, epsilon: 0 } }
  expect(privacyText({ privacy: silent, questions: [] })).toContain('300 canaries show nothing, sure to 95 %')
  const client = privacyText({ privacy: { ...facts, unit: 'client' }, questions: [] })
  expect(client).toMatch(/No guess whether a client was in the training has an AUC above 0\.680$/)
})
