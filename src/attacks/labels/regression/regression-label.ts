/** The label of a single-record update, exactly: the last layer's gradient holds the record's embedding and its error. */

import type { ModelFunctions } from '../../../models/functions.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import { log } from '../../../numeric/special/elementary-functions.js'
import { meanOf, totalOf } from '../../../numeric/special/summaries.js'
import { whole } from '../../../params.js'
import type { View } from '../../../threat/granted-keys.js'
import { claimed, defineAttack, Inapplicable } from '../../attack.js'
import type { Fit } from '../../claim.js'
import { labelsOfRecords } from '../../records/labels-of-records.js'
import { undoubted } from '../../shared/believed-protocol.js'
import { requireLengths } from '../../shared/equal-lengths.js'
import { evaluable } from '../../shared/evaluable-model.js'
import { firstLayerOf, rankOneMisfit, singleInput } from '../../shared/first-layer.js'
import {
  clippingNorm,
  explains,
  fitOf,
  plainStepRule,
  type StepRule,
  unexplained,
} from '../../shared/replayed-descent.js'
import { type RegressionUpdate, regressionUpdate, requireRecords } from './mean-gradient.js'
import { plantedRecord, shuffledGradient } from './regression-controls.js'
import { type RegressionHead, regressionHead } from './regression-head.js'
import { replayedLabel } from './replayed-label.js'
import { alongOneRecord, type RecoveredLabel, recoverLabel } from './single-record-label.js'

const mostSteps = 20_000 // that are done again, some dozens of times
const mostRecursions = 1e7 // of one number
const safety = 4 // standard errors within which a claim must hold

export const regressionLabel = defineAttack({
  id: 'regression-label',
  title: 'The label of a single record',
  paper: 'labels',
  where: 'Section 4.1',
  target: 'label',
  needs: ['exchanges', 'target', 'round', 'model', 'loss', 'protocol'],
  uses: ['batchSize', 'samples'],
  params: {
    digits: whole({
      default: 0,
      min: 0,
      max: 15,
      doc: 'refuse when fewer decimal digits hold; 0: 6 for doubles, 3 for shorter numbers, 1 for those after several local steps',
    }),
  },
  async run(view, { params }) {
    const head = regressionHead(view)
    const update = await regressionUpdate(view, head, view.round)
    const K = requireRecords(update.records)
    if (K !== 1) throw new Inapplicable(['a single record'], `the update is of ${K} records`)
    checkClipping(view, update)
    await requireLengths(view)
    const found = head.biasAt === undefined ? bySign(view, head, update) : byReplay(view, head, update)
    const { label, error, fit, warnings, labels } = found
    const digits = requireDigits(found, update, params.digits)
    return claimed(
      {
        ...{ kind: 'label', client: view.target, round: update.round, value: label },
        ...(labels && { values: labels }),
        ...(fit && { fit }),
      },
      {
        fit: undoubted(view, fit?.p ?? null),
        warnings: [...warnings, ...update.warnings],
        details: {
          // What nothing in the message confirms has no digits to trust.
          digits: fit === undefined ? null : digits,
          error: fit === undefined ? null : error,
          precision: update.precision.name,
          gradB: update.gradB,
          prediction: found.prediction,
          localSteps: update.steps,
          checked: fit !== undefined,
        },
      },
    )
  },
  plant: plantedRecord,
  shuffle: shuffledGradient,
})

interface Found {
  /** The mean of several. */
  readonly label: number
  readonly labels?: Float64Array
  readonly error: number
  readonly prediction: number
  /** Absent where the message has no more numbers than were read from it: then nothing confirms them. */
  readonly fit?: Fit
  readonly warnings: readonly string[]
}

type Known = View<'model' | 'loss' | 'protocol'>

/** Whether the digits that hold are enough; how many they are. */
function requireDigits({ label, error, prediction }: Found, update: RegressionUpdate, asked: number): number {
  const doubles = update.precision.name === 'f64'
  const wanted = asked > 0 ? asked : doubles ? 6 : update.steps === 1 ? 3 : 1
  const digits = digitsOf(safety * error, Math.abs(label))
  // A label of 0 has no digits: then the error must be small beside what the model missed it by.
  const zero = Math.abs(label) <= safety * error
  if (zero ? digitsOf(safety * error, Math.abs(prediction - label)) < wanted : digits < wanted) {
    const gradient = `the bias gradient ${update.gradB} leaves ${zero ? 0 : digits} digits (error ${error})`
    throw new Inapplicable(['a bias gradient that can be trusted'], `${gradient}, ${wanted} are wanted`)
  }
  return digits
}

/** The closed form where it holds, else the turn done again; then compared with the whole of the message. */
function byReplay(view: Known, head: RegressionHead, update: RegressionUpdate): Found {
  const { protocol } = view
  // One step with dropout: the label is that of the units that were left, which nobody else knows.
  const dropped = protocol.dropout > 0 && update.steps === 1
  const rule = plainStepRule(dropped ? { ...protocol, dropout: 0 } : protocol)
  if ((head.weightAt === 0 || dropped) && head.outputs === 1) return unchecked(head, update, rule)
  const layer = firstLayerOf(head.model)
  const input = layer && singleInput(update.grad, layer)
  if (input === undefined) {
    const why = 'no unit of the first layer answers to the record: nothing in the update confirms a label'
    throw new Inapplicable(['a first layer that answers'], why)
  }
  const functions = evaluable(view)
  if (update.steps === 1 && head.outputs === 1) return oneStepChecked(functions, head, { update, x: input.x })
  if (update.steps > mostSteps) throw tooMany(update)
  const guesses = guessesOf(functions, head, { update, rule, x: input.x })
  const found = replayedLabel({ functions, update, rule, x: input.x, guesses })
  if (found === undefined) throw unseen(update)
  if (!explains(found.fit)) throw unexplained('a single record', found.fit)
  const { labels, errors, predictions, fit } = found
  const error = errors.reduce((most, one) => Math.max(most, one), 0)
  return {
    ...{ label: meanOf(labels), error, prediction: meanOf(predictions), fit, warnings: [] },
    ...(head.outputs > 1 && { labels }),
  }
}

interface Turned {
  readonly update: RegressionUpdate
  readonly rule: StepRule
  readonly x: Float64Array
}

/** Where to begin: as if the turn were linear, or one step. */
function guessesOf(functions: ModelFunctions, head: RegressionHead, { update, rule, x }: Turned): Float64Array[] {
  if (head.outputs === 1) {
    const y = alongLine(head, update, rule)
    return Number.isFinite(y) ? [Float64Array.of(y)] : []
  }
  const scale = (head.factor * head.outputs) / 2 // of the loss
  const grad = update.grad.map((g) => g / scale)
  const features = matrix(1, x.length, x)
  const labels = labelsOfRecords({ functions, loss: 'mse', theta: update.theta, grad, features })
  return labels === undefined || labels.some((y) => !Number.isFinite(y)) ? [] : [labels]
}

/** The closed form, and the gradient at what it says compared with the whole of the message. */
function oneStepChecked(
  functions: ModelFunctions,
  head: RegressionHead,
  { update, x }: { readonly update: RegressionUpdate; readonly x: Float64Array },
): Found {
  const { label, error, residual } = oneStep(head, update)
  const batch = { features: matrix(1, x.length, x), labels: Float64Array.of(label) }
  const { grad: heard, errorAt, noisy } = update
  const replayed = functions.gradient(update.theta, batch).grad
  const fit = fitOf(replayed, { heard, errorAt, noisy, fitted: x.length + 1, besides: Math.abs(error / residual) })
  if (!explains(fit)) throw unexplained('a single record', fit)
  // What is left unexplained may be the label's.
  const all = Math.sqrt(error * error + fit.misfit * fit.misfit * residual * residual)
  return { label, error: all, prediction: label + residual, fit, warnings: [] }
}

/** A linear model: as many numbers as unknowns, so that any message fits some record. */
function unchecked(head: RegressionHead, update: RegressionUpdate, rule: StepRule): Found {
  const single = update.steps === 1
  if (!single && (!head.plain || head.output.bend(1) !== 0 || update.steps > mostRecursions)) throw tooMany(update)
  const { label, error, residual } = single ? oneStep(head, update) : severalLinear(head, update, rule)
  const whose = head.weightAt === 0 ? 'the update of a linear model' : 'an update of which dropout hides a part'
  const warning = `${whose} fits some single record whatever it is of: nothing in it confirms this label`
  return { label, error, prediction: label + residual, warnings: [warning] }
}

function oneStep(head: RegressionHead, update: RegressionUpdate): RecoveredLabel {
  const found = recoverLabel({ ...head, ...update, ...errorsOf(head, update) })
  if (found === undefined) throw unseen(update)
  return found
}

const errorsOf = (head: RegressionHead, { errorAt, precision }: RegressionUpdate) => ({
  errorW: (j: number) => errorAt(head.weightAt + j),
  errorB: errorAt(head.biasAt!),
  rounding: precision.rounding,
})

const tooMany = ({ steps }: RegressionUpdate): Inapplicable =>
  new Inapplicable(['a single local step'], `${steps} local steps are more than can be traced under this model`)

function unseen({ gradB }: RegressionUpdate): Inapplicable {
  const why = `the bias gradient is ${gradB}: the record is fitted or the output is flat there, and the label is not seen`
  return new Inapplicable(['a bias gradient that can be trusted'], why)
}

/** A linear model: all steps go along dz/dtheta, whose size is 1 + |a|^2. */
function severalLinear(head: RegressionHead, update: RegressionUpdate, rule: StepRule) {
  const { gradB, gradW, w, b, steps } = update
  const learningRate = update.learningRate!
  const first = oneStep(head, update) // with the mean gradient: its embedding and its rounding errors
  const sensitivity = 1 + dot(gradW, gradW) / (gradB * gradB)
  const { moved } = alongOneRecord({ steps, learningRate, factor: head.factor, ...rule, sensitivity })
  const residual = (-learningRate * steps * gradB) / moved
  if (!Number.isFinite(residual)) throw unseen(update)
  // The residual's error grows with how much the steps magnify what was rounded.
  const error = first.error * Math.max(1, Math.abs(residual / first.residual))
  return { label: dot(w, gradW) / gradB + b - residual, residual, error }
}

/** A first guess: as if the prediction were linear in theta, its slope |theta_c - theta| / |b_c - b| as the message has it. */
function alongLine(head: RegressionHead, update: RegressionUpdate, rule: StepRule): number {
  const { gradB, grad, gradW, w, b, steps } = update
  const learningRate = update.learningRate!
  const sensitivity = dot(grad, grad) / (gradB * gradB)
  const local = { steps: Math.min(steps, mostSteps), learningRate, factor: head.factor, ...rule, sensitivity }
  const { moved } = alongOneRecord(local)
  return head.output.value(dot(w, gradW) / gradB + b) + (learningRate * steps * gradB) / moved
}

/**
 * Without a bias a label of 0 or 1 shows in a sign: grad_w = (p - y) a, and a is nowhere negative. The rest of the
 * message must be of one record: its first layer has rank 1.
 */
function bySign(view: Known, head: RegressionHead, update: RegressionUpdate): Found {
  if (view.loss !== 'binary-cross-entropy' || head.model.penultimate !== 'positive') {
    throw new Inapplicable(['a bias'], 'without a bias the size of the error is not seen')
  }
  const along = totalOf(update.gradW)
  if (along === 0) throw unseen(update)
  const label = along < 0 ? 1 : 0
  const misfit = rankOneMisfit(update.grad, head.model)
  const expected = norm(update.grad.map((_, j) => update.errorAt(j))) / norm(update.grad)
  const fit = { misfit, expected, p: misfit <= 16 * expected ? 1 : 0 }
  if (!explains(fit)) throw unexplained('a single record', fit)
  return { label, error: 0, prediction: Number.NaN, fit, warnings: [] }
}

function digitsOf(bound: number, size: number): number {
  if (bound === 0) return 15
  if (size === 0) return 0
  return Math.min(15, Math.max(0, Math.floor(-log(bound / size) / Math.LN10)))
}

/** A clipped gradient has the record's embedding and not its error. */
function checkClipping({ protocol }: View<'protocol'>, { grad, steps }: RegressionUpdate): void {
  const maxNorm = clippingNorm(protocol)
  if (maxNorm === Number.POSITIVE_INFINITY || (steps === 1 && norm(grad) < maxNorm * (1 - 1e-6))) return
  throw new Inapplicable(['an unclipped gradient'], `gradients were clipped to ${maxNorm}`)
}
