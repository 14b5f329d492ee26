/** Made-up clients: the attacker trains on its own records exactly as the protocol says that clients do. */
import { recordedModel } from '../../../models/index.js'
import { type Trainer, trainer } from '../../../models/trainer.js'
import { matrix, perRecord, rowOf, rowsOf } from '../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../numeric/random/rng.js'
import type { View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import { compressionBy, descentBy } from '../../shared/replayed-turn.js'

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
  /** Values of the model that turns begin with. */
  readonly parameters: number
  /** The number of the candidate record's row, when one was asked for. */
  readonly candidateRow: number | undefined
  /** Row r with the label of another record is row mislabelledFrom + r, when such were asked for. */
  readonly mislabelledFrom: number | undefined
  /** All turns from now on begin here. */
  begin(theta: Float64Array): void
  /** theta_c - theta of one turn. The next turn overwrites it: whoever keeps it copies it. */
  change(turn: LocalTurn): Float64Array
  /** Gives the kernel memory back. */
  release(): void
}

export interface LocalTrainingOptions {
  /** The row of `candidates` that is added to the auxiliary records. */
  readonly candidate?: number | undefined
  /** Adds every auxiliary record once more, with labels in another order. */
  readonly mislabelled?: Rng | undefined
}

export function localTraining(view: TrainingView, options: LocalTrainingOptions = {}): LocalTraining {
  const { candidate, mislabelled } = options
  const { protocol, loss } = view
  const eta = protocol.learningRate
  if (eta === null) throw new Inapplicable(['learningRate'], 'made-up clients cannot train without the learning rate')
  const { records, features, labels } = recordsOf(view, options)
  const worker = trainerFor(view)
  const compress = compressionBy(protocol)
  const alike = protocol.dropout === 0 && protocol.differentialPrivacy === null
  const held = worker.hold({ features, labels })
  worker.use(held)
  let from = new Float32Array(0)
  let moved = new Float64Array(0)
  return {
    records,
    get parameters() {
      return from.length
    },
    candidateRow: candidate === undefined ? undefined : records,
    mislabelledFrom: mislabelled === undefined ? undefined : features.rows - records,
    begin(theta) {
      from = Float32Array.from(theta) // clients train in f32, and subtract what they trained from
      if (moved.length !== from.length) moved = new Float64Array(from.length)
    },
    change({ rows, rng, ascend = false }) {
      worker.load(from)
      const rate = ascend ? -eta : eta
      // All records in every step: their order is rounding, and nothing else is drawn.
      if (alike && (protocol.batchSize ?? rows.length) >= rows.length) worker.repeat(rows, rate, stepsFor(protocol, 1))
      else forEachBatch(rows, protocol, rng, (batch, draws) => worker.step(batch, rate, draws))
      worker.movedInto(moved, from)
      return compress === undefined ? moved : compress(moved)
    },
    release() {
      held.release()
      worker.release()
    },
  }

  function trainerFor({ model }: TrainingView): Trainer {
    if (model.kind === 'opaque') throw new Inapplicable(['model'], 'the model is opaque: only its parameters are known')
    if (protocol.mixup) throw new Inapplicable(['protocol.mixup'], 'mixtures of records cannot be played over')
    const { dropout, lossScale, differentialPrivacy: dp } = protocol
    const made = recordedModel(model, { dropout })
    const noisy = dp?.mechanism === 'dp-sgd' && dp.maxNorm !== null
    const privacy = noisy ? { maxNorm: dp.maxNorm!, noiseMultiplier: dp.noiseMultiplier ?? 0 } : undefined
    return trainer(made, { loss, lossScale, ...descentBy(protocol), ...(privacy !== undefined && { privacy }) })
  }
}

type Protocol = View<'protocol'>['protocol']

const stepsFor = ({ localSteps, localEpochs }: Protocol, perEpoch: number): number =>
  localSteps ?? Math.max(1, Math.round((localEpochs ?? 1) * perEpoch))

/** Epochs or steps of batches over some records, which are put into a new order each epoch. */
function forEachBatch(
  rows: Int32Array,
  protocol: Protocol,
  rng: Rng,
  visit: (batch: Int32Array, draws: () => Rng) => void,
): void {
  const { batchSize, dropLast = false } = protocol
  const n = rows.length
  const B = Math.min(batchSize ?? n, n)
  const perEpoch = dropLast ? Math.floor(n / B) : Math.ceil(n / B)
  const steps = stepsFor(protocol, perEpoch)
  const epochs = rng.fork('epoch')
  let order = rows
  for (let k = 0; k < steps; k++) {
    const at = k % perEpoch
    if (at === 0) {
      order = epochs.fork(k).permutation(n)
      for (let i = 0; i < n; i++) order[i] = rows[order[i]!]!
    }
    visit(order.subarray(at * B, (at + 1) * B), () => rng.fork('step', k))
  }
}

/** The auxiliary records, then the candidate, then the mislabelled ones. */
function recordsOf(view: TrainingView, { candidate, mislabelled }: LocalTrainingOptions) {
  const { features: X } = view.auxiliary
  const y = view['auxiliary.label']
  const [rows, labels] = [[X.data], [y]]
  if (candidate !== undefined) {
    const found = candidateOf(view, candidate)
    rows.push(found.row)
    labels.push(found.label)
  }
  if (mislabelled !== undefined) {
    rows.push(X.data)
    labels.push(rowsOf(perRecord(y, X.rows), mislabelled.permutation(X.rows)).data)
  }
  if (rows.length === 1) return { records: X.rows, features: X, labels: y }
  const all = joined(rows)
  return { records: X.rows, features: matrix(all.length / X.cols, X.cols, all), labels: joined(labels) }
}

function candidateOf(
  view: TrainingView,
  candidate: number,
): { readonly row: Float64Array; readonly label: Float64Array } {
  const { candidates } = view
  const labels = view['candidates.label']
  if (candidates === undefined || labels === undefined) {
    throw new Inapplicable(['candidates', 'candidates.label'], 'membership is asked of a record that is not known')
  }
  const { rows, cols, data } = candidates.features
  if (candidate >= rows) throw new Inapplicable([`candidate ${candidate}`], `there are ${rows} candidates`)
  if (candidates.columns.join() !== view.auxiliary.columns.join()) {
    throw new Inapplicable(['candidates'], 'candidates and auxiliary records do not have the same columns')
  }
  return {
    row: data.subarray(candidate * cols, (candidate + 1) * cols),
    label: rowOf(perRecord(labels, rows), candidate),
  }
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
