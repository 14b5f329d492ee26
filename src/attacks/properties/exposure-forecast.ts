/** After how many rounds would a client be given away? From who takes part when alone, before any training. */
import type { SparseMatrix } from '../../numeric/linalg/sparse.js'
import { log } from '../../numeric/special/elementary-functions.js'
import { logSumExp } from '../../numeric/special/log-sum-exp.js'
import { ownScales, rhos } from './posterior/gibbs-model.js'
import { oddsOf, usualBelief } from './posterior/gibbs-walk.js'

export interface ForecastOptions {
  /** How far features with and without the property lie apart, in deviations of one client's feature. */
  readonly signal: number
  /** The share of clients that is believed to have the property. */
  readonly share?: number
  /** Made-up updates that the mean of a round's detector is measured on; 9 of 30 pairs. */
  readonly measured?: number
  /** Probability from which on a client counts as given away. */
  readonly above?: number
}

/** Quantiles of the standard normal: one client in ten, half of them, nine in ten. */
const luck = { soonest: 1.2816, usual: 0, latest: -1.2816 } as const
type Luck = keyof typeof luck

/** The number of rounds, or null where these do not suffice. */
export type Forecast = Readonly<Record<Luck, number | null>>

/** More than this much information is not looked for. */
const most = 1e9

/**
 * The information on a guilty client from which on its odds pass those of `above`; null where none suffices. I tells where it
 * lies up to a variance w = d^2 / I, in which it seems to lie at x = d + z sqrt(w). It may also lie there without the property:
 * clients are unlike each other by a rho that is not known (posterior/gibbs-model.ts), of which the N - 1 others tell as much as
 * N - 1 innocent ones do on the mean, q_rho ~ prior exp(-(N - 1) / 2 (log(1 + rho / w) + 1 / (1 + rho / w))). The odds are
 *   o sum_rho,a q_rho pi_a N(x; d, w + a rho) / sum_rho,a q_rho pi_a N(x; 0, w + a rho),
 * o before anything is heard, a the variances that u may have, pi_a where all others have the first one.
 */
export function informationNeeded(
  clients: number,
  { signal: d, share = 0.1, above = 0.95 }: ForecastOptions,
): Readonly<Record<Luck, number | null>> {
  const gap = log(above / (1 - above)) - oddsOf(usualBelief(share), clients)[0]!
  const at = (z: number): number | null => {
    const passed = (I: number): boolean => fitOf(d, (d * d) / I, { z, others: clients - 1 }) >= gap
    if (!passed(most)) return null
    let [below, beyond] = [0, most]
    while (beyond - below > 1e-6 * beyond) {
      const between = below < 1e-3 ? beyond / 2 : Math.sqrt(below * beyond)
      if (passed(between)) beyond = between
      else below = between
      if (beyond < 1e-3) break
    }
    return beyond
  }
  return { soonest: at(luck.soonest), usual: at(luck.usual), latest: at(luck.latest) }
}

/** The logarithm of how much likelier x is with the property than without it. */
function fitOf(d: number, w: number, { z, others }: { readonly z: number; readonly others: number }): number {
  const x = d + z * Math.sqrt(w)
  const terms = rhos.flatMap(({ value: rho, prior }) => {
    const wider = 1 + rho / w
    const q = log(prior) - (others / 2) * (log(wider) + 1 / wider)
    return ownScales.map(({ value: a, prior: often }, k) => {
      const variance = w + a * rho
      return { variance, weight: q + log(often + (k === 0 ? others : 0)) - log(variance) / 2 }
    })
  })
  const of = (z: number): number => logSumExp(terms.map(({ variance, weight }) => weight - (z * z) / (2 * variance)))
  return of(x - d) - of(x)
}

/** Shares are believed as firmly as ten clients would make them, and of all clients one is the one that is asked about. */
const shareWithOne = (share: number, clients: number): number => (10 * share + 1) / (10 + clients)

/** Clients at random, so many a round: the same for all, in closed form. */
export interface RandomRounds {
  readonly clients: number
  readonly perRound: number
  readonly rounds: number
}

/**
 * I = n q d^2 / (m + m^2 / M + (m - 1) d^2 t), q = m / N, m in a round: what the m features vary by, the error of their measured
 * mean, and what is not known of the m - 1 others, t = 1 / (1 / (phi (1 - phi)) + I) of each, phi the share if one is guilty.
 */
export function forecastAtRandom(
  { clients: N, perRound: m, rounds }: RandomRounds,
  options: ForecastOptions,
): Forecast {
  const { signal: d, share = 0.1, measured = 9 } = options
  const phi = shareWithOne(share, N)
  const needed = informationNeeded(N, options)
  const at = (I: number | null): number | null => {
    if (I === null) return null
    const t = 1 / (1 / (phi * (1 - phi)) + I)
    const n = Math.ceil((I * N * (m + (m * m) / measured + (m - 1) * d * d * t)) / (m * d * d))
    return n <= rounds ? n : null
  }
  return { soonest: at(needed.soonest), usual: at(needed.usual), latest: at(needed.latest) }
}

/** Numbers of rounds at which the clients are looked at, one a twentieth more than the one before. */
function looks(rounds: number): number[] {
  const found: number[] = []
  for (let n = 1; n < rounds; n = Math.max(n + 1, Math.floor(1.05 * n))) found.push(n)
  return [...found, rounds]
}

/** Turns of the repetition at each look: it goes on from the one before. */
const turns = 4

/**
 * Of every client, from its own rounds: I_i = sum over r of w_ri^2 d^2 / (D_r + sum over j != i of w_rj^2 d^2 t_j), D_r as above,
 * t_j = 1 / (1 / (phi (1 - phi)) + I_j), repeated. Time goes with the entries of A, memory with clients and entries.
 */
export function forecastOf(A: SparseMatrix, options: ForecastOptions): Forecast[] {
  const { signal: d, share = 0.1, measured = 9 } = options
  const phi = shareWithOne(share, A.cols)
  const needed = informationNeeded(A.cols, options)
  const lambda = 1 / (phi * (1 - phi))
  const information = new Float64Array(A.cols)
  const found = Object.fromEntries(Object.keys(needed).map((key) => [key, new Int32Array(A.cols)])) as Record<
    Luck,
    Int32Array
  >
  for (const n of looks(A.rows)) {
    for (let turn = 0; turn < turns; turn++) informInto(information, A, { n, dd: d * d, lambda, measured })
    for (const key of Object.keys(needed) as Luck[]) {
      const first = found[key]
      for (let i = 0; i < A.cols; i++)
        if (first[i] === 0 && information[i]! >= (needed[key] ?? Number.POSITIVE_INFINITY)) first[i] = n
    }
  }
  const at = (key: Luck, i: number): number | null => (found[key][i] === 0 ? null : found[key][i]!)
  return Array.from({ length: A.cols }, (_, i) => {
    return { soonest: at('soonest', i), usual: at('usual', i), latest: at('latest', i) }
  })
}

interface Informed {
  readonly n: number
  readonly dd: number
  readonly lambda: number
  readonly measured: number
}

/** One turn over the first n rounds. */
function informInto(information: Float64Array, A: SparseMatrix, { n, dd, lambda, measured }: Informed): void {
  const left = information.map((I) => 1 / (lambda + I))
  information.fill(0)
  for (let r = 0; r < n; r++) {
    let [weight, own, others] = [0, 0, 0]
    for (let p = A.rowStart[r]!; p < A.rowStart[r + 1]!; p++) {
      const w = A.value[p]!
      weight += w
      own += w * w
      others += w * w * dd * left[A.column[p]!]!
    }
    const noise = own + (weight * weight) / measured + others
    for (let p = A.rowStart[r]!; p < A.rowStart[r + 1]!; p++) {
      const square = A.value[p]! * A.value[p]! * dd
      information[A.column[p]!]! += square / (noise - square * left[A.column[p]!]!)
    }
  }
}
