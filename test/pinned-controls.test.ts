import * as regression from '../src/attacks/labels/regression/regression-controls.js'
import { decayOf, notAffine } from '../src/attacks/local-model/affine-turns.js'
import { permutedUpdate, plantedRecords } from '../src/attacks/records/record-controls.js'
import { createModel, type ModelSpec } from '../src/models/index.js'
import { initialise } from '../src/models/initialise.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { modelView, protocolOf, truthOf } from './label-views.js'
import { pinResults } from './pinned-results.js'

interface World {
  readonly ends?: 'identity' | 'sigmoid' | 'tanh' | 'relu'
  readonly hidden?: readonly number[]
  readonly records?: number
  readonly step?: { readonly kind: 'parameters' | 'delta'; readonly learningRate: number }
  /** Which rows of the truth were in the batch; all unless told. */
  readonly rows?: readonly number[]
  readonly lacks?: 'labels' | 'metaclasses' | 'auxiliary labels' | 'names'
  readonly protocol?: object
}

/** A regression of one update, and auxiliary records in groups; the last group is in one of both alone. */
function world({ ends = 'identity', hidden = [3], records: K = 5, step, rows, lacks, protocol = {} }: World) {
  const model = { kind: 'mlp', inputs: 2, hidden, outputs: 1, activation: 'tanh', outputActivation: ends, bias: true }
  const draws = rng('controls')
  const theta = initialise(createModel(model as unknown as ModelSpec), draws.fork('theta'))
  const features = matrix(K, 2, draws.fork('X').normals(2 * K))
  const labels = draws.fork('y').normals(K).map((y) => Math.abs(y) / 2 + 0.1) // biome-ignore format: a line
  const own = truthOf({ features, labels })
  const groups = Float64Array.from({ length: K }, (_, i) => [0, 2, 0, 1, 0][i % 5]!)
  const truth = {
    ...own,
    client: async (id: string) => ({ ...(await own.client(id))!, ...(lacks === 'labels' && { labels: undefined }), ...(lacks !== 'metaclasses' && { metaclasses: groups }) }), // biome-ignore format: a line
    batch: () => rows,
  }
  const view = modelView({ model: model as never, theta, batch: { features, labels }, loss: 'mse', ...(step && { step }) }) // biome-ignore format: a line
  const auxiliary = { columns: ['a', 'b'], features: matrix(4, 2, draws.fork('aux').normals(8)) }
  return {
    truth: truth as never,
    view: { ...view, protocol: { ...view.protocol, ...protocol }, auxiliary, 'auxiliary.metaclass': Float64Array.of(0, 3, 1, 0), ...(lacks !== 'auxiliary labels' && { 'auxiliary.label': Float64Array.of(1, 2, 3, 4) }), ...(lacks !== 'names' && { metaclasses: ['p', 'q', 'r', 's', 't'] }) } as never, // biome-ignore format: a line
  }
}

type Control = (given: never) => Promise<{ readonly view: unknown; readonly claims?: unknown }>
/** What is heard in the world of a control, and what else is told there. */
const controlled = (control: Control, given: World) => async () => {
  const { view, claims } = await control({ ...world(given), rng: rng('control') } as never)
  const {
    exchanges,
    truth: _,
    ...rest
  } = view as { exchanges: { read(round: number): Promise<unknown> }; truth: unknown }
  return [rest, claims, await exchanges.read(3)]
}
const steps = [undefined, { kind: 'parameters', learningRate: 0.3 }, { kind: 'delta', learningRate: 0.05 }] as const
const ends = ['identity', 'sigmoid', 'tanh', 'relu'] as const
const planted = [regression.plantedRecord, regression.plantedMean, regression.plantedCounts, regression.plantedMeans] as unknown as readonly Control[] // biome-ignore format: a line
const shuffled = [regression.shuffledGradient, permutedUpdate] as unknown as readonly Control[]
const all = [...planted, ...shuffled, plantedRecords as unknown as Control]
const loose = { lossScale: 0.5, batchSize: 2, localEpochs: 3, dropout: 0.2 }
const affine = (model: object, loss: string, protocol: object = {}) => () => notAffine({ model, loss, protocol: protocolOf(protocol) } as never)?.split(' ').join('-') ?? 'affine' // biome-ignore format: a line
const linear = { kind: 'linear', inputs: 2, outputs: 1, bias: true }

pinResults('controls', {
  'worlds of controls': all.flatMap((control) => steps.map((step) => controlled(control, { ...(step && { step }) }))),
  'worlds by what models end in': planted.slice(0, 2).flatMap(
    (control) =>
    ends.flatMap((one) => [{ ends: one }, { ends: one, records: 1 }, { ends: one, hidden: [4, 2], records: 1 }].map((given) => controlled(control, given))), // biome-ignore format: a line
  ),
  'worlds of parts of a batch': all.flatMap((control) => [
    controlled(control, { rows: [1, 3] }),
    controlled(control, { protocol: loose }),
  ]),
  'worlds that lack something': planted.flatMap((control) =>
    (['labels', 'metaclasses', 'auxiliary labels', 'names'] as const).map((lacks) => controlled(control, { lacks })),
  ),
  'maps of turns': [
    affine(linear, 'mse'),
    affine(linear, 'cross-entropy'),
    affine({ kind: 'opaque' }, 'mse'),
    affine({ kind: 'softmax', inputs: 2, outputs: 3 }, 'cross-entropy'),
    affine(linear, 'mse', { optimizer: { name: 'adam' } }),
    affine(linear, 'mse', { optimizer: { name: 'sgd' } }),
    affine(linear, 'mse', { optimizer: null }), // biome-ignore format: a line
    ...[0, 0.1].map((weightDecay) => () => decayOf({ protocol: protocolOf({ weightDecay } as never) }).length),
  ],
})
