/** The posterior of who has the property: several chains from different starts, run until they agree. */
import { OverhearError } from '../../../errors.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { meanOf, varianceOf } from '../../../numeric/special/summaries.js'
import { blup } from '../best-linear-prediction.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { forgotten, type Run } from './chain-run.js'
import { gibbsModel } from './gibbs-model.js'
import { usualBelief } from './gibbs-walk.js'
import { type KernelChains, kernelChains } from './kernel-chain.js'

export interface PosteriorOptions {
  readonly rng: Rng
  /** The share of clients that is believed to have the property before; as firmly as ten clients would. */
  readonly share: number
  readonly chains?: number
  /** Sweeps of the first run, half of which cool the chains down; it goes on until they agree. */
  readonly sweeps?: number
  readonly maxSweeps?: number
  /** Sweeps of a run before the first, which counts if chains agree and leave an error of `closely` at most; else all begin anew. */
  readonly trial?: number
  readonly closely?: number
  /** Error of a probability that chains may leave, by how they differ, before they go on. */
  readonly within?: number
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
/** Above it they have not met yet. */
const near = 1.2

export function posterior(features: FeatureSums, options: PosteriorOptions): Posterior {
  const { rng, share, chains: count = 4, sweeps: first = 250, maxSweeps = 8000, tick } = options
  const { trial = 0, closely = 0, within = 1 } = options
  if (!(share > 0 && share < 1)) throw new OverhearError('E_VALUE', `share is ${share}`, 'it lies between 0 and 1')
  const model = gibbsModel(features)
  const q = blup(features, share).probability
  const starts = startsOf(q, count, rng.fork('starts'))
  const beliefs = { belief: usualBelief(share), doubtful: doubtfulOf(q) }
  const withChains = <T>(name: string, use: (chains: KernelChains) => T): T => {
    const chains = kernelChains(model, starts.map((start, k) => ({ start, rng: rng.fork(name, k) })), beliefs) // biome-ignore format: a line
    try {
      return use(chains)
    } finally {
      chains.release()
    }
  }
  const tried = trial > 1 && trial < first
  if (tried) {
    // Never cooled down: what cools forgets where it began, and chains that all forget may agree in one corner.
    const found = withChains('trial', (chains) => {
      chains.run(forgotten(trial), 0)
      return chains.run(trial - forgotten(trial), 0)
    })
    const rHat = agreement(found, trial)
    if (rHat < agreed && standardError(found) <= closely) return { ...pooled(found), rHat, sweeps: trial }
  }
  return withChains('chain', (chains) => {
    const before = tried ? trial : 0
    const forget = forgotten(first)
    const ticked = (from: number, more: number) => (part: number) => tick?.(from + part * more, maxSweeps)
    tick?.(before, maxSweeps)
    let [done, kept] = [before + first, first - forget]
    let found = chains.run(first, forget, ticked(before, first))
    for (;;) {
      const rHat = agreement(found, 2 * kept)
      const left = maxSweeps - done
      if ((rHat < agreed && standardError(found) <= within) || left < kept)
        return { ...pooled(found), rHat, sweeps: done }
      // What chains kept before they came near each other is forgotten.
      const anew = rHat > near
      const more = Math.min(anew ? 2 * kept : kept, left)
      found = anew ? chains.run(more, 0, ticked(done, more)) : chains.goOn(more, ticked(done, more))
      done += more
      kept = anew ? more : kept + more
    }
  })
}

/** Of so many clients at most, which the closed form leaves in doubt, some are drawn together. */
const mostDoubtful = 16
/** Who is less likely to have the property, or not to have it, is in no doubt. */
const noDoubt = 0.01

/** Those whom the closed form leaves most in doubt. */
export function doubtfulOf(q: Float64Array): number[] {
  const doubt = (i: number): number => q[i]! * (1 - q[i]!)
  const some = Array.from(q.keys()).filter((i) => q[i]! > noDoubt && q[i]! < 1 - noDoubt)
  return some.sort((i, j) => doubt(j) - doubt(i) || i - j).slice(0, mostDoubtful)
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
