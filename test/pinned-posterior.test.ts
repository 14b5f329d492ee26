import { blup } from '../src/attacks/properties/best-linear-prediction.js'
import type { FeatureSums } from '../src/attacks/properties/detector/feature-sums.js'
import { agreement, posterior, startsOf } from '../src/attacks/properties/posterior/sampled-posterior.js'
import { sparseFromTriplets, type Triplet } from '../src/numeric/linalg/sparse.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

interface World {
  readonly seed: number
  readonly N: number
  readonly n: number
  readonly perRound: number
  readonly positives: number
  readonly gap: number
  readonly plusStd: number
  readonly measured: number
}
const small: World = { seed: 1, N: 7, n: 9, perRound: 3, positives: 2, gap: 3, plusStd: 1, measured: 1e6 }

/** Sums of features by arithmetic that is the same everywhere; the first clients have the property. */
function sums(given: Partial<World>): FeatureSums {
  const { seed, N, n, perRound, positives, gap, plusStd, measured } = { ...small, ...given }
  const draws = rng(seed).fork('pinned posterior')
  const triplets: Triplet[] = []
  const G = new Float64Array(n)
  const shapes = Array.from({ length: n }, (_, r) => {
    const own = draws.fork('round', r)
    const minusMean = r / 50 - gap / 2
    for (const i of Array.from(own.sample(N, perRound)).sort((a, b) => a - b)) {
      triplets.push([r, i, 1 + (i % 2) / 4])
      G[r]! += (1 + (i % 2) / 4) * (i < positives ? minusMean + gap + plusStd * own.normal() : minusMean + own.normal())
    }
    return { minusMean, minusStd: 1, plusMean: minusMean + gap, plusStd, measured, v: 0.5 }
  })
  return { A: sparseFromTriplets({ rows: n, cols: N }, triplets), G, shapes }
}

/** What chains end with, and what they tell on the way. */
const sampling =
  (world: Partial<World>, options: object = {}) =>
  () => {
    const told: number[][] = []
    const tick = (...at: number[]) => void told.push(at)
    const found = posterior(sums(world), {
      rng: rng('chains'),
      share: 0.3,
      sweeps: 8,
      maxSweeps: 100,
      tick,
      ...options,
    })
    return [found, told]
  }
const run = (mean: readonly number[], variance: readonly number[]) => ({ mean: Float64Array.from(mean), variance: Float64Array.from(variance) }) // biome-ignore format: a line

pinResults('posterior', {
  'clients who have the property, by chains': [
    sampling({}),
    sampling({ gap: 0.5 }),
    sampling({ gap: 6 }),
    sampling({ seed: 4, plusStd: 2 }),
    sampling({}, { sweeps: 2 }),
    sampling({}, { sweeps: 2, maxSweeps: 6 }),
    sampling({}, { sweeps: 2, maxSweeps: 5 }),
    sampling({}, { chains: 2, sweeps: 5 }),
    sampling({}, { chains: 5, sweeps: 5 }),
    ...[1, 2, 7, 8].map((trial) => sampling({ gap: 6 }, { trial })),
    sampling({ gap: 6 }, { trial: 60, sweeps: 61 }),
    sampling({ measured: 3 }),
    ...[0, 1, -0.1].map((share) => sampling({}, { share })),
  ],
  'where chains start': [1, 4, 6].map(
    (count) => () => startsOf(Float64Array.of(0.5, 0.500001, 0.2, 0.9, 0, 1), count, rng('starts')),
  ),
  'how chains agree': [
    () => agreement([run([0.5, 0.1], [0.2, 0.1]), run([0.5, 0.1], [0.2, 0.1])], 10),
    () => agreement([run([0.5, 0.1], [0.2, 0.1]), run([0.7, 0.1], [0.2, 0.1])], 10),
    () => agreement([run([0.5, 0.1], [0.2, 0.1]), run([0.509, 0.1], [0.01, 0])], 11),
    () => agreement([run([0.5, 0.1], [0.2, 0.1]), run([0.511, 0.1], [0, 0])], 11),
    () => agreement([run([0, 1], [0, 0]), run([1, 1], [0, 0]), run([0, 1], [0, 0])], 2),
    () => agreement([run([0.3, 0.1], [0.1, 0.1]), run([0.7, 0.2], [0.12, 0.1])], 200),
    () => agreement([run([0.3, 0.1], [0.1, 0.1]), run([0.7, 0.2], [0.12, 0.1])], 7),
    () => agreement([run([0.3], [0]), run([0.305], [0]), run([0.31], [1e-5])], 30),
    () => agreement([run([0.4], [0.1])], 30),
    () => agreement([], 4),
  ],
  'the best linear prediction': [0.1, 0.3, 0.5].flatMap((phi) => [
    () => blup(sums({ seed: 2 }), phi),
    () => blup(sums({ seed: 3, N: 4, n: 30, perRound: 2, positives: 1, measured: 5 }), phi),
  ]),
})
