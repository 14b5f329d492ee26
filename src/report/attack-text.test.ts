import { describe, expect, test } from 'vitest'
import { errorWith, findingWith, resultWith, scoreWith } from '../../test/audit-results.js'
import { attackText } from './attack-text.js'

describe('one attack on a terminal', () => {
  test('is what was attacked, its grade with chance, secondary figures, details, doubts', () => {
    const score = scoreWith({ also: { AUC: 0.99123, bias: 0.00123 } })
    const details = { turns: 12, from: 'lmra-ols', digits: [3, 4] }
    expect(
      attackText(resultWith({ score, details, warnings: ['few messages'] })),
    ).toBe(`aia-model, as server: union of client 0
  accuracy 0.900 (95 %: 0.800..0.950), chance 0.500 (the majority), lift 0.80
  AUC: 0.991
  bias: 0.0012
  turns: 12.00
  from: "lmra-ols"
  digits: [3,4]
  warning: few messages`)
    expect(attackText(resultWith({ score: errorWith(0.2), oracle: true }))).toContain(
      'MAE 1.60, chance 2.00 (the majority), lift 0.20 (told the truth)',
    )
  })

  test('says what its score rests on, and how well the other messages fit', () => {
    const fit = { misfit: 0.25, expected: 0.24, p: 0.4 }
    const claim = { kind: 'model', client: '0', theta: [1, 2], fit } as const
    const text = attackText(resultWith({ findings: [findingWith(scoreWith({ notes: ['of one record'] }), claim)] }))
    expect(text).toContain('\n  fit: a misfit of 0.250, 0.240 of it explained (p 0.400)')
    expect(text).toContain('\n  note: of one record')
  })

  test('says how it did in the cells of the ladder where it was asked there', () => {
    const findings = [findingWith(scoreWith(), undefined, { cells: { client: 0.88, record: 0.96 } })]
    expect(attackText(resultWith({ findings }))).toContain('lift 0.80\n  cells: c 0.880  r 0.960')
  })

  test('says what it takes to grade it', () => {
    expect(attackText(resultWith({ score: null }))).toContain('\n  not graded: give --truth DIR')
    const findings = ['clients.0', 'clients.1', 'clients.0'].map((key) =>
      findingWith(null, undefined, { lacks: [key] }),
    )
    expect(attackText(resultWith({ findings }))).toContain('\n  not graded: the truth lacks clients.0, clients.1')
  })

  test('says why there is no claim', () => {
    const absent = resultWith({ status: 'not-applicable', missing: ['records', 'exchanges'] })
    expect(attackText(absent)).toBe('aia-model, as server: not applicable; missing: records, exchanges')
    expect(attackText({ ...absent, why: 'no line' })).toContain('not applicable (no line); missing: ')
    const error = { code: 'E_VALUE', message: 'too large' }
    expect(attackText(resultWith({ status: 'failed', error }))).toBe('aia-model, as server: failed; too large')
  })

  test('tells after how many rounds clients are exposed', () => {
    const exposure = { rounds: [4], probability: { '1': [0.96] }, above: 0.95, exposedAt: { '1': 4 } }
    const claim = { kind: 'property', property: 'ascent', clients: [], exposure } as const
    expect(attackText(resultWith({ claim }))).toContain(
      '  exposure: {"rounds":[4],"probability":{"1":[0.96]},"above":0.95,"exposedAt":{"1":4}}',
    )
  })

  test('does not let a name steer the terminal', () => {
    expect(attackText(resultWith({ target: '\u001b[2J' }))).toContain('\\u001b[2J')
  })
})
