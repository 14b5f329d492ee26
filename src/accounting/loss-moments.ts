/** The logarithm of E[e^(theta loss)] of losses on a grid, summed over all steps, with its first two derivatives. */
import { exp, log } from '../numeric/special/elementary-functions.js'
import type { GridLoss } from './loss-grid.js'

export interface Repeated {
  readonly loss: GridLoss
  readonly steps: number
}

export interface Moments {
  /** K(theta). */
  readonly logMgf: number
  readonly mean: number
  readonly variance: number
}

/** Of the sum of all losses, under the distribution tilted by e^(theta loss). */
export function momentsAt(parts: readonly Repeated[], theta: number, h: number): Moments {
  let [logMgf, mean, variance] = [0, 0, 0]
  for (const { loss, steps } of parts) {
    const one = tilted(loss, theta, h)
    logMgf += steps * (log(one.total) + one.shift)
    mean += steps * one.mean
    variance += steps * one.variance
  }
  return { logMgf, mean, variance }
}

/** A shift that keeps exponentials of theta times these losses inside of doubles. */
export function shiftFor({ index }: GridLoss, theta: number, h: number): number {
  const most = Math.max(theta * index[0]! * h, theta * index[index.length - 1]! * h)
  return Math.max(0, most - 600)
}

function tilted(
  loss: GridLoss,
  theta: number,
  h: number,
): { total: number; shift: number; mean: number; variance: number } {
  const { index, mass } = loss
  const shift = shiftFor(loss, theta, h)
  let [total, first, second] = [0, 0, 0]
  for (let i = 0; i < index.length; i++) {
    const y = index[i]! * h
    const w = mass[i]! * exp(theta * y - shift)
    total += w
    first += w * y
    second += w * y * y
  }
  const mean = first / total
  return { total, shift, mean, variance: Math.max(0, second / total - mean * mean) }
}

/** log of the largest value of e^(-theta y) (1 - e^-y) over y >= 0. */
export function logPeak(theta: number): number {
  return theta === 0 ? 0 : theta * log(theta / (1 + theta)) - log(1 + theta)
}

/** The same losses in at most some hundred places, near enough to choose by. */
function thinned({ loss: { index, mass }, steps }: Repeated): Repeated {
  const group = Math.ceil(index.length / 400)
  const places = Math.ceil(index.length / group)
  const [thinIndex, thinMass] = [new Int32Array(places), new Float64Array(places)]
  for (let g = 0; g < places; g++) {
    let [total, first] = [0, 0]
    for (let i = g * group; i < Math.min(index.length, (g + 1) * group); i++) {
      total += mass[i]!
      first += mass[i]! * index[i]!
    }
    thinIndex[g] = total > 0 ? Math.round(first / total) : index[g * group]!
    thinMass[g] = total
  }
  return { steps, loss: { index: thinIndex, mass: thinMass, infinite: 0, missing: 0 } }
}

export interface Tail {
  readonly theta: number
  readonly centre: number
  readonly h: number
}

/** How much of the tilted sum lies more than `distance` from `centre`, at most: Chernoff's bound on either side. */
export function tailBeyond(parts: readonly Repeated[], { theta, centre, h }: Tail): (distance: number) => number {
  const { logMgf, variance } = momentsAt(parts, theta, h)
  const thin = parts.map(thinned)
  const thinLogMgf = momentsAt(thin, theta, h).logMgf
  const side = (sign: 1 | -1, distance: number): number => {
    const exponent = (s: number, list: readonly Repeated[], at: number) =>
      momentsAt(list, theta + sign * s, h).logMgf - at - s * (sign * centre + distance)
    // Any s gives a bound; a good one is found roughly, from where s times the distance is more than anybody asks for.
    let [best, least] = [0, 0]
    const most = Math.min(800 / distance, (2 * distance) / Math.max(variance, 0.01 * distance * h))
    for (let s = most, i = 0; i < 24; i++, s *= 0.75) {
      const value = exponent(s, thin, thinLogMgf)
      if (value < least) [best, least] = [s, value]
      else if (best > 0) break
    }
    return best === 0 ? 1 : exp(Math.min(0, exponent(best, parts, logMgf)))
  }
  return (distance) => side(1, distance) + side(-1, distance)
}
