/** The posterior of who has the property: several chains from different starts, run until they agree. */
import { OverhearError } from '../../../errors.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { meanOf, varianceOf } from '../../../numeric/special/summaries.js'
import { blup } from '../best-linear-prediction.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import type { Run } from './chain-run.js'
import { gibbsModel } from './gibbs-model.js'
import { usualBelief } from './gibbs-walk.js'
import { kernelChains } from './kernel-chain.js'

export interface PosteriorOptions {
  readonly rng: Rng
  /** The share of clients that is believed to have the property before; as firmly as ten clients would. */
  readonly share: number
  readonly chains?: number
  /** Sweeps of the first run; each later run is twice as long, and only the last one counts. */
  readonly sweeps?: number
  readonly maxSweeps?: number
  /** Sweeps of a run before the first, which counts if chains agree and their spread leaves an error of a hundredth at most. */
  readonly trial?: number
  tick?(done: number, total: number): void
}

export interface Posterior {
  readonly probability: Float64Array
  /** The worst over clients; below 1.05 the chains agree. */
  readonly rHat: number
  /** Sweeps of each chain, those that were thrown away included. */
  readonly sweeps: number
  /** Means over the last run. */
  readonly share: number
  readonly rho: number
  readonly extra: number
}

/** Chains agree below it. */
export const agreed = 1.05

export function posterior(features: FeatureSums, options: PosteriorOptions): Posterior {
  const { rng, share, chains: count = 4, sweeps: first = 250, maxSweeps = 8000, trial = 0, tick } = options
  if (!(share > 0 && share < 1)) throw new OverhearError('E_VALUE', `share is ${share}`, 'it lies between 0 and 1')
  const model = gibbsModel(features)
  const belief = usualBelief(share)
  const starts = startsOf(blup(features, share).probability, count, rng.fork('starts'))
  const own = starts.map((start, k) => ({ start, rng: rng.fork('chain', k) }))
  const chains = kernelChains(model, own, belief)
  let [run, sweeps] = [first, 0]
  try {
    if (trial > 1 && trial < first) {
      const found = chains.run(trial)
      sweeps += trial
      const rHat = agreement(found, trial)
      if (rHat < agreed && standardError(found) <= mostError) return { ...pooled(found), rHat, sweeps }
    }
    for (;;) {
      tick?.(sweeps, maxSweeps)
      const found = chains.run(run, (share) => tick?.(sweeps + share * run, maxSweeps))
      sweeps += run
      const rHat = agreement(found, run)
      run *= 2
      if (rHat < agreed || sweeps + run > maxSweeps) return { ...pooled(found), rHat, sweeps }
    }
  } finally {
    chains.release()
  }
}

/** The closed form, draws from it, nobody, and everybody with even odds. */
export function startsOf(q: Float64Array, count: number, rng: Rng): Uint8Array[] {
  return Array.from({ length: count }, (_, k) => {
    const own = rng.fork(k)
    if (k % 4 === 0) return Uint8Array.from(q, (p) => (p > 0.5 ? 1 : 0))
    if (k % 4 === 1) return Uint8Array.from(q, (p) => (own.uniform() < p ? 1 : 0))
    if (k % 4 === 2) return new Uint8Array(q.length)
    return Uint8Array.from(q, () => (own.uniform() < 0.5 ? 1 : 0))
  })
}

/** Differences of probabilities below this say nothing. */
const negligible = 0.01

/** Gelman and Rubin's R-hat of every client's probability, the worst of them. */
export function agreement(runs: readonly Pick<Run, 'mean' | 'variance'>[], sweeps: number): number {
  const n = Math.ceil(sweeps / 2)
  const m = runs.length
  const N = runs[0]?.mean.length ?? 0
  let worst = 1
  for (let i = 0; i < N; i++) {
    const means = runs.map(({ mean }) => mean[i]!)
    const between = varianceOf(means, Math.max(1, m - 1))
    const within = meanOf(runs.map(({ variance }) => variance[i]!))
    const W = Math.max(within, negligible * negligible)
    worst = Math.max(worst, Math.sqrt((((n - 1) / n) * W + between) / W))
  }
  return worst
}

/** Error of a probability that a trial run may leave. */
const mostError = 0.01

/** Of the mean over chains, by how they differ: the largest over clients. */
function standardError(runs: readonly Pick<Run, 'mean'>[]): number {
  const m = runs.length
  let most = 0
  for (let i = 0; i < runs[0]!.mean.length; i++) {
    const means = runs.map(({ mean }) => mean[i]!)
    most = Math.max(most, varianceOf(means, Math.max(1, m - 1)) / m)
  }
  return Math.sqrt(most)
}

function pooled(runs: readonly Run[]): Pick<Posterior, 'probability' | 'share' | 'rho' | 'extra'> {
  const of = (value: (run: Run) => number): number => meanOf(runs.map(value))
  const probability = runs[0]!.mean.map((_, i) => of(({ mean }) => mean[i]!))
  return {
    probability,
    share: of(({ share }) => share),
    rho: of(({ rho }) => rho),
    extra: of(({ extra }) => extra),
  }
}
