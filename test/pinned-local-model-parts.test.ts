// biome-ignore-all format: lists of cases
import { Inapplicable } from '../src/attacks/attack.js'
import { detectability, latestModel, recorded } from '../src/attacks/local-model/active/active-line.js'
import { answer, emulateAdam, emulateEcho, type Line } from '../src/attacks/local-model/active/emulated-server.js'
import { activeRounds } from '../src/attacks/local-model/active/sending-rounds.js'
import { observableObjective, tuneAdam } from '../src/attacks/local-model/active/tune-adam.js'
import { designOf, type Form, fitAffine, type Pairs } from '../src/attacks/local-model/affine-fit.js'
import { noiseOf } from '../src/attacks/local-model/affine-turns.js'
import { checkMap, chiSquaredTail, fitOfCheck, precisionBehind, roundingExplains } from '../src/attacks/local-model/map-check.js'
import { coordinatesOf, scaleColumns } from '../src/attacks/local-model/mapping-coordinates.js'
import { short, trustOf } from '../src/attacks/local-model/optimum-error.js'
import { selectAtRandom, selectByCondition } from '../src/attacks/local-model/select-messages.js'
import { messagesOf } from '../src/attacks/local-model/turn-matrices.js'
import { chooseForm, weightsByRound } from '../src/attacks/local-model/weigh-rounds.js'
import { type Matrix, matrix, matrixOf, multiply } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { significantBits } from '../src/numeric/special/significant-bits.js'
import { pinResults } from './pinned-results.js'

const vector = (n: number, scale = 1) => rng(`vector ${n}`).normals(n).map((x) => x * scale)
const normal = (rows: number, cols: number, seed = '') => matrix(rows, cols, rng(`${rows} ${cols} ${seed}`).normals(rows * cols))
const told = (run: () => unknown) => async () => {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Inapplicable) return ['inapplicable', error.outcome.missing]
    throw error
  }
}

/** Descents of an affine map, with noise that falls with the rounds. */
const heard = (n: number, d: number, { noise = 0, common = 0, flat = -1 } = {}): Pairs => {
  const theta = normal(n, d, 'theta')
  for (let i = 0; i < theta.data.length; i++) theta.data[i] = i % d === flat ? 2 : theta.data[i]! + common
  const W = normal(d, d, 'map')
  const optimum = vector(d)
  const away = matrix(n, d, theta.data.map((x, i) => x - optimum[i % d]!))
  const descent = multiply(away, W)
  const errors = normal(n, d, 'noise').data
  for (let i = 0; i < descent.data.length; i++) descent.data[i]! += (noise * errors[i]!) / (1 + Math.floor(i / d))
  return { theta, descent }
}
const pairs = [heard(6, 3), heard(6, 3, { noise: 0.1 }), heard(3, 3), heard(9, 2, { noise: 0.3 }), heard(8, 3, { flat: 1 }), heard(7, 2, { common: 1e9 }), heard(7, 2, { common: 1e14 }), heard(1, 2), { theta: matrix(4, 2, new Float64Array(8).fill(3)), descent: normal(4, 2) }, { theta: normal(4, 2), descent: matrix(4, 2) }]
const forms: readonly Form[] = ['direct', 'inverse', 'tls']
const designs: readonly Matrix[] = [normal(3, 3), normal(9, 3), normal(30, 5), normal(40, 2), normal(12, 1), matrixOf([[1, 0], [0, 1], [5, 5], [1, 1e-9], [-3, 3]]), matrixOf([[1, 1], [1, 1], [1, 1]]), matrixOf([[1e-3, 0], [0, 1e3], [1, 0], [0, 1]]), matrix(25, 4, normal(25, 4).data.map((x, i) => (i % 4 === 3 ? 1 : x + (i % 4 === 1 ? normal(25, 4).data[i - 1]! : 0)))), normal(2, 3), matrix(3, 0)]

interface Heard { readonly received?: Float64Array; readonly update: object; readonly learningRate?: number | null }
const exchangesOf = (list: readonly Heard[]) => ({ rounds: list.map((_, i) => 2 * i), read: async (round: number) => ({ round, learningRate: 0.1, ...list[round / 2]! }) })
const turns = (...list: readonly Heard[]) => ({ exchanges: exchangesOf(list), target: 'c' }) as never
const sent = (theta: readonly number[], more: object = {}) => ({ received: Float64Array.of(1, 2), update: { kind: 'parameters', theta: Float64Array.from(theta) }, ...more })
const delta = (...dTheta: number[]) => ({ received: Float64Array.of(1, 2), update: { kind: 'delta', dTheta: Float64Array.from(dTheta) } })
const gradient = (...grad: number[]) => ({ received: Float64Array.of(1, 2), update: { kind: 'gradient', grad: Float64Array.from(grad) } })

/** A client that goes a share of the way to (1, -2), counts rounds that pass, and may answer nonsense. */
const line = (rounds: readonly number[], broken?: readonly number[], more: object = {}): Line => {
  const make = () => Object.assign(async (_: string, theta: Float64Array) => broken === undefined ? theta.map((x, j) => x + 0.3 * ((j === 0 ? 1 : -2) - x)) : Float64Array.from(broken), { pass: () => undefined, restart: make })
  return { channel: make(), client: 'c', start: Float64Array.of(0, 0), rounds, ...more } as never
}
const ticked = async (run: (tick: (done: number, total: number) => void) => unknown) => {
  const ticks: number[][] = []
  const found = await run((...at) => void ticks.push(at))
  return [found, ticks]
}

pinResults('local-model-parts', {
  'affine maps': [
    ...pairs.flatMap((one) => forms.flatMap((form) => [
      told(() => fitAffine(one, { form })),
      told(() => fitAffine(one, { form, weights: Float64Array.from({ length: one.theta.rows }, (_, i) => i + 1) })),
      () => designOf(one, form),
    ])),
  ],
  'what the fit is worth': [
    ...pairs.flatMap((one) => (['direct', 'inverse'] as const).flatMap((form) => {
      const fit = fitAffine(one, { form })
      return [
        ...[{ rounding: 1e-12 }, { rounding: 1e-3, noise: 0.1 }, { rounding: 1e-20, noise: 0, apart: 0 }, { rounding: 0, noise: 0 }, { rounding: 1, noise: 3, apart: 4 }].map((options) => () => trustOf(fit, options)),
      ]
    })),
    () => trustOf(fitAffine(pairs[0]!, { form: 'direct' }), { rounding: 1e-9, noise: null }),
    () => trustOf(fitAffine(pairs[1]!, { form: 'direct' }), { rounding: 1e-9, alike: 0.5 }),
    ...pairs.map((one) => () => checkMap(one)),
    ...pairs.flatMap((one) => [1e-16, 1e-9, 1].flatMap((rounding) => [true, false].map((exact) => () => fitOfCheck(checkMap(one), { rounding, exact })))),
    ...pairs.flatMap((one) => [1e-16, 1e-9, 1].map((rounding) => () => [roundingExplains(checkMap(one), { rounding, bits: 53 }), precisionBehind(checkMap(one), { rounding, bits: 53 })])),
    ...[0, 0.5, 1, 3, 100, 1e9].flatMap((x) => [1, 4, 30].map((freedom) => () => chiSquaredTail(x, freedom))),
    () => trustOf({ ...fitAffine(pairs[0]!, { form: 'direct' }), optimum: new Float64Array(3) }, { rounding: 1e-3 }),
    () => [0, 1e-3, 0.000999, 999_999, 1e6, -0.5, -1e-9, 12.3456].map(short),
  ],
  'rounds weighed': [
    ...pairs.slice(0, 7).flatMap((one) => (['direct', 'inverse'] as const).flatMap((form) => [
      () => weightsByRound(one, Array.from({ length: one.theta.rows }, (_, i) => 3 * i), form),
      () => weightsByRound(one, Array.from({ length: one.theta.rows }, () => 4), form),
    ])),
    ...[...pairs, heard(20, 2, { noise: 0.5 }), heard(20, 2, { noise: 5 }), heard(5, 2), heard(6, 2, { noise: 0.1 }), heard(4, 1, { noise: 0.1 }), heard(3, 1), { theta: normal(10, 1), descent: matrix(10, 1) }].map((one) => told(() => chooseForm(one))),
  ],
  'messages chosen': [
    ...designs.map((A) => () => selectByCondition(A)),
    ...designs.flatMap((A) => [1, 7].map((draws) => () => selectAtRandom(A, { draws, rng: rng(5) }))),
    () => ticked((tick) => selectAtRandom(normal(9, 3), { draws: 2100, rng: rng(5), tick })),
    ...Array.from({ length: 12 }, (_, s) => () => selectByCondition(matrix(24, 4, normal(24, 4, `${s}`).data.map((x, i) => x * (1 + (i % 7)))))),
  ],
  'messages as matrices': [
    ...[
      turns(), turns({ update: delta(1, 2).update }), turns(sent([1, 1]), delta(0.5, -1), gradient(3, 4)), turns(sent([1, 1]), sent([0, 1], { learningRate: 0.2 }), gradient(3, 4)),
      turns(sent([1, 1], { learningRate: null }), sent([0, 1], { learningRate: 0.2 })), turns(sent([1, 1], { learningRate: null }), sent([0, 1], { learningRate: 0.2 }), sent([3, 1], { learningRate: 0.4 })),
      turns({ update: delta(1, 2).update }, sent([5, 5])), turns(sent([1, 1, 1])), turns(sent([1, 1]), { ...sent([1, 1, 1]), received: vector(3) }), turns(sent([1, Number.NaN])), turns(delta(Number.POSITIVE_INFINITY, 0)),
      turns({ ...sent([1, 1]), received: Float64Array.of(0, Number.NaN) }), turns(sent([0.1, 0.3])), turns(sent([Math.fround(0.1), Math.fround(-700.3)])), turns(gradient(9, Math.fround(0.1))),
    ].map((view) => told(() => messagesOf(view))),
    ...[[], [0], [1, 2], [127, 128], [255], [256], [257], [0.1], [Math.fround(0.1)], [1 + 2 ** -20], [1 + 2 ** -21], [1 + 2 ** -52], [-3.5, 0], [Math.fround(0.1), 0.5]].map((values) => () => significantBits([Float64Array.from(values)])),
    () => significantBits([Float64Array.of(Math.fround(0.1)), Float64Array.of(0.1)]),
    ...[null, 8, 10, 12].flatMap((batchSize) => [undefined, 10].flatMap((samples) => [0, 0.5].flatMap((dropout) => [null, { mechanism: 'dp-sgd' }].map((differentialPrivacy) => () => noiseOf({ protocol: { batchSize, dropout, differentialPrivacy }, ...(samples && { samples }) } as never).length)))),
  ],
  'scaled columns': [
    ...[normal(5, 3), matrixOf([[1, 5], [3, 5], [8, 5]]), matrixOf([[4, 4], [4, 4]]), normal(3, 6), matrixOf([[1, 2], [2, 4], [3, 6.1], [4, 8]])].flatMap((A) => [
      ...(['each', 'global', 'none'] as const).map((how) => () => scaleColumns(A, how)),
      ...(['whiten', 'each', 'none'] as const).map((how) => () => {
        const { rows, size, to, from } = coordinatesOf(A, how)
        const at = vector(A.cols, 2)
        return [rows, size, to(at), from(to(at).map((z) => 2 * z + 0.5), at)]
      }),
    ]),
  ],
  'a server at work': [
    ...[[0, 1, 2], [0, 3, 4], [2], []].flatMap((rounds) => [
      () => ticked((tick) => emulateAdam(line(rounds, undefined, { tick }), { learningRate: 0.1 })),
      () => ticked((tick) => emulateEcho(line(rounds, undefined, { tick }))),
    ]),
    () => { const passed: number[] = []; const one = line([0, 3, 4, 9]); Object.assign(one.channel, { pass: (n: number) => passed.push(n) }); return emulateEcho(one).then(() => passed) },
    ...[[0, 1], [0, 2], [1]].map((rounds) => told(() => { const one = line(rounds); Object.assign(one.channel, { pass: undefined }); return emulateEcho(one) })),
    ...[[1], [1, Number.NaN], [Number.POSITIVE_INFINITY, 2], [1, 2, 3], [3, 4]].map((broken) => () => answer(line([0], broken).channel, 'c', Float64Array.of(0, 0))),
    ...[[1], [10], [0], [], [2, 3], [3, 3], [3, 2], [0, 1], [0, 5, 4]].map((asked) => () => activeRounds(asked)),
    ...[1, 4, 12].map((trials) => () => ticked((tick) => tuneAdam({ line: line([0, 1, 2, 3], undefined, { tick }), trials, rng: rng(3), objective: observableObjective('c'), rates: [1e-3, 1], betas: [0, 0.9] }))),
    () => tuneAdam({ line: line([0], [Number.NaN, 0]), trials: 2, rng: rng(3), objective: observableObjective('c'), rates: [1e-3, 1], betas: [0, 0.9] }),
    () => tuneAdam({ line: line([0], [1]), trials: 2, rng: rng(3), objective: observableObjective('c'), rates: [1e-3, 1], betas: [0, 0.9] }),
    ...[[1], [1, 2, 3], []].flatMap((odd) => [{ rates: odd, betas: [0, 0.9] }, { rates: [1e-3, 1], betas: odd }].map((ranges) => () => tuneAdam({ line: line([0]), trials: 1, rng: rng(3), objective: () => 1, ...ranges }))),
    () => tuneAdam({ line: { ...line([0]), channel: (async () => vector(2)) as never }, trials: 1, rng: rng(3), objective: () => 1, rates: [1e-3, 1], betas: [0, 0.9] }),
    ...[[], [{ round: 0, clients: ['c'] }], [{ round: 2, clients: ['d'] }, { round: 7, clients: ['c'] }], [{ round: 0, clients: ['c', 'd'] }, { round: 2, clients: ['c'] }]].flatMap((tampered) => [undefined, { rounds: [0, 4], read: async (round: number) => Float64Array.of(round, 1) }].map((globals) => told(() => recorded({ ...(turns(sent([3, 4]), delta(1, 1), sent([9, 9])) as object), tampered, ...(globals && { globals }) } as never)))),
    () => latestModel(turns(sent([3, 4]), delta(1, 1))),
    () => detectability(turns(sent([3, 4]), sent([0, 2])), [vector(2), vector(2, 3)]),
    () => detectability(turns({ ...sent([3, 4]), received: Float64Array.of(0, 0) }), [vector(2)]),
  ],
})
