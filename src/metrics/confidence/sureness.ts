/** How sure claims were and how many of them came true; and one temperature that makes them as sure as they are right. [guo2017] */
import { log, sigmoid } from '../../numeric/special/elementary-functions.js'

/** Claims that were about equally sure: their log odds, how many of them were right, how many there were. */
export type Sureness = readonly (readonly [logOdds: number, right: number, of: number])[]

/** Claims whose log odds differ by less are counted together. */
const step = 0.05
/** Nothing is told between claims that are surer than this: less than one error in a million. */
const mostOdds = 14

/** Log odds of a probability, within what can be told. */
export const logOddsOf = (p: number): number =>
  p >= 1 ? mostOdds : p <= 0 ? -mostOdds : Math.max(-mostOdds, Math.min(mostOdds, log(p / (1 - p))))

/** From claims one by one to counts, the surest last: nobody can be told from them. */
export function surenessOf(claims: Iterable<{ readonly sure: number; readonly right: boolean }>): Sureness {
  const found = new Map<number, [number, number]>()
  for (const { sure, right } of claims) {
    const at = Math.round(logOddsOf(sure) / step)
    const [hits, all] = found.get(at) ?? [0, 0]
    found.set(at, [hits + (right ? 1 : 0), all + 1])
  }
  // Whole numbers over twenty: the nearest number to each multiple of the step.
  return [...found].sort(([a], [b]) => a - b).map(([at, [right, of]]) => [at / (1 / step), right, of] as const)
}

/** A confidence of log odds l at a temperature. */
export const cooled = (logOdds: number, temperature: number): number => sigmoid(logOdds / temperature)

const bins = 10

/** The expected calibration error of such claims, over ten equal bins of confidence. [naeini2015] */
export function calibrationErrorOf(claims: Sureness): number {
  const apart = new Float64Array(bins)
  let all = 0
  for (const [l, right, of] of claims) {
    const p = sigmoid(l)
    apart[Math.min(bins - 1, Math.floor(p * bins))]! += of * p - right
    all += of
  }
  return apart.reduce((sum, x) => sum + Math.abs(x), 0) / all
}

/** Hotter than this, all claims are as sure as a coin. */
const mostTemperature = 1000

/**
 * The temperature under which the claims were likeliest to come out as they did, with one more that was as sure as the surest
 * and wrong: what never erred in n claims may err in the next. departs: from 1 up, because claims that an attack
 * holds back its confidence in must not become sure.
 */
export function temperatureOf(claims: Sureness): number {
  const surest = claims.reduce((most, [l]) => Math.max(most, l), 0)
  if (claims.length === 0 || surest <= 0) return 1
  const all: Sureness = [...claims, [surest, 0, 1]]
  // The likelihood of 1/T has one maximum, where this is 0: it falls as 1/T grows.
  const slope = (inverse: number): number =>
    all.reduce((sum, [l, right, of]) => sum + l * (right - of * sigmoid(l * inverse)), 0)
  let [low, high] = [1 / mostTemperature, 1]
  if (slope(high) >= 0) return 1
  if (slope(low) <= 0) return mostTemperature
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (slope(middle) > 0) low = middle
    else high = middle
  }
  return 1 / low
}
