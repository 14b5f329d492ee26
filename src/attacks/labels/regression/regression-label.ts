/** The label of a single-record update, exactly: the last layer's gradient holds the record's embedding and its error. */

import { dot, norm } from '../../../numeric/linalg/vector.js'
import { log } from '../../../numeric/special/elementary-functions.js'
import { whole } from '../../../params.js'
import type { View } from '../../../threat/granted-keys.js'
import { claimed, defineAttack, Inapplicable } from '../../attack.js'
import { driftWarning, type RegressionUpdate, regressionUpdate, requireRecords } from './mean-gradient.js'
import { plantedRecord, shuffledGradient } from './regression-controls.js'
import { type RegressionHead, regressionHead } from './regression-head.js'
import { alongOneRecord, type RecoveredLabel, recoverLabel } from './single-record-label.js'

const mostSteps = 1e7
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
      doc: 'refuse when fewer decimal digits hold; 0: 6 for doubles, 3 for shorter numbers, 1 after several local steps',
    }),
  },
  async run(view, { params }) {
    const head = regressionHead(view)
    if (head.biasAt === undefined)
      throw new Inapplicable(['a bias'], 'without a bias the size of the error is not seen')
    const update = await regressionUpdate(view, head, view.round)
    const K = requireRecords(update.records)
    if (K !== 1) throw new Inapplicable(['a single record'], `the update is of ${K} records`)
    checkClipping(view, update)
    const single = update.steps === 1
    const found = single ? oneStep(head, update) : severalSteps(view.protocol, head, update)
    const { label, error } = found
    const doubles = update.precision.name === 'f64'
    const wanted = params.digits > 0 ? params.digits : !single && !found.exact ? 1 : doubles ? 6 : 3
    const digits = digitsOf(safety * error, Math.abs(label))
    // A label of 0 has no digits: then the error must be small beside what the model missed it by.
    const zero = Math.abs(label) <= safety * error
    if (zero ? digitsOf(safety * error, Math.abs(found.residual)) < wanted : digits < wanted) {
      const gradient = `the bias gradient ${update.gradB} leaves ${zero ? 0 : digits} digits (error ${error})`
      throw new Inapplicable(['a bias gradient that can be trusted'], `${gradient}, ${wanted} are wanted`)
    }
    return claimed(
      { kind: 'label', client: view.target, round: update.round, value: label },
      {
        warnings: [...(found.exact ? [] : driftWarning(update)), ...update.warnings],
        details: {
          digits,
          error,
          precision: update.precision.name,
          gradB: update.gradB,
          prediction: label + found.residual,
          localSteps: update.steps,
          exact: found.exact,
        },
      },
    )
  },
  plant: plantedRecord,
  shuffle: shuffledGradient,
})

interface Found extends Pick<RecoveredLabel, 'label' | 'error' | 'residual'> {
  /** Up to rounding. */
  readonly exact: boolean
}

function oneStep(head: RegressionHead, update: RegressionUpdate): Found {
  const found = recoverLabel({ ...head, ...update, ...errorsOf(head, update) })
  if (found === undefined) throw unseen(update)
  return { ...found, exact: true }
}

const errorsOf = (head: RegressionHead, { errorAt, precision }: RegressionUpdate) => ({
  errorW: (j: number) => errorAt(head.weightAt + j),
  errorB: errorAt(head.biasAt!),
  rounding: precision.rounding,
})

function unseen({ gradB }: RegressionUpdate): Inapplicable {
  const why = `the bias gradient is ${gradB}: the record is fitted or the output is flat there, and the label is not seen`
  return new Inapplicable(['a bias gradient that can be trusted'], why)
}

/**
 * All steps go along dz/dtheta, whose size is |theta_c - theta| / |b_c - b|: exact for a linear model, where it is
 * 1 + |a|^2; deeper, the embedding moves by the share of dz that the lower layers have.
 */
function severalSteps(protocol: View<'protocol'>['protocol'], head: RegressionHead, update: RegressionUpdate): Found {
  if (head.output.bend(1) !== 0 || !head.plain || update.steps > mostSteps) {
    throw new Inapplicable(
      ['a single local step'],
      `${update.steps} local steps are more than can be traced under this output`,
    )
  }
  const { gradB, grad, gradW, w, b, steps } = update
  const learningRate = update.learningRate!
  const first = oneStep(head, update) // with the mean gradient: its embedding and its rounding errors
  const lastSq = 1 + dot(gradW, gradW) / (gradB * gradB)
  const linear = head.weightAt === 0
  const sensitivity = linear ? lastSq : dot(grad, grad) / (gradB * gradB)
  const { momentum, proxMu } = protocol
  const { moved, left, drift } = alongOneRecord({
    steps,
    learningRate,
    factor: head.factor,
    momentum,
    proxMu,
    sensitivity,
  })
  const residual = (-learningRate * steps * gradB) / moved
  if (!Number.isFinite(residual) || !Number.isFinite(drift)) throw unseen(update)
  const below = linear ? 0 : (sensitivity - lastSq) / sensitivity
  const correction = below * residual * drift
  const logit = dot(w, gradW) / gradB + b - correction
  // The residual's error grows with how much the steps magnify what was rounded.
  const magnified = Math.abs(residual / first.residual)
  const rounding = first.error * Math.max(1, magnified)
  // What is left of the drift after the correction is of the next order in how much of the residual was removed.
  const bending = linear ? 0 : Math.abs(correction) * Math.min(1, Math.abs(1 - left))
  return { label: logit - residual, residual, error: rounding + bending / safety, exact: linear }
}

function digitsOf(bound: number, size: number): number {
  if (bound === 0) return 15
  if (size === 0) return 0
  return Math.min(15, Math.max(0, Math.floor(-log(bound / size) / Math.LN10)))
}

/** A clipped gradient has the record's embedding and not its error. */
function checkClipping({ protocol }: View<'protocol'>, { grad, steps }: RegressionUpdate): void {
  const maxNorm = protocol.differentialPrivacy?.maxNorm ?? Number.POSITIVE_INFINITY
  if (maxNorm === Number.POSITIVE_INFINITY || (steps === 1 && norm(grad) < maxNorm * (1 - 1e-6))) return
  throw new Inapplicable(['an unclipped gradient'], `gradients were clipped to ${maxNorm}`)
}
