import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../../test/property-world.js'
import { engine } from '../../../numeric/engine/engine.js'
import { streamBytes } from '../../../numeric/engine/sampler-kernels.js'
import { rng } from '../../../numeric/random/rng.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { forgotten, runChain } from './chain-run.js'
import { startChain } from './gibbs-chain.js'
import { gibbsModel } from './gibbs-model.js'
import { kernelChains } from './kernel-chain.js'

const belief = { a: 1.3, b: 8.7, nobody: 0.4 }

/** The same runs of two chains in plain code and in the kernel. */
function both(features: FeatureSums, runs: readonly number[], doubtful: readonly number[] = []) {
  const model = gibbsModel(features)
  const N = model.clients
  const starts = [new Uint8Array(N), Uint8Array.from({ length: N }, (_, i) => i % 2)]
  const own = starts.map((start, k) => ({ start, k }))
  const plain = own.map(({ start, k }) => startChain(model, start, { belief, rng: rng(9).fork(k), doubtful }))
  const before = engine().inUse()
  const kernel = kernelChains(
    model,
    own.map(({ start, k }) => ({ start, rng: rng(9).fork(k) })),
    { belief, doubtful },
  )
  const found = runs.map((sweeps) => ({
    plain: plain.map((chain) => runChain(chain, N, sweeps)),
    kernel: kernel.run(sweeps, forgotten(sweeps)),
  }))
  kernel.release()
  expect(engine().inUse()).toBe(before)
  return found
}

describe('the kernel has the bits of the plain chain', () => {
  const world = fc.record({
    seed: fc.integer({ min: 0, max: 1e6 }),
    N: fc.integer({ min: 2, max: 40 }),
    n: fc.integer({ min: 1, max: 60 }),
    gap: fc.double({ min: 0.01, max: 30, noNaN: true }),
    rho: fc.constantFrom(0, 0.3, 0.9),
    plusStd: fc.constantFrom(0.001, 0.7, 1, 5),
    measured: fc.constantFrom(3, 9, 1e6),
    doubted: fc.integer({ min: 0, max: 40 }),
  })

  test('over whole runs, whatever the world', () => {
    fc.assert(
      fc.property(world, (options) => {
        const perRound = Math.max(1, Math.min(options.N, 2 + (options.seed % 12)))
        const positives = options.seed % options.N
        const { features } = featureWorld({ ...options, perRound, positives })
        const doubtful = Array.from(rng(options.seed).sample(options.N, Math.min(options.N, options.doubted)))
        for (const { plain, kernel } of both(features, [7, 14], doubtful)) expect(kernel).toEqual(plain)
      }),
      { numRuns: 40 },
    )
  })

  test('where products leave all bounds and their logarithms are taken', () => {
    const { features } = featureWorld({ seed: 3, N: 30, n: 120, perRound: 15, positives: 4, gap: 4, plusStd: 3 })
    for (const scale of [1e-9, 1e9]) {
      const shapes = features.shapes.map((one) => ({
        ...one,
        plusMean: scale * one.plusMean,
        minusMean: scale * one.minusMean,
        plusStd: scale * one.plusStd,
        minusStd: 0.01 * scale * one.minusStd,
      }))
      const scaled = { ...features, shapes, G: features.G.map((g) => scale * g) }
      for (const { plain, kernel } of both(scaled, [30], [4, 9, 2, 28, 0, 11, 17])) expect(kernel).toEqual(plain)
    }
  })

  test('for clients with one round and for a round with one client', () => {
    const { features } = featureWorld({ seed: 5, N: 9, n: 2, perRound: 1, positives: 1, gap: 3 })
    for (const { plain, kernel } of both(features, [5, 10], [3, 8, 1])) expect(kernel).toEqual(plain)
  })
})

test('a run that goes on has the bits of one that was longer from the beginning', () => {
  const { features } = featureWorld({ seed: 7, N: 12, n: 20, perRound: 4, positives: 2, gap: 4 })
  const chains = () =>
    kernelChains(gibbsModel(features), [{ start: new Uint8Array(12), rng: rng(1) }], { belief, doubtful: [0, 5, 9] })
  const [one, other] = [chains(), chains()]
  one.run(15, 5)
  one.goOn(1)
  expect(one.goOn(44)).toEqual(other.run(60, 5))
  expect(one.run(8, 0)).toEqual(other.run(8, 0))
  one.release()
  other.release()
})

test('what is no number is an error, and the memory is given back', () => {
  const { features } = featureWorld({ seed: 5, N: 9, n: 12, perRound: 3, positives: 1, gap: 3 })
  const G = features.G.map((g, r) => (r === 3 ? Number.NaN : g))
  const chains = kernelChains(gibbsModel({ ...features, G }), [{ start: new Uint8Array(9), rng: rng(1) }], { belief })
  expect(() => chains.run(4, 2)).toThrow(/no number/)
  chains.release()
})

test('memory is taken for a model once and for every chain, in lines of 64 bytes and no more than they fill', () => {
  const [N, n] = [64, 16]
  const { features } = featureWorld({ seed: 5, N, n, perRound: 3, positives: 4, gap: 3 })
  const model = gibbsModel(features)
  const E = model.round.length
  expect(E).toBe(48)
  const taken = (chains: number) => {
    const before = engine().inUse()
    const starts = Array.from({ length: chains }, (_, k) => ({ start: new Uint8Array(N), rng: rng(k) }))
    const held = kernelChains(model, starts, { belief, doubtful: [1, 2, 3, 4, 5] })
    const found = engine().inUse() - before
    held.release()
    return found
  }
  const lines = (...bytes: number[]) => bytes.reduce((sum, one) => sum + 64 * Math.ceil(one / 64), 0)
  // Who is in which round, with what weight; the shift that all share; odds, and lists of those who are looked at.
  const common = lines(4 * (N + 1), 4 * E, 8 * E, 5 * 8 * n, 8 * N, 4 * n, 4 * N, 4 * N)
  // Five grids of 16 values beside what is believed of each, and once more of rho; four sums for each of 16 values; three
  // numbers for each of 64 ways.
  const grids = 11 * lines(8 * 16) + lines(4 * 8 * 16, 3 * 8 * 64)
  expect(taken(0)).toBe(common + grids)
  // Eight doubles and seven of a round; of a client four, whether it is guilty, and its kind; who is in doubt.
  const walk = lines(8 * 8 * n, 7 * 8 * n, 4 * n) + 4 * lines(8 * N) + 2 * lines(N) + lines(4 * 5)
  expect(taken(1) - taken(0)).toBe(walk + lines(5 * 8, 3 * 8, streamBytes, 48 * 4 + 8 * 8))
  expect(taken(3) - taken(0)).toBe(3 * (taken(1) - taken(0)))
})
