import { describe, expect, test } from 'vitest'
import { atChance, controlsWith, errorWith, findingWith, resultWith } from '../../test/audit-results.js'
import { adviceFor } from './advice.js'
import { readScenario } from './read-scenario.js'
import { verdictOf } from './verdict.js'

const advice = (...args: Parameters<typeof adviceFor>) => adviceFor(...args).join('\n')

describe('advice', () => {
  test('is given for leaks alone: chance and a weak lift ask for nothing', () => {
    expect(adviceFor([])).toEqual([])
    expect(adviceFor([resultWith({ score: atChance() }), resultWith({ score: errorWith(0.3) })])).toEqual([])
    expect(adviceFor([resultWith({ status: 'failed' })])).toEqual([])
    expect(adviceFor([resultWith()])).not.toEqual([])
  })

  test('answers who heard it and what was learned', () => {
    const attribute = advice([resultWith({ observer: 'server' })])
    expect(attribute).toContain('aggregate securely')
    expect(attribute).toContain('differential privacy')
    expect(attribute).not.toContain('encrypt')
    expect(advice([resultWith({ observer: 'eavesdropper' })])).toContain('encrypt the line')
    const sent = advice([resultWith({ observer: 'malicious-server', claim: { kind: 'model' } })])
    expect(sent).toContain('check what they are sent')
    expect(sent).toContain('fewer rounds')
    expect(sent).not.toContain('aggregate securely')
    expect(advice([resultWith({ observer: 'secagg-server', claim: { kind: 'property' } })])).toContain('who took part')
  })

  test('of several claims takes the kind and the worst score', () => {
    const two = (second = findingWith()) =>
      resultWith({ observer: 'eavesdropper', findings: [findingWith(atChance()), second] })
    expect(advice([two()])).toContain('encrypt the line')
    expect(adviceFor([two(findingWith(null))])).toEqual([])
  })

  test('against single gradients only where single gradients are sent', () => {
    const label = resultWith({ claim: { kind: 'labels' } })
    const training = (algorithm: string) =>
      readScenario({ data: { name: 'cps-wages' }, models: [{ kind: 'linear' }], training: { algorithm } })
    expect(advice([label], training('fedsgd'))).toContain('several local steps')
    expect(advice([label], training('fedavg'))).not.toContain('several local steps')
    expect(advice([label])).not.toContain('several local steps')
  })

  test('is not asked for by attacks that are broken, by oracles, or twice for the same view', () => {
    const broken = resultWith({ controls: controlsWith('passed', 'broken') })
    const oracle = resultWith({ attack: 'model-oracle', oracle: true, claim: { kind: 'model' } })
    expect(verdictOf([broken, oracle])).toMatchObject({ level: 'none-found', advice: [] })
    const heard = resultWith({ observer: 'eavesdropper' })
    const copy = resultWith({ observer: 'malicious-server', sameAs: 'eavesdropper' })
    expect(verdictOf([heard, copy]).advice).toEqual(verdictOf([heard]).advice)
  })
})
