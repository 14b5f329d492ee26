import { describe, expect, test } from 'vitest'
import { documentWith, ofEveryWord, questionWith } from '../../test/audit-results.js'
import { sarifSchema } from '../../test/sarif-schema.js'
import { auditJunit, auditSarif } from './audit-pipeline.js'

const audit = documentWith([], {
  questions: [...ofEveryWord, questionWith({ observer: 'malicious-server', sameAs: 'server' })],
})

test('SARIF: a result for each question, at the file that was audited, which the schema accepts', () => {
  const made = auditSarif(audit, { file: 'my scenario.yaml' }) as {
    runs: [{ results: { level: string; kind: string }[] }]
  }
  expect(sarifSchema().safeParse(JSON.parse(JSON.stringify(made))).error).toBeUndefined()
  const [{ results }] = made.runs
  expect(results.map(({ kind, level }) => `${kind} ${level}`)).toEqual([
    'fail error',
    'fail error',
    'fail warning',
    'pass none',
    'pass none',
    'fail note',
  ])
  expect(results[0]).toMatchObject({
    ruleId: 'leak/attribute',
    message: {
      text: expect.stringMatching(
        /^leaks records: somebody on the line of client 0 learns "union" .*given away: 3 of 55 records$/,
      ),
    },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'my%20scenario.yaml' }, region: { startLine: 1 } } }],
    partialFingerprints: { 'overhearQuestion/v1': 'eavesdropper:attribute:union:0::my%20scenario.yaml' },
  })
  expect(JSON.stringify(made)).not.toMatch(/ann|bob|eve\b/)
})

test('JUnit: alarms fail, what is open or was not tested is skipped and no pass', () => {
  const text = auditJunit(audit, { file: 'a<b>.yaml' })
  expect(text).toContain('<testsuites name="overhear audit" tests="6" failures="2" skipped="2">')
  expect(text).toContain('<testsuite name="a&lt;b&gt;.yaml"')
  expect(text.match(/<failure /g)).toHaveLength(2)
  expect(text.match(/<skipped /g)).toHaveLength(2)
  expect(text).toMatch(/<skipped message="not tested: records of client 0, no records were kept back"\/>/)
  expect(text).not.toMatch(/\b(ann|bob|eve)\b/)
})

describe('a promise of differential privacy', () => {
  const kept = {
    mechanism: 'dp-sgd',
    unit: 'record',
    claimed: null,
    delta: 1e-5,
    accounted: { lower: 1.9, upper: 2 },
    client: 'ann',
    clients: [1, 1],
  } as const
  const broken = { ...kept, claimed: 1 }

  test('SARIF: it comes first, an error where it is broken, and the schema accepts it', () => {
    for (const [privacy, standing] of [
      [broken, 'error'],
      [kept, 'none'],
    ] as const) {
      const made = auditSarif({ ...audit, privacy }, { file: 'a.yaml' }) as unknown as {
        runs: [{ results: { ruleId: string; ruleIndex: number; level: string; message: { text: string } }[]; tool: { driver: { rules: { id: string }[] } } }]
      } // biome-ignore format: a shape
      expect(sarifSchema().safeParse(JSON.parse(JSON.stringify(made))).error).toBeUndefined()
      const [{ results, tool }] = made.runs
      expect(results).toHaveLength(7)
      expect(results[0]).toMatchObject({ ruleId: 'privacy/broken-promise', level: standing })
      for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId)
      expect(JSON.stringify(made)).not.toMatch(/\bann\b/)
    }
    expect(JSON.stringify(auditSarif(audit, { file: 'a.yaml' }))).not.toContain('broken-promise')
  })

  test('JUnit: a case of its own, which fails where it is broken', () => {
    const text = auditJunit({ ...audit, privacy: broken }, { file: 'a.yaml' })
    expect(text).toContain('tests="7" failures="3" skipped="2"')
    expect(text).toContain(
      '<failure type="broken-promise" message="BROKEN PROMISE: epsilon 1 is claimed, at least 1.9 to 2 is spent"/>',
    )
    expect(auditJunit({ ...audit, privacy: kept }, { file: 'a.yaml' })).toContain('tests="7" failures="2" skipped="2"')
  })
})
