/** How well a recipe explains what was heard: turns played over under it, and how far the messages are from what they give. */

import type { Held } from '../../models/trainer.js'
import type { Rng } from '../../numeric/random/rng.js'
import { log, log1p } from '../../numeric/special/elementary-functions.js'
import { meanOf } from '../../numeric/special/summaries.js'
import type { View } from '../../threat/granted-keys.js'
import type { ParameterShape } from '../../transcript/manifest.js'
import { type KeptPlays, keptPlays } from './kept-plays.js'
import { type Recipe, type Replay, replayer, stepsOf } from './replayed-turn.js'
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
  /** Plays that were made before, for the same turns, records and draws. */
  readonly kept?: KeptPlays
  tick?(): void
}

/** What plays are compared with. */
export type Heard = Pick<Stage, 'turns' | 'parts' | 'rng'>

export interface RecipeFit {
  readonly recipe: Recipe
  /** By turn: what it gives, on the mean over plays. */
  readonly means: readonly Float64Array[]
  /** By turn: single plays. */
  readonly plays: readonly (readonly Float64Array[])[]
  /** By turn and coordinate: the squared distance of the message from the mean that is expected. */
  readonly expected: readonly Float64Array[]
  /** Squared distances over the expected ones, on the mean over turns and parts: about 1 where the recipe is right. */
  readonly excess: number
  /** The same of each turn. */
  readonly byTurn: readonly number[]
  /** What decides between recipes: lower is better. Twice a negative log-likelihood a coordinate, up to a constant. */
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

export function fitOf(stage: Stage, recipe: Recipe, { plays: count, rates, noiseVar = 0 }: FitOptions): RecipeFit {
  const { turns, supposed, rng, kept = keptPlays() } = stage
  const casts = Math.max(1, Math.min(count, supposed.guesses.length))
  const recipeKey = JSON.stringify(recipe)
  const cast = castOf(stage, recipe)
  const drawn = drawsAnything(recipe, supposed)
  try {
    const plays = turns.map(({ theta, learningRate, round }, t) => {
      stage.tick?.()
      const rate = (learningRate ?? recipe.learningRate ?? 1) * (rates?.[t] ?? 1)
      return Array.from({ length: count }, (_, k) => {
        const guess = k % casts
        return kept.of(`${t} ${drawn ? k : ''} ${guess} ${rate} ${recipeKey}`, () => {
          const own = rng.fork('round', round, 'play', k)
          const { replay, records } = cast.playing(guess)
          const rows = rowsFor(records.n, supposed.samples, own)
          return replay.play({ theta, records, rows, learningRate: rate, rng: own })
        })
      })
    })
    return judged(stage, recipe, { plays, noiseVar })
  } finally {
    cast.release()
  }
}

/** Whether plays on the same records differ by what they draw: batches, masks, noise, records in the place of others. */
function drawsAnything(recipe: Recipe, { guesses, samples }: Supposed): boolean {
  const { dropout, differentialPrivacy } = recipe
  const known = Math.min(...guesses.map(({ features }) => features.rows))
  return dropout > 0 || differentialPrivacy !== null || samples > known || stepsOf(recipe, samples).batch < samples
}

/** Who plays a recipe over, and supposed records in its memory: made when they are first asked for. */
function castOf({ view, supposed }: Stage, recipe: Recipe) {
  let replay: Replay | undefined
  const held = new Map<number, Held>()
  return {
    playing(guess: number): { readonly replay: Replay; readonly records: Held } {
      replay ??= replayer(view, recipe)
      const records = held.get(guess) ?? replay.hold(supposed.guesses[guess]!)
      held.set(guess, records)
      return { replay, records }
    },
    release(): void {
      for (const one of held.values()) one.release()
      replay?.release()
    },
  }
}

/** The same plays, held against messages with white noise on every value. */
export const withNoise = (stage: Stage, { recipe, plays }: RecipeFit, noiseVar: number): RecipeFit =>
  judged(stage, recipe, { plays, noiseVar })

/** All known records, and known ones in the place of those that nobody knows. */
function rowsFor(known: number, samples: number, rng: Rng): Int32Array {
  const own = rng.fork('others')
  return Int32Array.from({ length: samples }, (_, i) => (i < known ? i : own.integer(known)))
}

/** Plays that were made, held against the messages. */
export function judged(
  stage: Heard,
  recipe: Recipe,
  { plays, noiseVar }: { plays: RecipeFit['plays']; noiseVar: number },
): RecipeFit {
  const { turns } = stage
  const means = plays.map(meanChange)
  const spread = spreadOf(plays, means)
  const K = plays[0]?.length ?? 1
  const expected = turns.map((turn, t) => expectedOf(stage, { turn, spread: spread[t]!, more: 1 + 1 / K, noiseVar }))
  const ratios = turns.map(({ change }, t) => ratiosOf(stage, { change, mean: means[t]!, expected: expected[t]!, t }))
  return {
    ...{ recipe, means, plays, expected, noiseVar },
    excess: meanOf(ratios.flat()),
    byTurn: ratios.map(meanOf),
    score: scoreOf(turns, means, expected),
  }
}

/** Degrees of freedom of the errors: a few coordinates that are far off must not decide alone. */
const tails = 8

function scoreOf(turns: Stage['turns'], means: RecipeFit['means'], expected: RecipeFit['expected']): number {
  let [sum, count] = [0, 0]
  for (const [t, { change }] of turns.entries()) {
    for (let j = 0; j < change.length; j++) {
      const far = change[j]! - means[t]![j]!
      const s = expected[t]![j]!
      sum += log(s) + (tails + 1) * log1p((far * far) / (s * tails))
      count++
    }
  }
  return sum / count
}

/** How much plays of a turn differ in each coordinate: each turn by its own size, coordinates by what all turns say. */
function spreadOf(plays: RecipeFit['plays'], means: RecipeFit['means']): Float64Array[] {
  const d = means[0]!.length
  const own = plays.map((some, t) => {
    const out = new Float64Array(d)
    for (const one of some) {
      for (let j = 0; j < d; j++) {
        const far = one[j]! - means[t]![j]!
        out[j]! += (far * far) / Math.max(1, some.length - 1)
      }
    }
    return out
  })
  const sizes = own.map(meanOf)
  const shape = new Float64Array(d)
  for (const [t, some] of own.entries()) {
    if (!(sizes[t]! > 0)) continue
    for (let j = 0; j < d; j++) shape[j]! += some[j]! / sizes[t]! / own.length
  }
  return own.map((some, t) => some.map((v, j) => 0.75 * sizes[t]! * shape[j]! + 0.25 * v))
}

interface Spread {
  readonly turn: HeardTurn
  readonly spread: Float64Array
  /** By how much one message is farther from the mean of some plays than these are. */
  readonly more: number
  readonly noiseVar: number
}

/** What squared distances would be if the recipe were right: the spread of plays, noise, rounding. */
function expectedOf({ parts }: Heard, { turn: { theta, change }, spread, more, noiseVar }: Spread): Float64Array {
  const out = new Float64Array(change.length)
  for (const part of parts) {
    const n = part[1] - part[0]
    const mean = squares(change, part) / n
    // Where a few plays agree by chance, as values that are rounded or left out may, others need not.
    let least = 0
    for (let j = part[0]; j < part[1]; j++) least += (0.05 * spread[j]!) / n
    for (let j = part[0]; j < part[1]; j++) {
      out[j] = more * Math.max(spread[j]!, least) + noiseVar + floorAt(change[j]!, theta[j]!, mean)
    }
  }
  return out
}

/** Values are rounded to f32 at worst, beside the model that they are added to. */
const floorAt = (change: number, theta: number, mean: number): number =>
  nearEnough * nearEnough * (0.5 * change * change + 0.5 * mean) + 1e-14 * theta * theta + Number.MIN_VALUE

interface Compared {
  readonly change: Float64Array
  readonly mean: Float64Array
  readonly expected: Float64Array
  readonly t: number
}

/** By part: squared distances over the expected ones. What is below the least that can be told counts as expected. */
export function ratiosOf({ parts, turns }: Heard, { change, mean, expected, t }: Compared): number[] {
  const { theta, change: heard } = turns[t]!
  return parts.map((part) => {
    const size = squares(heard, part) / (part[1] - part[0])
    let sum = 0
    for (let j = part[0]; j < part[1]; j++) {
      const far = change[j]! - mean[j]!
      sum += (far * far + floorAt(heard[j]!, theta[j]!, size)) / expected[j]!
    }
    return sum / (part[1] - part[0])
  })
}

function squares(values: Float64Array, [from, to]: readonly [number, number]): number {
  let sum = 0
  for (let j = from; j < to; j++) sum += values[j]! * values[j]!
  return sum
}

function meanChange(plays: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(plays[0]!.length)
  for (const one of plays) for (let j = 0; j < mean.length; j++) mean[j]! += one[j]! / plays.length
  return mean
}

/** What the plays of a fit must be multiplied with to come nearest to the messages: in all turns together, and in each. */
export function rateFactors({ turns }: Stage, fit: RecipeFit): { one: number; each: number[] } {
  const { means, expected, plays } = fit
  const spread = spreadOf(plays, means)
  const K = plays[0]?.length ?? 1
  const sums = turns.map((turn, t) => {
    let [over, under] = [0, 0]
    for (let j = 0; j < turn.change.length; j++) {
      const weight = 1 / expected[t]![j]!
      over += weight * turn.change[j]! * means[t]![j]!
      // The mean over a few plays is longer than it would be over many, by what is left of their spread.
      under += weight * (means[t]![j]! * means[t]![j]! - spread[t]![j]! / K)
    }
    return { over, under }
  })
  const total = sums.reduce((all, { over, under }) => ({ over: all.over + over, under: all.under + under }))
  const ratio = ({ over, under }: { over: number; under: number }): number => (under > 0 && over > 0 ? over / under : 1)
  return { one: ratio(total), each: sums.map(ratio) }
}
