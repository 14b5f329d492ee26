/** Batches of the synthetic metaclass data with auxiliary records, at a model trained for a few epochs, for tests. */
import { encodeSource, fitSource } from '../src/data/dataset.js'
import { loadDataset } from '../src/data/index.js'
import { createModel, type ModelSpec } from '../src/models/index.js'
import { initialise } from '../src/models/initialise.js'
import { trainer } from '../src/models/trainer.js'
import { type Matrix, matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { type MadeUpdate, madeUpdate } from './regression-view.js'

export interface Rows {
  readonly features: Matrix
  readonly labels: Float64Array
  readonly metaclasses: Float64Array
}

function takeRows({ features, labels, metaclasses }: Rows, rows: readonly number[]): Rows {
  const d = features.cols
  const X = matrix(rows.length, d)
  for (const [i, row] of rows.entries()) X.data.set(features.data.subarray(row * d, (row + 1) * d), i * d)
  const of = (values: Float64Array) => Float64Array.from(rows, (i) => values[i]!)
  return { features: X, labels: of(labels), metaclasses: of(metaclasses) }
}

async function synthetic(seed: number, params: Readonly<Record<string, unknown>>): Promise<Rows> {
  const source = await loadDataset('metaclass-synthetic', { rng: rng(seed).fork('data') }, params)
  const { records } = encodeSource(source, { fit: fitSource(source) })
  const column = source.table.columns.find(({ name }) => name === 'metaclass')!
  if (column.kind !== 'word') throw new Error('the metaclass is not a word')
  return { ...records, metaclasses: Float64Array.from(column.codes) }
}

export interface BatchOptions extends Partial<Pick<MadeUpdate, 'share' | 'protocol' | 'rounds'>> {
  readonly seed?: number
  readonly K?: number
  readonly epochs?: number
  readonly hidden?: readonly number[]
  readonly data?: Readonly<Record<string, unknown>>
  /** The features of the batch's first record are so many times as large. */
  readonly stretched?: number
}

export async function madeBatch(options: BatchOptions = {}) {
  const { seed = 1, K = 40, epochs = 0, hidden = [48, 24], data = {}, stretched = 1, ...more } = options
  const all = await synthetic(seed, { records: 2500, ...data })
  const root = rng(seed).fork('world')
  const order = [...root.fork('split').permutation(all.labels.length)]
  const aux = takeRows(all, order.slice(0, 500))
  const train = takeRows(all, order.slice(500))
  const batch = takeRows(train, [...root.fork('batch').sample(train.labels.length, K)])
  for (let j = 0; j < all.features.cols; j++) batch.features.data[j]! *= stretched
  const model = { kind: 'mlp', inputs: all.features.cols, hidden, outputs: 1 }
  const built = createModel(model as unknown as ModelSpec)
  const theta0 = initialise(built, root.fork('theta'))
  const theta = epochs === 0 ? theta0 : trained()
  function trained(): Float64Array {
    const central = trainer(built, { data: train, adam: {} })
    central.load(theta0)
    for (let epoch = 0; epoch < epochs; epoch++) {
      const shuffled = root.fork('epoch', epoch).permutation(train.labels.length)
      for (let at = 0; at < shuffled.length; at += 32) central.step(shuffled.subarray(at, at + 32), 1e-3)
    }
    return central.theta()
  }
  const made = madeUpdate({ model, ...batch, theta, ...more })
  const N = 1 + Math.max(...all.metaclasses)
  const counts = Array.from({ length: N }, (_, c) => batch.metaclasses.filter((m) => m === c).length)
  const columns = Array.from({ length: all.features.cols }, (_, j) => `x${j}`)
  const view = {
    ...made.view,
    auxiliary: { columns, features: aux.features },
    'auxiliary.label': aux.labels,
    'auxiliary.metaclass': aux.metaclasses,
    metaclasses: Array.from({ length: N }, (_, c) => String.fromCharCode(65 + c)),
    metaclassCounts: counts,
  }
  return { ...made, view, batch, aux, counts, means: meansOf(batch.labels, batch.metaclasses, N), N }
}

/** Mean of the values in each metaclass; NaN where it has none. */
export function meansOf(values: Float64Array, metaclasses: Float64Array, N: number): number[] {
  return Array.from({ length: N }, (_, c) => {
    const own = values.filter((_, i) => metaclasses[i] === c)
    return own.reduce((sum, v) => sum + v, 0) / own.length
  })
}

/** Mean absolute error over the places where the truth is a number. */
export function maeOf(found: ArrayLike<number>, truth: readonly number[]): number {
  const places = truth.flatMap((value, c) => (Number.isNaN(value) ? [] : [Math.abs(found[c]! - value)]))
  return places.reduce((sum, e) => sum + e, 0) / places.length
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2
}
