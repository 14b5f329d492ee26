/** Rules that make an audit fail: "aia.lift>0.1" and the like; the worst match counts. */
import { OverhearError } from '../errors.js'
import type { AttackResult } from './attack-result.js'
import type { AuditDocument } from './document.js'
import { figure } from './figures.js'

/** One rule, read. */
export interface FailRule {
  readonly text: string
  /** An attack's id, or the beginning of one. */
  readonly attack: string
  readonly field: Field
  readonly op: '>' | '>=' | '<' | '<=' | '=='
  readonly number: number
}

const fields = ['value', 'chance', 'lift', 'low', 'high'] as const
type Field = (typeof fields)[number]

/** Reads a rule such as "aia.lift>0.1". */
export function parseRule(text: string): FailRule {
  const match = /^\s*([A-Za-z0-9-]+)\.([A-Za-z]+)\s*(>=|<=|==|>|<)\s*(\S+)\s*$/.exec(text)
  const [, attack = '', field = '', op = '', number = ''] = match ?? []
  const known = fields.find((one) => one === field)
  if (match === null || known === undefined || number === '' || !Number.isFinite(Number(number))) {
    const hint = `<attack or prefix>.<${fields.join('|')}><op><number> is needed, such as aia.lift>0.1`
    throw new OverhearError('E_INPUT', `--fail-on is "${text}"`, hint)
  }
  return { text: text.trim(), attack, field: known, op: op as FailRule['op'], number: Number(number) }
}

/** Refuses a rule that no attack could ever match. */
export function checkRule({ text, attack }: FailRule, ids: readonly string[]): void {
  if (ids.some((id) => matches(id, attack))) return
  throw new OverhearError('E_UNKNOWN_NAME', `--fail-on "${text}" matches no attack`, `known: ${ids.join(', ')}`)
}

const matches = (id: string, attack: string): boolean => id === attack || id.startsWith(attack)

/** What a rule is held against. */
const judged = ({ attack: wanted }: FailRule, { observers }: AuditDocument): AttackResult[] =>
  observers.flatMap(({ attacks }) => attacks.filter(({ oracle, attack }) => !oracle && matches(attack, wanted)))

/** Rules that say nothing here, because no result has the figure: a gate that is open for want of a test. */
export function unjudged(rules: readonly FailRule[], audit: AuditDocument): string[] {
  return rules
    .filter((rule) => judged(rule, audit).every((one) => figuresOf(one, rule.field).length === 0))
    .map(({ text, field }) => `${text}: no result has a ${field} to hold against it`)
}

/** Rules that were violated, each with the worst result in words. */
export function violations(rules: readonly FailRule[], audit: AuditDocument): string[] {
  return rules.flatMap((rule) => {
    const rising = rule.op === '>' || rule.op === '>='
    let worst: { one: AttackResult; x: number } | undefined
    for (const one of judged(rule, audit)) {
      for (const x of figuresOf(one, rule.field)) {
        if (!holds(x, rule)) continue
        if (worst === undefined || (rising ? x > worst.x : x < worst.x)) worst = { one, x }
      }
    }
    if (worst === undefined) return []
    const { one, x } = worst
    const whom = one.target === null ? '' : `, client ${one.target}`
    // Rounded it may look as if it kept the rule.
    const shown = holds(Number(figure(x)), rule) ? figure(x) : String(x)
    return [`${rule.text}: ${one.attack} as ${one.observer}${whom} has ${rule.field} ${shown}`]
  })
}

function figuresOf({ findings }: AttackResult, field: Field): number[] {
  return findings.flatMap(({ score }) => {
    if (score === null) return []
    const x = field === 'low' ? score.interval?.[0] : field === 'high' ? score.interval?.[1] : score[field]
    return x ?? []
  })
}

function holds(x: number, { op, number }: FailRule): boolean {
  switch (op) {
    case '>':
      return x > number
    case '>=':
      return x >= number
    case '<':
      return x < number
    case '<=':
      return x <= number
    case '==':
      return x === number
  }
}
