import { describe, expect, test } from 'vitest'
import { ofEveryWord, questionWith } from '../../test/audit-results.js'
import { isAlarm } from './ladder/question.js'
import { readScenario } from './read-scenario.js'
import { adviceFor } from './untried-advice.js'
import { verdictOf } from './verdict.js'

const advice = (...args: Parameters<typeof adviceFor>) => adviceFor(...args).join('\n')

describe('advice', () => {
  test('answers who heard it and what was learned', () => {
    const attribute = advice([questionWith({ observer: 'server' })])
    expect(attribute).toContain('aggregate securely')
    expect(attribute).toContain('differential privacy')
    expect(attribute).not.toContain('encrypt')
    expect(advice([questionWith({ observer: 'eavesdropper' })])).toContain('encrypt the line')
    const sent = advice([questionWith({ observer: 'malicious-server', kind: 'model', level: 'leaks-client' })])
    expect(sent).toContain('check what they are sent')
    expect(sent).toContain('fewer rounds')
    expect(sent).not.toContain('aggregate securely')
    expect(sent).not.toContain('differential privacy')
    expect(advice([questionWith({ observer: 'secagg-server', kind: 'property' })])).toContain('who took part')
  })

  test('names record-level privacy wherever records leak, whatever is learned of them', () => {
    expect(advice([questionWith({ kind: 'model', level: 'leaks-records' })])).toContain('differential privacy')
    expect(advice([questionWith({ kind: 'label-mean', level: 'leaks-client' })])).not.toContain('differential privacy')
  })

  test('against single gradients only where single gradients are sent', () => {
    const label = questionWith({ kind: 'labels' })
    const training = (algorithm: string) =>
      readScenario({ data: { name: 'cps-wages' }, models: [{ kind: 'linear' }], training: { algorithm } })
    expect(advice([label], training('fedsgd'))).toContain('of many records')
    expect(advice([label], training('fedavg'))).not.toContain('of many records')
    expect(advice([label])).not.toContain('of many records')
  })

  test('is asked for by alarms alone, and not twice for the same view', () => {
    const calm = ofEveryWord.filter(({ level }) => !isAlarm(level))
    expect(calm).toHaveLength(4)
    expect(verdictOf(calm, []).advice).toEqual([])
    const heard = questionWith({ observer: 'eavesdropper' })
    const copy = questionWith({ observer: 'malicious-server', sameAs: 'eavesdropper' })
    expect(verdictOf([heard, copy], []).advice).toEqual(verdictOf([heard], []).advice)
    expect(verdictOf([heard], []).advice).not.toEqual([])
    // A stronger observer who learns no more is no reason to do more.
    const repeated = questionWith({ observer: 'malicious-server' })
    expect(verdictOf([heard, repeated], []).advice).toEqual(verdictOf([heard], []).advice)
    expect(verdictOf([repeated], []).advice.join()).toContain('check what they are sent')
  })
})
