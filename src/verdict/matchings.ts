/** Candidates of the client step: which seat's messages belong to which held-back set, matched otherwise than they were. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import { reaches } from './randomisation.js'
import { checkAttacks } from './relabellings.js'
import type { Deal } from './tables.js'

/** Permutations of the sets: seat i is matched with set `sets[i]`; the true matching first. */
export interface Matchings {
  readonly sets: readonly Int32Array[]
  readonly contrast: Float64Array
}

/** The true matching and all others, where they are at most `most`; else the true one and `most` drawn at random. */
export function matchings(seats: number, { most, rng }: { readonly most: number; readonly rng: Rng }): Matchings {
  if (!(Number.isInteger(seats) && seats >= 2)) {
    throw new OverhearError('E_VALUE', `${seats} seats to match`, 'a whole number of at least 2 is needed')
  }
  let count = 1
  for (let i = 2; i <= seats && count <= most + 1; i++) count *= i
  const truth = Int32Array.from({ length: seats }, (_, i) => i)
  const sets =
    count <= most + 1
      ? [...permutations(truth)]
      : [truth, ...Array.from({ length: most }, () => rng.permutation(seats))]
  const contrast = Float64Array.from(sets, (one) => {
    const own = one.reduce((sum, set, i) => sum + (set === i ? 1 : 0), 0)
    return own / seats - (seats - own) / (seats * (seats - 1))
  })
  return { sets, contrast }
}

/** The fewest seats of whose matchings the true one could be rarer than the level. */
export function leastClients(level: number): number {
  if (!(level > 0)) throw new OverhearError('E_VALUE', `a level of ${level}`, 'a number above 0 is needed')
  let [seats, count] = [2, 2]
  while (!reaches(1 / count, level)) count *= ++seats
  return seats
}

/** All orders of the places, their own first. */
function* permutations(places: Int32Array, from = 0): Generator<Int32Array> {
  if (from >= places.length - 1) {
    yield places.slice()
    return
  }
  for (let i = from; i < places.length; i++) {
    const other = places.slice()
    ;[other[from], other[i]] = [other[i]!, other[from]!]
    yield* permutations(other, from + 1)
  }
}

/**
 * For every matching, the best attack's mean score over matched pairs less the best attack's mean over all other pairs.
 * `attacks` holds for each attack scores[seat][set]: of the claims from a seat's messages about the people of a set.
 */
export function match(
  training: number,
  { sets, contrast }: Matchings,
  attacks: readonly (readonly ArrayLike<number>[])[],
): Deal {
  checkAttacks(attacks)
  const seats = sets[0]!.length
  for (const [a, scores] of attacks.entries()) {
    const row = scores.findIndex(({ length }) => length !== seats)
    if (scores.length === seats && row < 0) continue
    const size = row < 0 ? `${scores.length} seats` : `${scores[row]!.length} sets for seat ${row}`
    throw new OverhearError(
      'E_SHAPE',
      `attack ${a} has scores of ${size}`,
      `${seats} seats and as many sets are matched`,
    )
  }
  const totals = attacks.map((scores) => {
    let total = 0
    for (const row of scores) for (let j = 0; j < seats; j++) total += row[j]!
    return total
  })
  const T = Float64Array.from(sets, (one) => {
    let [matched, rest] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const [a, scores] of attacks.entries()) {
      let sum = 0
      for (let i = 0; i < seats; i++) sum += scores[i]![one[i]!]!
      matched = Math.max(matched, sum / seats)
      rest = Math.max(rest, (totals[a]! - sum) / (seats * (seats - 1)))
    }
    return matched - rest
  })
  return { training, T, contrast }
}
