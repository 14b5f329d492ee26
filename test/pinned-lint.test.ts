import { epsilonBounds } from '../src/accounting/loss-bounds.js'
import { rdpEpsilon } from '../src/accounting/rdp-account.js'
import { type Setup, type SetupClient, stepsOfTurn, wholeBatches } from '../src/audit/account/setup.js'
import { clientSteps, clientsSpent } from '../src/audit/account/spent.js'
import { understated } from '../src/audit/lint/claimed-epsilon.js'
import { lint, lintRules, pathOf } from '../src/audit/lint/index.js'
import { pinResults } from './pinned-results.js'

const who = (count: number, records: number | null = 100, turns = 4): SetupClient[] =>
  Array.from({ length: count }, (_, i) => ({ id: `c${i}`, records, turns }))
const base: Setup = {
  ...{ from: 'scenario', clients: who(8), rounds: 4, participants: null, privacy: null, secureAggregation: false },
  ...{ batchSize: 32, localEpochs: 2, localSteps: null, dropLast: false, share: 'model' },
  ...{ model: { kind: 'softmax', parameters: 30 }, loss: 'cross-entropy', raw: {} },
}
const setup = (change: object): Setup => ({ ...base, ...change })
const noise = { noiseMultiplier: 1, maxNorm: 1, delta: 1e-5, sampleRate: 0.1, noiseMechanism: 'gaussian' }
const withNoise = (privacy: object, change: object = {}): Setup => setup({ privacy: { ...noise, ...privacy }, ...change }) // biome-ignore format: a line

/** What is found, its words as their numbers and how many they are. */
const found = (of: Setup) => () =>
  lint(of).map((one) => {
    const { evidence, fix, title, ...rest } = one
    const numbers = evidence.match(/-?\d[\d.e+-]*/g) ?? []
    return { ...rest, numbers, words: evidence.split(' ').length, told: fix.split(' ').length, at: pathOf(one, of) }
  })
/** Words that are told apart, too. */
const spelled = (value: unknown) => JSON.parse((JSON.stringify(value) ?? 'null').replaceAll(' ', '-'))
const hidden = (change: object) => setup({ secureAggregation: true, ...change })
const groups = (...lists: string[]) => ({ participants: lists.map((one) => [...one].map((x) => `c${x}`)), rounds: lists.length }) // biome-ignore format: a line
const round = (n: number, without: number) => Array.from({ length: n }, (_, i) => i).filter((i) => i !== without).join('') // biome-ignore format: a line

const bare: readonly Setup[] = [
  base,
  ...[1, 2, 3, 8, 9].flatMap((batchSize) => [setup({ batchSize }), setup({ batchSize, share: 'gradient', loss: 'mse' }), setup({ batchSize, localSteps: 1, from: 'transcript' })]),
  setup({ batchSize: null, clients: who(2, 1) }),
  setup({ batchSize: null, clients: who(2, null) }),
  setup({ batchSize: 4, clients: [...who(2, null), ...who(1, 3)], localEpochs: 1 }),
  setup({ batchSize: 1, secureAggregation: true }),
  withNoise({}, { batchSize: 1 }),
  withNoise({ noiseMultiplier: 0 }, { batchSize: 1 }),
  withNoise({ noiseMultiplier: null }, { batchSize: 1 }),
  ...[0, 1, 2, 3, 4, 5].flatMap((parameters) => ['scenario', 'transcript'].map((from) => setup({ from, model: { kind: 'linear', parameters }, batchSize: null }))),
  setup({ model: { kind: 'linear', parameters: 3 }, batchSize: 100, clients: [...who(1), ...who(2, 101), ...who(1, null)] }),
  setup({ model: { kind: 'linear', parameters: 3 }, batchSize: 100, clients: who(1) }),
  setup({ model: { kind: 'linear', parameters: 3 }, batchSize: null, secureAggregation: true }),
  ...[0, 0.5, 1].flatMap((heldBack) => ['scenario', 'transcript'].map((from) => setup({ from, raw: { heldBack } }))),
] // biome-ignore format: a list

const sums: readonly Setup[] = [
  ...[1, 2, 3, 5, 6].flatMap((count) => [hidden({ clients: who(count) }), hidden({ clients: who(count), from: 'transcript' })]),
  ...['all', 'uniform', undefined].map((name) => hidden({ clients: who(3), raw: { training: { sampling: name && { name } } } })),
  hidden({ clients: [{ id: '*', records: 5, turns: 3 }] }),
  hidden({ clients: [{ id: '*', records: 5, turns: 3 }], participants: [['*']] }),
  hidden({ clients: who(3), raw: { training: { sampling: { name: 'uniform' } } } }),
  ...[2, 3, 4].map((rounds) => hidden({ clients: who(3), rounds, raw: { training: { sampling: { name: 'uniform' } } } })),
  ...[1, 2, 400, 401].map((count) => hidden({ clients: who(count), rounds: 401, raw: { training: { sampling: { name: 'uniform' } } } })),
  hidden({ clients: who(3), ...groups() }),
  hidden({ clients: who(3), ...groups('01', '12', '02') }),
  hidden({ clients: who(3), ...groups('01', '01', '12', '01', '02', '02', '12') }),
  hidden({ clients: who(3), ...groups('01', '12', '01') }),
  hidden({ clients: who(3), ...groups('01', '12') }),
  hidden({ clients: who(2), ...groups('019', '1', '0') }),
  hidden({ clients: who(8), ...groups('01234567', '0123456', '012345') }),
  hidden({ clients: who(8), ...groups('012345', '12345', '123456') }),
  hidden({ clients: who(8), ...groups('012345', '123456', '234567') }),
  hidden({ clients: who(8), ...groups('1234567', ...Array.from({ length: 49 }, () => '012345'), '01234567') }),
  hidden({ clients: who(8), ...groups('1234567', ...Array.from({ length: 50 }, () => '012345'), '01234567') }),
  hidden({ clients: who(8), ...groups('123456', '012345', round(8, 7)) }),
  withNoise({}, { secureAggregation: true, clients: who(3), ...groups('01', '12', '02', '0') }),
  setup({ clients: who(3), ...groups('01', '12', '02', '0') }),
  ...['trusted', 'honest-but-curious', 'malicious'].flatMap((server) => [
    setup({ raw: { server } }), hidden({ raw: { server } }), hidden({ raw: { server, consistencyCheck: true } }), hidden({ raw: { protocol: { server, consistencyCheck: false } }, from: 'transcript' }), withNoise({}, { raw: { server } }), withNoise({}, { raw: { server }, secureAggregation: true }),
  ]),
  ...[1, 2].flatMap((count) => [null, 'own', 7].map((noiseSeed) => setup({ clients: who(count), raw: { noiseSeed } }))),
  ...[{ a: 1, b: 2 }, { a: 1, b: 1, c: 2 }, { a: 1, b: 1, c: 1 }, {}, null, 5].map((clientSeeds) => setup({ from: 'transcript', raw: { protocol: { clientSeeds } } })),
  setup({ from: 'transcript', raw: { protocol: { noiseSeed: 3 } } }),
  hidden({ raw: { maskPerTensor: 'same' } }),
  hidden({ raw: { maskPerTensor: 'own', defences: [{ name: 'dp-sgd' }, { name: 'secure-aggregation' }] } }),
  hidden({ raw: { maskPerTensor: 'same', defences: [null, { name: 'dp-sgd' }, { name: 'secure-aggregation' }] } }),
  ...[[1, 2, 1], [null, null], [undefined, 3, undefined, 3, 3], [1, 2]].map((seeds) => hidden({ from: 'transcript', raw: { rounds: seeds.map((maskSeed) => ({ maskSeed })) } })),
] // biome-ignore format: a list

const privacies: readonly Setup[] = [
  ...[{}, { noiseMultiplier: 0 }, { noiseMultiplier: null }, { maxNorm: null }, { maxNorm: null, noiseMultiplier: 0 }, { noiseMultiplier: null, epsilon: 2 }].flatMap((one) => [withNoise(one), withNoise(one, { from: 'transcript' })]),
  ...[1, 2, 4, 1.005, 2.03].flatMap((noiseStd) => [withNoise({ noiseMultiplier: 2, maxNorm: 0.25, noiseVariance: noiseStd }), withNoise({ noiseMultiplier: 2, maxNorm: 0.5, noiseVariance: noiseStd }), withNoise({ noiseMultiplier: 2, noiseStd }), withNoise({ noiseMultiplier: 2, maxNorm: 0.5, noiseStd }), withNoise({ noiseVariance: noiseStd }), withNoise({ noiseStd, noiseMultiplier: null }), withNoise({ noiseStd, maxNorm: null, noiseVariance: 9 })]),
  ...['fixed', 'public', 'private-estimate', 'median', 5].map((maxNormFrom) => withNoise({ maxNormFrom })),
  ...['weights', ['a'], ['a', 'b'], []].flatMap((clipped) => [withNoise({ clipped }, { raw: { parameters: [{ name: 'a' }, { name: 'b' }, null] } }), withNoise({ clipped })]),
  ...['fixed', 'none', 'poisson', undefined].flatMap((sampling) => ['Poisson RDP', 'moments', undefined].map((accountant) => withNoise({ sampling, accountant }))),
  ...[0, 1, 0.5, null].map((sampleRate) => withNoise({ sampling: 'none', sampleRate })),
  ...[0.01, 0.0101, 0.125, 0.2, null].flatMap((delta) => [withNoise({ delta }), withNoise({ delta, unit: 'client' }), withNoise({ delta, unit: 'client' }, { raw: { clients: { count: 100 } } })]),
  withNoise({ delta: 0.5 }, { clients: who(2, null) }),
  ...[1, 0.999, 0.998, 2].flatMap((sensitivity) => [withNoise({ sensitivity }), withNoise({ sensitivity, neighbours: 'replace' }), withNoise({ sensitivity, maxNorm: null }), withNoise({ sensitivity, maxNorm: 0.4 })]),
  withNoise({ perLayer: true }), withNoise({ perLayer: true, maxNorm: null }), withNoise({ perLayer: false }),
  withNoise({ maxNormFrom: 'median' }, { raw: { defences: [{ name: 'x' }, { name: 'dp-sgd' }] } }),
] // biome-ignore format: a list

/** Few steps and a large delta: two turns of four steps each. */
const claiming = (privacy: object, change: object = {}): Setup => withNoise({ delta: 0.01, ...privacy }, { clients: who(2, 100, 2), localEpochs: 1, ...change }) // biome-ignore format: a line
const exact = (steps: number, z = 1, q = 0.1) => epsilonBounds([{ kind: 'gaussian', noiseMultiplier: z, sampleRate: q, steps }], 0.01).upper // biome-ignore format: a line
const claims = (): Setup[] => {
  const all = exact(8)
  const fixed = { sampling: 'fixed', sampleRate: null }
  const one = { kind: 'gaussian', noiseMultiplier: 1, sampleRate: 0.1, steps: 1 } as const
  return [
    ...[all, 0.995 * all, 0.985 * all, 0.3 * all].map((epsilon) => claiming({ epsilon })),
    claiming({ epsilon: exact(1) }), claiming({ epsilon: 1.029 * exact(2) }), claiming({ epsilon: 1.031 * exact(2) }), claiming({ epsilon: 0.98 * exact(4) }),
    claiming({ epsilon: rdpEpsilon([one], 0.01).epsilon }),
    claiming({ epsilon: rdpEpsilon([one], 0.01, { conversion: 'classic' }).epsilon }),
    claiming({ epsilon: exact(8, 4, 0.1), noiseMultiplier: 2 }),
    claiming({ epsilon: exact(8, 1, 0.32), ...fixed }),
    claiming({ epsilon: exact(8, 1, 0.32), sampleRate: null }),
    claiming({ epsilon: 0.1, sampleRate: null, unit: 'client' }),
    ...[0, 1, 2, null].map((delta) => claiming({ epsilon: 0.1, delta })),
    claiming({ epsilon: 0.1 }, { clients: [] }),
    claiming({ epsilon: 0.1 }, { clients: who(2, 100, 0) }),
    claiming({ epsilon: 0.1 }, { clients: [...who(1, 100, 1), { id: 'y', records: 100, turns: 3 }, { id: 'z', records: 100, turns: 2 }] }),
    claiming({ epsilon: 0.1, noiseMultiplier: 0.01 }),
    claiming({ epsilon: 0.1, noiseMultiplier: 0 }),
    claiming({ epsilon: 0.1, sampleRate: null }, { clients: who(1, null) }),
  ] // biome-ignore format: a list
}
const drawn: readonly Setup[] = [
  withNoise({}), withNoise({ sampling: 'poisson' }), withNoise({ sampling: 'fixed' }), withNoise({ sampling: 'fixed' }, { batchSize: 100 }), withNoise({ sampling: 'fixed', neighbours: 'replace' }, { batchSize: null }),
  withNoise({ sampleRate: 0 }), withNoise({ sampleRate: null }, { localSteps: 7 }), withNoise({ sampleRate: null }, { localSteps: 3, batchSize: 100 }), withNoise({ sampleRate: null }, { localEpochs: null }), withNoise({ sampleRate: null, neighbours: 'add-remove' }, { batchSize: null }),
  ...[0, 0.2, 1, null].flatMap((sampleRate) => ['poisson', 'fixed'].map((sampling) => withNoise({ unit: 'client', sampleRate, sampling, neighbours: sampling === 'fixed' ? 'replace' : undefined }))),
  setup({}), withNoise({ noiseMultiplier: null }), withNoise({ noiseMultiplier: 0 }), withNoise({ maxNorm: null }), withNoise({ sampleRate: null }, { clients: who(1, null) }),
] // biome-ignore format: a list

pinResults('lint', {
  'updates in the clear': bare.map(found),
  'sums of clients': sums.map(found),
  'noise and clipping': privacies.map(found),
  'claims of epsilon': claims().map((of, i) => (i % 4 === 0 ? found(of) : () => spelled(understated(of)))),
  'the mechanism of a client': drawn.map((of) => () => spelled(clientSteps(of, of.clients[0]!))),
  'what clients spend': [
    () => clientsSpent(withNoise({}, { clients: [...who(1, 100, 1), ...who(2, 100, 2), ...who(1, 90, 1)] }), 1e-3),
    () => clientsSpent(withNoise({ unit: 'client', neighbours: 'replace', sampling: 'poisson', sampleRate: 0.3, noiseMultiplier: 4 })), // biome-ignore format: a line
    ...[0, 1, null].map((delta) => () => clientsSpent(withNoise({ delta }))),
  ],
  'steps of a turn': [null, 1, 32, 99, 100, 101].flatMap((batchSize) =>
    [null, 1, 100].flatMap((records) => [
      () => [true, false].map((dropLast) => stepsOfTurn({ batchSize, localEpochs: 3, localSteps: null, dropLast }, records)), // biome-ignore format: a line
      () => stepsOfTurn({ batchSize, localEpochs: null, localSteps: null, dropLast: false }, records),
      () => stepsOfTurn({ batchSize, localEpochs: 2, localSteps: 5, dropLast: false }, records),
      () => wholeBatches({ batchSize, localEpochs: 2, localSteps: 5, dropLast: false }, records),
    ]),
  ),
  rules: [() => lintRules.map(({ code, id, severity, danger, doc }) => [code, id, severity, danger, doc])],
})
