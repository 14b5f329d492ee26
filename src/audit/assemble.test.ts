import { describe, expect, test } from 'vitest'
import { atChance, controlsWith, questionWith, resultWith } from '../../test/audit-results.js'
import type { ObserverName } from '../threat/observers.js'
import { type Around, assemble, type Finished } from './assemble.js'
import type { AttackResult } from './attack-result.js'

const around = (observers: readonly ObserverName[]): Around => ({
  scenario: null,
  hash: 'abc',
  plugins: [],
  versions: { overhear: '1', kernels: '2' },
  utility: {},
  report: null,
  complete: true,
  diverged: {},
  observers,
})
function finished(result: AttackResult, alsoFor: readonly ObserverName[] = []): Finished {
  const { attack, params, observer, target, seed } = result
  return { planned: { job: { attack, params, observer, target, seed, controls: false }, alsoFor }, result }
}
const heard = ['server', 'malicious-server'] as const

describe('the document', () => {
  test('has the observers that were asked for, from the weakest to the strongest', () => {
    const { observers } = assemble([], around(['malicious-server', 'participant']))
    expect(observers.map(({ observer }) => observer)).toEqual(['participant', 'malicious-server'])
    expect(observers[0]!.title).toContain('another client')
  })

  test('shows a result to all who share the view, and says where it was made', () => {
    const one = resultWith({ observer: 'eavesdropper' })
    const { observers } = assemble([finished(one, heard)], around(['eavesdropper', 'secagg-server', ...heard]))
    expect(observers.map(({ attacks }) => attacks)).toEqual([
      [one],
      [],
      [{ ...one, observer: 'server', sameAs: 'eavesdropper' }],
      [{ ...one, observer: 'malicious-server', sameAs: 'eavesdropper' }],
    ])
  })

  test('has its questions, and the verdict that rests on them', () => {
    const questions = [questionWith()]
    const found = assemble([finished(resultWith())], around(heard), questions)
    expect(found.questions).toEqual(questions)
    expect(found.verdict).toMatchObject({ level: 'leaks-records', tested: 1, notTested: 0 })
    expect(assemble([finished(resultWith())], around(heard))).toMatchObject({
      questions: [],
      verdict: { level: 'not-tested', tested: 0 },
    })
  })
})

describe('controls', () => {
  const broken = controlsWith('broken')
  const all = (...results: AttackResult[]) =>
    assemble(
      results.map((one) => finished(one)),
      around(['server', 'malicious-server']),
    ).observers.flatMap(({ attacks }) => attacks)

  test('of one target speak for the other targets of the attack', () => {
    const [first, second] = all(resultWith({ target: '0', controls: broken }), resultWith({ target: '1' }))
    expect(first!.controls).toEqual(broken)
    expect(second!.controls).toEqual(broken)
  })

  test.each([
    ['attack', { attack: 'dlg' }],
    ['observer', { observer: 'malicious-server' }],
    ['model', { model: 'mlp-8' }],
    ['parameters', { params: { from: 'lmra-ols' } }],
    ['seed', { seed: 2 }],
  ] as const)('say nothing about another %s', (_, parts) => {
    const found = all(resultWith({ controls: broken }), resultWith({ target: '1', ...parts }))
    expect(found.find(({ target }) => target === '1')!.controls).toBeUndefined()
  })

  test('are not hung on results where nothing ran, and do not replace those of its own', () => {
    const passed = controlsWith('passed')
    const absent = resultWith({ target: '1', status: 'not-applicable', missing: [] })
    const own = resultWith({ target: '2', controls: passed, score: atChance() })
    const [, none, mine] = all(resultWith({ controls: broken }), absent, own)
    expect(none).not.toHaveProperty('controls')
    expect(mine!.controls).toEqual(passed)
  })
})
