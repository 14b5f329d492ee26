/** How sure claims were and how many of them came true, as counts, and their calibration error. */
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

const bins = 10

/** Claims by ten equal bins of confidence, of those that hold any: how many would come true if it is right, how many did, how many there are. */
export type Reliability = readonly (readonly [expected: number, right: number, of: number])[]

export function reliabilityOf(claims: Sureness): Reliability {
  const found = Array.from({ length: bins }, (): [number, number, number] => [0, 0, 0])
  for (const [l, right, of] of claims) {
    const p = sigmoid(l)
    const bin = found[Math.min(bins - 1, Math.floor(p * bins))]!
    bin[0] += of * p
    bin[1] += right
    bin[2] += of
  }
  return found.filter(([, , of]) => of > 0)
}

/** The expected calibration error of such claims. [naeini2015] */
export function calibrationErrorOf(claims: Reliability): number {
  const all = claims.reduce((sum, [, , of]) => sum + of, 0)
  return claims.reduce((sum, [expected, right]) => sum + Math.abs(expected - right), 0) / all
}
