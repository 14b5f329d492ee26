/** Made-up clients: the attacker trains on its own records exactly as the protocol says that clients do. */
import { createModel, type ModelSpec } from '../../models/index.js'
import { type Trainer, trainer } from '../../models/trainer.js'
import { type Matrix, matrix } from '../../numeric/matrix.js'
import type { Rng } from '../../numeric/rng.js'
import { addScaledInto } from '../../numeric/vector.js'
import type { View } from '../../threat/knowledge.js'
import { Inapplicable } from '../attack.js'

export type TrainingView = View<'model' | 'loss' | 'protocol' | 'auxiliary' | 'auxiliary.label'> &
  Partial<View<'candidates' | 'candidates.label'>>

export interface LocalTurn {
  /** Rows of the auxiliary records; `candidateRow` is the candidate's. */
  readonly rows: Int32Array
  readonly rng: Rng
  /** Up the gradient instead of down. */
  readonly ascend?: boolean
}

export interface LocalTraining {
  /** Auxiliary records. */
  readonly records: number
  /** The number of the candidate record's row, when one was asked for. */
  readonly candidateRow: number | undefined
  /** All turns from now on begin here. */
  begin(theta: Float64Array): void
  /** theta_c - theta of one turn. */
  change(turn: LocalTurn): Float64Array
  /** The mean gradient on the given records where turns begin. */
  gradient(rows: Int32Array, rng: Rng): Float64Array
  /** Gives the kernel memory back. */
  release(): void
}

/** Records of one gradient: more take more kernel memory, not less time. */
const atOnce = 200

/** `candidate`: the row of `candidates` that is added to the auxiliary records. */
export function localTraining(view: TrainingView, candidate?: number): LocalTraining {
  const { protocol, loss } = view
  const eta = protocol.learningRate
  if (eta === null) throw new Inapplicable(['learningRate'], 'made-up clients cannot train without the learning rate')
  const { records, features, labels } = recordsOf(view, candidate)
  const worker = trainerFor(view)
  const held = worker.hold({ features, labels })
  worker.use(held)
  let from = new Float64Array(0)
  return {
    records,
    candidateRow: candidate === undefined ? undefined : records,
    begin(theta) {
      from = theta.map(Math.fround) // clients train in f32, and subtract what they trained from
    },
    change({ rows, rng, ascend = false }) {
      worker.load(from)
      forEachBatch(rows, protocol, rng, (batch, draws) => worker.step(batch, ascend ? -eta : eta, draws))
      const after = worker.theta()
      for (let j = 0; j < after.length; j++) after[j]! -= from[j]!
      return after
    },
    gradient(rows, rng) {
      worker.load(from)
      const sum = new Float64Array(from.length)
      for (let start = 0; start < rows.length; start += atOnce) {
        const part = rows.subarray(start, start + atOnce)
        addScaledInto(
          sum,
          worker.gradient(part, () => rng.fork('part', start)),
          part.length / rows.length,
        )
      }
      return sum
    },
    release() {
      held.release()
      worker.release()
    },
  }

  function trainerFor({ model }: TrainingView): Trainer {
    if (model.kind === 'opaque') throw new Inapplicable(['model'], 'the model is opaque: only its parameters are known')
    const { dropout, lossScale, momentum, proxMu, differentialPrivacy: dp } = protocol
    const made = createModel({ ...model, ...(dropout > 0 && { dropout }) } as ModelSpec)
    const noisy = dp?.mechanism === 'dp-sgd' && dp.maxNorm !== null
    const privacy = noisy ? { maxNorm: dp.maxNorm!, noiseMultiplier: dp.noiseMultiplier ?? 0 } : undefined
    return trainer(made, { loss, lossScale, momentum, proxMu, ...(privacy !== undefined && { privacy }) })
  }
}

/** Epochs or steps of batches over some records, which are put into a new order each epoch. */
function forEachBatch(
  rows: Int32Array,
  { localEpochs, localSteps, batchSize }: View<'protocol'>['protocol'],
  rng: Rng,
  visit: (batch: Int32Array, draws: () => Rng) => void,
): void {
  const n = rows.length
  const B = Math.min(batchSize ?? n, n)
  const perEpoch = Math.ceil(n / B)
  const steps = localSteps ?? Math.max(1, Math.round((localEpochs ?? 1) * perEpoch))
  let order = rows
  for (let k = 0; k < steps; k++) {
    const at = k % perEpoch
    if (at === 0) {
      const places = rng.fork('epoch', k).permutation(n)
      order = places.map((i) => rows[i]!)
    }
    visit(order.subarray(at * B, (at + 1) * B), () => rng.fork('step', k))
  }
}

function recordsOf(view: TrainingView, candidate: number | undefined) {
  const { features: X } = view.auxiliary
  const y = view['auxiliary.label']
  if (candidate === undefined) return { records: X.rows, features: X, labels: y }
  const { candidates } = view
  const labels = view['candidates.label']
  if (candidates === undefined || labels === undefined) {
    throw new Inapplicable(['candidates', 'candidates.label'], 'membership is asked of a record that is not known')
  }
  if (candidate >= candidates.features.rows) {
    throw new Inapplicable([`candidate ${candidate}`], `there are ${candidates.features.rows} candidates`)
  }
  if (candidates.columns.join() !== view.auxiliary.columns.join()) {
    throw new Inapplicable(['candidates'], 'candidates and auxiliary records do not have the same columns')
  }
  return {
    records: X.rows,
    features: withRow(X, rowOf(candidates.features, candidate)),
    labels: withLast(y, labels[candidate]!),
  }
}

const rowOf = ({ cols, data }: Matrix, row: number): Float64Array => data.subarray(row * cols, (row + 1) * cols)

function withRow(X: Matrix, row: Float64Array): Matrix {
  const longer = matrix(X.rows + 1, X.cols)
  longer.data.set(X.data)
  longer.data.set(row, X.data.length)
  return longer
}

function withLast(values: Float64Array, last: number): Float64Array {
  const longer = new Float64Array(values.length + 1)
  longer.set(values)
  longer[values.length] = last
  return longer
}
