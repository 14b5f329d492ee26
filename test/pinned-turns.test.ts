import { Inapplicable } from '../src/attacks/attack.js'
import { attackedUpdate, carrying } from '../src/attacks/shared/attacked-update.js'
import { batchBehind } from '../src/attacks/shared/batch-behind.js'
import { claimedModel, classifies, labelsOf } from '../src/attacks/shared/claimed-model.js'
import { requireLengths } from '../src/attacks/shared/equal-lengths.js'
import { oddShape } from '../src/attacks/shared/message-shape.js'
import { optimumOf, permutedTurns, plantedTurns, returning } from '../src/attacks/shared/turn-controls.js'
import { roundingOf } from '../src/attacks/shared/update-rounding.js'
import { updateSize } from '../src/attacks/shared/update-size.js'
import { inLabelUnits } from '../src/audit/finished/label-units.js'
import type { Answer } from '../src/audit/ladder/answer.js'
import { federationTells, rungsOf } from '../src/audit/ladder/rungs.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Exchange } from '../src/threat/granted-keys.js'
import { findingWith, resultWith, scoreWith } from './audit-results.js'
import { pinResults } from './pinned-results.js'

const normals = (name: string, n: number) => rng(name).fork(n).normals(n)
/** An update with so many zeros first, then values of one size, then some out of so many, then any. */
const shaped = (d: number, zeros: number, alike: number, values = 0) =>
  normals('shape', d).map((v, j) => (j < zeros ? 0 : j < zeros + alike ? Math.sign(v) * (3 - (j % 2) / 100) : values > 0 ? Math.sign(v) * (1 + ((j * 7) % values)) / values : v)) // biome-ignore format: a line
const odd =
  (heard: Float64Array, ...others: Float64Array[]) =>
  () =>
    oddShape(heard, others) ?? 'nothing odd'

/** What a function says, or what it lacks. */
const saying = (run: () => unknown) => async () => {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Inapplicable) return [error.outcome, error.message]
    throw error
  }
}

const theta = Float64Array.of(1, -2, 0.5, 4)
const kinds = {
  parameters: { kind: 'parameters', theta: Float64Array.of(0.75, -1.5, 0.5, 3) },
  delta: { kind: 'delta', dTheta: Float64Array.of(-0.25, 0.5, 0, -1) },
  gradient: { kind: 'gradient', grad: Float64Array.of(0.5, -1, 0, 2) },
} as const
const heard = (kind: keyof typeof kinds, more: object = {}): Exchange =>
  ({ round: 3, received: theta, update: kinds[kind], learningRate: 0.5, ...more }) as never
const every = Object.keys(kinds) as (keyof typeof kinds)[]
const series = (...all: readonly Exchange[]) => ({ rounds: all.map((_, i) => i), read: async (round: number) => all[round]! }) // biome-ignore format: a line

const plain = { localSteps: null, localEpochs: 1, batchSize: 4, lossScale: 1, momentum: 0, proxMu: 0, differentialPrivacy: null } // biome-ignore format: a line
const attacked = (kind: keyof typeof kinds, protocol: object, more: object = {}, size: 'known' | 'any' = 'any') =>
  saying(() => attackedUpdate({ exchanges: series(heard(kind, (more as { exchange?: object }).exchange)), target: 'a', round: 0, batchSize: 4, samples: 10, protocol: { ...plain, ...protocol }, ...more } as never, { size })) // biome-ignore format: a line
const protocols: readonly object[] = [{}, { localSteps: 0 }, { localSteps: 1 }, { localSteps: 2 }, { localSteps: 2, momentum: 0.5 }, { localSteps: 2, proxMu: 0.5 }, { localSteps: 1, momentum: 0.5 }, { localEpochs: null }, { lossScale: 2 }, { batchSize: null }, { batchSize: 3, dropLast: true }, { batchSize: 12, dropLast: true }, { batchSize: 10, dropLast: true }, { localEpochs: 2.5 }, { differentialPrivacy: { mechanism: 'dp-sgd' } }] // biome-ignore format: a list

const truth = (labels: Float64Array | undefined, batch?: readonly number[]) => ({
  client: async () => ({ features: matrix(3, 2, Float64Array.of(1, 2, 3, 4, 5, 6)), labels }),
  batch: () => batch,
  optimum: async (client: string) => (client === 'a' ? Float64Array.of(9, 8, 7, 6) : undefined),
})
const view = (...all: readonly Exchange[]) => ({ exchanges: series(...all), target: 'a' }) as never
const readAll = async (control: Promise<unknown>) => {
  const { view: made } = (await control) as { view: { exchanges: ReturnType<typeof series> } }
  return Promise.all(made.exchanges.rounds.map((round) => made.exchanges.read(round)))
}
const turned = { permutation: (n: number) => Int32Array.from({ length: n }, (_, i) => (i + 1) % n) }

const losses = ['cross-entropy', 'binary-cross-entropy', 'squared-error']
const outputs = [1, 2, 3].map((c) => matrix(4, c, Float64Array.from({ length: 4 * c }, (_, i) => [0, 0.5, 0.6, -1, 0.4, 2, 2, 0.1, -3, 0, 0.7, 0.7][i]!))) // biome-ignore format: a line
const lengths = (n: number, spread: number, more: object = {}) =>
  saying(() => requireLengths({ exchanges: series(...Array.from({ length: n }, (_, i) => heard(every[i % 3]!, { learningRate: 1, update: { kind: 'gradient', grad: Float64Array.of(2 + (i === n - 1 ? spread : 0), 0) }, ...more }))), protocol: plain } as never)) // biome-ignore format: a line

const answerOf = (of: Partial<Answer>): Answer => ({ kind: 'attribute', name: 'union', metric: 'AUC', better: 'higher', best: 1, how: 'relabel', trained: [0.9, 0.5], held: [0.7, 0.4], contrast: [1, 0], ...of }) as Answer // biome-ignore format: a line
const guess = (held: number, words = 'a guess') => ({ trained: held, held, words }) as never
const askedWith = (target: string | null, ...attacks: readonly (readonly (Partial<Answer> | undefined)[])[]) =>
  ({ observer: 'server', model: null, target, kind: 'attribute', name: 'union', attacks: attacks.map((answers, i) => ({ id: `attack-${i}`, params: { i }, answers: answers.map((one) => one && answerOf(one)), results: [] })) }) as never // biome-ignore format: a line
const asked = [
  askedWith('0'),
  askedWith('0', []),
  askedWith('0', [undefined]),
  askedWith('0', [{}]),
  askedWith(null, [{}]),
  askedWith(null, [{ metric: 'rank', how: 'clients' }]),
  askedWith('0', [{ kind: 'members' }]),
  askedWith('0', [{ kind: 'members', metric: 'advantage' }]),
  askedWith('0', [{ federation: 0.6, guess: guess(0.55) }]),
  askedWith('0', [{ federation: 0.55, guess: guess(0.55) }]),
  askedWith('0', [{ federation: 0.5, guess: guess(0.55) }]),
  askedWith('0', [{ federation: 0.6, everybody: 0.8, guess: guess(0.5) }, undefined, { federation: 0.7, guess: guess(0.52, 'other') }], [{ trained: [0.95], held: [0.6], federation: 0.65 }, { trained: [0.1], held: [0.2], guess: guess(0.5, 'other') }, { federation: 0.6 }]), // biome-ignore format: a line
  askedWith('0', [{ federation: 0.6, guess: guess(0.5) }, { federation: 0.61, guess: guess(0.5) }, { federation: 0.59, guess: guess(0.5) }]), // biome-ignore format: a line
  askedWith('0', [{ federation: 0.6, guess: guess(0.5) }, { federation: 0.4, guess: guess(0.5) }, { federation: 0.59, guess: guess(0.5) }]), // biome-ignore format: a line
  askedWith('0', [{ better: 'lower', best: 0, metric: 'MAE', federation: 0.3, guess: guess(0.5) }, { better: 'lower', best: 0, metric: 'MAE', federation: 0.31, guess: guess(0.5) }], [{ better: 'lower', best: 0, metric: 'MAE', trained: [0.2], held: [0.9] }, { better: 'lower', best: 0, metric: 'MAE', trained: [0.3], held: [0.1] }]), // biome-ignore format: a line
  askedWith('0', [{}, {}], [{}, {}]),
  askedWith('0', [{ federation: 0.8 }, { guess: guess(0.2) }]),
]

const labelled = ['label', 'label-mean', 'labels', 'metaclass-means', 'model', 'attribute'].flatMap((kind) => ['MAE', 'loss', 'AUC'].flatMap((metric) => [{ chance: 4, interval: [1, 2] }, { chance: null, interval: null, perRecord: [1, 2] }].map((more) => resultWith({ model: 'm', findings: [findingWith(scoreWith({ metric, value: 3, also: { 'loss at start': 5, MAE: 6, present: 7, claimed: 8, other: 9 }, ...more } as never), { kind: kind as never, value: 1, values: [1, 2], labels: [3] }), findingWith(null, { kind: kind as never }, { cells: { record: 1 } as never })], ladder: { repeat: 1, answers: [answerOf({ kind, metric, best: null }), answerOf({ kind, metric, federation: 2, everybody: 3, seats: [[1, 2]], guess: guess(5) })] } as never })))) // biome-ignore format: a list

pinResults('turns', {
  'odd shapes': [
    ...[23, 24, 25].flatMap((d) => [4, 5, 6, 11, 12, 13].flatMap((n) => [odd(shaped(d, n, 0)), odd(shaped(d, 0, n)), odd(shaped(d, n, 13), shaped(d, n, 0), shaped(d, 2, 0))])), // biome-ignore format: a list
    ...[999, 1000, 1001].flatMap((d) => [2, 255, 256, 257].map((values) => odd(shaped(d, 0, 1, values)))),
    odd(new Float64Array(30)),
    odd(new Float64Array(30), new Float64Array(30)),
  ],
  'models that others claim': [
    ...[undefined, 'too few'].map((why) => saying(() => claimedModel({ claimOf: async () => ({ status: 'not-applicable', missing: ['exchanges'], ...(why && { why }) }) } as never, 'other'))), // biome-ignore format: a line
    ...[[], [{ kind: 'labels' }], [{ kind: 'labels' }, { kind: 'model', theta }]].map((claims) => () => claimedModel({ claimOf: async () => ({ status: 'claimed', claims, warnings: ['one doubt'] }) } as never, 'other')), // biome-ignore format: a line
    ...losses.flatMap((loss) => outputs.flatMap((output) => ['sigmoid', 'identity'].map((outputActivation) => () => { const model = { outputs: output.cols, outputActivation } as never; return [classifies(model, { loss } as never), labelsOf(output, model, { loss } as never)] }))), // biome-ignore format: a line
  ],
  'what an update says': [
    ...every.flatMap((kind) => protocols.flatMap((protocol) => [attacked(kind, protocol), attacked(kind, protocol, { samples: undefined }, 'known'), attacked(kind, protocol, { batchSize: 3 }), attacked(kind, protocol, { exchange: { learningRate: null } }, 'known'), attacked(kind, protocol, { exchange: { learningRate: null } })])), // biome-ignore format: a list
    ...every.flatMap((kind) => [attacked(kind, {}, { exchange: { received: undefined } }), attacked(kind, {}, { exchange: { received: Float64Array.of(1, 2) } }), attacked(kind, {}, { exchange: { received: theta.map((v, j) => (j === 2 ? Number.NaN : v)) } })]), // biome-ignore format: a line
    attacked('gradient', {}, { exchange: { update: { kind: 'gradient', grad: Float64Array.of(Number.NaN, 1) } } }),
    ...every.flatMap((kind) => [() => carrying(heard(kind), Float64Array.of(1, 2, 3, 4)), () => carrying(heard(kind), Float64Array.of(1, 2, 3, 4), Float64Array.of(9, 9, 9, 9))]), // biome-ignore format: a line
    ...every.flatMap((kind) => [undefined, 0, 0.5, 1, 4, 7, 30].flatMap((batchSize) => [undefined, 1, 4, 30].flatMap((samples) => [null, 4].flatMap((B) => [null, 0, 3].map((localSteps) => () => updateSize({ protocol: { ...plain, batchSize: B, localSteps }, batchSize, samples } as never, kind)))))), // biome-ignore format: a list
  ],
  'how it is rounded': every.flatMap((kind) => [theta, undefined].flatMap((at) => [null, -0.5, 0].map((unit) => () => roundingOf(heard(kind), { grad: Float64Array.of(1, 2, 0, 0), theta: at, unit } as never)))), // biome-ignore format: a list
  'turns made up': [
    ...every.map((kind) => () => returning(heard(kind), Float64Array.of(1, 2, 3, 4))),
    () => readAll(plantedTurns({ view: view(...every.map((kind) => heard(kind))), truth: truth(undefined) as never })),
    () => readAll(permutedTurns({ view: view(...every.map((kind) => heard(kind)), heard('delta', { received: undefined })), rng: turned })), // biome-ignore format: a line
    () => optimumOf(truth(undefined) as never, 'b'),
    () => batchBehind(truth(undefined) as never, { target: 'a', round: 1 } as never),
    ...[undefined, [2, 0]].map((batch) => () => batchBehind(truth(Float64Array.of(5, 6, 7), batch) as never, { target: 'a', round: 1 } as never)), // biome-ignore format: a line
  ],
  'lengths that are alike': [
    ...[2, 3, 4, 12].flatMap((n) => [0, 1e-3, 0.0021, 0.1].map((spread) => lengths(n, spread))),
    lengths(13, 5),
    lengths(4, 0, { update: kinds.parameters }),
    lengths(4, 0, { update: kinds.parameters, received: undefined }),
    lengths(4, 0, { update: kinds.delta, learningRate: 0.5 }),
    lengths(4, 0, { update: kinds.delta, learningRate: null }),
    lengths(4, 0, { update: { kind: 'gradient', grad: new Float64Array(2) } }),
    saying(() => requireLengths({ exchanges: series(...[1, 2, 3].map(() => heard('delta'))), protocol: { clipNorm: 1 } } as never)), // biome-ignore format: a line
  ],
  'rungs of a ladder': asked.map((one) => () => [rungsOf(one) ?? 'none', federationTells(one)]),
  'labels in their own unit': labelled.flatMap((result) => [undefined, { scale: 1, shift: 0 }, { scale: 3, shift: 7 }].map((unit) => () => inLabelUnits([{ result } as never, { result: { ...result, ladder: undefined } } as never], (model, repeat) => (model === 'm' && (repeat === 1 || unit?.shift === 7) ? unit : undefined)))), // biome-ignore format: a list
})
