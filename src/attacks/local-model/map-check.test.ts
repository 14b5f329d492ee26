import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import {
  type Client,
  linearFederation,
  optimumOf,
  protocolOf,
  relativeError,
  seriesOf,
  viewOf,
} from '../../../test/linear-federation.js'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
import { type Rng, rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import type { Protocol } from '../../transcript/manifest.js'
import type { Claimed } from '../attack.js'
import { lmraExact } from './lmra-exact.js'
import { lmraOls } from './lmra-ols.js'
import { chiSquaredTail } from './map-check.js'

const [d, records, eta] = [6, 80, 0.05]
type Turn = (theta: Float64Array, client: Client, at: { readonly round: number; readonly draws: Rng }) => Float64Array

function gradient(theta: Float64Array, { X, y }: Client, rows: Int32Array = Int32Array.from(y.keys())): Float64Array {
  const grad = new Float64Array(d)
  for (const i of rows) {
    let e = -y[i]!
    for (let j = 0; j < d; j++) e += X.data[i * d + j]! * theta[j]!
    for (let j = 0; j < d; j++) grad[j]! += (2 * e * X.data[i * d + j]!) / rows.length
  }
  return grad
}

/** Three steps, each of which `step` makes of the gradient; what it remembers it forgets after the turn. */
const steps =
  (begin: () => (grad: Float64Array, theta: Float64Array, round: number) => Float64Array): Turn =>
  (theta, client, { round }) => {
    const step = begin()
    let at = theta
    for (let s = 0; s < 3; s++) {
      const move = step(gradient(at, client), at, round)
      at = at.map((x, j) => x - move[j]!)
    }
    return at
  }

/** Ways to train, and whether the messages lie on one map: to rounding, with noise, or not at all. */
const zoo: Record<string, { turn: Turn; map: 'exact' | 'noisy' | 'none'; stated?: Partial<Protocol> }> = {
  sgd: { turn: steps(() => (g) => g.map((x) => eta * x)), map: 'exact' },
  momentum: {
    turn: steps(() => {
      let v = new Float64Array(d)
      return (g) => {
        v = v.map((x, j) => 0.9 * x + g[j]!)
        return v.map((x) => eta * x)
      }
    }),
    map: 'exact',
  },
  adam: {
    turn: steps(() => {
      let [m, v, k] = [new Float64Array(d), new Float64Array(d), 0]
      return (g) => {
        k++
        m = m.map((x, j) => 0.9 * x + 0.1 * g[j]!)
        v = v.map((x, j) => 0.999 * x + 0.001 * g[j]! ** 2)
        return m.map((x, j) => (0.02 * x) / (1 - 0.9 ** k) / (Math.sqrt(v[j]! / (1 - 0.999 ** k)) + 1e-8))
      }
    }),
    map: 'none',
  },
  clipping: { turn: steps(() => (g) => g.map((x) => (eta * x) / Math.max(1, norm(g)))), map: 'none' },
  'a falling rate': { turn: steps(() => (g, _, t) => g.map((x) => (eta * x) / (1 + t / 10))), map: 'none' },
  'top-k': {
    turn: steps(() => (g) => {
      const least = [...g].map(Math.abs).sort((a, b) => b - a)[2]!
      return g.map((x) => (Math.abs(x) < least ? 0 : eta * x))
    }),
    map: 'none',
  },
  'batches that are stated': {
    turn: (theta, client, { draws }) => {
      const order = draws.permutation(records)
      let at = theta
      for (let s = 0; s < records; s += 20) {
        const grad = gradient(at, client, order.subarray(s, s + 20))
        at = at.map((x, j) => x - eta * grad[j]!)
      }
      return at
    },
    map: 'noisy',
    stated: { batchSize: 20 },
  },
  'noise that is stated': {
    turn: (theta, client, { draws }) =>
      gradient(theta, client).map((g, j) => theta[j]! - eta * (g + 0.3 * draws.normal())),
    map: 'noisy',
    stated: { differentialPrivacy: { mechanism: 'dp-sgd' } as Protocol['differentialPrivacy'] },
  },
}

function heard(turn: Turn, { seed, count }: { seed: number; count: number }) {
  const { clients } = linearFederation({ d, seed, clients: 6, records, rounds: 1 })
  const stream = rng(seed).fork('zoo')
  let global = stream.fork('start').normals(d, { std: 0.3 })
  const exchanges: Exchange[] = []
  for (let round = 0; exchanges.length < count; round++) {
    const part = stream.fork('who', round).sample(6, 3)
    const received = global
    const returned = [...part].map((c) => turn(received, clients[c]!, { round, draws: stream.fork('turn', round, c) }))
    const own = part.indexOf(0)
    if (own >= 0) {
      exchanges.push({ round, received, learningRate: eta, update: { kind: 'parameters', theta: returned[own]! } })
    }
    global = received.map((_, j) => returned.reduce((sum, one) => sum + one[j]! / 3, 0))
  }
  return { client: clients[0]!, exchanges }
}

const base = viewOf(linearFederation({ d }))
const viewed = (exchanges: readonly Exchange[], stated: Partial<Protocol> = {}) => ({
  ...base,
  samples: records,
  exchanges: seriesOf(exchanges),
  protocol: protocolOf({ learningRate: eta, localSteps: 3, localEpochs: null, ...stated }),
})

describe.each(Object.entries(zoo))('%s', (_, { turn, map, stated = {} }) => {
  test.each([d + 1, d + 2, 60])('%d messages: what is said covers what is so, or nothing is said', async (count) => {
    for (const seed of [1, 2, 3]) {
      const { client, exchanges } = heard(turn, { seed, count })
      for (const attack of [lmraExact, lmraOls]) {
        const outcome = await attackOn(attack, viewed(exchanges, stated))
        if (outcome.status !== 'claimed') {
          expect(map).not.toBe('exact')
          continue
        }
        const { errorEstimate, exact = null } = outcome.details as { errorEstimate: number | null; exact?: boolean }
        const { theta, fit } = only(outcome, 'model')
        // An estimate of half the model's size and more is said to be worthless, in a warning.
        const worth = errorEstimate !== null && errorEstimate < 0.5
        if (worth) expect(relativeError(theta, optimumOf(client))).toBeLessThan(4 * errorEstimate)
        if (attack === lmraExact) expect(exact).toBe(map === 'exact')
        // Rounding explains everything or nothing; noise that is stated is not told from others by its size.
        if (map === 'exact') expect(fit?.p ?? 1).toBeGreaterThan(0.9)
        // A handful of turns of Adam all go the same way: a map as good as any, which has no zero.
        if (map === 'none' && count === 60) expect(fit!.p).toBeLessThan(1e-6)
        if (map === 'none' && count < 60) expect(worth).toBe(false)
        if (map === 'noisy' && attack === lmraOls) expect(fit?.p ?? 1).toBeGreaterThan(1e-3)
      }
    }
  })
})

test('weight decay leaves the map exact: what is found is the optimum with its penalty, and a word says so', async () => {
  const decay = 0.1
  const turn = steps(() => (g, theta) => g.map((x, j) => eta * (x + decay * theta[j]!)))
  const { client, exchanges } = heard(turn, { seed: 1, count: 20 })
  const outcome = (await attackOn(lmraExact, viewed(exchanges, { weightDecay: decay }))) as Claimed
  // (2 / m) X^T (X theta - y) + decay theta = 0: least squares with sqrt(decay m / 2) I below X.
  const { X, y } = client
  const below = matrix(records + d, d)
  below.data.set(X.data)
  for (let j = 0; j < d; j++) below.data[(records + j) * d + j] = Math.sqrt((decay * records) / 2)
  const right = matrix(records + d, 1)
  right.data.set(y)
  expect(relativeError(only(outcome, 'model').theta, leastSquares(below, right).X.data)).toBeLessThan(1e-11)
  expect(outcome.warnings).toEqual([expect.stringContaining('the optimum with that penalty')])
})

test.each([
  [1, 3.841459, 0.05], // the 95 % points of tables
  [4, 9.487729, 0.05],
  [30, 43.772972, 0.05],
])('chi-squared of %d degrees of freedom', (freedom, x, tail) => {
  expect(chiSquaredTail(x, freedom)).toBeCloseTo(tail, 2)
  expect(chiSquaredTail(0, freedom)).toBe(1)
  expect(chiSquaredTail(Number.POSITIVE_INFINITY, freedom)).toBe(0)
})
