/** Chains of the sampler in kernel memory: whole runs in compiled code, with the bits of the plain chain (gibbs-chain.ts). */
import { OverhearError } from '../../../errors.js'
import { type Buffer, engine } from '../../../numeric/engine/engine.js'
import { streamBytes, streamInto } from '../../../numeric/engine/sampler-kernels.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { log } from '../../../numeric/special/elementary-functions.js'
import { forgotten, type Run } from './chain-run.js'
import type { ShareBelief } from './gibbs-chain.js'
import { extras, type GibbsModel, rhos } from './gibbs-model.js'

export interface ChainStart {
  readonly start: Uint8Array
  readonly rng: Rng
}

export interface KernelChains {
  /** The next run of every chain. */
  run(sweeps: number, tick?: (share: number) => void): Run[]
  /** Gives the kernel memory back. */
  release(): void
}

/** Integers of a walk, in the order of wasm/gibbs.ts; its doubles follow. */
const integers = [
  ...(['clients', 'rounds', 'start', 'round', 'weight', 'state', 'fixed', 'c', 'u', 'p', 'pMean'] as const),
  ...(['pSquares', 'touched', 'stamp', 'guilty', 'innocent', 'rhos', 'extras', 'priors', 'logs'] as const),
  ...(['rhoCount', 'extraCount', 'stamps', 'failed', 'stream', 'unused'] as const),
] as const
type Place = (typeof integers)[number]
const doubles = ['phi', 'rho', 'extra', 'a', 'b', 'shareSum', 'rhoSum', 'extraSum'] as const
const failedAt = 4 * integers.indexOf('failed')
const doublesAt = 4 * integers.length
const sumsAt = doublesAt + 8 * doubles.indexOf('shareSum')
const walkBytes = doublesAt + 8 * doubles.length

/** Entries that a call of the kernel visits, about: few, as a call ends in the code it began in, and better code comes later. */
const entriesAtOnce = 200_000

/** They read one model. Nothing that is handed in is changed. */
export function kernelChains(model: GibbsModel, starts: readonly ChainStart[], belief: ShareBelief): KernelChains {
  const host = engine()
  const own: Buffer[] = []
  const room = (bytes: number): number => {
    const buffer = host.allocate(bytes)
    own.push(buffer)
    return buffer.address
  }
  const { clients: N, rounds: n, round } = model
  const [E, grid] = [round.length, 2 * Math.ceil(Math.max(rhos.length, extras.length) / 2)]
  const common = {
    ...{ clients: N, rounds: n, rhoCount: rhos.length, extraCount: extras.length, stamps: 0, failed: 0, unused: 0 },
    ...{ start: room(4 * (N + 1)), round: room(4 * E), weight: room(8 * E) },
    ...{ rhos: room(8 * grid), extras: room(8 * grid), priors: room(8 * grid), logs: room(8 * grid) },
    ...{ touched: room(4 * n), guilty: room(4 * N), innocent: room(4 * N) },
  }
  // All memory is taken before any of it is written: taking more may move what was seen of it.
  const chains = starts.map(({ start, rng }) => {
    const places: Readonly<Record<Place, number>> = {
      ...common,
      ...{ state: room(64 * n), fixed: room(32 * n), c: room(N), u: room(8 * N), p: room(8 * N) },
      ...{ pMean: room(8 * N), pSquares: room(8 * N), stamp: room(4 * n), stream: room(streamBytes) },
    }
    return { places, start, rng, walk: room(walkBytes) }
  })
  const view = (address: number, count: number): Float64Array => host.view('f64', address, count) as Float64Array
  host.viewInts(common.start, N + 1).set(model.start)
  host.viewInts(common.round, E).set(round)
  view(common.weight, E).set(model.weight)
  for (const key of ['rhos', 'extras', 'priors'] as const) view(common[key], grid).fill(0)
  view(common.rhos, rhos.length).set(rhos)
  view(common.extras, extras.length).set(extras.map(({ extra }) => extra))
  view(common.priors, extras.length).set(extras.map(({ prior }) => log(prior)))
  for (const { places, start, rng, walk } of chains) {
    const fixed = view(places.fixed, 4 * n)
    const state = view(places.state, 8 * n)
    for (let r = 0; r < n; r++) {
      fixed.set([model.G[r]!, model.measured[r]!, model.spread[r]!, 0], 4 * r)
      state.set(model.levels.subarray(4 * r, 4 * r + 4), 8 * r + 4)
    }
    const bytes = new Uint8Array(fixed.buffer, places.c, N)
    bytes.set(start)
    view(places.u, N).fill(0)
    host.viewInts(places.stamp, n).fill(-1)
    streamInto(host.viewInts(places.stream, streamBytes / 4), rng.address())
    host.viewInts(walk, integers.length).set(integers.map((name) => places[name]))
    const phi = (belief.a + 1) / (belief.a + belief.b + 2)
    view(walk + doublesAt, doubles.length).set([phi, 0.1, 0, belief.a, belief.b, 0, 0, 0])
    host.gibbs.settle(walk)
  }
  return {
    run: (sweeps, tick) =>
      chains.map(({ places, walk }, k) => {
        for (const key of ['pMean', 'pSquares'] as const) view(places[key], N).fill(0)
        view(walk + sumsAt, 3).fill(0)
        const forget = forgotten(sweeps)
        const step = Math.max(1, Math.floor(entriesAtOnce / Math.max(1, E + N)))
        for (let from = 0; from < sweeps; from += step) {
          host.gibbs.run(walk, from, Math.min(from + step, sweeps), forget)
          tick?.((k + Math.min(from + step, sweeps) / sweeps) / chains.length)
        }
        if (host.viewInts(walk + failedAt, 1)[0] !== 0) {
          const found = 'the sampler met something that is no number'
          throw new OverhearError('E_NON_FINITE', found, 'the sums of features are too large: use earlier rounds')
        }
        const kept = sweeps - forget
        const [share, rho, extra] = Array.from(view(walk + sumsAt, 3), (sum) => sum / kept) as [number, number, number]
        const variance = view(places.pSquares, N).map((sum) => sum / Math.max(1, kept - 1))
        return { mean: view(places.pMean, N).slice(), variance, share, rho, extra }
      }),
    release: () => own.splice(0).forEach(host.release),
  }
}
