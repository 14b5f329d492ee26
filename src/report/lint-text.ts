/** Findings of `overhear lint` for people: as lines, as JUnit. */
import type { PlacedFinding } from '../audit/lint/placed.js'
import { escaped } from './escape.js'
import { junitFile } from './pipeline-files.js'

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

export function lintText(findings: readonly PlacedFinding[], file: string): string {
  if (findings.length === 0) return `${file}: nothing to object to`
  const parts = findings.map(({ code, rule, severity, title, evidence, fix, doc, line }) => {
    return `${file}:${line}: ${severity} ${code} ${rule}: ${title}\n  found: ${evidence}\n  fix: ${fix}\n  see: ${doc}`
  })
  const count = (severity: string): number => findings.filter((one) => one.severity === severity).length
  return [...parts, `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}`].join('\n')
}

/** One test case for each rule; those with findings fail. */
export function lintJunit(
  findings: readonly PlacedFinding[],
  { file, rules }: { file: string; rules: readonly { code: string; id: string }[] },
): string {
  const cases = rules.map(({ code, id }) => {
    const failures = findings
      .filter((one) => one.code === code)
      .map(({ severity, title, evidence, fix, line }) => {
        const body = escaped(`${file}:${line}\n${evidence}\nfix: ${fix}`)
        return `      <failure type="${severity}" message="${escaped(title)}">${body}</failure>`
      })
    return { name: `${code} ${id}`, inside: failures.length === 0 ? '' : `\n${failures.join('\n')}\n    ` }
  })
  return junitFile({ name: 'lint', file, cases, failures: new Set(findings.map(({ code }) => code)).size })
}
