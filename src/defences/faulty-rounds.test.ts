/** Rounds with a malicious client in every phase and clients who vanish: the run goes on, with the honest clients' model. */
import { expect, test } from 'vitest'
import { toyLeastSquares } from '../data/toy-least-squares.js'
import { type FederationRound, federate } from '../federation/federate.js'
import { inlinePool } from '../federation/pool.js'
import { heldPopulation } from '../federation/population.js'
import type { FederationSpec } from '../federation/spec.js'
import { changeSum } from '../federation/updates.js'
import { nativePrimitives } from '../node/threads/native-primitives.js'
import { rng } from '../numeric/random/rng.js'
import { steps } from './checked-aggregation/steps.js'
import { type SecureAggregationOptions, secureAggregation } from './secure-aggregation.js'

const n = 24
const population = heldPopulation(
  toyLeastSquares(rng(2), { clients: n, recordsPerClient: 8, heterogeneity: 0.5 }).map((own, k) => {
    // Weights differ.
    return k % 3 === 0 ? toyLeastSquares(rng(k), { clients: 1, recordsPerClient: 20, heterogeneity: 0 })[0]! : own
  }),
)
const spec: FederationSpec = {
  model: { kind: 'linear', inputs: population.inputs, outputs: 1 },
  rule: { algorithm: 'fedavg', learningRate: 0.05, localEpochs: 1, batchSize: 4 },
  seed: 4,
  rounds: 50,
  dropouts: 0.1,
  aggregateWeights: 'samples',
}

test.each([
  ['pairs', 50],
  ['graph', 50],
] as const)(
  'variant %s, %d rounds',
  async (variant, count) => {
    let asked = 0
    let round = -1
    // In each round one client, another each time, sends noise in one phase, another each time.
    const tap: SecureAggregationOptions['tap'] = ({ to, phase, place, bytes }) => {
      if (to === 'client' && phase === 'keys' && place === 1) round++
      if (to === 'client') return undefined
      asked++
      const bad = steps[round % steps.length]!
      if (phase !== bad || place !== 1 + (round % 5)) return undefined
      // An update of noise is an update: in that phase it is its length that is wrong.
      if (phase === 'masked') return bytes.slice(0, -4)
      const changed = bytes.slice()
      const draws = rng(round).fork('noise')
      for (let k = 19; k < changed.length; k++) changed[k] = draws.integer(256)
      return phase === 'held' ? Uint8Array.of(...changed, 1) : changed
    }
    const options = { primitives: nativePrimitives(), variant, bits: 22, vanishing: 0.2, lateProb: 0.02, tap } as const
    const pool = inlinePool(spec, { population })
    const rounds: FederationRound[] = []
    for await (const one of federate(
      { ...spec, rounds: count },
      { population, defences: [secureAggregation(options)] },
    ))
      rounds.push(one)
    expect(asked).toBeGreaterThan(count * 6 * n * 0.8)
    const phases = new Map<string, number>()
    for (const one of rounds) {
      expect(one.aborted).toBeUndefined()
      for (const { phase, reason } of one.excluded ?? []) {
        expect(reason).not.toBe('')
        phases.set(phase, (phases.get(phase) ?? 0) + 1)
      }
      const turns = one.participants.map((id) => ({
        round: one.round,
        client: population.indexOf(id)!,
        theta: one.global,
      }))
      const weights = [...one.weights.values()]
      const parts = { global: one.global, weights, learningRate: one.learningRate }
      const plain = changeSum(await pool.train(turns), parts)
      const W = weights.reduce((a, b) => a + b, 0)
      const bound = (weights.length * 20 * 16) / ((1 << 22) - 1) / W
      for (const [j, x] of one.next.entries()) {
        expect(Math.abs(x - (one.global[j]! + plain[j]! / W))).toBeLessThanOrEqual(bound)
      }
    }
    // Each phase has its malicious client in every sixth round, unless it has vanished by then.
    for (const phase of steps) expect(phases.get(phase), phase).toBeGreaterThanOrEqual(count / 10)
    await pool.close()
  },
  180_000,
)

test.each(['malicious', 'honest-but-curious'] as const)(
  'more clients than there are places: refused before anybody is asked (%s)',
  async (server) => {
    const invited = Array.from({ length: 65_536 }, (_, i) => ({ id: `${i}`, weight: 1 }))
    const seats = { ask: () => Promise.reject(new Error('somebody was asked')), leave: async () => [] }
    const { exchange } = secureAggregation({ primitives: nativePrimitives(), server, bits: 8 })
    const context = { round: 0, invited, staying: invited.length, length: 1, seats, rng: rng(1) }
    await expect(exchange!.serve(context as never)).rejects.toThrow(/65536 clients in one sum; at most 65535/)
  },
)
