/** Canaries through the federation engine: what is measured stays below what is accounted for, and what is broken is caught. */
import { describe, expect, test } from 'vitest'
import { epsilonBounds } from '../../accounting/loss-bounds.js'
import type { Mechanism } from '../../accounting/mechanism.js'
import { createDefence } from '../../defences/index.js'
import type { Defence } from '../../federation/hooks.js'
import { heldPopulation } from '../../federation/population.js'
import type { FederationSpec } from '../../federation/spec.js'
import { changeOf, updateOf } from '../../federation/updates.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { type CanaryFederation, canaryBound, heardCanaries, widened } from './canary-training.js'

// 2 m delta is paid for: at a delta of 1e-5 so many canaries would show next to nothing at this confidence.
const delta = 1e-8
const confidence = 0.999
/** Named before any of them ran; those of an earlier draw (41000, 42000) had
 * shown that labels must lie further out, and 52000 that 500 canaries in 60 rounds are too few for the epsilon of one round. */
const seeds = { sound: 51_000, broken: 53_000 } as const

const people = (clients: number, seed: number) =>
  heldPopulation(
    Array.from({ length: clients }, (_, k) => {
      const own = rng(seed).fork('people', k)
      return { features: matrix(20, 3, own.fork('x').normals(60)), labels: own.fork('y').normals(20) }
    }),
  )
const base = { rule: { algorithm: 'fedavg', learningRate: 0.01, localEpochs: 1, batchSize: null }, rounds: 8 } as const
const linear: FederationSpec = { ...base, seed: 1, model: { kind: 'linear', inputs: 3, outputs: 1 } }

const recordCanaries = (seed: number, spec: FederationSpec, defence: Defence, m = 500): CanaryFederation => ({
  ...widened({ ...spec, seed }, people(2, seed), { canaries: m }),
  defences: [defence],
  among: { unit: 'record', client: 0 },
  seed,
})
const clientCanaries = (seed: number, spec: FederationSpec, defence: Defence, m = 300): CanaryFederation => ({
  ...widened({ ...spec, seed, aggregateWeights: 'one' }, people(4, seed), { canaries: m }),
  defences: [defence],
  among: { unit: 'client' },
  seed,
})
const measured = async (federation: CanaryFederation): Promise<number> =>
  canaryBound(await heardCanaries(federation), { delta, confidence })
const accounted = (one: Omit<Extract<Mechanism, { kind: 'gaussian' }>, 'kind'>): number =>
  epsilonBounds([{ kind: 'gaussian', ...one }], delta).upper

describe('as stated', () => {
  test('records under dp-sgd: the bound is above 0 and not above the accounted one', async () => {
    const steps = { sampleRate: 0.5, noiseMultiplier: 1, steps: 8 }
    const defence = createDefence({ name: 'dp-sgd', maxNorm: 1, noiseMultiplier: 1, sampleRate: 0.5 })
    const found = await measured(recordCanaries(seeds.sound, linear, defence))
    expect(found).toBeGreaterThan(0.5)
    expect(found).toBeLessThanOrEqual(accounted(steps))
  })

  test.each(['central-dp', 'local-dp'] as const)('clients under %s', async (name) => {
    const defence = createDefence({ name, maxNorm: 1, noiseMultiplier: 2 })
    const spec: FederationSpec = { ...linear, rounds: 3 }
    const found = await measured(clientCanaries(seeds.sound + 1, spec, defence))
    expect(found).toBeGreaterThan(0.3)
    expect(found).toBeLessThanOrEqual(accounted({ sampleRate: 1, noiseMultiplier: 2, steps: 3 }))
  })

  test('as many in a network as are looked at together, and one more', async () => {
    const spec: FederationSpec = {
      ...linear,
      rounds: 1,
      model: { kind: 'mlp', inputs: 3, hidden: [2], outputs: 1, activation: 'tanh' },
    }
    const defence = createDefence({ name: 'dp-sgd', maxNorm: 1, noiseMultiplier: 0.01, sampleRate: 1 })
    for (const m of [32, 33]) {
      const { inTraining, scores } = await heardCanaries(recordCanaries(seeds.sound + 3, spec, defence, m))
      const [own] = scores
      expect(own).toHaveLength(m)
      const least = Math.min(...own!.filter((_, i) => inTraining[i]))
      expect(least).toBeGreaterThan(Math.max(...own!.filter((_, i) => !inTraining[i])))
    }
  })

  test('in a network with a hidden layer', async () => {
    const spec: FederationSpec = { ...linear, rounds: 4, model: { kind: 'mlp', inputs: 3, hidden: [4], outputs: 1 } }
    const defence = createDefence({ name: 'dp-sgd', maxNorm: 1, noiseMultiplier: 1, sampleRate: 1 })
    const found = await measured(recordCanaries(seeds.sound + 2, spec, defence, 200))
    expect(found).toBeGreaterThan(0.1)
    expect(found).toBeLessThanOrEqual(accounted({ sampleRate: 1, noiseMultiplier: 1, steps: 4 }))
  })
})

describe('broken, and caught', () => {
  const dpSgd = (noiseMultiplier: number, sampleRate: number): Defence =>
    createDefence({ name: 'dp-sgd', maxNorm: 1, noiseMultiplier, sampleRate })

  test('noise divided by 10', async () => {
    const found = await measured(recordCanaries(seeds.broken, linear, dpSgd(0.8, 0.5)))
    expect(found).toBeGreaterThan(accounted({ sampleRate: 0.5, noiseMultiplier: 8, steps: 8 }))
  })

  test('a sampling rate that is higher than stated', async () => {
    const found = await measured(recordCanaries(seeds.broken + 1, linear, dpSgd(2, 0.8)))
    expect(found).toBeGreaterThan(accounted({ sampleRate: 0.05, noiseMultiplier: 2, steps: 8 }))
  })

  test('the epsilon of one round claimed for all', async () => {
    const found = await measured(recordCanaries(seeds.broken + 2, { ...linear, rounds: 100 }, dpSgd(8, 1), 1000))
    expect(found).toBeGreaterThan(accounted({ sampleRate: 1, noiseMultiplier: 8, steps: 1 }))
  })

  test('clipping that skips biases', async () => {
    const m = 300
    const noise = createDefence({ name: 'local-dp', maxNorm: 1, noiseMultiplier: 4 })
    // One input, an output for each canary: weights come first, and are all that is clipped.
    const skips: Defence = {
      ...noise,
      async turn(update, at) {
        const change = changeOf(update, at)
        const length = Math.sqrt(change.subarray(0, m).reduce((sum, x) => sum + x * x, 0))
        const cut = change.map((x, j) => (j < m && length > 1 ? x / length : x))
        const draws = at.rng.normals(cut.length, { std: 4 })
        return updateOf(
          update.kind,
          cut.map((x, j) => x + draws[j]!),
          at,
        )
      },
    }
    const labels = new Float64Array(m * m)
    for (let i = 0; i < m; i++) labels[i * m + i] = 1e7
    const nobody = { features: matrix(2, 1), labels: new Float64Array(2 * m) }
    const federation: CanaryFederation = {
      spec: { ...base, rounds: 1, seed: 5, aggregateWeights: 'one', model: { kind: 'linear', inputs: 1, outputs: m } },
      population: heldPopulation([nobody, nobody]),
      canaries: { records: { features: matrix(m, 1), labels }, own: (i) => [m + i] },
      defences: [skips],
      among: { unit: 'client' },
      seed: seeds.broken + 3,
    }
    const claimed = accounted({ sampleRate: 1, noiseMultiplier: 4, steps: 1 })
    expect(await measured(federation)).toBeGreaterThan(claimed)
    expect(await measured({ ...federation, defences: [noise] })).toBeLessThanOrEqual(claimed)
  })

  test('one seed for all clients', async () => {
    const noise = createDefence({ name: 'local-dp', maxNorm: 1, noiseMultiplier: 8 })
    const same: Defence = {
      ...noise,
      turn: (update, at) => noise.turn!(update, { ...at, rng: rng('everybody').fork(at.round) }),
    }
    const found = await measured(clientCanaries(seeds.broken + 4, { ...linear, rounds: 2 }, same))
    expect(found).toBeGreaterThan(accounted({ sampleRate: 1, noiseMultiplier: 8, steps: 2 }))
  })

  test('noise that is drawn once and used in every round', async () => {
    const noise = createDefence({ name: 'central-dp', maxNorm: 1, noiseMultiplier: 8 })
    const reused: Defence = { ...noise, aggregate: (sum) => noise.aggregate!({ ...sum, rng: rng('once') }) }
    const spec: FederationSpec = { ...linear, rounds: 10, sampling: { name: 'fraction', fraction: 0.5 } }
    const found = await measured(clientCanaries(seeds.broken + 5, spec, reused))
    expect(found).toBeGreaterThan(accounted({ sampleRate: 1, noiseMultiplier: 8, steps: 10 }))
  })
})

describe('columns of their own', () => {
  const labelled = (...labels: number[]) => ({ features: matrix(labels.length, 3), labels: Float64Array.from(labels) })
  test('belong to records whose labels are a thousand times as far out as anybody’s, and as far as 1', () => {
    const labels = (...all: number[][]) => [...widened(linear, heldPopulation(all.map((own) => labelled(...own))), { canaries: 2 }).canaries.records.labels] // biome-ignore format: a line
    expect(labels([1, -7], [3, 0.5])).toEqual([7000, 7000])
    expect(labels([0.25], [-0.5])).toEqual([1000, 1000])
  })
})
