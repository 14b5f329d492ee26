/** Rules that make an audit fail, such as "attribute.record>0.05": they judge questions, and what was not tested fails too. */
import { OverhearError } from '../errors.js'
import type { AuditDocument } from './document.js'
import { figure } from './figures.js'
import { isAlarm, type Question } from './ladder/question.js'
import { subjectOf } from './ladder/question-words.js'

/** One rule, read. */
export interface FailRule {
  readonly text: string
  /** A kind of question, or an attack's id or the beginning of one. */
  readonly about: string
  readonly field: Field
  readonly op: '>' | '>=' | '<' | '<=' | '=='
  readonly number: number
}

/** The first round from which on a client is given away; more than any where none is, null where no curve says. */
function exposedAfter({ kind, exposed, level }: Question): number | null {
  if (kind !== 'property') return null
  if (exposed === null) return isAlarm(level) ? null : Number.MAX_SAFE_INTEGER
  const rounds = Object.values(exposed.after ?? {}).map(({ round }) => round)
  if (rounds.length > 0) return Math.min(...rounds)
  return exposed.ids.length === 0 ? Number.MAX_SAFE_INTEGER : null
}

/** What a rule may look at in a question: null where the question has no such figure. */
const fields = {
  record: ({ test }: Question) => test.record?.effect ?? null,
  client: ({ test }: Question) => test.client?.effect ?? null,
  'record.value': ({ ladder }: Question) => ladder.record,
  'client.value': ({ ladder }: Question) => ladder.client,
  'federation.value': ({ ladder }: Question) => ladder.federation,
  'guess.value': ({ ladder }: Question) => ladder.guess,
  'everybody.value': ({ ladder }: Question) => ladder.everybody,
  low: ({ test }: Question) => (test.record ?? test.client)?.interval?.[0] ?? null,
  high: ({ test }: Question) => (test.record ?? test.client)?.interval?.[1] ?? null,
  tpr1: ({ rates }: Question) => rates?.tpr1 ?? null,
  // Only a leak has a list: where there is none, nothing is exposed.
  exposed: ({ exposed, level }: Question) => exposed?.ids.length ?? (isAlarm(level) ? null : 0),
  exposedAfter,
} satisfies Readonly<Record<string, (question: Question) => number | null>>
type Field = keyof typeof fields
const fieldNames = Object.keys(fields) as Field[]

/** Reads a rule such as "attribute.record>0.05". */
export function parseRule(text: string): FailRule {
  const match = /^\s*([A-Za-z0-9-]+)\.([A-Za-z0-9.]+)\s*(>=|<=|==|>|<)\s*(\S+)\s*$/.exec(text)
  const [, about = '', field = '', op = '', number = ''] = match ?? []
  const known = fieldNames.find((one) => one === field)
  if (match === null || known === undefined || number === '' || !Number.isFinite(Number(number))) {
    const form = '<question kind, or an attack or its beginning>.<field><op><number>'
    const hint = `${form} is needed, such as attribute.record>0.05; fields: ${fieldNames.join(', ')}`
    throw new OverhearError('E_INPUT', `--fail-on is "${text}"`, hint)
  }
  return { text: text.trim(), about, field: known, op: op as FailRule['op'], number: Number(number) }
}

/** What rules may be about. */
export interface Known {
  readonly attacks: readonly string[]
  readonly kinds: readonly string[]
}

/** Refuses a rule that no question could ever match. */
export function checkRule({ text, about }: FailRule, { attacks, kinds }: Known): void {
  if (kinds.includes(about) || attacks.some((id) => id.startsWith(about))) return
  const hint = `kinds: ${kinds.join(', ')}; attacks: ${attacks.join(', ')}`
  throw new OverhearError('E_UNKNOWN_NAME', `--fail-on "${text}" matches no kind of question and no attack`, hint)
}

/** What became of the rules, each line a rule and the reason. */
export interface Judged {
  readonly violated: readonly string[]
  /** Rules that could not be held against something they are about: open for want of a test, which is no pass. */
  readonly untested: readonly string[]
}

/** Holds rules against the questions of an audit; of several matches the worst is named. */
export function judge(rules: readonly FailRule[], { questions }: Pick<AuditDocument, 'questions'>): Judged {
  // The copy of a question says nothing that the question itself does not.
  const own = questions.filter(({ sameAs }) => sameAs === undefined)
  return {
    violated: rules.flatMap((rule) => violation(rule, own)),
    untested: rules.flatMap((rule) => lacking(rule, own)),
  }
}

/** An attack's rule is about the questions that it took part in. */
const isAbout =
  ({ about }: FailRule) =>
  ({ kind, attacks }: Question): boolean =>
    kind === about || attacks.some(({ attack }) => attack.startsWith(about))

const figureIn = ({ field }: FailRule, question: Question): number | null => {
  const x = question.level === 'not-tested' ? null : fields[field](question)
  // An end of an interval that is not known is no number.
  return x !== null && Number.isFinite(x) ? x : null
}

const named = (question: Question): string => `${subjectOf(question, true)}, as heard by ${question.observer}`

function violation(rule: FailRule, questions: readonly Question[]): string[] {
  const rising = rule.op === '>' || rule.op === '>='
  let worst: { question: Question; x: number } | undefined
  for (const question of questions.filter(isAbout(rule))) {
    const x = figureIn(rule, question)
    if (x === null || !holds(x, rule)) continue
    if (worst === undefined || (rising ? x > worst.x : x < worst.x)) worst = { question, x }
  }
  if (worst === undefined) return []
  // Rounded it may look as if it kept the rule.
  const shown = holds(Number(figure(worst.x)), rule) ? figure(worst.x) : String(worst.x)
  return [`${rule.text}: ${named(worst.question)}, has ${rule.field} ${shown}`]
}

/** Why a rule was not tested, or not everywhere. */
function lacking(rule: FailRule, questions: readonly Question[]): string[] {
  const about = questions.filter(isAbout(rule))
  if (about.length === 0) return [`${rule.text}: not tested, it matches no question of this audit`]
  const without = about.filter((question) => figureIn(rule, question) === null)
  const [first] = without
  if (first === undefined) return []
  const why = first.level === 'not-tested' ? (first.notTested ?? 'no reason was given') : `it has no ${rule.field}`
  const more = without.length === 1 ? '' : `, and ${without.length - 1} more`
  return [`${rule.text}: not tested for ${named(first)} (${why})${more}`]
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
