/** The results as rows of words and figures, for the terminal and for the report alike. */

import { type AttackResult, type ClaimJson, type Finding, worstFinding } from '../audit/attack-result.js'
import { figure, liftFigure } from '../audit/figures.js'
import type { Score } from '../metrics/score.js'
import { rungs } from './ladder-scale.js'

export interface Row {
  readonly result: AttackResult
  readonly score: Score | null
  readonly attack: string
  /** What was attacked, without whose it is. */
  readonly topic: string
  readonly what: string
  readonly value: string
  readonly interval: string
  readonly chance: string
  readonly lift: string
  /** The attack's own figures in the other cells of the ladder; '' where it was not asked there. */
  readonly cells: string
  /** Why there is no grade, or why it is worth nothing; '' of an ordinary result. */
  readonly note: string
}

/** What a reader must know of a result besides its figures. */
export function noteOf({ status, error, controls, oracle, findings }: AttackResult): string {
  if (status === 'not-applicable') return 'not applicable'
  if (status === 'failed') return error?.code === 'E_TIME' ? 'out of time' : 'failed'
  if (controls?.planted.status === 'broken') return 'broken here'
  if (controls?.planted.status === 'blind') return 'blind here'
  if (worstFinding({ findings }) === undefined) return 'not graded'
  return oracle ? 'told the truth' : ''
}

/** How it did where: "f 0.860  c 0.880  r 0.960". */
function cellsOf(finding: Finding | undefined): string {
  const { cells = {} } = finding ?? {}
  return rungs
    .flatMap(({ rung, letter }) => {
      const x = rung === 'guess' ? undefined : cells[rung]
      return x === undefined ? [] : [`${letter} ${figure(x)}`]
    })
    .join('  ')
}

function topicOf(claim: ClaimJson): string {
  if (claim.kind === 'attribute') return claim.name
  return claim.kind === 'property' ? claim.property : claim.kind
}

const topicsOf = ({ findings }: AttackResult): string => findings.map(({ claim }) => topicOf(claim)).join(', ')

/** What was attacked: "union of client 0". */
function subject(result: AttackResult): string {
  const whom = result.target === null ? '' : ` of client ${result.target}`
  const from = typeof result.params.from === 'string' ? `, from ${result.params.from}` : ''
  const { stated, heard } = result.details
  const both = result.attack === 'protocol' && result.fit !== undefined ? ` (stated: ${stated}; heard: ${heard})` : ''
  return `${topicsOf(result)}${whom}${from}${both}`.trimStart()
}

/** Attacks that could not run here, each with why; with the models where it could not, if elsewhere it could. */
export function absentees(results: readonly AttackResult[]): { readonly attack: string; readonly why: string }[] {
  const name = namesOf(results)
  const ran = new Set(results.filter(({ status }) => status !== 'not-applicable').map(name))
  const found = new Map<string, Map<string, Set<string>>>()
  for (const one of results) {
    const { status, missing = [], why = `lacks ${missing.join(', ')}`, model } = one
    const attack = name(one)
    if (status !== 'not-applicable') continue
    const reasons = found.get(attack) ?? new Map<string, Set<string>>()
    reasons.set(why, (reasons.get(why) ?? new Set()).add(model ?? ''))
    found.set(attack, reasons)
  }
  const several = new Set(results.map(({ model }) => model)).size > 1
  return [...found].map(([attack, reasons]) => {
    const models = [...new Set([...reasons.values()].flatMap((one) => [...one]))].filter((one) => one !== '')
    const where = ran.has(attack) && several && models.length > 0 ? ` (${models.join(', ')})` : ''
    return { attack: `${attack}${where}`, why: [...reasons.keys()].join('; ') }
  })
}

/** An attack's id, with its parameters where the same attack ran with others too. */
function namesOf(results: readonly AttackResult[]): (result: AttackResult) => string {
  const text = ({ attack, params }: AttackResult): string =>
    [attack, ...Object.entries(params).map(([key, value]) => `${key}=${String(value)}`)].join(' ')
  const ways = new Map<string, Set<string>>()
  for (const one of results) ways.set(one.attack, (ways.get(one.attack) ?? new Set()).add(text(one)))
  return (one) => (ways.get(one.attack)!.size > 1 ? text(one) : one.attack)
}

/** One row per result; results that differ in the seed alone become one, with means and standard deviations. */
export function rowsOf(results: readonly AttackResult[]): Row[] {
  const groups = new Map<string, AttackResult[]>()
  for (const one of results) {
    const key = JSON.stringify([one.observer, one.model, one.attack, one.target, one.params, one.sameAs])
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const name = namesOf(results)
  return [...groups.values()].map((group) => {
    const row = group.length === 1 ? rowOf(group[0]!) : meanRow(group)
    return { ...row, attack: name(group[0]!) }
  })
}

/** Of several seeds: the mean of each figure, and the note that most have. */
function meanRow(group: readonly AttackResult[]): Row {
  const rows = group.map(rowOf)
  const scored = rows.flatMap(({ score }) => score ?? [])
  const typical = mostFrequent(rows.map(({ note }) => note))
  const base = rows.find(({ note }) => note === typical)!
  if (scored.length === 0) return base
  const of = (pick: (score: Score) => number | null) => {
    const all = scored.flatMap((score) => pick(score) ?? [])
    const mean = all.reduce((sum, x) => sum + x, 0) / all.length
    const squares = all.reduce((sum, x) => sum + (x - mean) * (x - mean), 0)
    return { mean, std: all.length < 2 ? 0 : Math.sqrt(squares / (all.length - 1)) }
  }
  const value = of((score) => score.value)
  const [chance, lift] = [of((score) => score.chance).mean, of((score) => score.lift).mean]
  const known = (x: number): number | null => (Number.isNaN(x) ? null : x)
  return {
    ...base,
    score: { ...scored[0]!, value: value.mean, chance: known(chance), lift: known(lift), interval: null },
    value: `${shownMetric(scored[0]!)} ${figure(value.mean)}`,
    interval: `+-${figure(value.std)} (n=${scored.length})`,
    chance: figure(chance),
    lift: liftFigure(known(lift)),
  }
}

function mostFrequent(notes: readonly string[]): string {
  const count = (note: string): number => notes.filter((one) => one === note).length
  return notes.reduce((best, note) => (count(note) > count(best) ? note : best), notes[0]!)
}

/** As it is written elsewhere. */
export const shownMetric = ({ metric }: { readonly metric: string }): string => (metric === 'auc' ? 'AUC' : metric)

export function rowOf(result: AttackResult): Row {
  const worst = worstFinding(result)
  const score = worst?.score ?? null
  return {
    result,
    score,
    attack: result.attack,
    topic: topicsOf(result),
    what: subject(result),
    value: score === null ? '-' : `${shownMetric(score)} ${figure(score.value)}`,
    interval: score?.interval == null ? '' : `${figure(score.interval[0])}..${figure(score.interval[1])}`,
    chance: figure(score?.chance),
    lift: liftFigure(score?.lift),
    cells: cellsOf(worst),
    note: noteOf(result),
  }
}
