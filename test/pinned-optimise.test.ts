import { matrix } from '../src/numeric/linalg/matrix.js'
import { adam } from '../src/numeric/optimise/adam.js'
import { anderson, fixedPoint } from '../src/numeric/optimise/anderson.js'
import { assignment } from '../src/numeric/optimise/assignment.js'
import { kMeans } from '../src/numeric/optimise/k-means.js'
import { lbfgs } from '../src/numeric/optimise/lbfgs.js'
import { strongWolfe } from '../src/numeric/optimise/line-search.js'
import { medianPruner } from '../src/numeric/optimise/median-pruner.js'
import { minimiseTerms, mtAdam } from '../src/numeric/optimise/mtadam.js'
import { type Method, minimise, type Objective, projected, type Stop } from '../src/numeric/optimise/optimiser.js'
import { density, mass, parzen, recency, sampleParzen } from '../src/numeric/optimise/parzen.js'
import { randomSampler, tpeSampler } from '../src/numeric/optimise/samplers.js'
import * as spaces from '../src/numeric/optimise/search-space.js'
import { sgd } from '../src/numeric/optimise/sgd.js'
import { study } from '../src/numeric/optimise/tuning-study.js'
import { rng } from '../src/numeric/random/rng.js'
import { exp } from '../src/numeric/special/elementary-functions.js'
import { pinResults } from './pinned-results.js'

/** Rosenbrock's valley. */
const valley: Objective = ([x, y]) => {
  const [a, b] = [1 - x!, y! - x! * x!]
  return { value: a * a + 100 * b * b, gradient: Float64Array.of(-2 * a - 400 * x! * b, 200 * b) }
}
/** A bowl of very different widths. */
const bowl: Objective = (x) => ({
  value: x.reduce((sum, v, i) => sum + (i + 1) * (i + 1) * v * v, 0),
  gradient: x.map((v, i) => 2 * (i + 1) * (i + 1) * v),
})
/** Finite only to the left of 2. */
const cliff: Objective = ([x]) => ({ value: x! > 2 ? Number.NaN : 3 - x!, gradient: Float64Array.of(-1) })
const flat: Objective = () => ({ value: 1, gradient: Float64Array.of(0, 0) })
const starts: readonly (readonly [Objective, Float64Array])[] = [
  [valley, Float64Array.of(-1.2, 1)],
  [bowl, Float64Array.of(1, -2, 3, 0.5)],
  [cliff, Float64Array.of(0)],
  [flat, Float64Array.of(1, 2)],
]
const stops: readonly Stop[] = [
  { maxIterations: 0 },
  { maxIterations: 7 },
  { maxIterations: 60, gradientTolerance: 1e-3, keep: 'best' },
  { maxIterations: 60, valueTolerance: 1e-2 },
  { maxIterations: 60, valueTolerance: 1e-2, patience: 3, aborted: ({ iteration }) => iteration === 20 },
]
/** All starts under all stopping rules, in one digest each. */
const runs = (method: () => Method<never>) =>
  starts.flatMap(([objective, x0]) =>
    stops.map((stop) => () => minimise(method(), objective, x0, { ...stop, trace: true } as Stop)),
  )
const of = (...methods: (() => unknown)[]) => methods.flatMap((method) => runs(method as () => Method<never>))

const along = (phi: (t: number) => number) => (t: number) => {
  const h = 1 / 1048576
  return { value: phi(t), slope: (phi(t + h) - phi(t - h)) / (2 * h) }
}
const lines: readonly ((t: number) => number)[] = [
  (t) => (t - 1) * (t - 1),
  (t) => (t - 30) * (t - 30),
  (t) => (t - 0.01) * (t - 0.01),
  (t) => t * t * t * t - 3 * t * t * t + t * t - t,
  (t) => -t / (t * t + 2),
  (t) => exp(-t) + (t > 3 ? Number.NaN : 0),
  (t) => -t,
  (t) => (t + 1) * (t + 1),
  (t) => 1e9 - 1e-9 * t + 1e-9 * t * t,
  (t) => (t < 0.4 ? -t : -0.4 + 9 * (t - 0.4)),
  (t) => (t - 2) * (t - 2) * (t - 2) * (t - 2) - t,
]
const space = { x: spaces.range(-2, 3), rate: spaces.logRange(1e-4, 10), n: spaces.integerRange(1, 9), deep: spaces.integerRange(1, 500, { log: true }), kind: spaces.choice(['a', 'b', 'c']) } // biome-ignore format: a list
const tried = async (options: object, trials: number) => {
  const one = study({ space, rng: rng(3), ...options })
  const best = await one.optimise(
    (trial) => {
      const { x, n, kind } = trial.params
      const value = (x - 1) * (x - 1) + n * 0.1 + (kind === 'b' ? 0 : 1)
      for (let step = 0; step < 3; step++) {
        trial.report(step, value + 3 - step)
        if (trial.shouldPrune()) return 'pruned'
      }
      if (trial.number % 7 === 3) throw new Error('no luck')
      return trial.number % 11 === 5 ? Number.NaN : value
    },
    { trials },
  )
  return [best, one.finished()]
}
const points = (n: number, d: number) => matrix(n, d, rng(`points ${n}`).normals(n * d))
const observed = [[], [0.5], [0.2, 0.2, 0.9], Array.from(rng(8).uniforms(30))]

pinResults('optimise', {
  'gradient descent': of(
    () => sgd({ learningRate: 0.002 }),
    () => sgd({ learningRate: 0.002, momentum: 0.8, weightDecay: 0.1 }),
    () => sgd({ learningRate: 0.001, momentum: 0.8, nesterov: true }),
  ),
  Adam: of(
    () => adam(),
    () => adam({ learningRate: 0.1, beta1: 0.8, beta2: 0.95, tiny: 1e-3, weightDecay: 0.2 }),
    () => projected(adam({ learningRate: 0.3 }), (x) => x.set(x.map((v) => Math.max(-0.5, v)))),
  ),
  'L-BFGS': of(
    () => lbfgs(),
    () => lbfgs({ memory: 0 }),
    () => lbfgs({ memory: 1 }),
    () => lbfgs({ fixedStep: 0.1, memory: 3 }),
    () => lbfgs({ lineSearch: { curvature: 0.1, sufficientFall: 0.01, maxEvaluations: 5 } }),
  ),
  'what methods refuse': [
    ...[0, -1, Number.NaN].map((learningRate) => () => sgd({ learningRate })),
    ...[-0.1, 1].flatMap((x) => [() => sgd({ learningRate: 1, momentum: x }), () => adam({ beta1: x }), () => adam({ beta2: x }), () => mtAdam({ terms: 2, beta1: x }), () => mtAdam({ terms: 2, beta3: x })]), // biome-ignore format: a list
    ...[-1].flatMap((x) => [() => sgd({ learningRate: 1, weightDecay: x }), () => adam({ weightDecay: x }), () => adam({ learningRate: x }), () => adam({ tiny: x }), () => lbfgs({ memory: x }), () => lbfgs({ fixedStep: 0 }), () => anderson({ memory: x }), () => anderson({ damping: x }), () => anderson({ regularisation: x }), () => mtAdam({ terms: 0 }), () => medianPruner({ startupTrials: x }), () => medianPruner({ warmupSteps: x }), () => tpeSampler({ startupTrials: x }), () => tpeSampler({ candidates: 0 })]), // biome-ignore format: a list
    ...[{ maxIterations: -1 }, { maxIterations: 1, patience: 0 }, { maxIterations: 1, valueTolerance: -1 }, { maxIterations: 1, gradientTolerance: -1 }, { maxIterations: 1.5 }].map((stop) => () => minimise(adam(), bowl, Float64Array.of(1), stop)), // biome-ignore format: a list
    ...[{ firstStep: 0 }, { sufficientFall: 0 }, { sufficientFall: 0.95 }, { curvature: 1 }, { curvature: 0 }, { maxEvaluations: 0 }].map((options) => () => strongWolfe(along(lines[0]!), along(lines[0]!)(0), options)), // biome-ignore format: a list
  ],
  'line searches': lines.flatMap((phi) =>
    [
      {},
      { firstStep: 0.1 },
      { firstStep: 8, curvature: 0.1 },
      { maxEvaluations: 3, curvature: 0.01 },
      { sufficientFall: 0.3, curvature: 0.4 },
      { maxEvaluations: 1 },
    ].map((options) => () => {
      // biome-ignore format: a list
      const asked: number[] = []
      const probe = (t: number) => {
        asked.push(t)
        return along(phi)(t)
      }
      return [strongWolfe(probe, along(phi)(0), options), asked]
    }),
  ),
  'fixed points': [{}, { memory: 0 }, { memory: 1, damping: 0.5 }, { memory: 3, regularisation: 0.1 }].flatMap(
    (options) =>
      [10, 40].map(
        (maxIterations) => () =>
          fixedPoint(
            anderson(options),
            (x) => x.map((v, i) => exp(-v) * (i + 1) * 0.4 + 0.1 * x[0]!),
            Float64Array.of(1, 2, 3),
            { maxIterations, gradientTolerance: 1e-10 },
          ),
      ),
  ),
  'several losses': [
    {},
    { anchor: 1, beta3: 0.5, learningRate: 0.1 },
    {
      groups: [
        { start: 0, end: 1 },
        { start: 1, end: 3 },
      ],
      learningRate: 0.05,
    },
    { groups: [{ start: 0, end: 1 }] },
    { anchor: 3 },
    { weights: [1, 2] },
  ].flatMap(
    (
      options, // biome-ignore format: a list
    ) =>
      [5, 40].map(
        (maxIterations) => () =>
          minimiseTerms(
            mtAdam({ terms: 2, ...options }),
            (x) => ({
              values: [bowl(x).value, x[0]! * x[0]! * 5],
              gradients: [bowl(x).gradient, Float64Array.of(10 * x[0]!, 0, 0)],
            }),
            Float64Array.of(1, -2, 3),
            { maxIterations, keep: 'best' },
          ),
      ),
  ),
  assignments: [[1, 1], [2, 2], [4, 4], [3, 6], [6, 3], [12, 12], [0, 2], [0, 0]].map(([n, m]) => () => assignment(matrix(n!, m!, rng(`${n}`).normals(n! * m!)))).concat([[1, 1, 1, 1], [Number.NaN, 0, 0, 0], [5, 5, 5, 1]].map((data) => () => assignment(matrix(2, 2, Float64Array.from(data))))), // biome-ignore format: a list
  clusters: [
    ...[1, 2, 3, 5].flatMap((k) =>
      [{}, { restarts: 3 }, { maxIterations: 1 }].map((options) => () => kMeans(points(30, 2), { k, ...options })),
    ),
    () => kMeans(points(30, 2), { k: 2, rng: rng(5), start: points(2, 2) }),
    () => kMeans(matrix(6, 1, Float64Array.of(1, 1, 1, 1, 2, 2)), { k: 3 }),
    ...[0, 7, 1.5].map((k) => () => kMeans(points(6, 2), { k })),
    ...[{ restarts: 0 }, { maxIterations: 0 }, { start: points(3, 2) }, { start: points(2, 3) }].map(
      (options) => () => kMeans(points(6, 2), { k: 2, ...options }),
    ),
  ],
  'Parzen estimates': observed.flatMap((values) => [
    () => {
      const p = parzen(values, { low: 0, high: 1 })
      const r = rng(2)
      return [p, Array.from({ length: 30 }, () => sampleParzen(p, r)), [-1, 0, 0.3, 1, 2].map((x) => density(p, x)), mass(p, { low: 0.2, high: 0.25 }), mass(p, { low: 0, high: 1 })] // biome-ignore format: a list
    },
    () => parzen(values.map((x) => 1e6 * x - 3), { low: -3, high: 1e6 }), // biome-ignore format: a line
    () => recency(values.length),
  ]),
  'search spaces': [
    ...Object.values(space).flatMap((one) =>
      [1, 2.5, 'b', 0, 600, Number.NaN].map((value) => () => spaces.fits(one, value)),
    ),
    ...[space.x, space.rate, space.n, space.deep].flatMap((one) => [() => spaces.interval(one), ...[1, 2, 3].map((v) => () => [spaces.toLine(one, v), spaces.cell(one, v)]), ...[-5, 0, 0.3, 1.7, 9].map((v) => () => spaces.fromLine(one, v))]), // biome-ignore format: a list
    ...[
      () => spaces.range(2, 1),
      () => spaces.range(1, 1),
      () => spaces.logRange(0, 1),
      () => spaces.integerRange(1.5, 3),
      () => spaces.integerRange(0, 3, { log: true }),
      () => spaces.choice([]),
    ],
  ],
  'tuning studies': [
    () => tried({}, 40),
    () => tried({ sampler: randomSampler(), direction: 'maximise' }, 20),
    () => tried({ sampler: tpeSampler({ startupTrials: 4, candidates: 6, goodTrials: (n: number) => Math.ceil(n / 3) }), pruner: medianPruner({ startupTrials: 3, warmupSteps: 1 }) }, 40), // biome-ignore format: a line
    () => tried({ pruner: medianPruner(), direction: 'maximise' }, 30),
    () => tried({}, 0),
  ],
})
