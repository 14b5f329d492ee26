/** After how many rounds would a client be given away? From who takes part when alone, before any training. */
import type { SparseMatrix } from '../../numeric/linalg/sparse.js'
import { log } from '../../numeric/special/elementary-functions.js'
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

/**
 * The logarithm of the odds of a guilty client that its sums inform by I is normal with mean o + I / 2 and variance I, o before
 * anything is heard. They pass those of `above` when I / 2 + z sqrt(I) = log(above / (1 - above)) - o.
 */
export function informationNeeded(
  clients: number,
  { share = 0.1, above = 0.95 }: ForecastOptions,
): Record<Luck, number> {
  const gap = log(above / (1 - above)) - oddsOf(usualBelief(share), clients)[0]!
  const at = (z: number): number => {
    const root = Math.sqrt(z * z + 2 * gap) - z
    return root * root
  }
  return { soonest: at(luck.soonest), usual: at(luck.usual), latest: at(luck.latest) }
}

/** Clients at random, so many a round: the same for all, in closed form. */
export interface RandomRounds {
  readonly clients: number
  readonly perRound: number
  readonly rounds: number
}

/**
 * I = n q d^2 / (m + m^2 / M + (m - 1) d^2 t), q = m / N, m in a round: what the m features vary by, the error of their measured
 * mean, and what is not known of the m - 1 others, t = 1 / (1 / (phi (1 - phi)) + I) of each.
 */
export function forecastAtRandom(
  { clients: N, perRound: m, rounds }: RandomRounds,
  options: ForecastOptions,
): Forecast {
  const { signal: d, share: phi = 0.1, measured = 9 } = options
  const needed = informationNeeded(N, options)
  const at = (I: number): number | null => {
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
  const { signal: d, share: phi = 0.1, measured = 9 } = options
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
      for (let i = 0; i < A.cols; i++) if (first[i] === 0 && information[i]! >= needed[key]) first[i] = n
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
