/** From sums of updates to sums of features: every round gets its own detector, and only numbers are kept. */

import type { SparseMatrix } from '../../../numeric/linalg/sparse.js'
import { firstNonFinite } from '../../../numeric/linalg/vector.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { type ScaleVector, scaleVector, usualScale } from '../../../numeric/random/scale-vector.js'
import { rangeOf } from '../../../numeric/special/summaries.js'
import { Inapplicable } from '../../attack.js'
import { rowSums } from '../participation-matrix.js'
import { clientSizes, type Sums, type SumsView } from '../usable-sums.js'
import { type Detector, type FeatureShape, nowAndThen, parts, type Simulate, trainDetector } from './detector.js'
import { type BehaviourOptions, having as behave, honest, type MadeTurn, type Property } from './made-up-clients.js'
import { localTraining, type TrainingView } from './replayed-training.js'

/** G_r = sum over i of A_ri X_ri + noise, where X_ri is drawn from f+ or f- of round r. */
export interface FeatureSums {
  readonly A: SparseMatrix // [n, N]
  readonly G: Float64Array // n
  readonly shapes: readonly FeatureShape[] // n
}

export type PropertyView = SumsView & TrainingView & { readonly property?: { readonly record?: number } }

export interface FeatureOptions extends BehaviourOptions {
  readonly property: Property
  readonly pairs: number
  /** Records of a made-up client; 0: as many as the real ones hold. */
  readonly records: number
  readonly floor: number
  /** t: features a round. */
  readonly features: number
  /** In how many rounds those with the property act so; else they are like the others. 1: in all. */
  readonly acting?: number
  /** What clients that scale their update multiply it with; the usual vector unless told. */
  readonly scale?: ScaleVector
}

export interface FeatureContext {
  readonly rng: Rng
  tick(done: number, total: number): void
  /** Told of every detector before it is forgotten. */
  onDetector?(detector: Detector, at: { readonly index: number; readonly feature: number }): void
}

/** One list a feature: t lists over the same rounds. */
export async function featureSums(
  view: PropertyView,
  sums: Sums,
  options: FeatureOptions,
  context: FeatureContext,
): Promise<readonly FeatureSums[]> {
  const { rounds, A, unit } = sums
  const weights = rowSums(A)
  const world = await simulation(view, sums, { ...options, rng: context.rng })
  const t = options.features
  const G = Array.from({ length: t }, () => new Float64Array(rounds.length))
  const shapes = Array.from({ length: t }, (): FeatureShape[] => [])
  try {
    for (const [index, round] of rounds.entries()) {
      context.tick(index, rounds.length)
      const simulate = await world.at(index, context.rng.fork('round', round))
      const { dThetaSum } = await view.aggregates.read(round)
      for (let feature = 0; feature < t; feature++) {
        const fold = { index: feature, of: t }
        const detector = trainDetector(simulate, { pairs: options.pairs, floor: options.floor, fold })
        G[feature]![index] = summedFeature(detector, dThetaSum, { unit, weight: weights[index]! })
        shapes[feature]!.push(nowAndThen(detector.shape, options.acting ?? 1))
        context.onDetector?.(detector, { index, feature })
      }
    }
  } finally {
    world.release()
  }
  context.tick(rounds.length, rounds.length)
  return G.map((sum, f) => ({ A, G: sum, shapes: shapes[f]! }))
}

/** G_r = a . b_r + |S_r| c, in the unit in which weights are about 1: the sum of the participants' features. */
export function summedFeature(
  { a, c }: Pick<Detector, 'a' | 'c'>,
  dThetaSum: Float64Array,
  { unit, weight }: { readonly unit: number; readonly weight: number },
): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * dThetaSum[j]!
  return sum / unit + weight * c
}

export type SimulationOptions = Pick<
  FeatureOptions,
  'property' | 'records' | 'maxNorm' | 'riding' | 'scale' | 'pairs'
> & {
  readonly rng: Rng
}

/** Made-up clients of any round. */
export interface Simulation {
  /** The updates they would return in the round at this place of the list. */
  at(index: number, rng: Rng): Promise<Simulate>
  release(): void
}

export async function simulation(view: PropertyView, sums: Sums, options: SimulationOptions): Promise<Simulation> {
  const { property, records, rng, scale = usualScale } = options
  const record = property === 'membership' ? (view.property?.record ?? 0) : undefined
  const sizes = records > 0 ? [records] : clientSizes(view, sums.ids)
  if (sizes.length === 0) {
    throw new Inapplicable(['sampleCounts'], 'how many records a client holds is not known; set records')
  }
  const largest = Math.max(0, rangeOf(sizes).max)
  const mislabelled = property === 'mislabelled' ? rng.fork('labels') : undefined
  const training = localTraining(view, { candidate: record, mislabelled })
  if (training.records < largest) {
    training.release()
    const found = `clients hold up to ${largest} records, the auxiliary data only ${training.records}`
    throw new Inapplicable([`${largest} auxiliary records`], found)
  }
  const noiseStd = property === 'free-rider' ? await loudness(view, sums) : 0
  return {
    async at(index, own) {
      const round = sums.rounds[index]!
      training.begin(await view.globals.read(round))
      const stale = property === 'free-rider' ? await staleChanges(view, sums, index) : []
      const vector = scaleVector(property === 'scaled' ? training.parameters : 0, scale)
      const stock = { training, sizes, stale, noiseStd, vector }
      const halves = halvesOf(own.fork('halves').permutation(training.records), largest)
      const { train } = parts(options.pairs)
      return (having, i) => {
        const draws = own.fork(having ? 'having' : 'lacking', i)
        const from = halves[i < train ? 0 : 1]
        if (!having) return honest(madeTurn(stock, draws, from))
        let update = behave[property](madeTurn(stock, draws, from), options)
        // Who climbs out of all numbers has nothing to return: another one is made up.
        for (let k = 1; k < 9 && property === 'ascent' && firstNonFinite(update) >= 0; k++) {
          update = behave[property](madeTurn(stock, draws.fork('again', k), from), options)
        }
        return update
      }
    },
    release: () => training.release(),
  }
}

interface Stock extends Pick<MadeTurn, 'training' | 'stale' | 'noiseStd' | 'vector'> {
  readonly sizes: readonly number[]
}

/** The made-up client's records are some of `from`. */
function madeTurn({ training, sizes, ...stock }: Stock, rng: Rng, from: Int32Array): MadeTurn {
  const size = sizes[rng.fork('size').integer(sizes.length)]!
  const draw = (count: number): Int32Array =>
    rng
      .fork('rows')
      .sample(from.length, count)
      .map((i) => from[i]!)
  return { training, size, rng, ...stock, draw }
}

/**
 * Records to train a detector on, and others to choose and measure it on: real clients bring records that no detector has
 * seen, and measured on its own ones it looks better than it is. Each half holds at least twice as many as a client, lest all
 * made-up clients be alike: with few records they share some, or all.
 */
export function halvesOf(order: Int32Array, largest: number): readonly [Int32Array, Int32Array] {
  const count = Math.max(Math.ceil(order.length / 2), Math.min(2 * largest, order.length))
  return [order.slice(0, count), order.slice(order.length - count)]
}

/** theta_r - theta_q for the participants of round r who were last asked in round q. */
async function staleChanges(view: PropertyView, { A, rounds }: Sums, index: number): Promise<Float64Array[]> {
  const now = await view.globals.read(rounds[index]!)
  const before = new Set<number>()
  for (let p = A.rowStart[index]!; p < A.rowStart[index + 1]!; p++) {
    const i = A.column[p]!
    for (let r = index - 1; r >= 0; r--) {
      if (A.column.subarray(A.rowStart[r]!, A.rowStart[r + 1]!).includes(i)) {
        before.add(r)
        break
      }
    }
  }
  const changes: Float64Array[] = []
  for (const r of before) {
    const then = await view.globals.read(rounds[r]!)
    changes.push(now.map((x, j) => x - then[j]!))
  }
  return changes
}

/** The median of |x| of a standard normal x. */
const middle = 0.6745

/**
 * The deviation of noise in one update that would make up the louder sums: of each sum the median coordinate, which
 * honest updates leave small, of all rounds the upper quartile, as few rounds need hold riders.
 */
async function loudness(view: PropertyView, { rounds, unit }: Sums): Promise<number> {
  const found = new Float64Array(rounds.length)
  for (const [r, round] of rounds.entries()) {
    const sizes = (await view.aggregates.read(round)).dThetaSum.map(Math.abs).sort()
    const half = sizes[sizes.length >> 1]!
    // A sum that is mostly 0 has no noise in it; its greatest value bounds what could be.
    found[r] = (half > 0 ? half / middle : sizes[sizes.length - 1]!) / unit
  }
  return found.sort()[Math.floor(0.75 * (rounds.length - 1))]!
}
