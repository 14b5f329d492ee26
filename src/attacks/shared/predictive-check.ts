/** Whether messages are like turns played over: a posterior predictive check of a few features, each of which one fault moves. */
import { incompleteBeta } from '../../numeric/special/beta.js'
import { log } from '../../numeric/special/elementary-functions.js'
import { meanOf, varianceOf } from '../../numeric/special/summaries.js'
import { type Heard, type RecipeFit, ratiosOf } from './recipe-fit.js'

export interface Checked {
  /** How rarely plays are as unlike one another as the messages are unlike them, over all features. */
  readonly p: number
  /** The feature that is least likely, in words. */
  readonly by: string
}

/** By turn: a message or a play, the mean of (the other) plays, and what is expected of their distance. */
interface Look {
  readonly change: readonly Float64Array[]
  readonly mean: readonly Float64Array[]
  readonly expected: readonly Float64Array[]
}

type Feature = (stage: Heard, look: Look) => number

const tiny = 1e-300

const distance = 'how far changes are from where they should be'
const [mostly, between] = ['how far most changes are from where they should be', 'how changes differ from turn to turn']

/** What each feature tells: a number that is about the same for every play of the right recipe. */
const features: Readonly<Record<string, Feature>> = {
  'the length of changes along the way that they should go': (stage, look) => meanOf(paces(stage, look)),
  'whether that length is the same from first to last': (stage, look) => trendOf(paces(stage, look)),
  'the size of changes': ({ turns }, { change }) => meanOf(turns.map((_, t) => log(squaresOf(change[t]!) + tiny))),
  'how evenly coordinates change': ({ turns }, { change }) =>
    meanOf(
      turns.map((_, t) => {
        const one = change[t]!.reduce((sum, v) => sum + Math.abs(v), 0)
        return log((one * one + tiny) / (squaresOf(change[t]!) + tiny))
      }),
    ),
  'how far changes go towards zero': ({ turns }, { change, mean, expected }) =>
    meanOf(
      turns.map(({ theta }, t) => {
        let [over, under] = [0, tiny]
        for (let j = 0; j < theta.length; j++) {
          over += ((change[t]![j]! - mean[t]![j]!) * theta[j]!) / expected[t]![j]!
          under += (theta[j]! * theta[j]!) / expected[t]![j]!
        }
        return over / Math.sqrt(under)
      }),
    ),
  [distance]: (stage, look) => log(meanOf(stage.turns.flatMap((_, t) => ratiosOf(stage, at(look, t)))) + tiny),
  // A single turn that strays, as one with an odd record in a batch of its own, moves the mean of all and not this.
  [mostly]: (stage, look) => meanOf(stage.turns.map((_, t) => log(meanOf(ratiosOf(stage, at(look, t))) + tiny))),
  // Wrong records are wrong in all turns alike, and leave this alone; draws of batches and units are new in each.
  [between]: (stage, look) => meanOf([0, ...stage.turns.slice(1).map((_, t) => strayed(stage, look, t))]),
}

/** The logarithm of how differently a turn and the next one stray from where they should be, in units of what is expected. */
function strayed(stage: Heard, { change, mean, expected }: Look, t: number): number {
  const size = expected[t + 1]!
  const apart = size.map((s, j) => {
    const now = (change[t]![j]! - mean[t]![j]!) * Math.sqrt(s / expected[t]![j]!)
    return change[t + 1]![j]! - mean[t + 1]![j]! - now
  })
  const none = new Float64Array(apart.length)
  return log(meanOf(ratiosOf(stage, { change: apart, mean: none, expected: size, t: t + 1 })) + tiny)
}

const at = ({ change, mean, expected }: Look, t: number) => ({
  ...{ change: change[t]!, mean: mean[t]!, expected: expected[t]! },
  t,
})

/** By turn: how far it went along the mean of plays, which is 1. */
function paces({ turns }: Heard, { change, mean, expected }: Look): number[] {
  return turns.map((_, t) => {
    let [over, under] = [0, tiny]
    for (let j = 0; j < change[t]!.length; j++) {
      const weight = 1 / expected[t]![j]!
      over += weight * change[t]![j]! * mean[t]![j]!
      under += weight * mean[t]![j]! * mean[t]![j]!
    }
    return over / under
  })
}

/** Of numbers in a row: how much the later half is above the earlier. */
function trendOf(values: readonly number[]): number {
  if (values.length < 2) return 0
  const half = values.length >> 1
  return meanOf(values.slice(-half)) - meanOf(values.slice(0, half))
}

const squaresOf = (values: Float64Array): number => values.reduce((sum, v) => sum + v * v, 0)

/**
 * For each feature, where the messages' lies among those of single plays, by Student's t; the least p-value, times the
 * number of features. A difference that nobody could tell from rounding counts as none. `fitted`: the records were chosen
 * by the messages, which then come nearer than plays on records in doubt.
 */
export function checkedFit(
  stage: Heard,
  { plays, means, expected, noiseVar }: RecipeFit,
  { fitted = false }: { readonly fitted?: boolean } = {},
): Checked {
  const { turns, rng } = stage
  const K = plays[0]?.length ?? 0
  const heard: Look = { change: turns.map(({ change }) => change), mean: means, expected }
  const looks = Array.from({ length: K }, (_, k): Look => {
    const noise = rng.fork('noise', k)
    const own = turns.map((_, t) => plays[t]![k]!)
    const mean = turns.map((_, t) => means[t]!.map((m, j) => (K * m - own[t]![j]!) / (K - 1)))
    const change = noiseVar > 0 ? own.map((one) => one.map((v) => v + noise.normal() * Math.sqrt(noiseVar))) : own
    return { change, mean, expected }
  })
  let [p, by] = [1, 'nothing']
  // Few odd turns are no reason to doubt what was inferred from all.
  const asked = Object.entries(features).filter(([name]) => !(fitted && name === distance))
  for (const [name, feature] of asked) {
    const some = looks.map((look) => feature(stage, look))
    const beyond = feature(stage, heard) - meanOf(some)
    const far = fitted && name === mostly ? Math.max(0, beyond) : Math.abs(beyond)
    // What differs by less than this is rounding, or other people's arithmetic.
    const spread = Math.sqrt(varianceOf(some, K - 1) * (1 + 1 / K)) + 0.01
    const own = tailOf(far / spread, K - 1)
    if (own < p) [p, by] = [own, name]
  }
  return { p: Math.min(1, p * asked.length), by }
}

/** Both tails of Student's t beyond x: I of nu / (nu + x^2) at (nu / 2, 1 / 2). */
const tailOf = (x: number, nu: number): number => incompleteBeta(nu / (nu + x * x), { a: nu / 2, b: 0.5 })
