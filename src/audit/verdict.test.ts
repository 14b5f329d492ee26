import { describe, expect, test } from 'vitest'
import { controlsWith, ofEveryWord, questionWith, resultWith, stepWith } from '../../test/audit-results.js'
import type { Question } from './ladder/question.js'
import { readScenario } from './read-scenario.js'
import { unfinished, verdictOf } from './verdict.js'

const of = (...questions: readonly Question[]) => verdictOf(questions, [])
const none = (reason: string, parts: Partial<Question> = {}) =>
  questionWith({ level: 'not-tested', notTested: reason, test: { record: null }, ...parts })

describe('the word of an audit', () => {
  test('is the worst of the questions that were tested', () => {
    // From the worst to the mildest: dropping the first leaves the next.
    const words = ofEveryWord.map((_, k) => of(...ofEveryWord.slice(k)).level)
    expect(words).toEqual(['leaks-records', 'leaks-client', 'inconclusive', 'known-anyway', 'none-found', 'not-tested'])
    expect(of(...[...ofEveryWord].reverse()).level).toBe('leaks-records')
  })

  test('of nothing tested is never that nothing was found', () => {
    expect(of()).toMatchObject({ level: 'not-tested', tested: 0, notTested: 0 })
    expect(of(none('no records were kept back'))).toMatchObject({ level: 'not-tested', tested: 0, notTested: 1 })
    for (const verdict of [of(), of(none('x')), verdictOf([], [resultWith()])]) {
      expect(verdict.sentences).toEqual([
        expect.stringMatching(/^nothing was tested, so whether it leaks is not known: /),
      ])
    }
    expect(of().sentences[0]).toContain('no attack was applicable')
    expect(verdictOf([], [resultWith()]).sentences[0]).toContain('records that were kept back')
  })

  test('comes with how many questions were tested and why the others were not; copies are not counted', () => {
    const copy = questionWith({ observer: 'malicious-server', sameAs: 'server' })
    const verdict = of(
      questionWith(),
      copy,
      none('out of time', { name: 'race' }),
      none('too few repeats', { name: 'sex' }),
      none('out of time', { kind: 'members', name: null, observer: 'eavesdropper' }),
    )
    expect(verdict).toMatchObject({ level: 'leaks-records', tested: 1, notTested: 3 })
    expect(verdict.untested).toEqual([
      { reason: 'out of time', questions: ['race of client 0, server', 'members of client 0, eavesdropper'] },
      { reason: 'too few repeats', questions: ['sex of client 0, server'] },
    ])
  })
})

describe('what is no alarm', () => {
  const simulated = readScenario({ data: { name: 'cps-wages' }, models: [{ kind: 'linear' }] })
  const sentences = (...questions: readonly Question[]) => verdictOf(questions, [], simulated).sentences

  test('of a recording is settled by a simulation only: it is one training', () => {
    expect(of(questionWith({ level: 'inconclusive', repeatsNeeded: 40 })).sentences).toEqual([
      'not settled: union of client 0; a simulation with 40 repeats would probably settle it',
    ])
  })

  test('is told in one sentence a word, with what would settle it or would have been seen', () => {
    expect(sentences(...ofEveryWord.slice(2))).toEqual([
      'not settled: members of client 0; 40 repeats would probably settle it',
      'known anyway, from a federation without the client as well as from its messages: smoker of client 0',
      'no leak found: inversion of clients',
    ])
    const open = { level: 'inconclusive' } as const
    expect(sentences(questionWith(open))).toEqual(['not settled: union of client 0'])
    expect(sentences(questionWith({ ...open, repeatsNeeded: 30 }), questionWith({ ...open, target: '1' }))).toEqual([
      'not settled: union of client 0, union of client 1; 30 repeats would probably settle 1 of 2',
    ])
    const quiet = (leastSeen: number, parts: Parameters<typeof questionWith>[0] = {}) =>
      questionWith({ level: 'none-found', test: { record: stepWith({ leastSeen }) }, ...parts })
    expect(
      sentences(quiet(0.03), quiet(0.05, { target: '1' }), quiet(2, { target: '2', ladder: { metric: 'MAE' } })),
    ).toEqual([
      'no leak found: union of client 0, union of client 1, union of client 2; a step of 0.050 (AUC), 2.00 (MAE) would have been seen',
    ])
  })

  test('names a few, and counts the others', () => {
    const many = Array.from({ length: 9 }, (_, i) => questionWith({ level: 'none-found', target: String(i) }))
    expect(sentences(...many)[0]).toContain('union of client 4 and 4 more;')
    expect(sentences(...many)[0]).not.toContain('client 5')
  })
})

test('attacks whose silence says nothing are named once, with the reason', () => {
  const { doubts } = verdictOf(
    [],
    [
      resultWith({ attack: 'a', controls: controlsWith('broken') }),
      resultWith({ attack: 'a', target: '1', controls: controlsWith('broken') }),
      resultWith({ attack: 'b', status: 'failed', error: { code: 'E_VALUE', message: '' } }),
      resultWith({ attack: 'c', status: 'failed', error: { code: 'E_TIME', message: '' } }),
      resultWith({ attack: 'd', score: null }),
      resultWith({ attack: 'e', controls: controlsWith('broken'), sameAs: 'server' }),
      resultWith({ attack: 'f', controls: controlsWith('passed') }),
    ],
  )
  expect(doubts).toEqual([
    'c: out of time; --resume runs them again',
    'b: ended in an error, which the report shows',
    'a: did not find a leak that was planted as others do from no more, or claim otherwise of the same told otherwise: broken here, so their silence says nothing',
    'd: claimed what cannot be graded: the truth lacks what it takes',
  ])
})

test('an audit is unfinished where an attack failed or ran out of time, and not where it does not apply', () => {
  const failed = resultWith({ status: 'failed', error: { code: 'E_TIME', message: '' } })
  const absent = resultWith({ status: 'not-applicable', missing: ['channel'] })
  expect(unfinished([resultWith(), absent, failed, { ...failed, sameAs: 'server' }])).toEqual([failed])
})
