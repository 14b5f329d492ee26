/** Sums of features as normal as every method of [prolin] assumes them to be: which method wins when all assumptions hold. */
import type { FeatureSums } from '../../attacks/properties/detector/feature-sums.js'
import { sparseFromTriplets } from '../../numeric/linalg/sparse.js'
import { rng } from '../../numeric/random/rng.js'
import { overlapOfNormals } from '../../numeric/special/overlap-of-normals.js'

export interface DrawnWorld {
  /** The area that both densities have in common. */
  readonly overlap: number
  readonly rounds: number
  readonly clients: number
  readonly guilty: number
  readonly seed: number
}

/** mu+ - mu- for which two normals of deviation 1 overlap so much. */
function gapOf(overlap: number): number {
  let [low, high] = [0, 10]
  for (let k = 0; k < 60; k++) {
    const gap = (low + high) / 2
    if (overlapOfNormals({ mean1: 0, std1: 1, mean2: gap, std2: 1 }).overlap > overlap) low = gap
    else high = gap
  }
  return low
}

/** A fifth of the clients takes part in each round; the features of the guilty lie on the other side of 0. */
export function drawnFeatures({ overlap, rounds: n, clients: N, guilty: count, seed }: DrawnWorld): {
  readonly features: readonly FeatureSums[]
  readonly truth: readonly boolean[]
} {
  const draws = rng(seed).fork('studies', 'drawn features')
  const guilty = new Set(draws.fork('guilty').sample(N, count))
  const gap = gapOf(overlap)
  const triplets: [row: number, column: number, value: number][] = []
  const G = new Float64Array(n)
  for (let r = 0; r < n; r++) {
    const round = draws.fork('round', r)
    for (const i of round.sample(N, Math.round(N / 5))) {
      triplets.push([r, i, 1])
      G[r]! += (guilty.has(i) ? gap / 2 : -gap / 2) + round.fork('noise', i).normal()
    }
  }
  const shape = { plusMean: gap / 2, plusStd: 1, minusMean: -gap / 2, minusStd: 1, measured: 1e6, v: 1 - overlap }
  const A = sparseFromTriplets({ rows: n, cols: N }, triplets)
  return {
    features: [{ A, G, shapes: Array.from({ length: n }, () => shape) }],
    truth: Array.from({ length: N }, (_, i) => guilty.has(i)),
  }
}
