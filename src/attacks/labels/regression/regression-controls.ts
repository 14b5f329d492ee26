/** Worlds that test the attacks on labels of a regression: updates that carry the truth, and updates that carry nothing. */
import { OverhearError } from '../../../errors.js'
import type { Batch } from '../../../models/functions.js'
import { type Matrix, matrix, perRecord, rowsOf } from '../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { meanPerRecord } from '../../../numeric/special/summaries.js'
import type { Exchange, View } from '../../../threat/granted-keys.js'
import type { Truth } from '../../../transcript/truth-file.js'
import { type ControlWorld, claimed } from '../../attack.js'
import type { MetaclassCountsClaim } from '../../claim.js'
import { evaluable, modelOf } from '../../shared/evaluable-model.js'
import { firstLayerOf, firstRows } from '../../shared/first-layer.js'
import { mapped } from '../../shared/turn-controls.js'

type Heard = View<'exchanges' | 'target' | 'round' | 'model' | 'loss' | 'protocol'>
type Brought = Partial<View<'auxiliary' | 'auxiliary.label' | 'auxiliary.metaclass' | 'metaclasses'>>

interface Planting<V> {
  readonly view: V
  readonly truth: Truth
}

/** The records of the attacked update. */
export interface BatchOfTruth extends Batch {
  readonly metaclasses?: Float64Array
}

async function trueBatch({ view, truth }: Planting<Heard>): Promise<BatchOfTruth> {
  const { target: client, round } = view
  const table = await truth.client(client)
  if (table?.labels === undefined) {
    throw new OverhearError('E_INPUT', `the truth holds no labels of client "${client}"`, 'nothing can be planted')
  }
  const { features, labels, metaclasses } = table
  const rows = truth.batch({ round, client }) ?? Array.from({ length: features.rows }, (_, i) => i)
  const own = (values: Float64Array): Float64Array => rowsOf(perRecord(values, features.rows), rows).data
  return {
    features: rowsOf(features, rows),
    labels: own(labels),
    ...(metaclasses !== undefined && { metaclasses: own(metaclasses) }),
  }
}

/** What a client sends for this mean gradient, after one plain step. */
function sending(exchange: Exchange, grad: Float64Array): Exchange {
  const { update, received: theta, learningRate: eta } = exchange
  switch (update.kind) {
    case 'gradient':
      return { ...exchange, update: { kind: 'gradient', grad } }
    case 'delta':
      return { ...exchange, update: { kind: 'delta', dTheta: grad.map((g) => -eta! * g) } }
    case 'parameters':
      return { ...exchange, update: { kind: 'parameters', theta: theta!.map((v, j) => v - eta! * grad[j]!) } }
  }
}

/** The world in which the client takes one plain step on these records, in every round, without noise. */
function stepping<V extends Heard>(view: V, batch: Batch, from = (theta: Float64Array) => theta): V {
  const model = evaluable(view)
  const exchanges = mapped(view.exchanges, (exchange) => {
    if (exchange.received === undefined) return exchange
    const received = from(exchange.received)
    return sending({ ...exchange, received }, model.gradient(received, batch).grad)
  })
  const one = { localSteps: 1, localEpochs: null, batchSize: null, differentialPrivacy: null, dropout: 0 }
  const n = batch.features.rows // all of them in the one step
  return { ...view, exchanges, protocol: { ...view.protocol, ...one }, ...('batchSize' in view && { batchSize: n }) }
}

/**
 * One clean step on the record, by a model that misses its label: the bias is moved by more than the label, but not to
 * where a bounded output is flat; under a rectifier to where that is open.
 */
export async function plantedRecord<V extends Heard>({ view, truth }: Planting<V>): Promise<ControlWorld<V>> {
  const batch = await trueBatch({ view, truth })
  const { outputActivation: ends } = modelOf(view)
  const beyond = 1 + Math.abs(batch.labels[0] ?? 0)
  const shift = ends === 'sigmoid' || ends === 'tanh' ? Math.min(2, beyond) : beyond
  const logit = ends === 'relu' ? logitOf(view, batch.features) : undefined
  const opened = answering(view, batch)
  const missed = (received: Float64Array) => {
    const theta = opened(received)
    const more = shift + Math.max(0, -(logit?.(theta) ?? 0))
    return theta.map((v, j) => (j === theta.length - 1 ? v + more : v))
  }
  return { view: stepping(view, batch, missed) }
}

/** Hidden units opened, by higher biases, until the first layer has a gradient. */
function answering(view: Heard, batch: Batch): (theta: Float64Array) => Float64Array {
  const functions = evaluable(view)
  const layer = firstLayerOf(functions.model)
  const { parameters } = functions.model
  if (layer === undefined || parameters.length <= 2) return (theta) => theta
  const hidden = new Set<number>()
  let at = 0
  for (const { role, shape } of parameters.slice(0, -2)) {
    const size = shape.reduce((n, s) => n * s, 1)
    if (role === 'bias') for (let j = at; j < at + size; j++) hidden.add(j)
    at += size
  }
  return (theta) => {
    for (const by of [0, 1, 2, 4, 8, 16, 32]) {
      const raised = theta.map((v, j) => (hidden.has(j) ? v + by : v))
      if (firstRows(functions.gradient(raised, batch).grad, layer).b.some((g) => g !== 0)) return raised
    }
    return theta
  }
}

/** What the last layer gives for the first record. */
function logitOf(view: Heard, { rows, data }: Matrix): (theta: Float64Array) => number {
  const program = evaluable(view).derive(rows, ({ logit }) => [logit])
  return (theta) => program({ theta, X: data })[0]![0]!
}

/** A model that predicts the same for every record, so that its mean prediction is known to all. */
export async function plantedMean<V extends Heard>({ view, truth }: Planting<V>): Promise<ControlWorld<V>> {
  // A rectifier is flat at 0.
  const bias = modelOf(view).outputActivation === 'relu' ? 1 : 0
  const even = (theta: Float64Array) => Float64Array.from(theta, (_, j) => (j === theta.length - 1 ? bias : 0))
  return { view: stepping(view, await trueBatch({ view, truth }), even) }
}

/**
 * Every record of the batch becomes the mean record of its metaclass, and the auxiliary data hold the same few records:
 * the numbers of records and the mean labels stay, and nothing inside a metaclass varies. The auxiliary labels are those of
 * the batch, which say nothing about numbers.
 */
export async function plantedCounts<V extends Heard & Brought>(planting: Planting<V>): Promise<ControlWorld<V>> {
  return metaclassWorld(planting, true)
}

/** The same with auxiliary labels as they were, so that only the messages say what the batch's are. */
export async function plantedMeans<V extends Heard & Brought>(planting: Planting<V>): Promise<ControlWorld<V>> {
  return metaclassWorld(planting, false)
}

async function metaclassWorld<V extends Heard & Brought>(
  { view, truth }: Planting<V>,
  trueLabels: boolean,
): Promise<ControlWorld<V>> {
  const { features, labels: each, metaclasses } = await trueBatch({ view, truth })
  const labels = meanPerRecord(each, features.rows)
  const known = view['auxiliary.metaclass']
  if (metaclasses === undefined || view.auxiliary === undefined || known === undefined) {
    throw new OverhearError('E_INPUT', 'the truth or the knowledge holds no metaclasses', 'nothing can be planted')
  }
  const N = view.metaclasses?.length ?? 1 + Math.max(...metaclasses, ...known)
  const auxiliaryLabels = view['auxiliary.label'] && meanPerRecord(view['auxiliary.label'], known.length)
  const inBatch = meansBy(metaclasses, N, { features, labels })
  const outside = meansBy(known, N, { features: view.auxiliary.features, labels: auxiliaryLabels })
  const order = Array.from({ length: 2 * N }, (_, i) => i >> 1).filter((c) => inBatch[c]!.n + outside[c]!.n > 0)
  const record = (c: number): Typical => (inBatch[c]!.n > 0 ? inBatch[c]! : outside[c]!)
  const label = (c: number): Typical => (trueLabels || outside[c]!.n === 0 ? record(c) : outside[c]!)
  const { outputs } = modelOf(view)
  // All outputs of a record have its one label.
  const alike = (own: Float64Array) =>
    Float64Array.from({ length: own.length * outputs }, (_, k) => own[Math.floor(k / outputs)]!)
  return {
    view: {
      ...stepping(view, {
        features: stacked(metaclasses, record),
        labels: alike(metaclasses.map((c) => record(c).label)),
      }),
      auxiliary: { ...view.auxiliary, features: stacked(order, record) },
      'auxiliary.metaclass': Float64Array.from(order),
      ...(view['auxiliary.label'] !== undefined && {
        'auxiliary.label': alike(Float64Array.from(order, (c) => label(c).label)),
      }),
    },
    // Whoever asks for the counts in this world hears the true ones.
    claims: { 'metaclass-counts': claimed(countsClaim(view, inBatch)) },
  }
}

const countsClaim = ({ target: client, round }: Heard, inBatch: readonly Typical[]): MetaclassCountsClaim => ({
  kind: 'metaclass-counts',
  client,
  round,
  values: inBatch.map(({ n }) => n),
})

function stacked(order: ArrayLike<number>, typical: (c: number) => Typical): Matrix {
  const X = matrix(order.length, typical(order[0]!).record.length)
  for (let i = 0; i < order.length; i++) X.data.set(typical(order[i]!).record, i * X.cols)
  return X
}

interface Typical {
  readonly n: number
  readonly record: Float64Array
  readonly label: number
}

function meansBy(
  groups: Float64Array,
  N: number,
  { features, labels }: { features: Matrix; labels: Float64Array | undefined },
): Typical[] {
  const d = features.cols
  return Array.from({ length: N }, (_, c) => {
    const rows = Array.from(groups.keys()).filter((i) => groups[i] === c)
    const record = new Float64Array(d)
    let label = 0
    for (const i of rows) {
      for (let j = 0; j < d; j++) record[j]! += features.data[i * d + j]! / rows.length
      label += (labels?.[i] ?? 0) / rows.length
    }
    return { n: rows.length, record, label }
  })
}

/** The entries of every gradient in another order, one order for all; the models that were sent stay. */
export async function shuffledGradient<V extends Heard>({
  view,
  rng,
}: {
  readonly view: V
  readonly rng: Rng
}): Promise<ControlWorld<V>> {
  let order: Int32Array | undefined
  const signs = new Map<number, number>()
  // Signs too: those of one-hot columns agree with the bias's, wherever they are moved.
  const permuted = (values: Float64Array): Float64Array => {
    order ??= rng.permutation(values.length)
    return Float64Array.from(order, (j) => {
      const sign = signs.get(j) ?? 2 * rng.integer(2) - 1
      signs.set(j, sign)
      return sign * values[j]!
    })
  }
  const exchanges = mapped(view.exchanges, (exchange) => {
    const { update, received } = exchange
    switch (update.kind) {
      case 'gradient':
        return { ...exchange, update: { kind: 'gradient', grad: permuted(update.grad) } }
      case 'delta':
        return { ...exchange, update: { kind: 'delta', dTheta: permuted(update.dTheta) } }
      case 'parameters': {
        if (received === undefined) return exchange
        const descent = permuted(update.theta.map((v, j) => received[j]! - v))
        return { ...exchange, update: { kind: 'parameters', theta: received.map((v, j) => v - descent[j]!) } }
      }
    }
  })
  return { view: { ...view, exchanges } }
}
