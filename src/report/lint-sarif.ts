/** Findings of `overhear lint` as SARIF 2.1.0. */

import type { PlacedFinding } from '../audit/lint/placed.js'
import type { LintRule } from '../audit/lint/rule.js'
import { sarifFile, sarifPlace } from './pipeline-files.js'

export interface SarifOptions {
  /** The file that was read, relative to where the results are looked at, with slashes. */
  readonly file: string
  readonly rules: readonly LintRule[]
  readonly version: string
}

export function lintSarif(findings: readonly PlacedFinding[], { file, rules, version }: SarifOptions): object {
  const uri = encodeURI(file)
  const results = findings.map((one) => {
    return resultOf(one, { uri, index: rules.findIndex(({ code }) => code === one.code) })
  })
  return sarifFile({ name: 'overhear', version, rules: rules.map(ruleOf), results })
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
    locations: [sarifPlace(uri, line)],
    // Neither lines nor figures are part of it: it stays the same while the fault does.
    partialFingerprints: { 'overhearFinding/v1': `${code}:${uri}:${path.join('/')}` },
  }
}
