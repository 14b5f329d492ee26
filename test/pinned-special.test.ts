import { philox } from '../src/numeric/random/philox.js'
import { rng } from '../src/numeric/random/rng.js'
import { scaleVector } from '../src/numeric/random/scale-vector.js'
import { addressBelow, rootAddress } from '../src/numeric/random/stream-address.js'
import { incompleteBeta, incompleteBetaQuantile } from '../src/numeric/special/beta.js'
import { binomialInterval } from '../src/numeric/special/binomial-interval.js'
import { columnScales } from '../src/numeric/special/column-scales.js'
import { exp, log, log1p, power, sigmoid, softplus, tanh } from '../src/numeric/special/elementary-functions.js'
import { erf, erfc, expMinusSquare, logErfc, scaledErfc } from '../src/numeric/special/erf.js'
import { twoProduct, twoSum } from '../src/numeric/special/error-free.js'
import { gammaSign, logBinomial, logGamma, stirlingCorrection } from '../src/numeric/special/gamma.js'
import { logAddExp, logSumExp } from '../src/numeric/special/log-sum-exp.js'
import { normalCdf, normalIntervalProb, normalLogCdf, normalLogPdf, normalPdf } from '../src/numeric/special/normal.js'
import { normalQuantile } from '../src/numeric/special/normal-quantile.js'
import { overlapOfNormals } from '../src/numeric/special/overlap-of-normals.js'
import * as summaries from '../src/numeric/special/summaries.js'
import { pinResults } from './pinned-results.js'

const inf = Number.POSITIVE_INFINITY
const draws = rng('special')
const spread = (n: number, std: number): number[] => Array.from(draws.fork(std).normals(n, { std }))
/** Every size, both signs, the edges. */
const line: readonly number[] = [
  ...[
    0,
    -0,
    1,
    -1,
    0.5,
    2,
    5e-324,
    2.2e-308,
    1e308,
    inf,
    -inf,
    Number.NaN,
    1e-17,
    708,
    709.7,
    710,
    -745,
    -746,
    20,
    37,
    0.625,
  ],
  ...[2 ** -28, 2 ** -27, 2 ** 53, 0.35, 0.46875, 4, 26.5, 27, 38.5, 170, 171.7],
  ...[1e-8, 0.01, 1, 30, 600].flatMap((std) => spread(60, std)),
]
const positive = line.map(Math.abs)
const units = [
  0,
  1,
  0.5,
  1e-300,
  1e-20,
  0.075,
  0.925,
  0.0749,
  1 - 1e-16,
  -0.1,
  1.1,
  Number.NaN,
  ...draws.fork('u').uniforms(60),
]
const at = (values: readonly number[], run: (x: number) => unknown) => [
  () => values.map((x) => valueOr(() => run(x))), // in one digest
]
function valueOr(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return (error as { code?: string }).code
  }
}
const shapes = [[1, 1], [0.5, 0.5], [2, 3], [30, 4], [4, 30], [500, 700], [1e-3, 2], [2, 1e-3], [1e5, 1e5], [0, 1], [1, -1], [1, inf]] as const // biome-ignore format: a list
const lists: readonly (readonly number[])[] = [[], [3], [3, -1], [1, 2, 3], [4, 4, 1, 9], spread(21, 3), [0, -0], [inf, 1], [Number.NaN, 1, 2], [-5, -7]] // biome-ignore format: a list

pinResults('special', {
  'exp and log': [exp, log, log1p, sigmoid, softplus, tanh].flatMap((f) => [...at(line, f), ...at(positive, f)]),
  powers: [0, 1, 2, 0.5, -1, -3, 7.3, inf]
    .flatMap((b) => at(positive, (a) => power(a, b)))
    .concat(at(line, (x) => power(x, 3))),
  'the error function': [erf, erfc, scaledErfc, logErfc]
    .flatMap((f) => at(line, f))
    .concat(at(line, (x) => [expMinusSquare(x), expMinusSquare(x, 0.5)])),
  'the gamma function': [logGamma, gammaSign, stirlingCorrection].flatMap((f) =>
    at([...line, -0.5, -1.5, -2, -2.5, 3, 10, 15, 16, 100], f),
  ),
  'binomial coefficients': [[0, 0], [5, 0], [5, 5], [5, 2], [50, 25], [1000, 3], [4, 5], [4, -1], [2.5, 1], [1e6, 5e5]].map(([n, k]) => () => logBinomial(n!, k!)), // biome-ignore format: a list
  'the beta distribution': shapes.flatMap(([a, b]) => [
    ...at(units, (x) => incompleteBeta(x, { a, b })),
    ...at(units, (p) => incompleteBetaQuantile(p, { a, b })),
  ]),
  'intervals of rates': [[0, 1], [1, 1], [0, 10], [10, 10], [3, 10], [9, 10], [500, 1000], [0, 0], [3, 2], [-1, 4], [1.5, 3]].flatMap(([successes, trials]) => [0.95, 0.5, 0.999, 0, 1].map((confidence) => () => binomialInterval({ successes: successes!, trials: trials!, confidence }))), // biome-ignore format: a list
  'the normal distribution': [
    ...[normalPdf, normalLogPdf, normalCdf, normalLogCdf].flatMap((f) => [
      ...at(line, (x) => f(x)),
      ...at(line, (x) => f(x, { mean: 1, std: 2.5 } as never)),
    ]),
    ...at(line, (low) =>
      [0, 1e-9, 0.1, 3, inf].map((width) => valueOr(() => normalIntervalProb({ low, high: low + width }))),
    ),
    ...at(line, (low) => normalIntervalProb({ low, high: low + 1e-5, width: 1e-5 })),
    ...at(units, normalQuantile),
  ],
  'overlap of normals': [[0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 2], [0, 1, 3, 0.5], [5, 0.1, -5, 0.2], [0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0.5, 1.0000001]].map(([m1, s1, m2, s2]) => () => overlapOfNormals({ mean1: m1!, std1: s1!, mean2: m2!, std2: s2! })), // biome-ignore format: a list
  'sums of exponentials': [
    ...lists.map((values) => () => logSumExp(values)),
    ...at(line, (x) => [-inf, inf, 0, 3, -800].map((y) => logAddExp(x, y))),
  ],
  'sums with their errors': [...at(line, (x) => [twoSum(x, 1), twoSum(1e-3, x), twoProduct(x, x), twoProduct(0.1, x)])],
  summaries: lists.flatMap((values) => [
    ...[summaries.totalOf, summaries.meanOf, summaries.medianOf, summaries.rangeOf, summaries.largestMagnitude].map(
      (f) => () => f(values),
    ),
    () => [summaries.varianceOf(values), summaries.varianceOf(values, 7), summaries.squaresAbout(values, 1.5)],
  ]),
  'scales of columns': (['none', 'standardise', 'min-max'] as const).flatMap((scaling) => [[[1, 2, 4], [3, 3, 3], [0, -1, 1]], [[]], [[5]]].map((columns) => () => columnScales(columns.map((one) => Float64Array.from(one)), scaling))), // biome-ignore format: a list
  'addresses and words': [
    ...[[0], ['a'], [''], ['a', 1], [-1.5], [2 ** 53], ['ä€😀'], ['abcdefgh'], ['abcdefghi', 0, -0]].map((path) => () => addressBelow(rootAddress, path)), // biome-ignore format: a list
    ...[0, 1, 5, 0xffffffff].map(
      (k) => () => philox({ counter: Uint32Array.of(k, 0, k, 1), key: Uint32Array.of(7, k) }),
    ),
    ...[[0, 3, 0.5, 0], [1, 3, 0.5, 0], [12, 2, 0.3, 4], [12, 2, 0, 4], [12, 2, 1, 4]].map(([n, factor, part, key]) => () => scaleVector(n!, { factor: factor!, part: part!, key: key! })), // biome-ignore format: a list
  ],
  draws: [
    () => Array.from({ length: 100 }, () => [draws.fork('a').u32(), draws.fork('b', 1).uniform()]),
    () => {
      const r = rng(3)
      return Array.from({ length: 200 }, () => [
        r.u32(),
        r.uniform(),
        r.normal(),
        r.normal({ mean: 2, std: 3 }),
        r.gumbel(),
        r.exponential(),
        r.lognormal({ logMean: 1, logStd: 0.3 }),
      ])
    },
    ...[1, 2, 3, 7, 1000, 2 ** 31 + 1, 2 ** 32, 0, 2 ** 32 + 1, 1.5].map((bound) => () => {
      const r = rng(4)
      return Array.from({ length: 50 }, () => r.integer(bound))
    }),
    ...[0.01, 0.5, 1, 1.5, 3, 100, 1e-320, 0, -1, inf].map((shape) => () => {
      const r = rng(5)
      return Array.from({ length: 50 }, () => r.gamma(shape))
    }),
    ...[[1], [0, 1, 0], [1, 2, 3], [0, 0], [], [-1, 2], [Number.NaN], [1e-300, 1e300], [inf, 1]].map((weights) => () => { const r = rng(6); return Array.from({ length: 50 }, () => r.categorical(weights)) }), // biome-ignore format: a list
    ...[[1], [1, 1, 1], [0.001, 0.001], [1e-301, 1], [100, 1], [], [0, 1], [-1]].map((c) => () => { const r = rng(7); return Array.from({ length: 20 }, () => r.dirichlet(c)) }), // biome-ignore format: a list
    ...[0, 1, 2, 17, -1, 2.5].map((n) => () => rng(8).permutation(n)),
    ...[[0, 0], [5, 0], [5, 5], [1000, 3], [1000, 900], [3, 4], [3, -1]].map(([n, k]) => () => rng(9).sample(n!, k!)), // biome-ignore format: a list
    ...[0, 1, 5, 63, 64, 65, 200].map((n) => () => {
      const r = rng(10)
      return [r.uniforms(n), r.u32(), r.normals(n, { std: 2 }), r.uniform(), r.normals(n)]
    }),
    () => rng(1).fork(),
    ...[Number.NaN, inf, 'x', ''].map((seed) => () => rng(seed).u32()),
  ],
})
