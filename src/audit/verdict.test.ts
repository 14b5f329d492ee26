import { describe, expect, test } from 'vitest'
import { atChance, controlsWith, errorWith, findingWith, resultWith, scoreWith } from '../../test/audit-results.js'
import { verdictOf } from './verdict.js'

const sound = controlsWith('passed')
const tested = (parts: Parameters<typeof resultWith>[0] = {}) => resultWith({ controls: sound, ...parts })
const weak = scoreWith({ value: 0.53, interval: [0.51, 0.55], lift: 0.06 })

describe('the level', () => {
  test('is that of the worst result that counts', () => {
    expect(verdictOf([]).level).toBe('none-found')
    expect(verdictOf([tested({ score: atChance() })]).level).toBe('none-found')
    expect(verdictOf([tested({ score: atChance() }), tested({ score: weak })]).level).toBe('weak')
    expect(verdictOf([tested({ score: weak }), tested()]).level).toBe('leaks')
    expect(verdictOf([tested({ score: errorWith(0.3) })]).level).toBe('weak')
    expect(verdictOf([tested({ findings: [findingWith(atChance()), findingWith()] })]).level).toBe('leaks')
  })

  test.each([
    ['an oracle', { oracle: true }],
    ['an attack that missed a planted leak', { controls: controlsWith('broken') }],
    ['an attack that reads the truth', { controls: controlsWith('passed', 'broken') }],
    ['a failure', { status: 'failed', error: { code: 'E_TIME', message: '' } }],
    ['the copy of a result', { sameAs: 'eavesdropper' }],
    ['a claim without a grade', { score: null }],
  ] as const)('is not moved by %s', (_, parts) => {
    expect(verdictOf([tested(parts)]).level).toBe('none-found')
  })

  test('is moved by an attack for which a control makes no sense or ended in an error', () => {
    for (const status of ['none', 'failed'] as const) {
      expect(verdictOf([tested({ controls: controlsWith(status) })]).level).toBe('leaks')
      expect(verdictOf([tested({ controls: controlsWith(status, status) })]).level).toBe('leaks')
    }
    expect(verdictOf([resultWith()]).level).toBe('leaks')
  })
})

describe('reasons', () => {
  const reasons = (...results: Parameters<typeof verdictOf>[0]) => verdictOf(results).reasons

  test('name the strongest finding of each kind of claim, the greatest lift first', () => {
    const model = { attack: 'lmra-ols', claim: { kind: 'model' }, observer: 'eavesdropper', model: 'mlp-8' } as const
    expect(
      reasons(
        tested({ score: scoreWith({ lift: 0.5 }) }),
        tested({ target: '3', score: scoreWith({ lift: 0.7, value: 1234.5 }) }),
        tested({ ...model, target: null, score: { ...errorWith(0.9), guesser: 'the last global model' } }),
        tested({ score: atChance() }),
      ),
    ).toEqual([
      'lmra-ols, as eavesdropper (mlp-8): MAE 0.200 where the last global model has 2.00',
      'aia-model, as server of client 3: accuracy 1235 where the majority has 0.500',
    ])
  })

  test('say what silence does not mean', () => {
    const found = reasons(
      tested({ attack: 'a', controls: controlsWith('broken') }),
      tested({ attack: 'a', target: '1', controls: controlsWith('broken') }),
      tested({ attack: 'b', controls: controlsWith('passed', 'broken') }),
      tested({ attack: 'c', status: 'failed' }),
      tested({ attack: 'd', score: null }),
      resultWith({ attack: 'e', score: atChance() }),
      tested({ attack: 'f', score: atChance(), controls: controlsWith('failed') }),
      resultWith({ attack: 'oracle', oracle: true, score: atChance() }),
      tested({ attack: 'g', score: atChance(), sameAs: 'server', controls: controlsWith('broken') }),
    )
    expect(found).toEqual([
      'a: did not find a planted leak: broken here, so their silence says nothing',
      'b: beat chance where there was nothing to find: what they claim does not count',
      'c: ended in an error',
      'e: not tested on a planted leak and in a shuffled world',
      'f: could not be tested: a control ended in an error',
      'd: claimed something that could not be graded: the truth lacks what it takes',
    ])
  })

  test('say when nothing was tested at all', () => {
    const absent = resultWith({ status: 'not-applicable', missing: ['exchanges'] })
    expect(reasons(absent)).toEqual(['no attack was applicable: nothing was tested'])
    expect(reasons()).toEqual(['no attack was applicable: nothing was tested'])
    const words = 'no attack is left that was graded and passed its controls: nothing was tested'
    const broken = tested({ attack: 'a', controls: controlsWith('broken') })
    expect(reasons(broken).at(-1)).toBe(words)
    expect(reasons(tested({ attack: 'd', score: null })).at(-1)).toBe(words)
    expect(reasons(broken, tested({ attack: 'b', score: atChance() }))).not.toContain(words)
  })
})

describe('each client', () => {
  const clients = (...results: Parameters<typeof verdictOf>[0]) => verdictOf(results).clients

  test('has a level and its strongest attack of its own', () => {
    expect(
      clients(
        tested({ target: 'a', score: scoreWith({ lift: 0.4 }) }),
        tested({ target: 'a', attack: 'dlg', score: scoreWith({ lift: 0.6 }) }),
        tested({ target: 'b', score: weak }),
        tested({ target: 'c', score: atChance({ lift: 0.02 }) }),
        tested({ target: 'd', status: 'not-applicable' }),
        tested({ target: 'c', controls: controlsWith('passed', 'broken') }),
        tested({ target: null, score: scoreWith({ lift: 0.9 }) }),
      ),
    ).toEqual([
      { id: 'a', level: 'leaks', worst: { attack: 'dlg', lift: 0.6 }, exposedRecords: null },
      { id: 'b', level: 'weak', worst: { attack: 'aia-model', lift: 0.06 }, exposedRecords: null },
      { id: 'c', level: 'none-found', worst: null, exposedRecords: null },
      { id: 'd', level: 'none-found', worst: null, exposedRecords: null },
    ])
  })

  const sure = (confidence: readonly number[], parts: object = {}) => ({
    claim: { kind: 'attribute' as const, client: '0', name: 'union', confidence },
    score: scoreWith({ metric: 'auc', perRecord: [1, 1, 0, 1], ...parts }),
  })

  test('has the records counted that one attack is sure of and right about', () => {
    const exposed = (...results: Parameters<typeof verdictOf>[0]) => clients(...results)[0]!.exposedRecords
    expect(exposed(tested(sure([0.96, 0.94, 0.99, 0.95])))).toBe(2)
    expect(exposed(tested(sure([0.5, 0.5, 0.99, 0.5])))).toBe(0)
    expect(exposed(tested(sure([0.96, 0.5, 0.5, 0.5])), tested(sure([0.96, 0.96, 0.5, 0.96])))).toBe(3)
    expect(exposed(tested())).toBeNull() // it names no confidence
    expect(exposed(tested(sure([0.99, 0.99, 0.99, 0.99], { interval: [0.4, 0.6] })))).toBeNull()
    // The confidence of a continuous attribute is a standard error, and perRecord are errors.
    expect(exposed(tested(sure([2, 2, 2, 2], { metric: 'R2' })))).toBeNull()
  })

  test('also where several attributes were claimed at once', () => {
    const both = [sure([0.1, 0.1, 0.1, 0.1]), sure([0.99, 0.99, 0.99, 0.1])]
    const findings = both.map(({ claim, score }) => findingWith(score, claim))
    expect(clients(tested({ findings }))[0]!.exposedRecords).toBe(2)
    const ungraded = findings.map((one) => ({ ...one, score: null }))
    expect(clients(tested({ findings: ungraded }))[0]!.exposedRecords).toBeNull()
  })
})
