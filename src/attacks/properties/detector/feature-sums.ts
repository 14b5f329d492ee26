/** From sums of updates to sums of features: every round gets its own detector, and only numbers are kept. */

import type { SparseMatrix } from '../../../numeric/linalg/sparse.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { type ScaleVector, usualScale } from '../../../numeric/random/scale-vector.js'
import { Inapplicable } from '../../attack.js'
import { type Derive, deriveHere, type Item } from '../../derivation.js'
import { rowSums } from '../participation-matrix.js'
import { clientSizes, type Sums, type SumsView } from '../usable-sums.js'
import { type Detector, type FeatureShape, nowAndThen } from './detector.js'
import type { BehaviourOptions, Property } from './made-up-clients.js'
import { detectors, detectorsOf, type MadeUp } from './made-up-rounds.js'
import type { TrainingView } from './replayed-training.js'

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
  /** Several features as one, their mean. */
  readonly joined?: boolean
  /** In how many rounds those with the property act so; else they are like the others. 1: in all. */
  readonly acting?: number
  /** What clients that scale their update multiply it with; the usual vector unless told. */
  readonly scale?: ScaleVector
}

export interface FeatureContext {
  readonly rng: Rng
  /** Who trains the detectors, or has them; unless told, they are trained here, from `rng`. */
  readonly derive?: Derive | undefined
  tick(done: number, total: number): void
  /** Told of every detector before it is forgotten, of the rounds in any order. */
  onDetector?(detector: Detector, at: { readonly index: number; readonly feature: number }): void
}

/** One list a feature: t lists over the same rounds, or one where they are joined. */
export async function featureSums(
  view: PropertyView,
  sums: Sums,
  options: FeatureOptions,
  { rng, tick, onDetector, derive = deriveHere(rng) }: FeatureContext,
): Promise<readonly FeatureSums[]> {
  const { rounds, A, unit } = sums
  const weights = rowSums(A)
  const { features, floor, joined = false, acting = 1 } = options
  const lists = joined ? 1 : features
  const G = Array.from({ length: lists }, () => new Float64Array(rounds.length))
  const shapes = Array.from({ length: lists }, () => new Array<FeatureShape>(rounds.length))
  await derive(detectors, {
    view,
    settings: { ...(await madeUp(view, sums, options)), floor, features },
    items: roundItems(sums, options.property),
    tick,
    async onItem(index, found) {
      const { dThetaSum } = await view.aggregates.read(rounds[index]!)
      const all = detectorsOf(found)
      for (const [feature, detector] of (joined ? all.slice(-1) : all.slice(0, features)).entries()) {
        const weight = weights[index]!
        G[feature]![index] = summedFeature(detector, dThetaSum, { unit, weight })
        shapes[feature]![index] = nowAndThen(detector.shape, acting)
        onDetector?.(detector, { index, feature })
      }
    },
  })
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

/** What made-up clients depend on. What does not matter for a property is the same whatever was asked: others share it. */
export async function madeUp(
  view: PropertyView,
  sums: Sums,
  {
    property,
    pairs,
    records,
    maxNorm,
    riding,
    scale = usualScale,
  }: Omit<FeatureOptions, 'floor' | 'features' | 'joined'>,
): Promise<MadeUp> {
  const sizes = records > 0 ? [records] : clientSizes(view)
  if (sizes.length === 0) {
    throw new Inapplicable(['sampleCounts'], 'how many records a client holds is not known; set records')
  }
  return {
    property,
    pairs,
    sizes,
    record: property === 'membership' ? (view.property?.record ?? 0) : null,
    maxNorm: property === 'ascent' ? maxNorm : 0,
    riding: property === 'free-rider' ? riding : 'any',
    noiseStd: property === 'free-rider' ? await loudness(view, sums) : 0,
    scale: { ...(property === 'scaled' ? scale : usualScale) },
  }
}

/** The rounds, each with those whose models its riders remember: when each of the participants was last asked. */
export function roundItems({ A, rounds }: Sums, property: Property): Item[] {
  if (property !== 'free-rider') return rounds.map((round) => ({ rounds: [round] }))
  return rounds.map((round, index) => {
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
    return { rounds: [round, ...Array.from(before, (r) => rounds[r]!)] }
  })
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
