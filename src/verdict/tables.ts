/** The table of the test: rows, their deals of records, and the scores of every candidate answer, of which number 0 is true. */
import { OverhearError } from '../errors.js'
import { largestMagnitude, meanOf } from '../numeric/special/summaries.js'

/** What is asked: what the messages tell of the trained records, of the client's people, of a property of clients. */
export type Step = 'record' | 'client' | 'property'

/**
 * One random deal: one target in one training. Under "nothing is learned here" each of the M + 1 candidate answers was
 * equally likely to be the true one, independently of every other deal.
 */
export interface Deal {
  /** Which training it belongs to, from 0. Several deals of one training are several targets. */
  readonly training: number
  /** T[k] for k = 0..M, more being worse; T[0] is the truth's. */
  readonly T: Float64Array
  /** How much of an effect of size 1 candidate k would show: 1 for k = 0. Intervals need it, the test does not. */
  readonly contrast: Float64Array
  /** The same difference by the best guess without messages, where there is one: a control variate. */
  readonly guess?: Float64Array
}

/** One hypothesis: that nothing is learned in this step of this question. */
export interface Row {
  readonly id: string
  readonly step: Step
  /**
   * Rows of one stratum share their draws. Candidate k of a deal must then be the same answer in all of them where they
   * speak of the same records: other relabellings of the same records belong into another stratum. A row may lack trainings
   * that others have, if whether it does is the same under every candidate.
   */
  readonly stratum: string
  readonly deals: readonly Deal[]
}

/** A row as the test reads it: centred, each training of equal weight, in units of its spread under the randomisation. */
export interface Studentised {
  /** z[u][k]: the sum over deals of one candidate each has mean 0 and variance 1 over all draws. */
  readonly z: readonly Float64Array[]
  /** The standard deviation of the effect over all draws. */
  readonly scale: number
  /** Sums closer than this are equal: what rounding may have made of a tie. */
  readonly tolerance: number
  /** All candidates score alike, up to rounding: such a row rejects nothing. */
  readonly constant: boolean
}

const ROUNDING = 5.684341886080802e-14 // 2^-44 of the largest score: some hundred roundings
const LEAST_TOLERANCE = 1e-11
const MOST_TOLERANCE = 1e-6

/** How many trainings were made, by the last one that has a deal. */
export function trainingsMade(rows: readonly Row[]): number {
  return rows.reduce((most, { deals }) => deals.reduce((last, { training }) => Math.max(last, training + 1), most), 0)
}

/** The weight of each deal: trainings count alike, and so do the deals of one. They sum to 1. */
export function weightsOf(deals: readonly Deal[]): Float64Array {
  const count = new Map<number, number>()
  for (const { training } of deals) count.set(training, (count.get(training) ?? 0) + 1)
  return Float64Array.from(deals, ({ training }) => 1 / (count.size * count.get(training)!))
}

/** The sum of weight times T[0]: the mean over trainings of what the truth scored. */
export function effectOf(deals: readonly Deal[]): number {
  const weights = weightsOf(deals)
  return deals.reduce((sum, { T }, u) => sum + weights[u]! * T[0]!, 0)
}

/** The deals of the first `trainings` trainings. */
export function firstTrainings(row: Row, trainings: number): Row {
  return { ...row, deals: row.deals.filter(({ training }) => training < trainings) }
}

/** The scale comes from all k, each alike, and never from k = 0 alone: else the test would not be exact. */
export function studentised({ deals }: Row): Studentised {
  const weights = weightsOf(deals)
  const centred = deals.map(({ T }, u) => {
    const mean = meanOf(T)
    return T.map((value) => weights[u]! * (value - mean))
  })
  let variance = 0
  for (const values of centred) {
    let sum = 0
    for (const value of values) sum += value * value
    variance += sum / values.length
  }
  const scale = Math.sqrt(variance)
  const magnitude = deals.reduce((sum, { T }, u) => sum + weights[u]! * largestMagnitude(T), 0)
  const tolerance = Math.max(LEAST_TOLERANCE, scale > 0 ? (ROUNDING * magnitude) / scale : Number.POSITIVE_INFINITY)
  const constant = tolerance > MOST_TOLERANCE
  return { z: constant ? centred : centred.map((values) => values.map((x) => x / scale)), scale, tolerance, constant }
}

/** Refuses a row that has no deals, a score that is no number, and lists of different lengths. */
export function checkRow({ id, deals }: Row): void {
  if (deals.length === 0) {
    throw new OverhearError('E_SHAPE', `row "${id}" has no deals`, 'a row needs at least one training')
  }
  for (const [u, { T, contrast, guess, training }] of deals.entries()) {
    const where = `row "${id}", deal ${u}`
    if (!(Number.isInteger(training) && training >= 0)) {
      throw new OverhearError('E_VALUE', `${where}: training ${training}`, 'trainings are numbered from 0')
    }
    if (T.length < 2) {
      throw new OverhearError(
        'E_SHAPE',
        `${where}: ${T.length} candidates`,
        'the truth and at least one other are needed',
      )
    }
    for (const [name, list] of Object.entries({ contrast, guess })) {
      if (list === undefined || list.length === T.length) continue
      throw new OverhearError('E_SHAPE', `${where}: ${list.length} values of ${name} for ${T.length} candidates`)
    }
    for (const [name, list] of Object.entries({ T, contrast, guess })) {
      const k = list?.findIndex((value) => !Number.isFinite(value)) ?? -1
      if (k >= 0)
        throw new OverhearError('E_NON_FINITE', `${where}: ${name}[${k}] is ${list![k]}`, 'scores must be finite')
    }
  }
}

/** Rows by stratum, in the order in which they come. Where they share a training they must have the same candidates. */
export function strataOf(rows: readonly Row[]): Map<string, Row[]> {
  const strata = new Map<string, Row[]>()
  const ids = new Set<string>()
  for (const row of rows) {
    checkRow(row)
    if (ids.has(row.id))
      throw new OverhearError('E_INPUT', `two rows are called "${row.id}"`, 'each needs a name of its own')
    ids.add(row.id)
    const others = strata.get(row.stratum)
    if (others === undefined) strata.set(row.stratum, [row])
    else others.push(row)
  }
  for (const [name, own] of strata) checkStratum(name, own)
  return strata
}

function checkStratum(name: string, rows: readonly Row[]): void {
  const candidates = new Map<number, { readonly sizes: string; readonly id: string }>()
  for (const row of rows) {
    for (const training of new Set(row.deals.map((deal) => deal.training))) {
      const sizes = row.deals.flatMap((deal) => (deal.training === training ? [deal.T.length] : [])).join(' ')
      const before = candidates.get(training)
      if (before === undefined) candidates.set(training, { sizes, id: row.id })
      else if (before.sizes !== sizes) {
        const what = `rows "${before.id}" and "${row.id}" of stratum "${name}" have different deals or candidates`
        throw new OverhearError(
          'E_SHAPE',
          what,
          'rows that share draws need the same numbers of candidates in the trainings that they share',
        )
      }
    }
  }
}

/** Where the deals of a stratum's rows stand in its draws. */
export interface Places {
  /** The number of candidates at each place. */
  readonly sizes: readonly number[]
  /** For each row the deal at each place, or none: the row says nothing there. */
  readonly ofRow: readonly (readonly (number | undefined)[])[]
}

/** Training by training; the first deals of one training share a place, and so on. */
export function placesOf(rows: readonly Row[]): Places {
  const sizes = new Map<number, number[]>()
  for (const { deals } of rows) {
    const own = new Map<number, number[]>()
    for (const { training, T } of deals) own.set(training, [...(own.get(training) ?? []), T.length])
    for (const [training, list] of own) if (!sizes.has(training)) sizes.set(training, list)
  }
  const trainings = [...sizes].sort(([a], [b]) => a - b)
  return {
    sizes: trainings.flatMap(([, list]) => list),
    ofRow: rows.map(({ deals }) =>
      trainings.flatMap(([training, list]) => {
        const own = deals.flatMap((deal, u) => (deal.training === training ? [u] : []))
        return list.map((_, nth) => own[nth])
      }),
    ),
  }
}

/** A row's values at the places of its stratum; none where it has no deal. */
export const placed = (values: readonly Float64Array[], places: readonly (number | undefined)[]): Float64Array[] =>
  places.map((u) => (u === undefined ? new Float64Array(0) : values[u]!))
