/** What a made-up client returns in a round when it has a property, and when it has not; the next one may overwrite it. */

import { norm } from '../../../numeric/linalg/vector.js'
import type { Rng } from '../../../numeric/random/rng.js'
import type { LocalTraining } from './replayed-training.js'

/** One made-up turn. `draw` gives so many auxiliary rows, none twice. */
export interface MadeTurn {
  readonly training: LocalTraining
  /** Records of this client. */
  readonly size: number
  readonly rng: Rng
  draw(count: number): Int32Array
  /** What free riders who return the change of the global model would return in this round. */
  readonly stale: readonly Float64Array[]
  /** How loud noise may be: its deviation in each coordinate. */
  readonly noiseStd: number
  /** What a client that scales its update multiplies it with. */
  readonly vector: Float64Array
}

export interface BehaviourOptions {
  /** Bound on the norm of an ascending client's update; 0: none. */
  readonly maxNorm: number
  readonly riding: 'any' | 'zero' | 'stale' | 'noise'
}

export const properties = ['membership', 'inversion', 'ascent', 'free-rider', 'mislabelled', 'scaled'] as const
export type Property = (typeof properties)[number]

/** An honest update. */
export function honest({ training, size, rng, draw }: MadeTurn): Float64Array {
  return training.change({ rows: draw(size), rng })
}

/** [prolin] Section 5.1.2: the update of a client that has the property. */
export const having: Readonly<Record<Property, (turn: MadeTurn, options: BehaviourOptions) => Float64Array>> = {
  membership({ training, size, rng, draw }) {
    const rows = new Int32Array(size)
    rows.set(draw(size - 1))
    rows[size - 1] = training.candidateRow!
    return training.change({ rows, rng })
  },
  inversion: (turn) => timesInto(honest(turn), -1),
  ascent({ training, size, rng, draw }, { maxNorm }) {
    const change = training.change({ rows: draw(size), rng, ascend: true })
    const length = norm(change)
    return maxNorm > 0 && length > maxNorm ? timesInto(change, maxNorm / length) : change
  },
  scaled(turn) {
    const change = honest(turn)
    for (let j = 0; j < change.length; j++) change[j]! *= turn.vector[j]!
    return change
  },
  mislabelled({ training, size, rng, draw }) {
    return training.change({ rows: draw(size).map((row) => row + training.mislabelledFrom!), rng })
  },
  'free-rider'(turn, { riding }) {
    const kinds = ['zero', 'noise', 'stale'] as const
    const kind = riding === 'any' ? kinds[turn.rng.fork('riding').integer(kinds.length)]! : riding
    return riders[kind](turn)
  },
}

/** In place: updates are long, and most of them are forgotten at once. */
function timesInto(change: Float64Array, by: number): Float64Array {
  for (let j = 0; j < change.length; j++) change[j]! *= by
  return change
}

const riders: Readonly<Record<'zero' | 'stale' | 'noise', (turn: MadeTurn) => Float64Array>> = {
  zero: ({ training }) => new Float64Array(training.parameters),
  stale(turn) {
    const { stale, rng } = turn
    return stale.length === 0 ? riders.zero(turn) : stale[rng.fork('stale').integer(stale.length)]!.slice()
  },
  // About as loud as the sums: a rider's noise is independent of all else in them, and cannot hide in their length.
  noise({ training, noiseStd, rng }) {
    const draws = rng.fork('noise')
    const std = noiseStd * draws.lognormal({ logMean: 0, logStd: 0.5 })
    return draws.normals(training.parameters, { std })
  },
}
