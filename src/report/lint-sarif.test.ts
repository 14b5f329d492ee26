import { expect, test } from 'vitest'
import type { PlacedFinding } from '../audit/lint/placed.js'
import type { LintRule } from '../audit/lint/rule.js'
import { lintSarif } from './lint-sarif.js'

const rule = (code: string, id: string, danger: number): LintRule => ({ code, id, severity: 'error', danger, title: 'It is wrong', fix: 'mend it', doc: `docs/lint.md#${id}`, check: () => [] }) // biome-ignore format: a line
const finding = (code: string, line: number): PlacedFinding => ({ code, rule: 'r', severity: 'warning', title: 'It is wrong', evidence: 'found 3', fix: 'mend it so', doc: 'd', subject: { of: 'privacy' }, line, path: ['training', 0, 'privacy'] }) // biome-ignore format: a line

test('findings point at their rules, and rules say how dangerous they are', () => {
  const rules = [rule('OH1', 'no-noise', 9), rule('OH2', 'b', 3.25)]
  const sarif = lintSarif([finding('OH2', 7), finding('OH1', 2)], { file: 'my file.yaml', rules, version: '1.2' })
  const [{ tool, results }] = (sarif as { runs: [{ tool: object; results: object[] }] }).runs
  expect(tool).toEqual({
    driver: {
      name: 'overhear',
      semanticVersion: '1.2',
      rules: [
        {
          id: 'OH1',
          name: 'NoNoise',
          shortDescription: { text: 'It is wrong' },
          fullDescription: { text: 'It is wrong. mend it' },
          help: { text: 'mend it. See docs/lint.md#no-noise' },
          defaultConfiguration: { level: 'error' },
          properties: { 'security-severity': '9.0', tags: ['security', 'privacy'] },
        },
        expect.objectContaining({ name: 'B', properties: { 'security-severity': '3.3', tags: expect.anything() } }),
      ],
    },
  })
  expect(results).toEqual([
    {
      ruleId: 'OH2',
      ruleIndex: 1,
      level: 'warning',
      message: { text: 'It is wrong: found 3. Fix: mend it so' },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'my%20file.yaml' }, region: { startLine: 7 } } }],
      partialFingerprints: { 'overhearFinding/v1': 'OH2:my%20file.yaml:training/0/privacy' },
    },
    expect.objectContaining({ ruleId: 'OH1', ruleIndex: 0 }),
  ])
})
