/** The test of an audit: every row of its table judged, all of them together at one level. */
import type { Rng } from '../numeric/random/rng.js'
import { type EffectInterval, effectWithInterval } from './effect.js'
import { leastRejected, leastSeen } from './least-seen.js'
import { type LookOptions, planLooks, type StratumPlan } from './looks.js'
import { type Untested, whyUntested } from './plan.js'
import { combinations, type DrawOptions, defaultDraws, leastP, reaches } from './randomisation.js'
import { drawStratum, falseDiscovery, type StratumDraws, stepDown, stepDownStrata } from './step-down.js'
import { firstTrainings, type Row, type Step, strataOf, trainingsMade } from './tables.js'

export interface JudgeOptions extends Partial<Omit<LookOptions, 'trainings'>>, Partial<Omit<DrawOptions, 'rng'>> {
  /** All trainings that are planned; those of the rows unless told. */
  readonly trainings?: number
  /** How many of them were made, should the last have told no row anything; those of the rows unless told. */
  readonly made?: number
  readonly rng: Rng
}

/** What the test says of one row. */
export interface Decision {
  readonly id: string
  readonly step: Step
  readonly stratum: string
  /** Why no outcome could have been rejected, or null. */
  readonly untested: Untested | null
  /** Of this row alone, over all looks. */
  readonly p: number
  /** Corrected for all rows, strata and looks: rejected where it is at most alpha. */
  readonly adjusted: number
  /** Benjamini and Hochberg's, for the longer list. */
  readonly falseDiscovery: number
  /** The least p that any outcome could have reached at the last look. */
  readonly leastP: number
  /** The level of the row's stratum at one look. */
  readonly level: number
  readonly rejected: boolean
  /** After how many trainings it was rejected first, or null. */
  readonly rejectedAt: number | null
  /** The looks that were made, in trainings; none when the first is still to come. */
  readonly looks: readonly number[]
}

/** A decision with its size. */
export interface Judged extends Decision {
  readonly effect: number
  readonly interval: EffectInterval
  /** The standard deviation of the effect over sets of trainings. */
  readonly deviation: number
  readonly trainings: number
  /** The least observed effect that would have been rejected. */
  readonly leastRejected: number
  /** The least effect that would have been seen with power 0.8. */
  readonly leastSeen: number
  /** The guess's own difference was subtracted from effect and interval. */
  readonly lessGuess: boolean
  /** The effect in each training, in order. */
  readonly each: readonly number[]
}

interface Stratum {
  readonly name: string
  readonly rows: readonly Row[]
  readonly plan: StratumPlan
  readonly draws: DrawOptions
}

interface Settled {
  readonly alpha: number
  readonly looks: 1 | 2
  readonly trainings: number
  readonly made: number
  readonly draws: number
  readonly enumerate: number
  readonly rng: Rng
}

function settled(rows: readonly Row[], options: JudgeOptions): Settled {
  const { alpha = 0.05, looks = 1, rng, draws = defaultDraws.draws, enumerate = defaultDraws.enumerate } = options
  const made = Math.max(trainingsMade(rows), options.made ?? 0)
  return { alpha, looks, trainings: Math.max(made, options.trainings ?? 0), made, draws, enumerate, rng }
}

function planned(rows: readonly Row[], options: Settled): Stratum[] {
  const strata = strataOf(rows)
  const leastOf = (own: readonly Row[]) => (trainings: number) =>
    own.reduce((least, row) => Math.min(least, leastPAfter(row, trainings, options)), 1)
  const plans = planLooks(new Map([...strata].map(([name, own]) => [name, leastOf(own)])), options)
  return [...strata].map(([name, own]) => {
    return { name, rows: own, plan: plans.get(name)!, draws: { ...options, rng: options.rng.fork('stratum', name) } }
  })
}

/** The least p after so many trainings; those still to come have as many candidates as the first. */
function leastPAfter(row: Row, trainings: number, options: Settled): number {
  const own = sizesOf(firstTrainings(row, trainings))
  const missing = Math.max(0, trainings - options.made)
  const each = sizesOfOne(row)
  return leastP([...own, ...Array.from({ length: missing }, () => combinations(each))], options)
}

const sizesOf = ({ deals }: Row): number[] => deals.map(({ T }) => T.length)
const sizesOfOne = ({ deals }: Row): number[] =>
  deals.filter(({ training }) => training === deals[0]!.training).map(({ T }) => T.length)

/** Which rows are rejected: family-wise error at most alpha, over rows, strata and looks. */
export function decide(rows: readonly Row[], options: JudgeOptions): Decision[] {
  return decided(rows, settled(rows, options)).map(({ decision }) => decision)
}

interface Decided {
  readonly row: Row
  readonly decision: Decision
  readonly stratum: Stratum
  /** The draws of the last look, and the row's place in them. */
  readonly drawn: StratumDraws | undefined
}

interface Best {
  readonly p: number
  readonly adjusted: number
  readonly at: number | null
}

/** Look by look, all strata of a look together. */
function decided(rows: readonly Row[], options: Settled): Decided[] {
  const strata = planned(rows, options)
  const tested = strata.filter(({ plan }) => plan.looks.length > 0)
  const best = new Map<Row, Best>(rows.map((row) => [row, { p: 1, adjusted: 1, at: null }]))
  const drawn = new Map<Stratum, StratumDraws>()
  for (const trainings of looksMade(tested, options)) {
    const looked = tested.filter(({ plan }) => plan.looks.some((look) => look.trainings === trainings))
    const found = looked.map((stratum) => {
      const first = stratum.rows.map((row) => firstTrainings(row, trainings))
      drawn.set(stratum, drawStratum(first, stratum.draws))
      return { rows: stepDown(drawn.get(stratum)!), looks: stratum.plan.looks.length }
    })
    const corrected = stepDownStrata(found, tested.length)
    for (const [j, stratum] of looked.entries()) {
      for (const [i, row] of stratum.rows.entries()) {
        const before = best.get(row)!
        const adjusted = corrected[j]![i]!
        best.set(row, {
          p: Math.min(before.p, found[j]!.looks * found[j]!.rows[i]!.p),
          adjusted: Math.min(before.adjusted, adjusted),
          at: before.at ?? (reaches(adjusted, options.alpha) ? trainings : null),
        })
      }
    }
  }
  const decisions = new Map(
    strata.flatMap((stratum) => stratum.rows.map((row) => [row, decisionOf(row, stratum, best.get(row)!, options)])),
  )
  const looked = rows.filter((row) => decisions.get(row)!.looks.length > 0)
  const discoveries = falseDiscovery(looked.map((row) => decisions.get(row)!.p))
  const shares = new Map(looked.map((row, i) => [row, discoveries[i]!]))
  const stratumOf = new Map(strata.flatMap((stratum) => stratum.rows.map((row) => [row, stratum])))
  return rows.map((row) => {
    const stratum = stratumOf.get(row)!
    const decision = { ...decisions.get(row)!, falseDiscovery: shares.get(row) ?? 1 }
    return { row, decision, stratum, drawn: drawn.get(stratum) }
  })
}

/** The looks that some stratum has and that were reached, in trainings, in order. */
function looksMade(strata: readonly Stratum[], { made }: Settled): number[] {
  const all = new Set(strata.flatMap(({ plan }) => plan.looks.map(({ trainings }) => trainings)))
  return [...all].filter((trainings) => trainings <= made).sort((a, b) => a - b)
}

function decisionOf(row: Row, stratum: Stratum, { p, adjusted, at }: Best, options: Settled): Decision {
  const { plan } = stratum
  const looks = plan.looks.map(({ trainings }) => trainings).filter((trainings) => trainings <= options.made)
  const level = plan.looks[0]?.level ?? plan.level
  const least = leastPAfter(row, looks.at(-1) ?? options.trainings, options)
  return {
    id: row.id,
    step: row.step,
    stratum: stratum.name,
    untested: untestedOf(row, stratum, { level, least, made: looks.length }, options),
    p,
    adjusted,
    falseDiscovery: 1,
    leastP: least,
    level,
    rejected: at !== null,
    rejectedAt: at,
    looks,
  }
}

interface LooksOfRow {
  readonly level: number
  readonly least: number
  readonly made: number
}

/** Of the row, or of all of its stratum; a row that was rejected was tested. */
function untestedOf(
  row: Row,
  { plan }: Stratum,
  { level, least, made }: LooksOfRow,
  options: Settled,
): Untested | null {
  const [first] = plan.looks
  if (first === undefined) return whyUntested(plan, sizesOfOne(row), options.trainings)
  if (made === 0) return { reason: 'no-look-yet', repeats: first.trainings }
  return reaches(least, level) ? null : whyUntested({ level, looks: [] }, sizesOfOne(row), row.deals.length)
}

/** Every row decided, with its effect, interval and the least effect that would have been seen. */
export function judge(rows: readonly Row[], options: JudgeOptions): Judged[] {
  const all = settled(rows, options)
  const found = decided(rows, all)
  const least = new Map<Stratum, number[]>()
  for (const { stratum, drawn, decision } of found) {
    if (drawn === undefined || least.has(stratum)) continue
    const last = stratum.rows.map((row) => firstTrainings(row, decision.looks.at(-1)!))
    least.set(stratum, leastRejected(last, drawn, { ...stratum.draws, level: decision.level }))
  }
  return found.map(({ row, decision, stratum }) => {
    const { deals } = firstTrainings(row, decision.looks.at(-1) ?? all.made)
    const confidence = 1 - all.alpha / Math.max(1, stratum.plan.looks.length)
    const { effect, interval, deviation, lessGuess, each } = effectWithInterval(deals, confidence, stratum.draws)
    const trainings = new Set(deals.map(({ training }) => training)).size
    const rejectedFrom = least.get(stratum)?.[stratum.rows.indexOf(row)] ?? Number.POSITIVE_INFINITY
    const seen = leastSeen(rejectedFrom, deviation, trainings)
    return {
      ...decision,
      effect,
      interval,
      deviation,
      trainings,
      leastRejected: rejectedFrom,
      leastSeen: seen,
      lessGuess,
      each,
    }
  })
}
