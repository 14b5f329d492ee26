/**
 * Pairs of distributions (P, Q) that are at least as easy to tell apart as what one step of a mechanism puts out on two
 * neighbouring datasets, by their privacy loss log(P / Q): how much of either lies between given losses.
 */
import { exp, log } from '../numeric/special/elementary-functions.js'
import { normalIntervalProb } from '../numeric/special/normal.js'
import { normalQuantile } from '../numeric/special/normal-quantile.js'

export interface Masses {
  /** Entry i lies between knots i - 1 and i; the first and the last are the tails. */
  readonly P: Float64Array
  readonly Q: Float64Array
  /** What both have at a loss of exactly 0, in no other entry. */
  readonly atZero: number
}

export interface LossPair {
  /** `knots`: losses in ascending order, 0 among them. */
  massesBetween(knots: Float64Array): Masses
  /** Losses outside of which neither distribution has more than about `tail`. */
  range(tail: number): { readonly low: number; readonly high: number }
  /** (Q, P) is the same pair. */
  readonly symmetric: boolean
  /** A loss at which a share of the mass sits: a grid should hit it. */
  readonly lattice?: number
}

/** Where the loss crosses each knot, in deviations from the mean of N(0, sigma^2). */
type Crossing = (loss: number) => number

/** Masses of weights[0] N(0) + weights[1] N(1) + ... between crossings, in units of deviations. */
function gaussianMasses(cuts: Float64Array, centres: readonly number[]): Float64Array[] {
  const n = cuts.length
  return centres.map((centre) => {
    const out = new Float64Array(n + 1)
    for (let i = 0; i <= n; i++) {
      const low = i === 0 ? Number.NEGATIVE_INFINITY : cuts[i - 1]!
      const high = i === n ? Number.POSITIVE_INFINITY : cuts[i]!
      out[i] = low < high ? between(low - centre, high - centre) : 0
    }
    return out
  })
}

function between(low: number, high: number): number {
  if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY) return 1
  if (low === high) return 0
  // Beyond 40 deviations there is nothing that a double could hold.
  return normalIntervalProb({ low: Math.min(40, Math.max(-40, low)), high: Math.min(40, Math.max(-40, high)) })
}

const deviations = (tail: number): number => -normalQuantile(Math.max(tail, 1e-290))

/** P = (1 - q) N(0, sigma^2) + q N(1, sigma^2), Q = N(0, sigma^2): a record is removed from Poisson batches. [zhu2022] Thm. 11 */
export function removedRecord({ sigma, q }: { readonly sigma: number; readonly q: number }): LossPair {
  const lossAt = (x: number): number => {
    const y = (2 * x - 1) / (2 * sigma * sigma)
    return q === 1 ? y : y > 0 ? y + log(q + (1 - q) * exp(-y)) : log(1 - q + q * exp(y))
  }
  const crossing: Crossing = (loss) => {
    if (q === 1) return sigma * loss + 0.5 / sigma
    const s = loss > 30 ? loss - log(q) : log(Math.max(0, (exp(loss) - (1 - q)) / q))
    return sigma * s + 0.5 / sigma
  }
  return {
    symmetric: q === 1,
    massesBetween(knots) {
      const [zero, one] = gaussianMasses(knots.map(crossing), [0, 1 / sigma])
      return { P: zero!.map((mass, i) => (1 - q) * mass + q * one![i]!), Q: zero!, atZero: 0 }
    },
    range(tail) {
      const z = deviations(tail) * sigma
      return { low: lossAt(-z), high: lossAt(1 + z) }
    },
  }
}

/** P = (1 - q) N(0) + q N(1), Q = (1 - q) N(0) + q N(-1): a record is replaced in Poisson batches. */
export function replacedRecord({ sigma, q }: { readonly sigma: number; readonly q: number }): LossPair {
  const logHalf = -0.5 / (sigma * sigma)
  const side = (x: number): number => {
    const y = x / (sigma * sigma) + logHalf
    return y > 0 ? y + log(q + (1 - q) * exp(-y)) : log(1 - q + q * exp(y))
  }
  // With y = e^(x / sigma^2), a = e^(-1 / (2 sigma^2)): q a y^2 + (1 - q) (1 - t) y - t q a = 0.
  const crossing: Crossing = (loss) => {
    if (loss < 0) return -crossing(-loss)
    if (loss === 0) return 0
    const b = ((1 - q) * (1 - exp(-loss))) / 2 // both sides over t
    const logA = log(q) + logHalf
    if (b === 0) return 0.5 * sigma * loss
    // y = (b + sqrt(b^2 + q^2 a^2 / t)) t / (q a)
    const inner = exp(2 * logA - loss)
    return sigma * (log(b + Math.sqrt(b * b + inner)) + loss - logA)
  }
  return {
    symmetric: true,
    massesBetween(knots) {
      const [zero, up, down] = gaussianMasses(knots.map(crossing), [0, 1 / sigma, -1 / sigma])
      return {
        P: zero!.map((mass, i) => (1 - q) * mass + q * up![i]!),
        Q: zero!.map((mass, i) => (1 - q) * mass + q * down![i]!),
        atZero: 0,
      }
    },
    range(tail) {
      const x = 1 + deviations(tail) * sigma
      const high = side(x) - side(-x)
      return { low: -high, high }
    },
  }
}

/**
 * A record is replaced in batches of fixed size, `sigma` relative to how far that moves the sum. Above ratio 1 the curve is that
 * of ((1 - q) Q + q P, Q), below it is the same pair in the other order; what is left sits at ratio 1. [zhu2022] Thm. 11
 */
export function fixedSizeRecord(options: { readonly sigma: number; readonly q: number }): LossPair {
  const removed = removedRecord(options)
  if (options.q === 1) return removed
  return {
    symmetric: true,
    massesBetween(knots) {
      const zero = knots.indexOf(0)
      const n = knots.length
      const up = removed.massesBetween(knots.subarray(zero))
      const down = removed.massesBetween(Float64Array.from(knots.subarray(0, zero + 1), (loss) => -loss).reverse())
      const [P, Q] = [new Float64Array(n + 1), new Float64Array(n + 1)]
      let total = 0
      for (let i = 1; i < up.P.length; i++) {
        P[zero + i] = up.P[i]!
        Q[zero + i] = up.Q[i]!
        total += up.P[i]!
      }
      for (let i = 1; i < down.P.length; i++) {
        P[zero + 1 - i] = down.Q[i]!
        Q[zero + 1 - i] = down.P[i]!
        total += down.Q[i]!
      }
      return { P, Q, atZero: Math.max(0, 1 - total) }
    },
    range(tail) {
      const { high } = removed.range(tail)
      return { low: -high, high }
    },
  }
}

/** Laplace noise of scale b over the sensitivity: the loss is 1 / b on one side of both centres, -1 / b on the other. */
export function laplaceNoise(b: number): LossPair {
  const top = 1 / b
  // P(loss > l) for P = Lap(0, b), Q = Lap(1, b): loss (1 - 2 x) / b between the centres, x = (1 - b l) / 2.
  const above = (loss: number): [number, number] => {
    if (loss >= top * (1 + 1e-13)) return [0, 0]
    if (loss < -top * (1 + 1e-13)) return [1, 1]
    const x = Math.min(1, Math.max(0, 0.5 * (1 - b * loss)))
    return [1 - 0.5 * exp(-x / b), 0.5 * exp((x - 1) / b)]
  }
  return {
    symmetric: true,
    lattice: top,
    massesBetween(knots) {
      const n = knots.length
      const [P, Q] = [new Float64Array(n + 1), new Float64Array(n + 1)]
      let [pAbove, qAbove] = [0, 0]
      for (let i = n; i > 0; i--) {
        // Between its two ends the loss has a density, of which differences of exponentials keep what matters.
        const [p, q] = above(knots[i - 1]!)
        P[i] = p - pAbove
        Q[i] = q - qAbove
        ;[pAbove, qAbove] = [p, q]
      }
      P[0] = 1 - pAbove
      Q[0] = 1 - qAbove
      return { P, Q, atZero: 0 }
    },
    range: () => ({ low: -top, high: top }),
  }
}
