/** Controls for attacks on labels: an update that says how many records each class has, and one that says it of others. */
import { OverhearError } from '../../../errors.js'
import { type Matrix, matrix, rowOf } from '../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { Exchange } from '../../../threat/granted-keys.js'
import type { Truth } from '../../../transcript/truth-file.js'
import type { ControlWorld } from '../../attack.js'
import { attackedUpdate, carrying } from '../../shared/attacked-update.js'
import { batchBehind } from '../../shared/batch-behind.js'
import { mapped } from '../../shared/turn-controls.js'
import { type HeadPlace, type HeadView, headPlace, type Layer, layerOf, withLayer } from './class-head.js'

/** How often each class occurs in the batch behind the attacked update. */
async function countsBehind(truth: Truth, view: HeadView, classes: number): Promise<Int32Array> {
  const { labels } = await batchBehind(truth, view)
  const counts = new Int32Array(classes)
  for (const label of labels) {
    if (counts[label] === undefined) {
      throw new OverhearError('E_VALUE', `the truth holds a record of class ${label}`, `there are ${classes} classes`)
    }
    counts[label] += 1
  }
  return counts
}

/** Of each column of a matrix of embeddings. */
export function meanEmbedding({ rows, cols, data }: Matrix): Float64Array {
  const mean = new Float64Array(cols)
  for (const [at, v] of data.entries()) mean[at % cols]! += v / rows
  return mean
}

export interface PlantedBatch {
  /** What the last layer is said to have read, the same for every record; all ones unless told. */
  readonly embedding?: Float64Array
  /** `blank`: a head of zeros, so that p = 1/n for all; `sure`: no record has probability outside its class's own. */
  readonly head: 'blank' | 'sure'
}

/**
 * The gradient of a client whose records all have one embedding a: row i is (p_i - k_i / K) a. With a blank head that is
 * a true gradient; without (`sure`) p is left out, and a class is low exactly if it occurs.
 */
export async function plantedLabels<V extends HeadView>(
  { view, truth }: { readonly view: V; readonly truth: Truth },
  { embedding, head }: PlantedBatch,
): Promise<ControlWorld<V>> {
  const place = headPlace(view.parameters)
  const { classes: n, width: m } = place
  const counts = await countsBehind(truth, view, n)
  const K = totalOf(counts)
  // Of a single record the whole layer is compared: there it must be a true gradient.
  const honest = head === 'blank' || K === 1
  const d = Float64Array.from(counts, (k) => (honest ? 1 / n : 0) - k / K)
  const a = embedding ?? new Float64Array(m).fill(1)
  const W = matrix(n, m)
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) W.data[i * m + j] = d[i]! * a[j]!
  const blank = { W: matrix(n, m), b: new Float64Array(n) }
  return changed(view, place, {
    layer: () => ({ W, b: d }),
    ...(honest && { received: (theta) => withLayer(theta, place, blank) }),
  })
}

/** The same message with the classes' rows moved on, all by one step: no class keeps its own. */
export async function shiftedLabels<V extends HeadView>({
  view,
  rng,
}: {
  readonly view: V
  readonly rng: Rng
}): Promise<ControlWorld<V>> {
  const place = headPlace(view.parameters)
  const { classes: n, width: m } = place
  const by = 1 + rng.integer(n - 1)
  const layer = ({ W, b }: Layer): Layer => {
    const moved = matrix(n, m)
    for (let i = 0; i < n; i++) moved.data.set(rowOf(W, i), ((i + by) % n) * m)
    return { W: moved, b: b?.map((_, i) => b[(i - by + n) % n]!) }
  }
  return changed(view, place, { layer })
}

interface Change {
  readonly layer: (heard: Layer) => Layer
  readonly received?: (theta: Float64Array) => Float64Array
}

/** The view with the last layer of the attacked update's gradient replaced. */
async function changed<V extends HeadView>(view: V, place: HeadPlace, change: Change): Promise<ControlWorld<V>> {
  const { grad, unit } = await attackedUpdate(view, { size: 'any' })
  const heard = withLayer(grad, place, change.layer(layerOf(grad, place))).map((v) => v * (unit ?? 1))
  const replace = (exchange: Exchange): Exchange => {
    if (exchange.round !== view.round) return exchange
    const { received } = exchange
    return carrying(exchange, heard, received && (change.received?.(received) ?? received))
  }
  return { view: { ...view, exchanges: mapped(view.exchanges, replace) } }
}
