/** The search of [aia] Eq. (2): ascent on the logits for each set of rounds and each rate; who tunes chooses among them. */
import type { Rng } from '../../../numeric/random/rng.js'
import { meanOf } from '../../../numeric/special/summaries.js'
import type { View } from '../../../threat/granted-keys.js'
import { evaluable } from '../../shared/evaluable-model.js'
import { type Unknowns, unknownsOf } from '../unknown-columns.js'
import { cosineOf } from './cosine.js'
import { tabledCosine } from './cosine-table.js'
import type { CosineFunction, Message } from './matched-message.js'
import {
  climb,
  copyOf,
  drawInto,
  fillValues,
  type RelaxationOptions,
  type Relaxed,
  relaxed,
  valuesOf,
} from './smooth-attributes.js'

export interface MatchOptions extends RelaxationOptions {
  readonly iterations: number
  readonly rates: readonly number[]
  /** Which messages, by their places: the sets to choose from. */
  readonly sets: readonly { readonly name: string; readonly places: readonly number[] }[]
  readonly rng: Rng
  readonly tick: (done: number, total: number) => void
  /** Compiled already, when the same records are matched again. */
  readonly cosine?: CosineFunction
}

/** What one set of rounds and one rate end with. */
export interface GradientCandidate {
  readonly set: string
  readonly rounds: number
  readonly rate: number
  /** Mean over the set's messages of the cosine that the whole guesses have. */
  readonly cosine: number
  /** One an attribute: places among the values, or encoded numbers. */
  readonly guesses: readonly Float64Array[]
}

export type MatchView = View<'records' | 'records.label' | 'sensitive' | 'model' | 'loss' | 'protocol'>

/** Every candidate of the grid, in its order: the attack picks by cosine, an oracle may pick otherwise. */
export function gradientCandidates(
  view: MatchView,
  messages: readonly Message[],
  options: MatchOptions,
): { readonly unknowns: Unknowns; readonly candidates: readonly GradientCandidate[] } {
  const unknowns = unknownsOf(view)
  const cosine = options.cosine ?? cosineFor(view, { unknowns, messages: messages.length, variant: options.variant })
  const total =
    options.sets.reduce((sum, set) => sum + set.places.length, 0) * options.rates.length * options.iterations
  let done = 0
  const candidates: GradientCandidate[] = []
  for (const set of options.sets) {
    const heard = set.places.map((place) => messages[place]!)
    for (const rate of options.rates) {
      const rng = options.rng.fork('set', set.name, 'rate', rate)
      const guesses = ascend(unknowns, heard, {
        cosine,
        rate,
        options,
        rng,
        tick(count) {
          done += count
          options.tick(done, total)
        },
      })
      candidates.push({
        set: set.name,
        rounds: heard.length,
        rate,
        guesses,
        cosine: wholeCosine(unknowns, heard, { cosine, guesses }),
      })
    }
  }
  return { unknowns, candidates }
}

/** From a table where only whole values are asked about and one can be made, else computed at each of them. */
function cosineFor(
  view: MatchView,
  asked: { readonly unknowns: Unknowns; readonly messages: number } & Pick<MatchOptions, 'variant'>,
): CosineFunction {
  const { unknowns, messages, variant } = asked
  const functions = evaluable(view)
  const table = variant === 'soft' ? undefined : tabledCosine({ functions, view, unknowns, messages })
  if (table !== undefined) return table
  const { attributes, known, labels } = unknowns
  const places = attributes.flatMap((one) => one.places)
  return cosineOf({ functions, view, labels, places, records: known.rows })
}

interface Ascent {
  readonly cosine: CosineFunction
  readonly rate: number
  readonly options: MatchOptions
  readonly rng: Rng
  tick(count: number): void
}

function ascend({ attributes, known }: Unknowns, messages: readonly Message[], ascent: Ascent): Float64Array[] {
  const { cosine, rate, options, rng, tick } = ascent
  const n = known.rows
  const records = copyOf(known)
  const state = attributes.map((one, a): Relaxed => relaxed(one, n, options, rng.fork('logits', a)))
  const places = attributes.reduce((sum, one) => sum + one.places.length, 0)
  for (let k = 0; k < options.iterations; k++) {
    const draws = state.map((one, a) => drawInto(records, one, { ...options, rng: rng.fork('noise', k, a) }))
    const slope = new Float64Array(n * places)
    for (const message of messages) {
      const part = cosine(records, message).slope
      for (let j = 0; j < slope.length; j++) slope[j]! += part[j]!
    }
    let from = 0
    for (const [a, one] of state.entries()) {
      climb(one, draws[a]!, { slope, places, from, rate, tau: options.temperature })
      from += one.attribute.places.length
    }
    tick(messages.length)
  }
  return state.map(valuesOf)
}

function wholeCosine(
  { attributes, known }: Unknowns,
  messages: readonly Message[],
  { cosine, guesses }: { readonly cosine: CosineFunction; readonly guesses: readonly Float64Array[] },
): number {
  const records = copyOf(known)
  for (const [a, attribute] of attributes.entries()) fillValues(records, attribute, guesses[a]!)
  return meanOf(messages.map((message) => cosine(records, message).value))
}

/** The best cosine; ties to the first. A cosine that is not a number is never the best. */
export function bestByCosine(candidates: readonly GradientCandidate[]): GradientCandidate {
  return candidates.reduce((best, one) => (one.cosine > best.cosine || Number.isNaN(best.cosine) ? one : best))
}
