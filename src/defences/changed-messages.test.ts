/** Defences that change what a client trains on or sends, without noise: what each promises, and that attacks know of it. */
import { describe, expect, test } from 'vitest'
import { smallPopulation, smallRecords, smallSpec } from '../../test/small-federation.js'
import { replayer } from '../attacks/shared/replayed-turn.js'
import { type FederationRound, federate, runToEnd } from '../federation/federate.js'
import { manifestFor } from '../federation/manifest-for.js'
import { mixedRecords } from '../federation/mixed-records.js'
import type { FederationSpec } from '../federation/spec.js'
import { changeOf } from '../federation/updates.js'
import { parametersOf } from '../models/index.js'
import { rng } from '../numeric/random/rng.js'
import { manifestOf } from '../transcript/manifest.js'
import { createDefence, type DefenceSpec } from './index.js'

const oneStep: FederationSpec = {
  ...smallSpec,
  rule: { algorithm: 'fedavg', learningRate: 0.05, localEpochs: 3, batchSize: null },
}

async function played(spec: FederationSpec, ...specs: DefenceSpec[]): Promise<FederationRound[]> {
  const rounds: FederationRound[] = []
  const defences = specs.map(createDefence)
  await runToEnd(federate(spec, { population: smallPopulation, defences }), (round) => rounds.push(round))
  return rounds
}

const changesIn = ({ updates, global, learningRate }: FederationRound): Float64Array[] =>
  [...updates.values()].map((update) => changeOf(update, { received: global, learningRate }))
const lengthOf = (x: Float64Array): number => Math.sqrt(x.reduce((sum, one) => sum + one * one, 0))

/** The stated protocol as a reader of the recording has it. */
async function statedBy(spec: FederationSpec, ...specs: DefenceSpec[]) {
  const manifest = manifestFor(spec, smallPopulation, { defences: specs.map(createDefence) })
  return (await manifestOf({ ...manifest, rounds: [] }, parametersOf, 'the manifest')).value
}

describe('what a client sends', () => {
  test('clip: no change is longer than the norm, short ones stay, and directions stay', async () => {
    const [plain, cut] = [await played(oneStep), await played(oneStep, { name: 'clip', maxNorm: 0.2 })]
    const [before, after] = [changesIn(plain[0]!), changesIn(cut[0]!)]
    expect(Math.max(...before.map(lengthOf))).toBeGreaterThan(0.2)
    for (const [k, change] of after.entries()) {
      const length = lengthOf(before[k]!)
      expect(lengthOf(change)).toBeCloseTo(Math.min(0.2, length), 9)
      for (const [j, x] of change.entries()) expect(x * length).toBeCloseTo(before[k]![j]! * lengthOf(change), 9)
    }
    for (const round of cut) for (const change of changesIn(round)) expect(lengthOf(change)).toBeLessThan(0.2 + 1e-12)
  })

  test.each([
    [
      { name: 'clip', maxNorm: 0.2 },
      { name: 'clipped', params: { maxNorm: 0.2 } },
    ],
    [
      { name: 'sparsify', share: 0.35 },
      { name: 'top-k', params: { share: 0.35 } },
    ],
    [
      { name: 'quantise', bits: 3 },
      { name: 'quantised', params: { bits: 3 } },
    ],
    [
      { name: 'gradient-pruning', share: 0.55 },
      { name: 'top-k', params: { share: 1 - 0.55 } },
    ],
  ] as const)(
    '%s is the compression of the same kind, bit for bit, and is stated as that',
    async (defence, setting) => {
      const set = { ...oneStep, compression: setting } as FederationSpec
      const [one, other] = [await played(oneStep, defence), await played(set)]
      expect(one.map(({ next }) => next)).toEqual(other.map(({ next }) => next))
      const { compression } = (await statedBy(oneStep, defence)).protocol
      expect(compression).toEqual((await statedBy(set)).protocol.compression)
      expect(compression).toEqual({ kind: setting.name, ...setting.params })
      await expect(played(set, defence)).resolves.toBeDefined()
      expect(() => manifestFor(set, smallPopulation, { defences: [createDefence(defence)] })).toThrow(/both shorten/)
    },
  )

  test.each([
    { name: 'clip', maxNorm: 0.2 },
    { name: 'sparsify', share: 0.35 },
    { name: 'quantise', bits: 3 },
    { name: 'gradient-pruning', share: 0.55 },
  ] as const)('whoever plays a turn over does it alike: %s', async (defence) => {
    const [round] = await played(oneStep, defence)
    const { protocol, model, loss } = await statedBy(oneStep, defence)
    const replay = replayer({ model, loss } as never, protocol as never)
    const own = replay.play({ theta: round!.global, records: replay.hold(smallRecords[1]!), rng: rng(1) })
    const heard = changesIn(round!)[1]!
    for (const [j, x] of own.entries()) expect(x).toBeCloseTo(heard[j]!, 10)
    replay.release()
  })

  test('quantise: no value is off by more than half a step, and all are whole steps', async () => {
    const [before, after] = [await played(oneStep), await played(oneStep, { name: 'quantise', bits: 4 })].map(
      ([first]) => changesIn(first!),
    )
    for (const [k, change] of after!.entries()) {
      const step = Math.max(...before![k]!.map(Math.abs)) / 7
      for (const [j, x] of change.entries()) {
        expect(Math.abs(x - before![k]![j]!)).toBeLessThanOrEqual(0.5 * step * (1 + 1e-9))
        expect(Math.abs(x / step - Math.round(x / step))).toBeLessThan(1e-6)
      }
    }
  })
})

describe('mixup', () => {
  const records = smallRecords[1]!
  const mixed = (alpha: number, seed: number, classes = false) =>
    mixedRecords(records, { alpha, classes, rng: rng(seed) })

  test('every mixture lies between two records, its label at the same share', () => {
    const { features, labels } = mixed(0.7, 3)
    const { rows, cols, data } = records.features
    for (let i = 0; i < rows; i++) {
      const between = Array.from({ length: rows }, (_, j) => {
        const far = (x: ArrayLike<number>, y: ArrayLike<number>) =>
          Math.sqrt(Array.from(x).reduce((sum, one, c) => sum + (one - y[c]!) ** 2, 0))
        const row = (m: Float64Array, r: number, l: Float64Array) => [...m.subarray(r * cols, (r + 1) * cols), l[r]!]
        const [a, b] = [row(data, i, records.labels), row(data, j, records.labels)]
        const m = row(features.data, i, labels)
        return far(a, m) + far(m, b) - far(a, b)
      })
      expect(Math.min(...between)).toBeLessThan(1e-9)
    }
    expect(features.data).not.toEqual(data)
  })

  test('shares have the variance of Beta(alpha, alpha), 1 / (8 alpha + 4), and means stay where they are', () => {
    for (const alpha of [0.3, 1, 4]) {
      let [squares, shares, count] = [0, 0, 0]
      for (let seed = 0; seed < 300; seed++) {
        const own = {
          features: { ...records.features, cols: 1, data: new Float64Array(12) },
          labels: Float64Array.from({ length: 12 }, (_, i) => (i === 0 ? 1 : 0)),
        }
        const { labels } = mixedRecords(own, { alpha, classes: false, rng: rng(seed) })
        // Record 0 with another partner than itself: its label is its share.
        const partner = rng(seed).fork('partners').permutation(12)[0]
        if (partner === 0) continue
        squares += labels[0]! * labels[0]!
        shares += labels[0]!
        count++
      }
      expect(shares / count).toBeGreaterThan(0.45)
      expect(shares / count).toBeLessThan(0.55)
      const variance = squares / count - (shares / count) ** 2
      expect(variance * (8 * alpha + 4)).toBeGreaterThan(0.8)
      expect(variance * (8 * alpha + 4)).toBeLessThan(1.2)
    }
  })

  test('of classes one of the two is drawn, and none is made up', () => {
    const labels = Float64Array.from({ length: 12 }, (_, i) => i % 3)
    const own = mixedRecords({ ...records, labels }, { alpha: 1, classes: true, rng: rng(4) })
    const partner = rng(4).fork('partners').permutation(12)
    const from = Array.from(own.labels, (label, i) => [labels[i], labels[partner[i]!]].indexOf(label))
    expect(new Set(from)).toEqual(new Set([0, 1]))
  })

  test('clients train on mixtures, others in each round, and a recording says so', async () => {
    const [plain, mix] = [await played(oneStep), await played(oneStep, { name: 'mixup', alpha: 0.5 })]
    expect(mix.map(({ next }) => next)).not.toEqual(plain.map(({ next }) => next))
    const almost = await played(oneStep, { name: 'mixup', alpha: 1e-3 })
    // At alphas near 0 mixtures are records, some of them twice: nearer to the plain run than even mixtures are.
    const apart = (rounds: FederationRound[]) => lengthOf(rounds[0]!.next.map((x, j) => x - plain[0]!.next[j]!))
    expect(apart(almost)).toBeLessThan(apart(await played(oneStep, { name: 'mixup', alpha: 50 })) * 4)
    const { protocol, model, loss } = await statedBy(oneStep, { name: 'mixup', alpha: 0.5 })
    expect(protocol.mixup).toEqual({ alpha: 0.5 })
    expect(() => replayer({ model, loss } as never, protocol as never)).toThrow(/mixtures of records/)
    await expect(played(oneStep, { name: 'mixup' }, { name: 'dp-sgd' })).rejects.toThrow(/no epsilon of it would hold/)
  })
})

describe('representation-mask', () => {
  const network: FederationSpec = { ...oneStep, model: { kind: 'mlp', inputs: 4, hidden: [6], outputs: 1 } }

  test('the last layer keeps the changes of the units that tell least, and all else stays', async () => {
    const [plain, masked] = [await played(network), await played(network, { name: 'representation-mask', share: 0.5 })]
    const [before, after] = [changesIn(plain[0]!)[1]!, changesIn(masked[0]!)[1]!]
    const theta = plain[0]!.global
    const { features } = smallRecords[1]!
    // Distances of records from where a unit closes, by hand.
    const tells = [0, 1, 2, 3, 4, 5].map((j) => {
      const w = theta.slice(4 * j, 4 * j + 4)
      let sum = 0
      for (let i = 0; i < features.rows; i++) {
        const z = w.reduce((s, x, c) => s + x * features.data[4 * i + c]!, theta[24 + j]!)
        sum += Math.max(0, z) / lengthOf(w)
      }
      return sum
    })
    const gone = [0, 1, 2, 3, 4, 5].sort((a, b) => tells[b]! - tells[a]!).slice(0, 3)
    for (let j = 0; j < before.length; j++) {
      const masks = j >= 30 && j < 36 && gone.includes(j - 30)
      expect(after[j]).toBe(masks ? 0 : before[j])
    }
    expect(gone.some((j) => before[30 + j] !== 0)).toBe(true)
  })

  test('it needs one hidden layer, and nobody plays it over', async () => {
    await expect(played(oneStep, { name: 'representation-mask' })).rejects.toThrow(/one hidden layer of ReLU/)
    const { protocol, model, loss } = await statedBy(network, { name: 'representation-mask' })
    expect(() => replayer({ model, loss } as never, protocol as never)).toThrow(/representation-mask cannot be played/)
  })
})
