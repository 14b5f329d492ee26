import { expect, test } from 'vitest'
import { documentWith, findingWith, questionWith, resultWith, scoreWith } from '../../../test/audit-results.js'
import { reportHtml } from '../../report/report-html.js'
import { hidden, redacted } from './redacted.js'

const people = ['ann-1987', 'bob-1991']
const secret = 41.123456
const rebuilt = { columns: ['age'], shape: null, pairs: [{ truth: [secret], claimed: [secret] }] }
const whole = documentWith(
  [
    resultWith({
      findings: [
        findingWith(scoreWith({ perRecord: [secret, 1], pairedWith: [1, 0] }), {
          kind: 'attribute',
          client: '0',
          name: 'union',
          values: [secret, 0],
          confidence: [secret],
        }),
      ],
      details: { row: secret },
      warnings: [`row of ${people[0]}`],
    }),
    resultWith({
      attack: 'dlg',
      findings: [findingWith(scoreWith(), { kind: 'records', features: [[secret]] }, { rebuilt })],
    }),
  ],
  { questions: [questionWith({ exposed: { ids: people, of: 55, sure: [secret, secret] } })] },
)

test('nothing of people is left, and every score and count is', () => {
  const text = JSON.stringify(redacted(whole))
  for (const word of [...people, String(secret)]) {
    expect(JSON.stringify(whole)).toContain(word)
    expect(text).not.toContain(word)
  }
  const { questions, observers, verdict } = redacted(whole)
  expect(questions[0]!.exposed).toEqual({ ids: [hidden, hidden], of: 55 })
  expect(observers[0]!.attacks[0]!.findings[0]!.score).toEqual(scoreWith())
  expect(observers[0]!.attacks[0]!.findings[0]!.claim).toEqual({ kind: 'attribute', name: 'union' })
  expect(verdict).toEqual(whole.verdict)
})

test('the report counts them, and names nobody', () => {
  const html = reportHtml(redacted(whole))
  expect(html).toContain('<li>union of client 0, server: 2 of 55</li>')
  expect(html).toContain('Who they are is left out of this report.')
  expect(html).not.toContain('ann-1987')
  expect(html).not.toContain(hidden)
})

test('neither is what a control came to, record by record', () => {
  const perRecord = [1, 0, 1]
  const planted = { status: 'passed', reason: '', score: scoreWith({ perRecord }) } as const
  const { controls } = redacted(documentWith([resultWith({ controls: { planted } })])).observers[0]!.attacks[0]!
  expect(controls).toEqual({ planted: { ...planted, score: scoreWith() } })
})

test('nor what went wrong, which may have been found in a record', () => {
  const failed = resultWith({ status: 'failed', error: { code: 'E_DATA', message: 'row 17 of ann-1987 is empty' } })
  const [one] = redacted(documentWith([failed])).observers.flatMap(({ attacks }) => attacks)
  expect(one!.error).toEqual({ code: 'E_DATA', message: 'left out: it may tell of a record' })
})
