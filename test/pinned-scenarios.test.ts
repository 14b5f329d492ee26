import { audit } from '../src/audit/audit.js'
import { memoryPorts } from '../src/audit/memory-ports.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'
import { pinResults } from './pinned-results.js'
import { own, peopleFiles } from './pinned-worlds.js'

const base: ScenarioInput = {
  name: 'one',
  heldBack: 0,
  data: own({ columns: 'age,smoker,bmi' }),
  partition: { name: 'iid', params: { clients: 4 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 3, batchSize: 8, learningRate: 0.05 },
  attacks: ['last-returned'],
  observers: ['server'],
  controls: false,
}
type Part = Readonly<Record<string, unknown>>
const trained = (parts: Part): Part => ({ training: { ...base.training, ...parts } })
const knowing = (parts: Part): Part => ({ knowledge: parts })
const guarded = (name: string, params: Part): Part => ({ defences: [{ name, params }] })
const asked = (name: string, params: Part = {}): Part => trained({ sampling: { name, params } })
const unfair = (name: string, params: Part = {}): Part => trained({ misbehaving: { 1: { name, params } } })

const text = (words: string): Uint8Array => new TextEncoder().encode(words)

/** What becomes of a scenario with these changes: all files that were recorded, or the code of its error. */
const tried = (parts: Part) => async () => {
  const files = new Map<string, Uint8Array>()
  const ports = memoryPorts({ files, dataset: () => peopleFiles })
  const { utility, observers } = await audit({ ...base, ...parts } as ScenarioInput, { ports }).result
  const paths = [...files.keys()].filter((path) => /\/(transcript|truth|knowledge)/.test(path)).sort()
  // Digests of rounds follow from the files beside them.
  const list = (bytes: Uint8Array) => text(new TextDecoder().decode(bytes).replaceAll(/,"sha256":"\w{64}"/g, ''))
  const kept = (path: string) => (path.endsWith('rounds.jsonl') ? list(files.get(path)!) : files.get(path))
  return [utility, observers, paths.map((path) => [path.slice(path.indexOf('/')), kept(path)])]
}

pinResults('scenarios', {
  'rules of training': [
    ...[
      {},
      { algorithm: 'fedsgd', batchSize: null },
      { algorithm: 'fedsgd', share: 'gradient', batchSize: null },
      { share: 'gradient' },
      { share: 'delta' },
      { algorithm: 'fedprox', proxMu: 1 },
      { algorithm: 'fedprox' },
      { proxMu: 1 },
      { algorithm: 'sgd' },
    ],
    ...[
      { localEpochs: 2 },
      { localSteps: 2 },
      { localEpochs: 2, localSteps: 2 },
      { localEpochs: 0 },
      { localSteps: 0 },
      { batchSize: null },
      { batchSize: 0 },
      { batchSize: 1000 },
      { batchSize: 1 },
    ],
    ...[
      { momentum: 0.5 },
      { momentum: 1 },
      { momentum: -0.1 },
      { proxMu: -1 },
      { learningRate: 0 },
      { learningRate: 1e9 },
      { rounds: 0 },
      { rounds: 1 },
    ],
    ...[
      { shuffle: 'never' },
      { shuffle: 'round' },
      { shuffle: 'epoch', localEpochs: 3 },
      { shuffle: 'round', localEpochs: 3 },
      { aggregateWeights: 'one' },
      { precision: 'f64' },
      { dropouts: 0.5 },
      { dropouts: 1 },
    ],
  ].map((parts) => tried(trained(parts))),
  samplings: [
    ...['all', 'fraction', 'poisson', 'weighted', 'schedule', 'none'].map((name) => asked(name)),
    ...['fraction', 'poisson', 'weighted'].flatMap((name) =>
      [0, 0.01, 0.5, 1, 1.1, -1].map((fraction) => asked(name, { fraction })),
    ),
    ...['', '0', '0,1;2', '0;;1', '9', '0,0', ' 0 , 1 ; 2 ', ';'].map((rounds) => asked('schedule', { rounds })),
    asked('all', { fraction: 0.5 }),
  ].map(tried),
  misbehaviours: [
    ...['inversion', 'ascent', 'free-rider', 'scaled', 'sleep'].flatMap((name) => [
      unfair(name),
      unfair(name, { prob: 0.5 }),
      unfair(name, { prob: 2 }),
    ]),
    ...['zero', 'stale', 'noise', 'old'].map((update) => unfair('free-rider', { update, noiseStd: 0.5 })),
    ...[0, 0.01, 5, -1].map((maxNorm) => unfair('ascent', { maxNorm })),
    ...[{ factor: 0 }, { part: 0 }, { part: 1, key: 3 }, { part: 2 }].map((params) => unfair('scaled', params)),
    trained({ misbehaving: { nobody: { name: 'inversion' } } }),
    trained({ misbehaving: { 0: { name: 'free-rider', params: { update: 'stale' } } }, sampling: { name: 'fraction', params: { fraction: 0.5 } }, rounds: 6 }), // biome-ignore format: a line
    ...(['delta', 'gradient'] as const).flatMap((share) => ['inversion', 'ascent', 'scaled', 'free-rider'].map((name) => trained({ algorithm: 'fedsgd', share, batchSize: null, misbehaving: { 1: { name } } }))), // biome-ignore format: a list
  ].map(tried),
  defences: [
    ...[
      {},
      { maxNorm: 0 },
      { noiseMultiplier: -1 },
      { noiseMultiplier: 0 },
      { sampleRate: 0.5 },
      { sampleRate: 1 },
      { sampleRate: 2 },
      { delta: 0 },
      { delta: 1 },
    ].map((params) => guarded('dp-sgd', params)),
    ...[
      {},
      { clip: 0 },
      { clip: 0.01 },
      { bits: 2 },
      { bits: 60 },
      { bits: 12 },
      { threshold: 1 },
      { threshold: 0.9 },
      { threshold: 0.1 },
      { variant: 'graph', neighbours: 2 },
      { variant: 'graph', neighbours: 3 },
      { variant: 'graph', neighbours: 40 },
      { lateProb: 0.3 },
      { lateProb: 1 },
    ].map((params) => guarded('secure-aggregation', { server: 'honest-but-curious', ...params })),
    { defences: [{ name: 'dp-sgd' }, { name: 'secure-aggregation' }] },
    { defences: [{ name: 'secure-aggregation' }, { name: 'secure-aggregation' }] },
    { defences: [{ name: 'wall' }] },
    { ...guarded('secure-aggregation', {}), ...trained({ dropouts: 0.6 }) },
    { ...guarded('secure-aggregation', {}), partition: { name: 'iid', params: { clients: 2 } } },
    { ...guarded('dp-sgd', { sampleRate: 0.5 }), ...trained({ batchSize: 4 }) },
    { ...guarded('dp-sgd', {}), ...trained({ algorithm: 'fedsgd', share: 'gradient', batchSize: null }) },
    ...[
      {},
      { bits: 12 },
      { bits: 60 },
      { clip: 0.01 },
      { least: 5 },
      { threshold: 0.9 },
      { neighbours: 2 },
      { variant: 'graph' },
      { variant: 'graph', corrupt: 0.6, vanishing: 0.4 },
      { directory: 'first-use' },
      { lateProb: 0.3 },
      { server: 'kind' },
    ].map((params) => guarded('secure-aggregation', params)),
  ].map(tried),
  knowledge: [
    ...[
      { targets: 'all' },
      { targets: ['3', '0'] },
      { targets: ['9'] },
      { targets: ['0', '0'] },
      { sensitive: [] },
      { sensitive: ['bmi'] },
      { sensitive: ['age'] },
      { sensitive: ['smoker', 'bmi'] },
    ],
    ...[
      { records: false },
      { labels: false },
      { auxiliary: false },
      { metaclassCounts: true },
      { candidates: 1 },
      { candidates: 2 },
      { candidates: 9 },
      { candidates: 10000 },
      { candidates: -1 },
    ],
    ...[
      { property: 'membership' },
      { property: 'membership', holders: ['1', '2'] },
      { property: 'membership', holders: ['9'] },
      { holders: ['1'] },
      { property: 'inversion' },
      { property: 'beauty' },
    ],
  ].map((parts) => tried(knowing(parts))),
  'models and data': [
    ...[
      { kind: 'mlp' },
      { kind: 'mlp', hidden: [3] },
      { kind: 'linear', hidden: [3] },
      { kind: 'softmax' },
      { kind: 'logistic' },
      { kind: 'lenet-mnist' },

      { kind: 'linear', learningRate: 0.5 },
      { kind: 'linear', learningRate: 0 },
      { kind: 'mlp', hidden: [], bias: false },
      { kind: 'linear', dropout: 0.1 },
    ].map((model) => ({ models: [model] })),
    { models: [] },
    {
      models: [
        { kind: 'mlp', hidden: [2] },
        { kind: 'mlp', hidden: [2] },
      ],
    },
    ...[
      { rows: 1 },
      { rows: 40 },
      { rows: 0 },
      { rows: 10000 },
      { validation: 0 },
      { validation: 0.9 },
      { validation: 1 },
      { auxiliary: 0 },
      { auxiliary: 0.9 },
      { name: 'nothing' },
    ].map((parts) => ({ data: { ...base.data, ...parts } })),
    ...[{ label: '' }, { file: '' }, { label: 'nobody' }, { sensitive: 'age' }, { sensitive: 'site' }, { columns: 'age=wrong' }, { columns: 'nobody' }, { metaclass: '' }, { client: '' }, { missing: 'drop' }, { task: 'classification' }, { label: 'high', task: 'classification', columns: '' }, { label: 'high', columns: 'age' }, { columns: 'age , smoker = one-hot-full ,', sensitive: ' smoker ,, ' }].map((params) => ({ data: own(params as never) })), // biome-ignore format: a list
    ...[0, 2 ** 40, -1].map((seed) => ({ seed })),
    ...['', 'One', 'a'.repeat(65)].map((name) => ({ name })),
    ...[['sever'], [], 'all', ['eavesdropper', 'server']].map((observers) => ({ observers })),
    ...[
      ['nothing'],
      [],
      [{ id: 'last-returned', params: { x: 1 } }],
      ['last-returned', 'last-returned'],
      ['aia-model'],
    ].map((attacks) => ({ attacks })),
    { extra: 1 },
    { activeRounds: 0 },
    { secondsPerAttack: 0 },
  ].map(tried),
})
