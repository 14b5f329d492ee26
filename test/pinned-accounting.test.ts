import { gaussianDelta, gaussianEpsilon, gaussianMuFor } from '../src/accounting/analytic-gaussian.js'
import { noiseFor, rateFor, stepsFor } from '../src/accounting/calibrate.js'
import { composedCurves } from '../src/accounting/composed-curve.js'
import { epsilonBounds, largestAdvantage } from '../src/accounting/loss-bounds.js'
import { onGrid, reversed } from '../src/accounting/loss-grid.js'
import { logPeak, momentsAt, shiftFor, tailBeyond } from '../src/accounting/loss-moments.js'
import { fixedSizeRecord, laplaceNoise, removedRecord, replacedRecord } from '../src/accounting/loss-pair.js'
import { sketchOf } from '../src/accounting/loss-sketch.js'
import { checkDelta, checkMechanism, gaussianMuSquared, type Mechanism } from '../src/accounting/mechanism.js'
import * as oneRun from '../src/accounting/one-run.js'
import { fixedSizeRdp, laplaceRdp, sampledGaussianRdp } from '../src/accounting/rdp.js'
import { rdpEpsilon, usualOrders } from '../src/accounting/rdp-account.js'
import { worldsLowerBound } from '../src/accounting/repeated-worlds.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const gaussian = (noiseMultiplier: number, sampleRate: number, steps = 1): Mechanism => ({ kind: 'gaussian', noiseMultiplier, sampleRate, steps }) // biome-ignore format: a line
const fixed = (noiseMultiplier: number, sampleRate: number, steps = 1): Mechanism => ({ kind: 'fixed-size', noiseMultiplier, sampleRate, steps }) // biome-ignore format: a line
const laplace = (scale: number, steps = 1): Mechanism => ({ kind: 'laplace', scale, steps })
const tree = (noiseMultiplier: number, leaves: number, trees = 1): Mechanism => ({ kind: 'tree', noiseMultiplier, leaves, trees }) // biome-ignore format: a line
const lists: readonly (readonly Mechanism[])[] = [
  [],
  [gaussian(1, 1, 3)],
  [gaussian(1, 0.1, 4)],
  [gaussian(2, 0.5, 7), gaussian(3, 1, 2)],
  [laplace(2, 3)],
  [laplace(1.5, 1), gaussian(1.2, 0.2, 2), tree(4, 5, 2)],
  [tree(3, 8), tree(3, 7), tree(3, 0)],
  [gaussian(1, 0.1, 0), laplace(3, 0)],
]
const replacing: readonly (readonly Mechanism[])[] = [
  ...lists.slice(1, 4),
  [fixed(2, 0.2, 3)],
  [fixed(4, 1, 2), laplace(3, 1)],
]
const coarse = { tolerance: 0.05 }
const refused: readonly Mechanism[] = [
  ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY, 0.049, 0.05, 1e6, 1.1e6].map((z) => gaussian(z, 0.5)),
  ...[0, -0.1, 1, 1.01, Number.NaN].map((q) => gaussian(1, q)),
  ...[-1, 0, 0.5, 1e9, 1e9 + 1].flatMap((n) => [gaussian(1, 1, n), laplace(1, n), tree(1, n), tree(1, 1, n)]),
  ...[0, -1, 1e-9].map((scale) => laplace(scale)),
  fixed(1, 0.5),
]
const pairs = {
  removed: removedRecord({ sigma: 1.1, q: 0.2 }),
  sure: removedRecord({ sigma: 2, q: 1 }),
  replaced: replacedRecord({ sigma: 1.3, q: 0.3 }),
  batches: fixedSizeRecord({ sigma: 0.9, q: 0.25 }),
  whole: fixedSizeRecord({ sigma: 0.9, q: 1 }),
  laplace: laplaceNoise(1.7),
}
const knotsOf = (count: number) => Float64Array.from({ length: count }, (_, i) => (i - count / 2) / 4)
const places = Int32Array.from({ length: 41 }, (_, i) => i - 20)
const h = 0.125
const grids = Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [name, () => onGrid(pair, places, h)]))
const guessed = (canaries: number, guesses: number, correct: number) => ({ canaries, guesses, correct })
const guesses = [guessed(100, 40, 35), guessed(100, 100, 60), guessed(50, 10, 10), guessed(50, 10, 0), guessed(9, 0, 0), guessed(1000, 500, 251), guessed(30, 30, 30)] // biome-ignore format: a list
const canaries = (n: number, gap: number) => {
  const inTraining = Array.from({ length: n }, (_, i) => rng('coins').fork(i).uniform() < 0.5)
  const scores = rng('scores').normals(n).map((x, i) => x + (inTraining[i] ? gap : 0)) // biome-ignore format: a line
  return { scores, inTraining }
}
const target = { epsilon: 1, delta: 1e-5 }

pinResults('accounting', {
  'epsilon between two bounds': [
    ...lists.map((list) => () => epsilonBounds(list, 1e-5, coarse)),
    ...replacing.map((list) => () => epsilonBounds(list, 1e-4, { ...coarse, neighbours: 'replace' })),
    () => epsilonBounds([gaussian(1, 0.1, 4)], 1e-3),
    () => epsilonBounds([gaussian(0.3, 0.01, 1)], 1e-6, coarse),
    () => epsilonBounds([gaussian(5, 0.001, 1)], 0.2, coarse),
  ],
  'the largest advantage': [...lists, ...replacing].map(
    (list, i) => () => largestAdvantage(list, i < lists.length ? 'add-remove' : 'replace'),
  ),
  'epsilon by divergences': [
    ...lists.flatMap((list) => [
      () => rdpEpsilon(list, 1e-5),
      () => rdpEpsilon(list, 1e-5, { conversion: 'classic' }),
      () => rdpEpsilon(list, 0.3, { orders: [1.5, 2, 8, 4] }),
    ]),
    ...replacing.map((list) => () => rdpEpsilon(list, 1e-5, { neighbours: 'replace' })),
    () => usualOrders,
    () => rdpEpsilon([gaussian(1, 0.5)], 0),
  ],
  divergences: [1.1, 1.5, 2, 2.5, 3, 7, 16, 33.3, 64].flatMap((alpha) => [
    ...[0.01, 0.3, 1].flatMap((q) => [0.4, 1, 5].map((sigma) => () => sampledGaussianRdp({ sigma, q, alpha }))),
    ...[0.1, 1, 8].map((scale) => () => laplaceRdp(scale, alpha)),
    ...[0.05, 0.6, 1].map((q) => () => fixedSizeRdp({ sigma: 1.5, q, alpha })),
  ]),
  'Gaussian noise on all': [
    ...[0.1, 1, 5].flatMap((mu) => [0, 0.5, 3].map((epsilon) => () => gaussianDelta(mu, epsilon))),
    ...[0.1, 1, 5].flatMap((mu) => [0.3, 1e-3, 1e-9].map((delta) => () => gaussianEpsilon(mu, delta))),
    ...[0.01, 1, 50].flatMap((epsilon) => [0.3, 1e-6].map((delta) => () => gaussianMuFor({ epsilon, delta }))),
  ],
  mechanisms: [
    ...refused.map((one) => () => checkMechanism(one, 'add-remove') ?? 'fits'),
    () => checkMechanism(fixed(1, 0.5), 'replace') ?? 'fits',
    ...[0, 1e-300, 0.5, 1, -1, Number.NaN].map((delta) => () => checkDelta(delta) ?? 'fits'),
    ...[...lists, ...replacing].flat().flatMap((one) => (['add-remove', 'replace'] as const).map((how) => () => gaussianMuSquared(one, how))), // biome-ignore format: a line
    ...[1, 2, 3, 4, 1023, 1024].map((leaves) => () => gaussianMuSquared(tree(1, leaves), 'add-remove')),
  ],
  'losses of one step': Object.values(pairs).flatMap((pair) => [
    () => [pair.symmetric, ...[1e-3, 1e-10, 1e-25].map((beyond) => pair.range(beyond))],
    () => pair.massesBetween(knotsOf(40)),
    () => pair.massesBetween(Float64Array.of(-60, -1, 0, 1, 60)),
  ]),
  'losses on a grid': Object.values(grids).flatMap((grid) => [
    grid,
    () => [reversed(grid().upper, h), reversed(grid().lower, h)],
    () => [0, 0.5, 3, 40].map((theta) => momentsAt([{ loss: grid().upper, steps: 3 }, { loss: grid().lower, steps: 1 }], theta, h)), // biome-ignore format: a line
    () => [0, 0.5, 3, 4000].map((theta) => shiftFor(grid().upper, theta, h)),
    () => [0, 0.5, 2, 9].map(tailBeyond([{ loss: grid().upper, steps: 4 }], { theta: 0.7, centre: 0.25, h })),
    () => {
      const both = { upper: [{ loss: grid().upper, steps: 3 }], lower: [{ loss: grid().lower, steps: 3 }] }
      const found = composedCurves(both, { h, theta: 0.8, most: 1 << 14 })
      return found && [found.upper, found.lower].map((curve) => [curve.from, curve.to, curve.safe, [0, 0.3, 1, 2].map((x) => curve.deltaAt(x))]) // biome-ignore format: a line
    },
    () => composedCurves({ upper: [{ loss: grid().upper, steps: 300 }], lower: [{ loss: grid().lower, steps: 300 }] }, { h, theta: 0.8, most: 64 }), // biome-ignore format: a line
  ]),
  sketches: [
    ...Object.values(pairs).map((pair) => () => sketchOf([{ pair, steps: 5 }], 1e-5)),
    () => sketchOf([{ pair: pairs.removed, steps: 200 }, { pair: pairs.laplace, steps: 1 }], 0.1), // biome-ignore format: a line
    ...[0.001, 0.5, 1, 10, 1e4].map((theta) => () => logPeak(theta)),
  ],
  'noise, rate and steps for a target': [
    () => noiseFor(target, { sampleRate: 1, steps: 10 }),
    () => noiseFor({ ...target, neighbours: 'replace' }, { sampleRate: 1, steps: 10 }),
    () => noiseFor({ epsilon: 2, delta: 1e-2 }, { sampleRate: 0.2, steps: 2 }),
    () => noiseFor({ epsilon: 900, delta: 0.5 }, { sampleRate: 0.01, steps: 1 }),
    () => rateFor({ epsilon: 2, delta: 1e-2 }, { noiseMultiplier: 1, steps: 2 }),
    () => rateFor({ epsilon: 500, delta: 1e-2 }, { noiseMultiplier: 2, steps: 1 }),
    () => stepsFor({ epsilon: 2, delta: 1e-2 }, { noiseMultiplier: 1.5, sampleRate: 0.5 }),
    () => stepsFor({ epsilon: 0.01, delta: 1e-9 }, { noiseMultiplier: 0.5, sampleRate: 1 }),
    () => stepsFor({ epsilon: 1000, delta: 0.5 }, { noiseMultiplier: 1000, sampleRate: 1 }),
    ...[0, -1, 1000, 1000.1, Number.NaN].map((epsilon) => () => noiseFor({ epsilon, delta: 1e-5 }, { sampleRate: 1, steps: 1 })), // biome-ignore format: a line
    () => rateFor({ ...target, delta: 1 }, { noiseMultiplier: 1, steps: 1 }),
  ],
  'bounds from one training': [
    ...guesses.flatMap((one) => [
      ...[0, 0.3, 2, 50, 800].flatMap((epsilon) => [0, 1e-5, 0.01].map((delta) => () => oneRun.oneRunPValue(one, { epsilon, delta }))), // biome-ignore format: a line
      ...[0, 1e-5].map((delta) => () => oneRun.oneRunLowerBound(one, { delta, confidence: 0.95 })),
      ...[0, 0.5, 3].map((mu) => () => oneRun.refutesGaussian(one, { mu, significance: 0.05 })),
      () => oneRun.oneRunGaussianBound(one, { delta: 1e-5, confidence: 0.9 }),
    ]),
    ...[guessed(-1, 0, 0), guessed(5, 6, 1), guessed(5, 3, 4), guessed(1.5, 1, 1), guessed(1e7, 1, 0), guessed(1e7 + 1, 1, 0)].map((one) => () => oneRun.oneRunPValue(one, { epsilon: 1, delta: 0 })), // biome-ignore format: a line
    ...[[-0.1, 0.9], [1, 0.9], [0, 0], [0, 1], [0.5, 0.5]].map(([delta, confidence]) => () => oneRun.oneRunLowerBound(guesses[0]!, { delta: delta!, confidence: confidence! })), // biome-ignore format: a line
    ...(['bonferroni', 'split'] as const).flatMap((thresholds) =>
      (['any', 'gaussian'] as const).flatMap(
        (curve) =>
        [[5, 9], [41, 2.5], [60, 0]].map(([n, gap]) => () => oneRun.oneRunAudit(canaries(n!, gap!), { delta: 1e-5, confidence: 0.9, thresholds, curve })), // biome-ignore format: a line
      ),
    ),
    () => oneRun.oneRunAudit(canaries(41, 3), { delta: 0, confidence: 0.9, thresholds: 'split' }),
    ...[1, 2, 3, 4].flatMap((n) => (['bonferroni', 'split'] as const).map((thresholds) => () => oneRun.oneRunAudit(canaries(n, 3), { delta: 0, confidence: 0.2, thresholds }))), // biome-ignore format: a line
    () => oneRun.oneRunAudit({ ...canaries(4, 3), inTraining: [true] }, { delta: 0, confidence: 0.9, thresholds: 'split' }), // biome-ignore format: a line
    () => oneRun.oneRunAudit({ scores: [1, 1, 1, 1, 2, 2], inTraining: [true, false, true, false, true, true] }, { delta: 0, confidence: 0.6, thresholds: 'bonferroni' }), // biome-ignore format: a line
  ],
  'bounds from repeated worlds': [[20, 20, 20, 0], [20, 15, 20, 5], [20, 0, 20, 20], [9, 4, 12, 6], [100, 100, 100, 100]].flatMap(([worldsWith, alarmsWith, worldsWithout, alarmsWithout]) =>
    [0, 0.1, 0.95, 1, -1].map((delta) => () => worldsLowerBound({ worldsWith: worldsWith!, alarmsWith: alarmsWith!, worldsWithout: worldsWithout!, alarmsWithout: alarmsWithout! }, { delta, confidence: 0.9 })),
  ), // biome-ignore format: a table
})
