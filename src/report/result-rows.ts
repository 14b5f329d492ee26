/** The results as rows of words and figures, for the terminal and for the report alike. */

import { type AttackResult, type ClaimJson, worstFinding } from '../audit/attack-result.js'
import type { AuditDocument } from '../audit/document.js'
import { figure, liftFigure } from '../audit/figures.js'
import { type Level, type Standing, standingOf } from '../audit/standing.js'
import type { Score } from '../metrics/score.js'

export interface Row {
  readonly result: AttackResult
  readonly score: Score | null
  readonly attack: string
  readonly what: string
  readonly value: string
  readonly interval: string
  readonly chance: string
  readonly lift: string
  readonly standing: Standing
}

/** Whether there is any grade at all: without one, silence is not even a hint. */
export const anyGraded = ({ observers }: AuditDocument): boolean =>
  observers.some(({ attacks }) => attacks.some((one) => !one.oracle && worstFinding(one) !== undefined))

function topicOf(claim: ClaimJson): string {
  if (claim.kind === 'attribute') return claim.name
  return claim.kind === 'property' ? claim.property : claim.kind
}

/** What was attacked: "union of client 0". */
function subject(result: AttackResult): string {
  const names = result.findings.map(({ claim }) => topicOf(claim))
  const whom = result.target === null ? '' : ` of client ${result.target}`
  const from = typeof result.params.from === 'string' ? `, from ${result.params.from}` : ''
  return `${names.join(', ')}${whom}${from}`
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

/** Of several seeds: the mean of each figure, and the level that most have. */
function meanRow(group: readonly AttackResult[]): Row {
  const rows = group.map(rowOf)
  const scored = rows.flatMap(({ score }) => score ?? [])
  const typical = mostFrequent(rows.map(({ standing }) => standing.level))
  const base = rows.find(({ standing }) => standing.level === typical)!
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
    value: `${scored[0]!.metric} ${figure(value.mean)}`,
    interval: `+-${figure(value.std)} (n=${scored.length})`,
    chance: figure(chance),
    lift: liftFigure(known(lift)),
  }
}

function mostFrequent(levels: readonly Level[]): Level {
  const count = (level: Level): number => levels.filter((one) => one === level).length
  return levels.reduce((best, level) => (count(level) > count(best) ? level : best), levels[0]!)
}

export function rowOf(result: AttackResult): Row {
  const score = worstFinding(result)?.score ?? null
  return {
    result,
    score,
    attack: result.attack,
    what: subject(result),
    value: score === null ? '-' : `${score.metric} ${figure(score.value)}`,
    interval: score?.interval == null ? '' : `${figure(score.interval[0])}..${figure(score.interval[1])}`,
    chance: figure(score?.chance),
    lift: liftFigure(score?.lift),
    standing: standingOf(result),
  }
}
