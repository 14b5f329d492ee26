/** Findings of `overhear lint` as SARIF 2.1.0. Every result has a physical location: GitHub refuses a whole file for one without. */

import type { PlacedFinding } from '../audit/lint/placed.js'
import type { LintRule } from '../audit/lint/rule.js'

export interface SarifOptions {
  /** The file that was read, relative to where the results are looked at, with slashes. */
  readonly file: string
  readonly rules: readonly LintRule[]
  readonly version: string
}

export function lintSarif(findings: readonly PlacedFinding[], { file, rules, version }: SarifOptions): object {
  const uri = encodeURI(file)
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'overhear',
            semanticVersion: version,
            rules: rules.map(ruleOf),
          },
        },
        results: findings.map((one) => resultOf(one, { uri, index: rules.findIndex(({ code }) => code === one.code) })),
      },
    ],
  }
}

function ruleOf({ code, id, severity, danger, title, fix, doc }: LintRule): object {
  return {
    id: code,
    name: id.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase()),
    shortDescription: { text: title },
    fullDescription: { text: `${title}. ${fix}` },
    help: { text: `${fix}. See ${doc}` },
    defaultConfiguration: { level: severity },
    properties: { 'security-severity': danger.toFixed(1), tags: ['security', 'privacy'] },
  }
}

function resultOf(finding: PlacedFinding, { uri, index }: { uri: string; index: number }): object {
  const { code, severity, title, evidence, fix, line, path } = finding
  return {
    ruleId: code,
    ruleIndex: index,
    level: severity,
    message: { text: `${title}: ${evidence}. Fix: ${fix}` },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: line } } }],
    // Neither lines nor figures are part of it: it stays the same while the fault does.
    partialFingerprints: { 'overhearFinding/v1': `${code}:${uri}:${path.join('/')}` },
  }
}
