/** A rough look at a composition before it is put on a grid: which tilt decides, and how wide the sum is. */
import { exp, log } from '../numeric/special/elementary-functions.js'
import { logPeak } from './loss-moments.js'
import type { LossPair } from './loss-pair.js'

export interface Steps {
  readonly pair: LossPair
  readonly steps: number
}

export interface Sketch {
  /** Rényi's bound on epsilon from the sketch. */
  readonly epsilon: number
  readonly theta: number
  /** Deviation of one step of each part, the smaller of tilted and plain. */
  readonly deviations: readonly number[]
}

interface Rough {
  readonly steps: number
  readonly loss: Float64Array
  readonly P: Float64Array
}

/** The losses of a pair on a few hundred knots that crowd at 0. */
function roughly({ pair, steps }: Steps): Rough {
  const { low, high } = pair.range(1e-25)
  const side = (most: number): number[] => {
    const knots: number[] = []
    for (let x = 1e-7; x < most; x *= 1.06) knots.push(x)
    return knots
  }
  const below = side(-low).map((x) => -x)
  const knots = Float64Array.from([...below.reverse(), 0, ...side(high)])
  const { P, Q, atZero } = pair.massesBetween(knots)
  const kept = [...P.keys()].filter((i) => P[i]! > 0 && Q[i]! > 0)
  return {
    steps,
    loss: Float64Array.from([...kept.map((i) => log(P[i]! / Q[i]!)), 0]),
    P: Float64Array.from([...kept.map((i) => P[i]!), atZero]),
  }
}

function moments({ loss, P }: Rough, theta: number): { logMgf: number; variance: number } {
  let most = 0
  for (const y of loss) most = Math.max(most, theta * y)
  const shift = Math.max(0, most - 600)
  let [total, first, second] = [0, 0, 0]
  for (let i = 0; i < P.length; i++) {
    const y = loss[i]!
    const w = P[i]! * exp(theta * y - shift)
    total += w
    first += w * y
    second += w * y * y
  }
  return { logMgf: log(total) + shift, variance: Math.max(0, second / total - (first / total) * (first / total)) }
}

export function sketchOf(parts: readonly Steps[], delta: number): Sketch {
  const rough = parts.map(roughly)
  const bound = (theta: number): number => {
    let K = logPeak(theta) - log(delta)
    for (const one of rough) K += one.steps * moments(one, theta).logMgf
    return K / theta
  }
  // Golden section on log theta.
  const ratio = 0.6180339887498949
  let [a, b] = [log(1e-3), log(2e3)]
  let [c, d] = [b - ratio * (b - a), a + ratio * (b - a)]
  let [fc, fd] = [bound(exp(c)), bound(exp(d))]
  while (b - a > 0.05) {
    if (fc < fd) {
      b = d
      ;[d, fd] = [c, fc]
      c = b - ratio * (b - a)
      fc = bound(exp(c))
    } else {
      a = c
      ;[c, fc] = [d, fd]
      d = a + ratio * (b - a)
      fd = bound(exp(d))
    }
  }
  const theta = exp(0.5 * (a + b))
  const deviations = rough.map((one) => {
    const [plain, steep] = [moments(one, 0).variance, moments(one, theta).variance]
    // A tilt may leave next to nothing but one loss: what there was before it is still to be seen.
    return Math.sqrt(Math.min(plain, Math.max(steep, 0.01 * plain)))
  })
  return { epsilon: bound(theta), theta, deviations }
}
