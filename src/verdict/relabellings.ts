/** Candidates of the record step: which records were trained on, and which seat is which, told otherwise than it was. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import type { Deal } from './tables.js'

/** Ways of calling some of n things chosen, always equally many; the true way first. */
export interface Labellings {
  /** For each candidate the chosen ones, ascending. */
  readonly chosen: readonly Int32Array[]
  /** For each candidate the others, ascending. */
  readonly others: readonly Int32Array[]
  /** By how much a difference between the truly chosen and the others shows under each candidate. */
  readonly contrast: Float64Array
}

export interface LabellingOptions {
  /** How many candidates beside the truth, where there are more than that. */
  readonly most: number
  readonly rng: Rng
}

/** 199 relabellings: one training can reach p = 0.005. */
export const relabellingCount = 199

/**
 * The truth and all other choices of as many things, where they are at most `most`; else the truth and `most` choices
 * drawn at random, each independent of the truth.
 */
export function labellings(truth: ArrayLike<number | boolean>, { most, rng }: LabellingOptions): Labellings {
  const n = truth.length
  const first = Int32Array.from(Array.from(truth, Boolean).flatMap((chosen, i) => (chosen ? [i] : [])))
  const m = first.length
  if (m === 0 || m === n) {
    throw new OverhearError('E_SHAPE', `${m} of ${n} are called chosen`, 'at least one must be and one must not be')
  }
  const chosen: Int32Array[] = [first]
  if (choices(n, m) - 1 <= most) {
    const key = first.join()
    for (const other of subsets(n, m)) if (other.join() !== key) chosen.push(other)
  } else {
    for (let k = 0; k < most; k++) chosen.push(rng.sample(n, m).sort())
  }
  const others = chosen.map((one) => complement(one, n))
  const inFirst = new Uint8Array(n)
  for (const i of first) inFirst[i] = 1
  const contrast = Float64Array.from(chosen, (one) => {
    let kept = 0
    for (let j = 0; j < m; j++) kept += inFirst[one[j]!]!
    return kept / m - (m - kept) / (n - m)
  })
  return { chosen, others, contrast }
}

/** The number of ways to choose m of n; exact below 2^53. */
function choices(n: number, m: number): number {
  let ways = 1
  for (let i = 1; i <= Math.min(m, n - m); i++) ways = Math.round((ways * (n - Math.min(m, n - m) + i)) / i)
  return ways
}

function* subsets(n: number, m: number): Generator<Int32Array> {
  const at = Int32Array.from({ length: m }, (_, i) => i)
  for (;;) {
    yield at.slice()
    let i = m - 1
    while (i >= 0 && at[i]! === n - m + i) i--
    if (i < 0) return
    at[i]!++
    for (let j = i + 1; j < m; j++) at[j] = at[j - 1]! + 1
  }
}

function complement(chosen: Int32Array, n: number): Int32Array {
  const rest = new Int32Array(n - chosen.length)
  let at = 0
  for (let i = 0, j = 0; i < n; i++) {
    if (chosen[j] === i) j++
    else rest[at++] = i
  }
  return rest
}

/** The score of one attack's claim on some of the records, more being worse. */
export type Grade = (records: Int32Array) => number

/**
 * The record step of attacks on single records: for every candidate, the best score on those called trained less the best
 * on those called held back. The best attack is chosen anew for each candidate, as the truth's was.
 */
export function relabel(training: number, { chosen, others, contrast }: Labellings, attacks: readonly Grade[]): Deal {
  checkAttacks(attacks)
  const T = Float64Array.from(chosen, (trained, k) => best(attacks, trained) - best(attacks, others[k]!))
  return { training, T, contrast }
}

function best(attacks: readonly Grade[], records: Int32Array): number {
  let most = Number.NEGATIVE_INFINITY
  for (const grade of attacks) most = Math.max(most, grade(records))
  return most
}

/**
 * Who is one of the chosen, by score: the best attack's AUC less 1/2. For members the chosen are records, for properties
 * clients; `scores` holds one list an attack.
 */
export function ranking(
  training: number,
  { chosen, contrast }: Labellings,
  scores: readonly ArrayLike<number>[],
): Deal {
  checkAttacks(scores)
  const ranks = scores.map(doubledRanks)
  const n = ranks[0]!.length
  const T = Float64Array.from(chosen, (one) => {
    const m = one.length
    let most = 0
    for (const rank of ranks) {
      let sum = 0
      for (let j = 0; j < m; j++) sum += rank[one[j]!]!
      most = Math.max(most, sum)
    }
    return (most - m * (m + 1)) / (2 * m * (n - m)) - 0.5
  })
  return { training, T, contrast }
}

/** Twice the rank of each value from 1, ties sharing theirs: whole numbers, so that equal areas are equal. */
function doubledRanks(values: ArrayLike<number>): Int32Array {
  const order = Array.from(values, (_, i) => i).sort((i, j) => values[i]! - values[j]!)
  const ranks = new Int32Array(values.length)
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++
    for (let i = from; i < to; i++) ranks[order[i]!] = from + to + 1
    from = to
  }
  return ranks
}

/** The list attacks' record step: one score an attack on the trained list and on the held-back one; M = 1. */
export function swap(training: number, trained: readonly number[], held: readonly number[]): Deal {
  checkAttacks(trained)
  if (trained.length !== held.length) {
    throw new OverhearError('E_SHAPE', `${trained.length} attacks on trained lists, ${held.length} on held-back ones`)
  }
  const T = Math.max(...trained) - Math.max(...held)
  return { training, T: Float64Array.of(T, -T), contrast: Float64Array.of(1, -1) }
}

export function checkAttacks(attacks: readonly unknown[]): void {
  if (attacks.length === 0) throw new OverhearError('E_SHAPE', 'no attack was given', 'at least one is needed')
}
