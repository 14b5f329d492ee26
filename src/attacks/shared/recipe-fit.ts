/** How well a recipe explains what was heard: turns played over under it, and how far the messages are from what they give. */

import type { Rng } from '../../numeric/random/rng.js'
import { log } from '../../numeric/special/elementary-functions.js'
import { meanOf } from '../../numeric/special/summaries.js'
import type { View } from '../../threat/granted-keys.js'
import type { ParameterShape } from '../../transcript/manifest.js'
import { type Recipe, replayer } from './replayed-turn.js'
import type { Supposed } from './supposed-records.js'

/** One message of the target, as a change of the model that it was sent; where gradients are shared, minus the gradient. */
export interface HeardTurn {
  readonly round: number
  readonly theta: Float64Array
  readonly change: Float64Array
  /** What is stated of this round. */
  readonly learningRate: number | null
}

/** What recipes are held against. */
export interface Stage {
  readonly view: View<'model' | 'loss'>
  readonly turns: readonly HeardTurn[]
  readonly supposed: Supposed
  /** Where the parts of theta begin and end: each is compared by itself. */
  readonly parts: readonly (readonly [from: number, to: number])[]
  readonly rng: Rng
  tick?(): void
}

export interface Fit {
  readonly recipe: Recipe
  /** By turn: what it gives, on the mean over plays. */
  readonly means: readonly Float64Array[]
  /** By turn: single plays. */
  readonly plays: readonly (readonly Float64Array[])[]
  /** By turn and part: the squared distance of the message from the mean, and what is expected of it. */
  readonly misfits: readonly (readonly { readonly found: number; readonly expected: number }[])[]
  /** Squared misfit over what is expected, on the mean over turns and parts: about 1 where the recipe is right. */
  readonly excess: number
  /** What decides between recipes: lower is better. Twice a mean negative log-likelihood, up to a constant. */
  readonly score: number
  /** Variance of white noise beside the training, in every value of a message. */
  readonly noiseVar: number
}

export interface FitOptions {
  readonly plays: number
  /** By turn, what its learning rate is multiplied with: 1 unless told. */
  readonly rates?: readonly number[]
  readonly noiseVar?: number
}

/** How near a play must come, as a share of the message: nearer is rounding and other people's arithmetic. */
const nearEnough = 0.01

/** The parts of a flat theta; one for all where the shapes are not known. */
export function partsOf(parameters: readonly ParameterShape[] | undefined, d: number): [number, number][] {
  let at = 0
  const parts = (parameters ?? []).map(({ shape }): [number, number] => {
    const from = at
    at += shape.reduce((n, s) => n * s, 1)
    return [from, at]
  })
  return at === d ? parts : [[0, d]]
}

export function fitOf(stage: Stage, recipe: Recipe, { plays: count, rates, noiseVar = 0 }: FitOptions): Fit {
  const { view, turns, supposed, rng } = stage
  const replay = replayer(view, recipe)
  const casts = supposed.guesses.slice(0, Math.max(1, Math.min(count, supposed.guesses.length)))
  const held = casts.map((guess) => replay.hold(guess))
  try {
    const plays = turns.map(({ theta, learningRate, round }, t) => {
      stage.tick?.()
      return Array.from({ length: count }, (_, k) => {
        const own = rng.fork('round', round, 'play', k)
        const records = held[k % held.length]!
        const rate = (learningRate ?? recipe.learningRate ?? 1) * (rates?.[t] ?? 1)
        return replay.play({
          theta,
          records,
          rows: rowsFor(records.n, supposed.samples, own),
          learningRate: rate,
          rng: own,
        })
      })
    })
    return judged(stage, recipe, { plays, noiseVar })
  } finally {
    for (const one of held) one.release()
    replay.release()
  }
}

/** The same plays, held against messages with white noise on every value. */
export const withNoise = (stage: Stage, { recipe, plays }: Fit, noiseVar: number): Fit =>
  judged(stage, recipe, { plays, noiseVar })

/** All known records, and known ones in the place of those that nobody knows. */
function rowsFor(known: number, samples: number, rng: Rng): Int32Array {
  const own = rng.fork('others')
  return Int32Array.from({ length: samples }, (_, i) => (i < known ? i : own.integer(known)))
}

function judged(stage: Stage, recipe: Recipe, { plays, noiseVar }: { plays: Fit['plays']; noiseVar: number }): Fit {
  const { turns, parts } = stage
  const means = plays.map(meanChange)
  const misfits = turns.map((turn, t) =>
    parts.map((part) => ({
      found: squaredDistance(turn.change, means[t]!, part),
      expected: expectedMisfit(stage, { turn, plays: plays[t]!, mean: means[t]!, part, noiseVar }),
    })),
  )
  const all = misfits.flat()
  return {
    ...{ recipe, means, plays, misfits, noiseVar },
    excess: meanOf(all.map(({ found, expected }) => found / expected)),
    score: meanOf(all.map(({ found, expected }) => log(expected) + found / expected)),
  }
}

interface Cell {
  readonly turn: HeardTurn
  readonly plays: readonly Float64Array[]
  readonly mean: Float64Array
  readonly part: readonly [number, number]
  readonly noiseVar: number
}

/** What the squared misfit would be if the recipe were right: the spread of plays, noise, rounding. */
function expectedMisfit({ turns }: Stage, { turn, plays, mean, part, noiseVar }: Cell): number {
  const K = plays.length
  const spread = plays.reduce((sum, one) => sum + squaredDistance(one, mean, part), 0) / Math.max(1, K - 1)
  const size = squaredDistance(turn.change, undefined, part)
  const all = squaredDistance(turn.change, undefined, [0, turn.change.length])
  // Values are rounded to f32 at worst, beside the model that they are added to.
  const rounding = 1e-14 * squaredDistance(turn.theta, undefined, part) + 1e-6 * nearEnough * nearEnough * all
  const floor = nearEnough * nearEnough * size + rounding + Number.MIN_VALUE * turns.length
  return (1 + 1 / K) * spread + (part[1] - part[0]) * noiseVar + floor
}

export function squaredDistance(
  a: Float64Array,
  b: Float64Array | undefined,
  [from, to]: readonly [number, number],
): number {
  let sum = 0
  for (let j = from; j < to; j++) {
    const far = a[j]! - (b?.[j] ?? 0)
    sum += far * far
  }
  return sum
}

function meanChange(plays: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(plays[0]!.length)
  for (const one of plays) for (let j = 0; j < mean.length; j++) mean[j]! += one[j]! / plays.length
  return mean
}

/**
 * The share of plays that are as far from the others as the message is from them all: a posterior predictive p-value. A
 * message that is no farther than expected fits, however near the plays are to one another.
 */
export function predictiveP(stage: Stage, { plays, means, excess, noiseVar }: Fit): number {
  const { turns, parts, rng } = stage
  const K = plays[0]?.length ?? 0
  if (K < 2) return 1
  const beyond = Array.from({ length: K }, (_, k) => {
    const all = turns.flatMap((turn, t) => {
      const one = plays[t]![k]!
      const others = plays[t]!.filter((_, i) => i !== k)
      const mean = means[t]!.map((m, j) => (K * m - one[j]!) / (K - 1))
      const noise = rng.fork('noise', k, t)
      const heard = noiseVar > 0 ? one.map((v) => v + noise.normal() * Math.sqrt(noiseVar)) : one
      return parts.map((part) => {
        const cell = { turn: { ...turn, change: heard }, plays: others, mean, part, noiseVar }
        return squaredDistance(heard, mean, part) / expectedMisfit(stage, cell)
      })
    })
    return meanOf(all)
  })
  const reached = Math.max(1, excess)
  return (1 + beyond.filter((one) => Math.max(1, one) >= reached).length) / (K + 1)
}

/** What the plays of a fit must be multiplied with to come nearest to the messages: in all turns together, and in each. */
export function rateFactors({ turns, parts }: Stage, { means, misfits }: Fit): { one: number; each: number[] } {
  const sums = turns.map((turn, t) => {
    let [over, under] = [0, 0]
    for (const [p, [from, to]] of parts.entries()) {
      const weight = 1 / misfits[t]![p]!.expected
      for (let j = from; j < to; j++) {
        over += weight * turn.change[j]! * means[t]![j]!
        under += weight * means[t]![j]! * means[t]![j]!
      }
    }
    return { over, under }
  })
  const total = sums.reduce((all, { over, under }) => ({ over: all.over + over, under: all.under + under }))
  const ratio = ({ over, under }: { over: number; under: number }): number => (under > 0 ? over / under : 1)
  return { one: ratio(total), each: sums.map(ratio) }
}
