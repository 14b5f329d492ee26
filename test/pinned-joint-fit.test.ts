import { inCommonUnits } from '../src/attacks/properties/detector/common-units.js'
import type { FeatureSums } from '../src/attacks/properties/detector/feature-sums.js'
import { fitOf } from '../src/attacks/properties/detector/fit-of-features.js'
import { gramLogistic } from '../src/attacks/properties/detector/gram-logistic.js'
import { steadyShapes } from '../src/attacks/properties/detector/steady-shapes.js'
import { expectedFeatures, firstRounds, leastSquaresRows } from '../src/attacks/properties/expected-features.js'
import { bestForF1 } from '../src/attacks/properties/f1-decision.js'
import { likeliestFeatures } from '../src/attacks/properties/joint-fit/prolin-features.js'
import { fitProlin } from '../src/attacks/properties/joint-fit/prolin-fit.js'
import { flipped, flipWork, nearbyOdds } from '../src/attacks/properties/joint-fit/prolin-flips.js'
import { prolinLosses, prolinProblem } from '../src/attacks/properties/joint-fit/prolin-losses.js'
import { fitByMtAdam } from '../src/attacks/properties/joint-fit/prolin-mtadam.js'
import { byClient, firstRows, rowSums, scaledRows } from '../src/attacks/properties/participation-matrix.js'
import { checkpoints, exposureOf } from '../src/attacks/properties/rounds-until-exposed.js'
import { separability } from '../src/attacks/properties/separable-clients.js'
import { shrunkShares } from '../src/attacks/properties/shrunk-shares.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { sparseFromTriplets, type Triplet } from '../src/numeric/linalg/sparse.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

interface World {
  readonly seed?: number
  readonly N?: number
  readonly n?: number
  readonly perRound?: number
  readonly gap?: number
  readonly plusStd?: number
  readonly measured?: number
  /** Clients of the last places who are in no round. */
  readonly absent?: number
}
/** Sums of features, the first two clients having the property; weights differ from client to client. */
function sums({ seed = 1, N = 7, n = 10, perRound = 3, gap = 3, plusStd = 1.3, measured = 50, absent = 0 }: World = {}): FeatureSums {
  const draws = rng(seed).fork('pinned joint fit')
  const triplets: Triplet[] = []
  const G = new Float64Array(n)
  const shapes = Array.from({ length: n }, (_, r) => {
    const own = draws.fork('round', r)
    const [minusMean, minusStd] = [r / 20 - gap / 2, 1 + (r % 3) / 4]
    for (const i of Array.from(own.sample(N - absent, perRound)).sort((a, b) => a - b)) {
      const weight = 1 + (i % 3) / 4
      triplets.push([r, i, weight])
      G[r]! += weight * (i < 2 ? minusMean + gap + plusStd * own.normal() : minusMean + minusStd * own.normal())
    }
    return { minusMean, minusStd, plusMean: minusMean + gap, plusStd, measured: measured + r, v: 0.4 + (r % 4) / 10 }
  })
  return { A: sparseFromTriplets({ rows: n, cols: N }, triplets), G, shapes }
} // biome-ignore format: one head
const starting = (features: FeatureSums) => expectedFeatures(features, { lambda: 5, weights: Float64Array.from(features.shapes, ({ v }) => v) }) // biome-ignore format: a line
const problem = (world: World = {}) => prolinProblem(sums(world), starting(sums(world)))
const shares = (N: number, seed = 'tau') => rng(seed).uniforms(N)
const worlds: readonly World[] = [{}, { gap: 0.7 }, { gap: 6, plusStd: 1 }, { absent: 2 }, { n: 21, N: 9, perRound: 6 }, { seed: 5, perRound: 1 }] // biome-ignore format: a list
const both = ['paper', 'code'] as const
const clientsOf = ({ N = 7 }: World) => N

/** A fit, and what is told on the way. */
const fitted = (list: readonly World[], options: object) => () => {
  const ticks: number[][] = []
  const tau = shares(clientsOf(list[0]!))
  const found = fitProlin(list.map(problem), { likelihood: 'paper', gamma: 1, tau, tick: (...at) => void ticks.push(at), ...options }) // biome-ignore format: a line
  return [found, ticks]
}
const stepped = (list: readonly World[], options: object) => () => {
  const ticks: number[][] = []
  const tau = shares(clientsOf(list[0]!)).map((t, i) => (i === 0 ? 1e-12 : i === 1 ? 1 : t))
  const found = fitByMtAdam(list.map(problem), { likelihood: 'paper', gamma: 1, tau, steps: 7, tick: (...at) => void ticks.push(at), ...options }) // biome-ignore format: a line
  return [found, ticks]
}
const withGradients = (world: World, likelihood: (typeof both)[number], tau: Float64Array) => () => {
  const one = problem(world)
  const X = rng('X').normals(one.round.length)
  const make = (size: number) => rng('before').normals(size)
  const gradients = { mlX: make(X.length), mlTau: make(tau.length), regX: make(X.length), lstsqX: make(X.length) }
  return [prolinLosses(one, { X, tau }, { likelihood, gradients }), gradients, prolinLosses(one, { X, tau }, { likelihood })] // biome-ignore format: a line
}
const features = (world: World, gamma: number) => () => {
  const one = problem(world)
  const plus = rng('plus').uniforms(one.round.length)
  return likeliestFeatures(one, { plus, minus: plus.map((x) => 1 - x) }, gamma)
}
const flips = (list: readonly World[], gamma: number, from: (N: number) => Float64Array) => () => {
  const ticks: number[][] = []
  return [flipped(list.map(problem), from(clientsOf(list[0]!)), { gamma, tick: (...at) => void ticks.push(at) }), ticks]
}
const odds = (world: World, gamma: number) => () => {
  const one = problem(world)
  const tau = shares(clientsOf(world)).map((t) => Number(t > 0.5))
  return nearbyOdds([one, one], [rng('X').normals(one.round.length), rng('Y').normals(one.round.length)], {
    tau,
    gamma,
  })
}
const kernel = (n: number, rank: number) => {
  const B = rng('kernel').normals(n * rank)
  const K = matrix(n, n)
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) for (let k = 0; k < rank; k++) K.data[i * n + j]! += B[i * rank + k]! * B[j * rank + k]! // biome-ignore format: a line
  return K
}
const marks = (n: number, every: number) => Array.from({ length: n }, (_, i) => i % every === 0)
const judged = (ids: number, points: number, shown: (i: number, k: number) => number) => ({
  judged: { seen: checkpoints(8, points), probabilities: Array.from({ length: points }, (_, k) => Float64Array.from({ length: ids }, (__, i) => shown(i, k))) },
  about: { ids: Array.from({ length: ids }, (_, i) => `c${i}`), rounds: [0, 1, 2, 4, 5, 6, 8, 9], positive: marks(ids, 4) },
}) // biome-ignore format: a list
const exposed = (ids: number, points: number, shown: (i: number, k: number) => number) => () => {
  const { judged: of, about } = judged(ids, points, shown)
  return exposureOf(of, about)
}

pinResults('joint-fit', {
  'losses and gradients': worlds.flatMap((world) => both.map((likelihood) => withGradients(world, likelihood, shares(clientsOf(world))))), // biome-ignore format: a line
  'likeliest features': [...worlds.flatMap((world) => [0, 1, 50].map((gamma) => features(world, gamma))), features({ n: 500, N: 12, perRound: 2 }, 1), features({ n: 501, N: 12, perRound: 2 }, 1)], // biome-ignore format: a line
  'joint fits': [
    ...worlds.flatMap((world) => both.map((likelihood) => fitted([world], { likelihood }))),
    ...both.map((likelihood) => fitted([{}, { seed: 3, gap: 2 }], { likelihood, gamma: 0.5 })),
    fitted([{}], { mostWork: 0 }),
    fitted([{}], { mostWork: flipWork([problem()]) }),
    fitted([{}], { mostWork: flipWork([problem()]) - 1 }),
    fitted([{}], { tau: Float64Array.of(0, 1, 0.5, 0.5, 2, -1, 0.3) }),
  ],
  'joint fits by small steps': [
    ...both.flatMap((likelihood) => [
      stepped([{}], { likelihood }),
      stepped([{}, { seed: 3, gap: 2 }], { likelihood }),
    ]),
    stepped([{}], { steps: 0 }),
    stepped([{ absent: 2 }], { steps: 1 }),
    stepped([{}], { steps: 201 }),
  ],
  'flips of one client': [
    ...worlds.flatMap((world) => [0, 1].map((gamma) => flips([world], gamma, shares))),
    flips([{}, { seed: 3, gap: 2 }], 1, (N) => new Float64Array(N).fill(1)),
    flips([{}], 1, (N) => new Float64Array(N).fill(0.5)),
    flips([{ plusStd: 1, seed: 8 }], 1000, (N) => new Float64Array(N)),
    ...worlds
      .filter(({ absent }) => absent === undefined)
      .flatMap((world) => [0, 1].map((gamma) => odds(world, gamma))),
    ...worlds.map((world) => () => flipWork([problem(world), problem()])),
  ],
  'shares that are shrunk': worlds.flatMap((world) => [
    () => shrunkShares(sums(world).A, sums(world).G, new Float64Array(sums(world).G.length).fill(1)),
    () => shrunkShares(sums(world).A, sums(world).G.map((g) => 20 * g), Float64Array.from(sums(world).G, (_, r) => 0.1 + r / 10)), // biome-ignore format: a line
    () => shrunkShares(sums(world).A, new Float64Array(sums(world).G.length), Float64Array.from(sums(world).G, (_, r) => 1 + r)), // biome-ignore format: a line
  ]),
  'features that are expected': worlds.flatMap((world) => {
    const of = sums(world)
    const weights = Float64Array.from(of.shapes, ({ v }) => v)
    const B = matrix(2, of.G.length, rng('B').normals(2 * of.G.length))
    return [
      ...[0, 5].flatMap((lambda) => [undefined, 0].flatMap((mostDense) => [() => expectedFeatures(of, { lambda, ...(mostDense !== undefined && { mostDense }) }), () => expectedFeatures(of, { lambda, weights, ...(mostDense !== undefined && { mostDense }) })])), // biome-ignore format: a line
      () => leastSquaresRows(of.A, B),
      () => leastSquaresRows(of.A, B, { mostDense: of.A.rows * of.A.cols - 1 }),
      () => [firstRounds(of, 4), firstRows(of.A, 0), rowSums(of.A), scaledRows(of.A, of.G), byClient(of.A)],
    ]
  }),
  'shapes in common units': worlds.flatMap((world) => {
    const of = sums(world)
    const still = { ...of, shapes: of.shapes.map((shape) => ({ ...shape, v: 0, plusStd: 0, minusStd: 0, plusMean: 1, minusMean: 1 })) } // biome-ignore format: a line
    const far = { ...of, G: of.G.map((g, r) => (r % 2 === 0 ? g + 40 : g - 40)) }
    const blind = { ...of, shapes: of.shapes.map((shape) => ({ ...shape, v: 0.2 })) }
    const blinder = { ...of, shapes: of.shapes.map((shape) => ({ ...shape, v: 0.1999 })) }
    return [
      () => inCommonUnits(of),
      () => inCommonUnits(still),
      () => steadyShapes(of),
      () => steadyShapes(sums({ ...world, measured: 2 })),
      () => steadyShapes(still), // biome-ignore format: a line
      ...[of, far, blind, blinder].map((one) => () => { const { details, warnings } = fitOf(one); return [details, warnings.length] }), // biome-ignore format: a line
    ]
  }),
  'logistic regressions over a kernel': [
    ...[[2, 2, 2], [9, 3, 2], [12, 12, 3], [17, 4, 5]].flatMap(([n, rank, every]) => [[1], [10, 1, 0.01]].map((penalties) => () => gramLogistic(kernel(n!, rank!), marks(n!, every!), penalties))), // biome-ignore format: a line
    () => gramLogistic(kernel(3, 1), [true, true, true], [1]),
    () => gramLogistic(kernel(3, 1), [true, false], [1]),
    () => gramLogistic(matrix(0, 0), [], [1]),
    () => gramLogistic(matrix(2, 2), [true, false], [1]),
  ],
  'who is called guilty': [
    ...[[0.9, 0.1, 0.5], [0, 0], [1], [], [0.3, 0.3, 0.3, 0.3], [0.5, 0.25, 0.25]].map((p) => () => bestForF1(Float64Array.from(p))), // biome-ignore format: a line
    ...[
      [8, 3],
      [2, 5],
      [7, 7],
      [0, 3],
      [10, 4],
    ].map(
      ([rounds, points]) =>
        () =>
          checkpoints(rounds!, points!),
    ),
    exposed(3, 4, (i, k) => (i + k) / 7),
    exposed(3, 0, () => 1),
    ...[19, 20, 21, 50, 51, 100, 101, 200, 201].map((ids) =>
      exposed(ids, 2, (i, k) => (i % 10 === 3 ? 0.9 + 0.05 * k : 0.123456)),
    ),
    ...[0.9, 0.95, 0.99, 0.5].map((p) => exposed(2, 2, () => p)),
    ...[0.9, 0.95, 0.99, 0.5].map((p) => exposed(2, 2, () => p + 1e-9)),
    ...worlds.map((world) => () => separability(sums(world).A)),
    () => separability(sparseFromTriplets({ rows: 3, cols: 4 }, [[0, 0, 1], [0, 1, 2], [1, 0, 2], [1, 1, 4], [2, 2, 1]])), // biome-ignore format: a line
  ],
})
