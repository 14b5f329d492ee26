import { describe, expect, test } from 'vitest'
import { functionsOf } from '../../../models/functions.js'
import { architectureOf, createModel, type ModelSpec } from '../../../models/index.js'
import { initialise } from '../../../models/initialise.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { sharesOf } from './coordinate-descent.js'
import { polish } from './flip-guesses.js'
import { type Problem, problemOf, type RateMode } from './linear-problem.js'
import { descend } from './projected-gradient.js'
import { applyMetric, metricOf, plainMetric } from './residual-metric.js'
import { distancesOf } from './value-evidence.js'
import { solvePass } from './weighted-fit.js'
import { assemble } from './weighted-squares.js'

const protocol = (more: object = {}) =>
  ({
    algorithm: 'fedavg',
    share: 'parameters',
    localEpochs: 1,
    localSteps: null,
    batchSize: 4,
    learningRate: 0.1,
    momentum: 0,
    proxMu: 0,
    dropout: 0,
    lossScale: 0.5,
    aggregateWeights: 'one',
    aggregation: 'weighted-mean',
    secureAggregation: false,
    differentialPrivacy: null,
    ...more,
  }) as Problem['view']['protocol']

const specs: readonly ModelSpec[] = [
  { kind: 'linear', inputs: 4, outputs: 1 },
  { kind: 'mlp', inputs: 4, outputs: 1, hidden: [5], activation: 'relu' },
  { kind: 'mlp', inputs: 4, outputs: 2, hidden: [3], activation: 'tanh', bias: false },
]

/** Records with one sensitive column (the third) of `values` values. */
function small(
  spec: ModelSpec,
  { n = 7, values = [-0.5, 2], rate = 'known' as RateMode, rounds = 3, maxNorm = 0 } = {},
) {
  const model = createModel(spec)
  const functions = functionsOf(model, { lossScale: 0.5 })
  const draw = rng(3)
  const known = matrix(n, 4, draw.normals(4 * n))
  known.data[0] = 0 // a zero for the compressed rows
  const features = values.map((value): Matrix => {
    const own = matrix(n, 4, known.data.slice())
    for (let i = 0; i < n; i++) own.data[4 * i + 2] = value
    return own
  })
  const labels = draw.normals(n * model.outputs)
  const privacy = { mechanism: 'dp-sgd', maxNorm, noiseMultiplier: null, sampleRate: null, delta: null }
  const view = {
    model: architectureOf(spec),
    loss: 'mse',
    protocol: protocol(maxNorm > 0 ? { differentialPrivacy: privacy } : {}),
  } as const
  const turns = {
    steps: 2,
    rounds: Array.from({ length: rounds }, (_, t) => {
      const at = initialise(model, rng(t))
      const rounding = new Float64Array(at.length)
      return { round: t, theta: at, rate: 0.1, at, mean: rng(50 + t).normals(at.length), rounding }
    }),
  }
  const candidates = { records: n, features, labels }
  return problemOf({ view, functions, candidates, places: [2], turns, samples: n, rate })
}

/** q_i(v) one at a time, clipped: [value][record]. */
function gradientsOf({ functions, candidates, view }: Problem, theta: Float64Array): Float64Array[][] {
  const C = view.protocol.differentialPrivacy?.maxNorm ?? Number.POSITIVE_INFINITY
  return candidates.features.map((features) => {
    const G = functions.gradPerExample(theta, { features, labels: candidates.labels })
    return Array.from({ length: features.rows }, (_, i) => {
      const g = G.data.slice(i * G.cols, (i + 1) * G.cols)
      const size = Math.sqrt(g.reduce((sum, x) => sum + x * x, 0))
      return g.map((x) => x * Math.min(1, C / size))
    })
  })
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, j) => sum + x * b[j]!, 0)
const close = (a: ArrayLike<number>, b: ArrayLike<number>, within = 1e-9): void => {
  expect(a.length).toBe(b.length)
  let far = 0
  for (let j = 0; j < a.length; j++) if (!(Math.abs(a[j]! - b[j]!) < within * (1 + Math.abs(b[j]!)))) far++
  expect(far).toBe(0)
}
/** Column (v - 1) n + i. */
const columnsOf = (q: Float64Array[][]): Float64Array[] =>
  q.slice(1).flatMap((own) => own.map((g, i) => g.map((x, j) => x - q[0]![i]![j]!)))

describe.each(specs)('per-record gradients of $kind $hidden', (spec) => {
  test.each([0, 0.3])(
    'sums, products, Gram matrix and projections agree with one record at a time, clipped at %d',
    (maxNorm) => {
      const problem = small(spec, { values: [-0.5, 2, 1], maxNorm })
      const { gradients, rounds } = problem
      const theta = rounds[0]!.at
      const q = gradientsOf(problem, theta)
      const weights = rng(8).normals(21)
      const sum = new Float64Array(theta.length)
      for (const [v, own] of q.entries())
        for (const [i, g] of own.entries()) for (const [j, x] of g.entries()) sum[j]! += weights[7 * v + i]! * x
      close(gradients.weighted(theta, weights), sum)
      const r = rng(9).normals(theta.length)
      close(
        gradients.along(theta, r),
        q.flatMap((own) => own.map((g) => dot(g, r))),
      )
      const D = columnsOf(q)
      const factors = problem.factors!
      const at = factors.at(theta)
      const u = [r, rng(10).normals(theta.length)]
      const directions = factors.directions(2, u)
      const z = factors.along(at, directions)
      close(
        z,
        D.flatMap((d) => u.map((one) => dot(d, one))),
      )
      const p = [rng(12).uniforms(14), rng(13).uniforms(14)]
      factors.sums(at, p).forEach((found, k) => {
        close(
          found,
          theta.map((_, j) => D.reduce((all, d, c) => all + p[k]![c]! * d[j]!, 0)),
        )
      })
      close(
        factors.squares(at),
        D.map((d) => dot(d, d)),
      )
      problem.gram!.add(at, 2, { directions, taken: [0.25, 0] })
      problem.gram!.add(at, 1)
      const Q = problem.gram!.take()
      const along = D.map((d) => dot(d, r))
      const wanted = D.flatMap((a, i) => D.map((b, j) => 3 * dot(a, b) - 0.5 * along[i]! * along[j]!))
      close(Q, wanted)
      expect([...problem.gram!.take()].every((x) => x === 0)).toBe(true)
    },
  )
})

describe('the quadratic', () => {
  test.each(['known', 'one', 'each'] as const)('is the sum of squares with the best rate (%s)', (rate) => {
    const problem = small(specs[1]!, { rate })
    const { rounds, gradients } = problem
    const metric = metricOf(
      rounds.map((_, t) => rng(90 + t).normals(gradients.size)),
      1,
    )
    expect(metric.directions.length).toBe(1)
    const offsets = rounds.map((_, t) => rng(70 + t).normals(gradients.size))
    const pass = { rounds: [0, 1, 2], weights: [1, 0.5, 2], metric, offsets }
    const { Q, b } = assemble(problem, pass, { factors: problem.factors!, gram: problem.gram! })
    // The objective by hand, the rate found by hand too.
    const cost = (p: Float64Array): number => {
      const parts = rounds.map(({ at, mean }, t) => {
        const q = gradientsOf(problem, at)
        const rest = offsets[t]!.map((x, j) =>
          q[0]!.reduce((sum, g, i) => sum + (1 - p[i]!) * g[j]! + p[i]! * q[1]![i]![j]!, x),
        )
        const tau = mean.map((x) => 7 * x)
        const inM = (a: Float64Array, c: Float64Array): number => pass.weights[t]! * dot(a, applyMetric(metric, c))
        return { tt: inM(tau, tau), tr: inM(tau, rest), rr: inM(rest, rest) }
      })
      const total = (key: 'tt' | 'tr'): number => parts.reduce((sum, part) => sum + part[key], 0)
      return parts.reduce((sum, { tt, tr, rr }) => {
        const rho = rate === 'known' ? 1 : rate === 'each' ? tr / tt : total('tr') / total('tt')
        return sum + (rho * rho * tt - 2 * rho * tr + rr) / 2
      }, 0)
    }
    const quadratic = (p: Float64Array): number => {
      let sum = 0
      for (let i = 0; i < 7; i++) {
        sum -= b[i]! * p[i]!
        for (let j = 0; j < 7; j++) sum += (p[i]! * Q[i * 7 + j]! * p[j]!) / 2
      }
      return sum
    }
    const [p1, p2] = [rng(1).uniforms(7), rng(2).uniforms(7)]
    close([quadratic(p1) - quadratic(p2)], [cost(p1) - cost(p2)], 1e-8)
    // and the way without a Gram matrix finds the same minimum
    const box = sharesOf({ Q, b, records: 7 }, { tolerance: 1e-9, maxSweeps: 20000 })
    const free = descend(problem, pass, { maxIterations: 20000, tolerance: 1e-10 })
    close(free.p, box.p, 1e-4)
    // with a quadratic on top, too
    const [precision, linear] = [rng(5).uniforms(7), rng(6).normals(7)]
    const more = {
      Q: Q.map((q, at) => q + (at % 8 === 0 ? precision[at / 8]! : 0)),
      b: b.map((v, i) => v + linear[i]!),
    }
    const topped = sharesOf({ ...more, records: 7 }, { tolerance: 1e-9, maxSweeps: 20000 })
    const onTop = descend(problem, pass, { maxIterations: 20000, tolerance: 1e-10, precision, linear })
    close(onTop.p, topped.p, 1e-4)
  })

  test('is solved without a Gram matrix where there is none: the same shares, and much the same beliefs', () => {
    const problem = small(specs[1]!, { n: 4, values: [-0.5, 2, 1], rounds: 6 })
    const pass = {
      rounds: [0, 1, 2, 3, 4, 5],
      weights: [1, 1, 1, 1, 1, 1],
      metric: plainMetric,
      offsets: problem.rounds.map(() => new Float64Array(problem.gradients.size)),
    }
    const { factors: _, gram: __, ...bare } = problem
    const evidence = new Float64Array(8)
    const found = solvePass(bare, pass, { units: 'none', evidence })
    expect(found.how).toEqual({ sums: 'matrix-free', shares: 'boxes' })
    const gram = solvePass(problem, pass, { units: 'none', rough: true })
    close(found.fitted, gram.fitted, 1e-2)
    expect(found.overdispersion).toBeGreaterThan(0)
    for (let i = 0; i < 4; i++) expect(found.shares.reduce((sum, one) => sum + one[i]!, 0)).toBeCloseTo(1, 10)
    // Something said in favour of a value makes it likelier, and only of that record.
    const told = solvePass(bare, pass, { units: 'none', evidence: evidence.map((_, c) => (c === 4 + 1 ? 3 : 0)) })
    for (let i = 0; i < 4; i++) {
      if (i === 1)
        expect(told.shares[2]![i]! / told.shares[0]![i]!).toBeCloseTo(
          (Math.exp(3) * found.shares[2]![i]!) / found.shares[0]![i]!,
          6,
        )
      else expect(told.shares[2]![i]).toBeCloseTo(found.shares[2]![i]!, 10)
    }
  })
})

describe('shares', () => {
  test('of three values meet the conditions of a minimum on each simplex', () => {
    const [n, N] = [5, 10]
    const A = rng(4).normals(N * 14)
    const Q = new Float64Array(N * N)
    for (let i = 0; i < N; i++)
      for (let j = 0; j < N; j++) for (let k = 0; k < 14; k++) Q[i * N + j]! += A[i * 14 + k]! * A[j * 14 + k]!
    const b = rng(5).normals(N, { mean: 4, std: 6 })
    const { p, gradient, settled } = sharesOf({ Q, b, records: n }, { tolerance: 1e-10, maxSweeps: 50000 })
    expect(settled).toBe(true)
    for (let i = 0; i < n; i++) {
      const left = 1 - p[i]! - p[n + i]!
      const own = [
        { share: left, slope: 0 },
        { share: p[i]!, slope: gradient[i]! },
        { share: p[n + i]!, slope: gradient[n + i]! },
      ]
      const least = Math.min(...own.map(({ slope }) => slope))
      for (const { share, slope } of own) {
        expect(share).toBeGreaterThan(-1e-9)
        if (share > 1e-6) expect(slope).toBeLessThan(least + 1e-5)
      }
    }
  })

  test('a direction in which nothing is known moves nothing', () => {
    const { p } = sharesOf({ Q: Float64Array.from([2, 0, 0, 0]), b: Float64Array.from([1, 0]), records: 2 })
    close(p, [0.5, 0.5])
  })
})

test('distances are those of a single record, the others held', () => {
  const Q = Float64Array.from([4, 1, 1, 3])
  const b = Float64Array.from([3, 1])
  const shares = sharesOf({ Q, b, records: 2 }, { tolerance: 1e-12 })
  const [zero, one] = distancesOf(Q, shares, 2)
  // record 0 alone: minimum of 2 p^2 - (3 - p_1) p at p* = (3 - p_1) / 4
  const alone = (3 - shares.p[1]!) / 4
  close([zero![0]!, one![0]!], [4 * alone * alone, 4 * (1 - alone) * (1 - alone)], 1e-6)
})

test('guesses are polished by pairs where two records are nearly alike', () => {
  const columns = [Float64Array.from([1, 0, 0.001]), Float64Array.from([1, 0, -0.001]), Float64Array.from([0, 1, 0])]
  const y = Float64Array.from([1, 1, -0.001]) // records 1 and 2
  const guesses = Int32Array.from([1, 0, 1])
  polish(guesses, { columns, y, p: Float64Array.from([3, -2, 1]), n: 3 })
  expect([...guesses]).toEqual([0, 1, 1])
})

test('a metric of too few rounds is plain, and otherwise damps what they share', () => {
  expect(metricOf([Float64Array.from([1, 2])], 5)).toBe(plainMetric)
  const residuals = Array.from({ length: 9 }, (_, t) => {
    const r = rng(t).normals(30, { mean: 0, std: 0.1 })
    r[4] = 5
    return r
  })
  const metric = metricOf(residuals, 1)
  const e4 = new Float64Array(30)
  e4[4] = 1
  expect(applyMetric(metric, e4)[4]).toBeLessThan(0.01)
})
