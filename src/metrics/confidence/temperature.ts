/** How much an attack's confidence is worth, learned from trainings whose outcome is known: a temperature that may be another in every training. [guo2017] */
import { exp, log, sigmoid, softplus } from '../../numeric/special/elementary-functions.js'
import type { Sureness } from './sureness.js'

/**
 * Before anything is known an attack is taken to be as sure as it is right: log T is 0, and every 1 away from that e times less likely.
 * Below 0 claims become surer, as far as trainings that were not asked bear it out.
 */
const priorAt = (t: number): number => -Math.abs(t)
/**
 * And log T of a training around that of its attack, because claims of one training are right or wrong together: how far is learned, each of
 * these being as likely as the others beforehand.
 */
const spreadsOfTrainings = [0.25, 0.5, 1] as const
/** What a list rests on is as hot as nine trainings in ten are at most. */
const cautious = 0.9

/** log T on a grid: from claims that are five times too timid to some of which nothing is left. */
const [coldest, step, places] = [-1.6, 0.1, 71]
const grid = Float64Array.from({ length: places }, (_, i) => coldest + step * i)

/** What is known of the next training's temperature: the middle of what it may be, and one that nine trainings in ten stay below. */
export interface Temperatures {
  readonly middle: number
  readonly high: number
}

/** From the claims of trainings whose outcome is known, one list for each. */
export function temperaturesFrom(trainings: readonly Sureness[]): Temperatures {
  const heard = trainings.map((claims) => scaled(likelihood(claims)))
  // By spread, then by the attack's log T: how likely all of it is.
  const joint = scaled(
    Float64Array.from(
      driftsOfTrainings().flatMap((drift) =>
        drift.map((around, i) => heard.reduce((sum, own) => sum + log(dot(around, own)), priorAt(grid[i]!))),
      ),
    ),
  )
  const weights = new Float64Array(places)
  for (const [at, around] of driftsOfTrainings().flat().entries()) {
    for (let j = 0; j < places; j++) weights[j]! += joint[at]! * around[j]!
  }
  return { middle: quantile(weights, 0.5), high: quantile(weights, cautious) }
}

/** A confidence of log odds l at a temperature. */
export const cooled = (logOdds: number, temperature: number): number => sigmoid(logOdds / temperature)

/** log of the chance that these claims come out as they did, by temperature. */
const likelihood = (claims: Sureness): Float64Array =>
  coolness().map((inverse) => {
    let sum = 0
    for (const [l, right, of] of claims) sum -= right * softplus(-l * inverse) + (of - right) * softplus(l * inverse)
    return sum
  })

/** From logarithms to shares. */
function scaled(logs: Float64Array): Float64Array {
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity)
  const shares = logs.map((x) => exp(x - most))
  const sum = shares.reduce((a, b) => a + b, 0)
  return shares.map((x) => x / sum)
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

function quantile(weights: Float64Array, share: number): number {
  let [at, below] = [0, weights[0]!]
  while (below < share && at < places - 1) below += weights[++at]!
  return 1 / coolness()[at]!
}

let inverses: Float64Array | undefined
/** 1/T. */
function coolness(): Float64Array {
  inverses ??= grid.map((t) => exp(-t))
  return inverses
}

let drifts: readonly (readonly Float64Array[])[] | undefined
/** By how far trainings differ and an attack's log T: how its trainings lie around it. */
function driftsOfTrainings(): readonly (readonly Float64Array[])[] {
  drifts ??= spreadsOfTrainings.map((spread) =>
    Array.from(grid, (a) => scaled(grid.map((t) => (-(t - a) * (t - a)) / (2 * spread * spread)))),
  )
  return drifts
}
