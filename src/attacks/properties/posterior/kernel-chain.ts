/** Chains of the sampler in kernel memory: whole runs in compiled code, with the bits of the plain chain (gibbs-chain.ts). */
import { OverhearError } from '../../../errors.js'
import { type Buffer, engine } from '../../../numeric/engine/engine.js'
import { streamBytes, streamInto } from '../../../numeric/engine/sampler-kernels.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { log } from '../../../numeric/special/elementary-functions.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { Run } from './chain-run.js'
import { mostTogether } from './gibbs-block.js'
import { type Believed, extras, type GibbsModel, ownScales, rhos, shifts, shiftTerms, tails } from './gibbs-model.js'
import { oddsOf, type ShareBelief } from './gibbs-walk.js'

export interface ChainStart {
  readonly start: Uint8Array
  readonly rng: Rng
}

export interface Beliefs {
  readonly belief: ShareBelief
  /** Clients that are drawn several at a time besides. */
  readonly doubtful?: readonly number[]
}

export interface KernelChains {
  /** The next run of every chain: so many sweeps, the first `forget` of which cool it down. */
  run(sweeps: number, forget: number, tick?: (share: number) => void): Run[]
  /** So many sweeps more of the same run: what is kept of it counts all that it kept. */
  goOn(more: number, tick?: (share: number) => void): Run[]
  /** Gives the kernel memory back. */
  release(): void
}

/** Room for a grid: an even number of values. */
const longest = 2 * Math.ceil(Math.max(...[rhos, extras, shifts, tails, ownScales].map(({ length }) => length)) / 2)

/** Integers of a walk, in the order of wasm/gibbs.ts; its doubles follow. */
const integers = [
  ...(['clients', 'rounds', 'start', 'round', 'weight', 'state', 'fixed', 'c', 'u', 'p', 'pMean'] as const),
  ...(['pSquares', 'kind', 'touched', 'stamp', 'guilty', 'innocent', 'rhos', 'rhoPriors', 'extras'] as const),
  ...(['extraPriors', 'shifts', 'shiftPriors', 'tails', 'tailPriors', 'scales', 'scalePriors', 'logs'] as const),
  ...(['rhoCount', 'extraCount', 'shiftCount', 'tailCount', 'scaleCount', 'terms', 'basis', 'alpha'] as const),
  ...([
    'odds',
    'counts',
    'has',
    'stamps',
    'failed',
    'doubtful',
    'doubts',
    'sums',
    'lesser',
    'swept',
    'held',
    'stream',
  ] as const),
] as const
type Place = (typeof integers)[number]
const doubles = ['rho', 'extra', 'tau', 'shareSum', 'rhoSum', 'extraSum', 'lacking', 'having'] as const
const failedAt = 4 * integers.indexOf('failed')
const doublesAt = 4 * integers.length
const sumsAt = doublesAt + 8 * doubles.indexOf('shareSum')
const walkBytes = doublesAt + 8 * doubles.length

/** Entries that a call of the kernel visits, about: few, as a call ends in the code it began in, and better code comes later. */
const entriesAtOnce = 200_000

/** They read one model. Nothing that is handed in is changed. */
export function kernelChains(model: GibbsModel, starts: readonly ChainStart[], beliefs: Beliefs): KernelChains {
  const { belief, doubtful = [] } = beliefs
  const host = engine()
  const own: Buffer[] = []
  const room = (bytes: number): number => {
    const buffer = host.allocate(bytes)
    own.push(buffer)
    return buffer.address
  }
  const { clients: N, rounds: n, round } = model
  const E = round.length
  const common = {
    ...{ clients: N, rounds: n, stamps: 0, failed: 0, terms: shiftTerms },
    ...{ rhoCount: rhos.length, extraCount: extras.length, shiftCount: shifts.length },
    ...{ tailCount: tails.length, scaleCount: ownScales.length },
    ...{
      start: room(4 * (N + 1)),
      round: room(4 * E),
      weight: room(8 * E),
      logs: room(Math.max(24 * longest, 24 * (1 << mostTogether))),
    },
    ...{ rhos: room(8 * longest), rhoPriors: room(8 * longest), extras: room(8 * longest) },
    ...{ extraPriors: room(8 * longest), shifts: room(8 * longest), shiftPriors: room(8 * longest) },
    ...{ tails: room(8 * longest), tailPriors: room(8 * longest), scales: room(8 * longest) },
    ...{ scalePriors: room(8 * longest), basis: room(8 * shiftTerms * n), odds: room(8 * N) },
    ...{ sums: room(32 * longest), held: room(8 * longest), lesser: rhos.filter(({ value }) => value < 1).length },
    ...{ touched: room(4 * n), guilty: room(4 * N), innocent: room(4 * N) },
  }
  // All memory is taken before any of it is written: taking more may move what was seen of it.
  const chains = starts.map(({ start, rng }) => {
    const places: Readonly<Record<Place, number>> = {
      ...common,
      ...{ state: room(64 * n), fixed: room(56 * n), c: room(N), u: room(8 * N), p: room(8 * N), kind: room(N) },
      ...{ pMean: room(8 * N), pSquares: room(8 * N), stamp: room(4 * n), stream: room(streamBytes) },
      ...{ swept: 0, alpha: room(8 * shiftTerms), counts: room(8 * ownScales.length), has: totalOf(start) },
      ...{ doubtful: room(4 * doubtful.length), doubts: doubtful.length },
    }
    return { places, start, rng, walk: room(walkBytes) }
  })
  const view = (address: number, count: number): Float64Array => host.view('f64', address, count) as Float64Array
  host.viewInts(common.start, N + 1).set(model.start)
  host.viewInts(common.round, E).set(round)
  view(common.weight, E).set(model.weight)
  view(common.basis, shiftTerms * n).set(model.basis)
  view(common.odds, N).set(oddsOf(belief, N))
  const gridInto = (values: number, priors: number, grid: readonly Believed[], of: (prior: number) => number): void => {
    view(values, longest).fill(0)
    view(priors, longest).fill(0)
    for (const [k, { value, prior }] of grid.entries()) {
      view(values, longest)[k] = value
      view(priors, longest)[k] = of(prior)
    }
  }
  const plain = (prior: number): number => prior
  gridInto(common.rhos, common.rhoPriors, rhos, log)
  view(common.held, longest)
    .fill(0)
    .set(rhos.map(({ value }) => (value > 0 ? N * log(value) : 0)))
  gridInto(common.extras, common.extraPriors, extras, log)
  gridInto(common.shifts, common.shiftPriors, shifts, log)
  gridInto(common.tails, common.tailPriors, tails, plain)
  gridInto(common.scales, common.scalePriors, ownScales, plain)
  for (const { places, start, rng, walk } of chains) {
    const fixed = view(places.fixed, 7 * n)
    const state = view(places.state, 8 * n)
    for (let r = 0; r < n; r++) {
      fixed.set([model.G[r]!, model.measured[r]!, model.spread[r]!, 0, 0, 0, 0], 7 * r)
      state[8 * r + 3] = model.units[r]!
      state.set(model.levels.subarray(4 * r, 4 * r + 4), 8 * r + 4)
    }
    new Uint8Array(fixed.buffer, places.c, N).set(start)
    new Uint8Array(fixed.buffer, places.kind, N).fill(0)
    view(places.u, N).fill(0)
    view(places.alpha, shiftTerms).fill(0)
    view(places.counts, ownScales.length).set(ownScales.map((_, k) => (k === 0 ? N : 0)))
    host.viewInts(places.stamp, n).fill(-1)
    host.viewInts(places.doubtful, doubtful.length).set(doubtful)
    streamInto(host.viewInts(places.stream, streamBytes / 4), rng.address())
    host.viewInts(walk, integers.length).set(integers.map((name) => places[name]))
    view(walk + doublesAt, doubles.length).set([0.1, 0, 1, 0, 0, 0, ...model.ratio])
    host.gibbs.settle(walk)
  }
  let [done, forget] = [0, 0]
  const goOn = (more: number, tick?: (share: number) => void): Run[] => {
    const begin = done
    const sweeps = done + more
    done = sweeps
    return chains.map(({ places, walk }, k) => {
      const step = Math.max(1, Math.floor(entriesAtOnce / Math.max(1, E + N)))
      for (let from = begin; from < sweeps; from += step) {
        const to = Math.min(from + step, sweeps)
        host.gibbs.run(walk, from, to, forget)
        tick?.((k + (to - begin) / (sweeps - begin)) / chains.length)
      }
      if (host.viewInts(walk + failedAt, 1)[0] !== 0) {
        const found = 'the sampler met something that is no number'
        throw new OverhearError('E_NON_FINITE', found, 'the sums of features are too large: use earlier rounds')
      }
      const kept = sweeps - forget
      const [share, rho, extra] = Array.from(view(walk + sumsAt, 3), (sum) => sum / kept) as [number, number, number]
      const variance = view(places.pSquares, N).map((sum) => sum / Math.max(1, kept - 1))
      return { mean: view(places.pMean, N).slice(), variance, share, rho, extra }
    })
  }
  return {
    run(sweeps, cooled, tick) {
      ;[done, forget] = [0, cooled]
      for (const { places, walk } of chains) {
        for (const key of ['pMean', 'pSquares'] as const) view(places[key], N).fill(0)
        view(walk + sumsAt, 3).fill(0)
      }
      return goOn(sweeps, tick)
    },
    goOn,
    release: () => own.splice(0).forEach(host.release),
  }
}
