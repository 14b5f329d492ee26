import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { documentWith, ofEveryWord, questionWith } from '../../test/audit-results.js'
import { auditJunit, auditSarif } from './audit-pipeline.js'

const audit = documentWith([], {
  questions: [...ofEveryWord, questionWith({ observer: 'malicious-server', sameAs: 'server' })],
})

/** The schema of SARIF 2.1.0 (OASIS); references to files are no whole URLs, which Zod would ask for. */
function sarifSchema(): z.ZodType {
  const path = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')
  const text = readFileSync(path, 'utf8').replace(/"format":\s*"uri-reference"/g, '"minLength": 1')
  return z.fromJSONSchema(JSON.parse(text))
}

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
