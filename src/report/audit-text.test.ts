import { describe, expect, test } from 'vitest'
import { documentWith, resultWith, scoreWith } from '../../test/audit-results.js'
import { auditText } from './audit-text.js'

const absent = resultWith({ status: 'not-applicable', missing: ['exchanges'] })
const utility = { model: 'linear', rounds: 40, trainLoss: 0.1, heldOutLoss: 0.2, metric: 'R2', value: 0.5 }

describe('an audit on a terminal', () => {
  test('is a table an observer, what the training is worth, the verdict, and where the report is', () => {
    const document = documentWith([resultWith(), resultWith({ target: '12', score: scoreWith({ interval: null }) })], {
      utility: { linear: utility },
      report: 'runs/x/report.html',
      verdict: { level: 'leaks', reasons: ['because'], advice: ['change'], clients: [] },
    })
    expect(auditText(document)).toBe(`server: an honest but curious server
  attack     what                score           95 %          chance  lift  verdict
  ---------  ------------------  --------------  ------------  ------  ----  -------
  aia-model  union of client 0   accuracy 0.900  0.800..0.950   0.500  0.80  leaks
  aia-model  union of client 12  accuracy 0.900                 0.500  0.80  leaks

trained: 40 rounds, held-out R2 0.500
verdict: LEAKS
  - because
what to change:
  - change
report: runs/x/report.html`)
  })

  test('names the models only where there are several', () => {
    const models = ['linear', 'mlp-8'].map((model) => resultWith({ model }))
    const text = auditText(
      documentWith(models, { utility: Object.fromEntries(models.map(({ model }) => [model, { ...utility, model }])) }),
    )
    expect(text).toMatch(/^ {2}model {3}attack/m)
    expect(text).toContain('trained: linear: 40 rounds, held-out R2 0.500; mlp-8: 40 rounds')
    expect(auditText(documentWith(models.slice(0, 1)))).not.toContain('linear')
  })

  test('says what a stronger observer shares, what does not apply, and when it was cut off', () => {
    const shared = resultWith({ observer: 'malicious-server', sameAs: 'eavesdropper' })
    const text = auditText(documentWith([absent, shared], { complete: false }))
    expect(text).toContain('  nothing applies\n  not applicable: aia-model\n')
    expect(text).toContain('  and everything that eavesdropper can do\n')
    expect(text).toContain('verdict: NO LEAK FOUND\ninterrupted: what was finished is kept, and --resume goes on')
    expect(text).not.toContain('what to change')
    expect(text).not.toContain('trained')
    expect(text).not.toContain('report')
  })

  test('does not take silence for a finding where nothing was graded', () => {
    const claimed = resultWith({ score: null })
    expect(auditText(documentWith([claimed]))).toContain('verdict: NOTHING WAS GRADED')
    expect(auditText(documentWith([claimed, resultWith({ oracle: true })]))).toContain('verdict: NOTHING WAS GRADED')
    expect(auditText(documentWith([claimed, resultWith()]))).toContain('verdict: NO LEAK FOUND')
  })

  test('names a few attacks that do not apply, and counts many', () => {
    const names = Array.from({ length: 40 }, (_, i) => `attack-number-${i}`)
    const textOf = (list: readonly string[]) => auditText(documentWith(list.map((attack) => ({ ...absent, attack }))))
    expect(textOf(names.slice(0, 2))).toContain('not applicable: attack-number-0, attack-number-1\n')
    expect(textOf(names)).toContain('not applicable: 40 attacks (the report says why)\n')
  })

  test('does not let a name steer the terminal', () => {
    const hostile = '\u001b[2J\u0007\r'
    const text = auditText(documentWith([resultWith({ target: hostile, claim: { kind: 'attribute', name: hostile } })]))
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(text).toContain('\\u001b[2J\\u0007\\u000d')
  })
})
