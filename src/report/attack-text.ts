/** One attack's result as a terminal shows it. */
import type { AttackResult, Finding } from '../audit/attack-result.js'
import { figure } from '../audit/figures.js'
import { harmless } from '../errors.js'
import { rowOf } from './result-rows.js'

export function attackText(result: AttackResult): string {
  const head = `${result.attack}, as ${result.observer}`
  return harmless(linesOf(result, head).join('\n'), '\n')
}

function linesOf(result: AttackResult, head: string): string[] {
  const { status, why, missing = [], error, details, findings, warnings } = result
  if (status === 'not-applicable') {
    return [`${head}: not applicable${why === undefined ? '' : ` (${why})`}; missing: ${missing.join(', ')}`]
  }
  if (status === 'failed') return [`${head}: failed; ${error?.message}`]
  const { what, score } = rowOf(result)
  return [
    `${head}: ${what}`,
    `  ${gradeText(result)}`,
    ...(score?.accuracy === undefined ? [] : [`  accuracy: ${figure(score.accuracy)}`]),
    ...Object.entries(score?.also ?? {}).map(([name, x]) => `  ${name}: ${figure(x)}`),
    ...Object.entries(details).map(([key, x]) => `  ${key}: ${typeof x === 'number' ? figure(x) : JSON.stringify(x)}`),
    ...findings.flatMap(exposureText),
    ...findings.flatMap(fitText),
    ...(score?.notes ?? []).map((note) => `  note: ${note}`),
    ...warnings.map((warning) => `  warning: ${warning}`),
  ]
}

function gradeText(result: AttackResult): string {
  const { value, interval, chance, lift, cells, note, score } = rowOf(result)
  if (score === null) {
    const lacks = new Set(result.findings.flatMap((one) => one.lacks ?? []))
    return `not graded: ${lacks.size === 0 ? 'give --truth DIR' : `the truth lacks ${[...lacks].join(', ')}`}`
  }
  const within = interval === '' ? '' : ` (95 %: ${interval})`
  const remark = note === '' ? '' : ` (${note})`
  const asked = cells === '' ? '' : `\n  cells: ${cells}`
  return `${value}${within}, chance ${chance} (${score.guesser}), lift ${lift}${remark}${asked}`
}

const exposureText = ({ claim }: Finding): string[] =>
  claim.kind === 'property' && claim.exposure !== undefined ? [`  exposure: ${JSON.stringify(claim.exposure)}`] : []

/** How well the messages that a claim was not made from agree with it. */
const fitText = ({ claim }: Finding): string[] => {
  if (!('fit' in claim) || claim.fit === undefined) return []
  const { misfit, expected, p } = claim.fit
  return [`  fit: a misfit of ${figure(misfit)}, ${figure(expected)} of it explained (p ${figure(p)})`]
}
