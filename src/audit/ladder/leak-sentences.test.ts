import { describe, expect, test } from 'vitest'
import { ofEveryWord, type QuestionParts, questionWith, stepWith } from '../../../test/audit-results.js'
import { leakSentences } from './leak-sentences.js'

const sentences = (...parts: readonly QuestionParts[]) => leakSentences(parts.map(questionWith))
const people = {
  trained: { right: 55, of: 55 },
  heldBack: { right: 46, of: 55 },
  guessed: { right: 47, of: 55 },
}

describe('a leak of records', () => {
  test('is told in people where they were counted', () => {
    expect(sentences({ observer: 'eavesdropper', people })).toEqual([
      'somebody on the line of client 0 learns "union" of the people of client 0: right for 55 of 55 people; 47 of 55 could be guessed; for people like them who were not trained on, 46 of 55; because they were trained on, AUC +0.080 (between +0.050 and +0.110; 0.030 would have been seen)',
    ])
    const held = (right: number, of: number) => sentences({ people: { ...people, heldBack: { right, of } } })[0]
    expect(held(0, 0)).toContain('; of people like them who were not trained on it says nothing;')
    expect(held(1, 1)).toContain('; for people like them who were not trained on, 1 of 1;')
    const [unguessed] = sentences({ people: { ...people, guessed: null }, kind: 'labels', name: null })
    expect(unguessed).toContain('right for 55 of 55 records; for records like them')
  })

  test('is told from the rungs where they were not', () => {
    expect(sentences({ ladder: { everybody: 0.9 } })).toEqual([
      'an honest but curious server learns "union" of the people of client 0: AUC 0.960 for records that were trained on; 0.880 for records like them that were not; 0.860 from a federation without the client; 0.800 by a guess; because they were trained on, +0.080 (between +0.050 and +0.110; 0.030 would have been seen); every participant has +0.020 of it (AUC 0.900)',
    ])
    const bare = { guess: null, federation: null, client: null, everybody: 0.87 }
    expect(sentences({ ladder: bare, test: { record: null } })[0]).toMatch(
      /: AUC 0.960 for records that were trained on$/,
    )
    // Of errors less is more: what everybody has is beyond the client's rung when it is smaller.
    const error = { metric: 'loss', better: 'lower', best: 0, client: 0.4, record: 0.1 } as const
    expect(sentences({ kind: 'model', ladder: { ...error, everybody: 0.3 } })[0]).toContain(
      'has +0.100 of it (loss 0.300)',
    )
    expect(sentences({ kind: 'model', ladder: { ...error, everybody: 0.5 } })[0]).not.toContain('every participant')
  })

  test('of members is told in pairs, and by how many are found', () => {
    const ladder = { guess: 0.5, federation: null, client: 0.5, record: 0.81 }
    const [one] = sentences({ kind: 'members', name: null, ladder, rates: { tpr1: 0.234, tpr01: null, finest: 0.01 } })
    expect(one).toContain('learns who was in the training of client 0: AUC 0.810: of 100 pairs')
    expect(one).toContain('81 are told apart, 50 by a coin; where 1 in 100 is accused wrongly, 23 % are found')
    const [few] = sentences({ kind: 'members', name: null, ladder, rates: { tpr1: null, tpr01: null, finest: 0.1 } })
    expect(few).not.toContain('1 in 100')
  })

  test('says when one training is all that it rests on, and what an unknown end leaves', () => {
    const record = stepWith({ repeats: 1, interval: [0.02, Number.POSITIVE_INFINITY], leastSeen: null })
    expect(sentences({ test: { record } })[0]).toContain('+0.080 (at least +0.020; in this training)')
  })

  test('counts who is given away, with a denominator', () => {
    expect(sentences({ exposed: { ids: ['ann', 'bob'], of: 55 } })[0]).toMatch(/; given away: 2 of 55 records$/)
    expect(sentences({ exposed: { ids: [], of: 55 } })[0]).not.toContain('given away')
  })
})

test('a leak of the client says what its messages add to a federation without it', () => {
  const [counts] = leakSentences([ofEveryWord[1]!])
  expect(counts).toBe(
    'an honest but curious server learns how many records of each group are in a batch of client 0: of anybody there, trained on or not: MAE 1.70; 2.50 from a federation without it; 2.60 by a guess; its messages add +0.800 (between +0.500 and +1.10; 0.400 would have been seen)',
  )
})

test('after how many rounds, of those who are given away soonest', () => {
  const after = Object.fromEntries(
    Array.from({ length: 7 }, (_, i) => [`${i}`, { round: 30 - i, notAfter: i === 6 ? null : 25 - i }]),
  )
  const ids = Object.keys(after)
  const common = { kind: 'property', name: 'ascent', target: null, level: 'leaks-client' } as const
  const [one] = sentences({ ...common, exposed: { ids, of: 9, after } })
  expect(one).toContain(
    'given away: 7 of 9 clients, client 6 from round 24 on, client 5 from round 25 on (not yet after round 20), client 4',
  )
  expect(one).toContain(' and 2 more later')
})

test('a property of clients is told with how rarely luck does as much', () => {
  const [one] = sentences({
    kind: 'property',
    name: 'ascent',
    target: null,
    observer: 'secagg-server',
    level: 'leaks-client',
    ladder: { guess: 0.5, federation: null, client: 0.98, record: null },
    test: { record: null, client: stepWith({ adjusted: 0.004, interval: null }) },
    exposed: { ids: ['3', '7'], of: 10 },
  })
  expect(one).toBe(
    'a server that learns sums alone learns which clients have the property "ascent": AUC 0.980, by a guess 0.500; without a leak so much is seen in 0.400 % of audits; given away: 2 of 10 clients',
  )
})

test.each([
  ['model', 'learns the model that client 0 would train alone'],
  ['labels', 'learns the labels of the records of client 0'],
  ['label-mean', 'learns the mean label of a batch of client 0'],
  ['label-counts', 'learns how often each label is in a batch of client 0'],
  ['metaclass-means', 'learns the mean label of each group in a batch of client 0'],
  ['records', 'rebuilds records of client 0'],
  ['own-habits', 'learns own-habits of client 0'],
])('%s: %s', (kind, words) => {
  expect(sentences({ kind, name: null })[0]).toContain(words)
})

describe('several leaks', () => {
  const harm = (errorRemoved: number, parts: QuestionParts = {}): QuestionParts => ({
    test: { record: stepWith({ errorRemoved }) },
    ...parts,
  })

  test('stand the worst first, with the model where there are several', () => {
    const found = sentences(
      { level: 'leaks-client', name: 'a', model: 'linear' },
      harm(0.2, { name: 'b', model: 'linear' }),
      harm(0.6, { name: 'c', model: 'mlp-8' }),
      { level: 'inconclusive', name: 'd', model: 'mlp-8' },
    )
    expect(found.map((one) => /"(\w)" of the people of client 0 \(([\w-]+)\)/.exec(one)?.slice(1))).toEqual([
      ['c', 'mlp-8'],
      ['b', 'linear'],
      ['a', 'linear'],
    ])
  })

  test('of a stronger observer are told only where it learns more', () => {
    const heard = { observer: 'eavesdropper' }
    const copy = { observer: 'malicious-server', sameAs: 'eavesdropper' }
    const [one, ...others] = sentences({ observer: 'server' }, copy, heard)
    expect(others).toEqual([])
    expect(one).toMatch(/^somebody on the line of client 0 .*; malicious-server and server can too$/)
    const more = { observer: 'server', test: { record: stepWith({ effect: 0.12 }) } }
    const [strong, weak] = sentences(heard, more, copy)
    expect(strong).toMatch(/^an honest but curious server learns/)
    expect(weak).toMatch(/^somebody on the line of client 0 .*; malicious-server can too$/)
    const worse = sentences({ ...heard, level: 'leaks-client' }, { observer: 'server' })
    expect(worse.map((words) => words.split(' learns')[0])).toEqual([
      'an honest but curious server',
      'somebody on the line of client 0',
    ])
  })

  test('of several clients are told once, by the worst of them', () => {
    const found = sentences(
      harm(0.2, { target: '0' }),
      harm(0.7, { target: '1' }),
      { target: '2', level: 'none-found' },
      { target: '3', level: 'not-tested' },
    )
    expect(found).toHaveLength(1)
    expect(found[0]).toContain('of the people of client 1:')
    expect(found[0]).toMatch(/; likewise client 0 \(2 of 3 clients\)$/)
    const many = Array.from({ length: 12 }, (_, i): QuestionParts => ({ target: String(i) }))
    expect(sentences(...many)[0]).toMatch(/likewise clients 1, 2, .*, 8 and 3 more \(12 of 12 clients\)$/)
  })
})
