import { Inapplicable } from '../src/attacks/attack.js'
import { sharesOf } from '../src/attacks/attributes/linear/coordinate-descent.js'
import { propagate } from '../src/attacks/attributes/linear/expectation-propagation.js'
import { nearby, polish } from '../src/attacks/attributes/linear/flip-guesses.js'
import { diagonalBlocks, gaussianOf, variancesOf } from '../src/attacks/attributes/linear/gaussian-posterior.js'
import { linearRounds } from '../src/attacks/attributes/linear/gradient-sums.js'
import { inferAttributes } from '../src/attacks/attributes/linear/infer-attributes.js'
import { allShares } from '../src/attacks/attributes/linear/linear-problem.js'
import {
  applyMetric,
  inMetric,
  metricOf,
  squaresIn,
  weightsIn,
} from '../src/attacks/attributes/linear/residual-metric.js'
import { inverse } from '../src/attacks/attributes/linear/small-inverse.js'
import { distancesOf } from '../src/attacks/attributes/linear/value-evidence.js'
import { functionsOf } from '../src/models/functions.js'
import { createModel } from '../src/models/index.js'
import { initialise } from '../src/models/initialise.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { protocolOf } from './label-views.js'
import { pinResults } from './pinned-results.js'

interface Made {
  readonly n: number
  /** Values beside the first. */
  readonly m: number
  /** Equations: fewer than unknowns leave some of them open. */
  readonly rows: number
  readonly noise?: number
  readonly scale?: number
  readonly seed?: number
}

/** Equations in which whole values stand, and the quadratic of their squares. */
function made({ n, m, rows, noise = 0.1, scale = 1, seed = 1 }: Made) {
  const draws = rng(seed).fork('linear solvers', n, m, rows)
  const N = n * m
  const columns = Array.from({ length: N }, (_, c) => draws.fork('column', c).normals(rows))
  const truth = Int32Array.from({ length: n }, () => draws.integer(m + 1))
  const y = draws.normals(rows, { std: noise })
  for (const [i, v] of truth.entries()) if (v > 0) for (let r = 0; r < rows; r++) y[r]! += columns[(v - 1) * n + i]![r]!
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, r) => sum + x * b[r]!, 0)
  const Q = Float64Array.from({ length: N * N }, (_, at) => scale * dot(columns[Math.floor(at / N)]!, columns[at % N]!))
  return { n, m, N, columns, truth, y, Q, b: Float64Array.from(columns, (d) => scale * dot(d, y)), draws }
}

const worlds: readonly Made[] = [
  { n: 1, m: 1, rows: 2 },
  { n: 6, m: 1, rows: 14 },
  { n: 9, m: 1, rows: 5 },
  { n: 5, m: 2, rows: 24 },
  { n: 6, m: 2, rows: 7, noise: 0.5 },
  { n: 4, m: 3, rows: 10, noise: 1, scale: 20 },
  { n: 8, m: 1, rows: 20, noise: 2, scale: 200 },
  { n: 12, m: 2, rows: 40, noise: 0.01, scale: 1e4 },
]

/** Priors that differ by record, as evidence makes them. */
const priorsOf = ({ n, m, draws }: ReturnType<typeof made>, spread: number): Float64Array[] =>
  Array.from({ length: m + 1 }, (_, v) => draws.fork('prior', v).normals(n, { mean: -1 - v, std: spread }))

const descending =
  (world: Made, options: object = {}) =>
  () => {
    const told: number[][] = []
    const { Q, b, n, N, draws } = made(world)
    const start = draws
      .fork('start')
      .uniforms(N)
      .map((x) => x / (world.m + 1))
    const tick = (...by: number[]) => void told.push(by)
    const found = sharesOf({ Q, b, records: n }, { tick, ...options })
    const from = sharesOf({ Q, b, records: n }, { start, maxSweeps: 3, ...options })
    return [found, from, told, distancesOf(Q, found, n), allShares(found.p, n)]
  }

const propagating = (world: Made, spread: number) => () => {
  const own = made(world)
  const logPrior = priorsOf(own, spread)
  const { Q, b, n } = own
  const first = propagate({ Q, b, records: n, logPrior })
  const { ending, ...told } = first
  const moved = b.map((x, c) => x * (1 + 0.01 * (c % 3)))
  const { ending: _, ...again } = propagate({ Q, b: moved, records: n, logPrior, from: ending })
  return [told, ending.dispersion, ending.sites, ending.joint?.free, again]
}

const solving = (world: Made) => () => {
  const { Q, b, n, m, N } = made(world)
  const gaussian = gaussianOf(Q, n)
  const blocks = diagonalBlocks((c) => 0.5 + c / N, n, m)
  const added = { dispersion: 2, blocks, rhs: b }
  const whole = gaussian.solve(added)!
  const open = Array.from({ length: n }, (_, i) => i).filter((i) => i % 2 === 0)
  const found = [blocks, whole, gaussian.solveOpen(added, { open, mean: whole.mean }), gaussian.times(b)]
  gaussian.release()
  return [...found, variancesOf(Q, n, () => 0.25), variancesOf(Q, n, (c) => 1e-3 * (c + 1))]
}

const flipping = (world: Made, wrong: number) => () => {
  const { columns, y, n, m, truth, draws } = made(world)
  const guesses = truth.map((v, i) => (i < wrong ? (v + 1) % (m + 1) : v))
  const before = guesses.slice()
  polish(guesses, { columns, y, p: draws.fork('p').uniforms(n * m), n })
  const slack = draws
    .fork('slack')
    .uniforms(y.length)
    .map((x) => 0.05 + x)
  return [before, guesses, nearby(guesses, { columns, y, n, slack }), nearby(before, { columns, y, n, slack })]
}

/** Residuals that share some directions, and some of nothing. */
const measuring =
  (T: number, P: number, most: number, silent = 0) =>
  () => {
    const shared = rng('shared').normals(P)
    const rows = Array.from({ length: T }, (_, t) => {
      if (t < silent) return new Float64Array(P)
      return rng('own')
        .fork(t)
        .normals(P)
        .map((x, j) => x * 0.3 + (1 + (t % 3)) * shared[j]!)
    })
    const metric = metricOf(rows, most)
    const rounds = rows.map((_, t) => ({ rounding: new Float64Array(P).fill(t === 1 ? 0.5 : 1e-9) })) as never
    const along = [shared, rows[T - 1]!]
    const damped = { directions: metric.directions, damping: metric.damping.map(() => 1) }
    const [one] = metric.directions
    const within = one === undefined ? [] : squaresIn(damped, [one, one.map((x, j) => x + (j === 0 ? 1e-5 : 0))])
    const weights = weightsIn({ rounds, samples: 3 }, metric, rows)
    return [metric, inMetric(metric, along), applyMetric(metric, shared), squaresIn(metric, rows), within, weights]
  }

type Sent = Readonly<Record<string, unknown>>
const [theta, after] = [Float64Array.of(1, 2, -0.5), Float64Array.of(0.9, 2.25, -0.1)]
const sending =
  (sent: readonly Sent[], states: object = {}, options: object = {}) =>
  async () => {
    const exchanges = { rounds: sent.map((_, t) => t), read: async (t: number) => ({ round: t, received: theta, learningRate: null, ...sent[t] }) } // biome-ignore format: a line
    const protocol = protocolOf({ share: 'parameters', learningRate: 0.1, batchSize: 4, localEpochs: 2, ...states })
    try {
      return await linearRounds({ exchanges, protocol } as never, { samples: 8, ...options })
    } catch (error) {
      if (error instanceof Inapplicable) return error.outcome.missing
      throw error
    }
  }
const parameters = { update: { kind: 'parameters', theta: after } }
const delta = { update: { kind: 'delta', dTheta: after.map(Math.fround) } }
const gradient = { update: { kind: 'gradient', grad: after } }

interface Step {
  readonly n: number
  readonly values?: number
  /** Records that are like the one before but for the attribute. */
  readonly alike?: number
  readonly noise?: number
  readonly single?: boolean
  readonly hidden?: readonly number[]
  readonly rate?: 'auto' | 'known' | 'one' | 'each'
  /** Messages, at models of their own. */
  readonly rounds?: number
}

/** One step on all records, as it is heard: an identity, unless something was added. */
const stepping = ({ n, values = 2, alike = 0, noise = 0, single, hidden = [7], rate = 'auto', rounds = 1 }: Step) => {
  return async () => {
    const draws = rng('one step').fork(n, values, alike)
    const [complete, labels] = [matrix(n, 4, draws.normals(4 * n)), draws.normals(n)]
    for (let i = 0; i < n; i++) {
      if (i > 0 && i <= alike) {
        complete.data.copyWithin(4 * i, 4 * (i - 1), 4 * i)
        labels[i] = labels[i - 1]!
      }
      complete.data[4 * i + 3] = draws.integer(values)
    }
    const spec = { kind: 'mlp', inputs: 4, outputs: 1, hidden, activation: 'tanh' } as const
    const model = createModel(spec)
    const functions = functionsOf(model)
    const sent = Array.from({ length: rounds }, (_, round) => {
      const received = initialise(model, draws.fork('theta', round))
      const { grad } = functions.gradient(received, { features: complete, labels })
      const noised = draws.fork('noise', round).normals(grad.length, { std: noise })
      const heard = grad.map((g, j) => g + noised[j]!)
      return { round, received, learningRate: null, update: { kind: 'gradient', grad: single ? heard.map(Math.fround) : heard } } // biome-ignore format: a line
    })
    const blank = matrix(
      n,
      4,
      complete.data.map((x, at) => (at % 4 === 3 ? Number.NaN : x)),
    )
    const numbers = Array.from({ length: values }, (_, v) => [v])
    const view = {
      records: { columns: ['a', 'b', 'c', 's'], features: blank },
      'records.label': labels,
      sensitive: [{ name: 's', columns: ['s'], kind: values === 2 ? 'binary' : 'categorical', values: numbers }],
      ...{ model: spec, loss: 'mse', samples: n },
      protocol: protocolOf({ share: 'gradient', batchSize: null, localSteps: 1, localEpochs: null, lossScale: 1 }),
      exchanges: { rounds: sent.map(({ round }) => round), read: async (round: number) => sent[round]! },
    }
    const settings = { rate, passes: 2, rehearsals: 1, directions: 3, rng: rng('stepping'), tick: () => {} }
    const { unknowns: _, ...found } = await inferAttributes(view as never, settings as never)
    return found
  }
}

pinResults('linear-solvers', {
  'one step on all records': [
    stepping({ n: 5 }),
    stepping({ n: 5, single: true }),
    stepping({ n: 5, values: 3 }),
    stepping({ n: 6, alike: 1 }),
    stepping({ n: 12, alike: 1, values: 2 }),
    stepping({ n: 11, alike: 1, values: 3, rounds: 2 }),
    stepping({ n: 5, noise: 1e-4 }),
    stepping({ n: 12, alike: 1, noise: 1e-3 }),
    stepping({ n: 5, rate: 'one' }),
    stepping({ n: 6, alike: 1, rate: 'one', rounds: 3 }),
    stepping({ n: 5, rate: 'each', rounds: 2 }),
    stepping({ n: 40, rounds: 2 }),
    stepping({ n: 9, hidden: [], rounds: 3 }),
  ],
  'shares by coordinate descent': [
    ...worlds.map((one) => descending(one)),
    descending({ n: 6, m: 2, rows: 7, noise: 0.5 }, { tolerance: 1e-12, maxSweeps: 120 }),
    descending({ n: 201, m: 2, rows: 20, noise: 3 }, { maxSweeps: 30 }),
    descending({ n: 410, m: 1, rows: 40, noise: 1 }, { maxSweeps: 30, tolerance: 1e-9 }),
  ],
  'shares by propagation': worlds.flatMap((one) => [0, 1.5].map((spread) => propagating(one, spread))),
  'a Gaussian over all records': worlds.map((one) => solving(one)),
  'guesses flipped': worlds.flatMap((one) => [0, 1, 3].map((wrong) => flipping(one, Math.min(wrong, one.n)))),
  'metrics of residuals': [
    measuring(2, 5, 3),
    measuring(3, 5, 3),
    measuring(7, 12, 2),
    measuring(9, 12, 60, 2),
    measuring(12, 12, 4),
    measuring(30, 4, 60),
    measuring(30, 4, 2, 5),
  ],
  'small inverses': [1, 2, 3, 4].flatMap((m) => [1, 2].map((seed) => () => inverse(rng(seed).normals(m * m), m))),
  'what a turn says of sums of gradients': [
    sending([parameters, parameters, delta]),
    sending([parameters, { ...parameters, received: theta.map((x) => x + 1) }]),
    sending([parameters, { ...delta, received: undefined }]),
    sending([delta, { ...delta, learningRate: 0.3 }], { share: 'delta' }, { rate: 0.7 }),
    sending([{ ...delta, learningRate: 0.3 }], { share: 'delta' }),
    sending([gradient], { share: 'gradient', learningRate: null, batchSize: 8, localEpochs: 1 }),
    sending([gradient], { share: 'gradient', batchSize: 7, localSteps: 1, localEpochs: null }),
    sending([parameters], { learningRate: null }),
    sending([parameters], { batchSize: null, localEpochs: 1 }),
    sending([parameters], { batchSize: null, localEpochs: 1, weightDecay: 0.2 }),
    sending([parameters], { momentum: 0.5, proxMu: 0.3 }),
    sending([parameters], { momentum: 0.9, localEpochs: 1 }),
    sending([{ update: { kind: 'delta', dTheta: Float64Array.of(1, Number.NaN, 0) } }], { share: 'delta' }),
    sending([parameters], { localSteps: 0, localEpochs: null }),
  ],
})
