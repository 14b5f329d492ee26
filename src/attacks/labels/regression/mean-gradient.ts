/** One update of the target as the mean gradient of its records at the model it was sent, and how far that holds. */
import { OverhearError } from '../../../errors.js'
import { firstNonFinite } from '../../../numeric/linalg/vector.js'
import type { Exchange, View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import { type Precision, precisionOf } from '../../shared/sent-precision.js'
import { updateSize } from '../../shared/update-size.js'
import type { RegressionHead } from './regression-head.js'

export interface RegressionUpdate {
  readonly round: number
  /** The model that was sent. */
  readonly theta: Float64Array
  readonly w: Float64Array
  readonly b: number
  /** Mean over the local steps of the gradient, whole. */
  readonly grad: Float64Array
  readonly gradW: Float64Array
  /** NaN for a model without biases. */
  readonly gradB: number
  /** Standard error of an entry of `grad` by the rounding of the message and by noise that the protocol declares. */
  errorAt(j: number): number
  readonly precision: Precision
  readonly steps: number
  /** K; undefined where it is not known. */
  readonly records: number | undefined
  readonly learningRate: number | null
  /** Whether noise that the protocol declares is part of these errors. */
  readonly noisy: boolean
  /** Why it may not be the plain gradient, except for several steps. */
  readonly warnings: readonly string[]
}

type Heard = View<'exchanges' | 'protocol'> & Partial<View<'batchSize' | 'samples'>>

/** The number of records, for those who cannot do without. */
export function requireRecords(records: number | undefined): number {
  if (records === undefined) throw new Inapplicable(['batchSize'], 'the number of records in the update is not known')
  return records
}

export async function regressionUpdate(view: Heard, head: RegressionHead, round: number): Promise<RegressionUpdate> {
  if (!view.exchanges.rounds.includes(round)) {
    throw new Inapplicable(['exchanges'], `the target took no part in round ${round}`)
  }
  const exchange = await view.exchanges.read(round)
  const theta = exchange.received
  if (theta === undefined) throw new Inapplicable(['globals'], `round ${round} lacks the model that was sent`)
  const message = messageOf(exchange)
  checkNumbers(theta, { head, what: `round ${round}: the model that was sent` })
  checkNumbers(message, { head, what: `round ${round}: the update` })
  const precision = heardPrecision(exchange, message)
  const { records, steps: localSteps, recordsPerStep } = updateSize(view, exchange.update.kind)
  const { grad, steps, roundingAt } = descended(exchange, { localSteps, unit: precision.rounding })
  const noise = noiseOf(view, { steps, records: recordsPerStep ?? 1 })
  const { weightAt, width, biasAt } = head
  return {
    round,
    theta,
    grad,
    precision,
    steps,
    records,
    learningRate: exchange.learningRate,
    w: theta.subarray(weightAt, weightAt + width),
    b: biasAt === undefined ? 0 : theta[biasAt]!,
    gradW: grad.subarray(weightAt, weightAt + width),
    gradB: biasAt === undefined ? Number.NaN : grad[biasAt]!,
    errorAt: (j) => {
      const rounding = roundingAt(j)
      return Math.sqrt(rounding * rounding + noise.std * noise.std)
    },
    noisy: noise.std > 0,
    warnings: noise.warnings,
  }
}

/** A difference of two short models need not be short itself: the model that it leads to tells. */
function heardPrecision({ update, received }: Exchange, message: Float64Array): Precision {
  const own = precisionOf(message)
  if (update.kind !== 'delta' || received === undefined || own.name !== 'f64') return own
  return precisionOf(message.map((v, j) => received[j]! + v))
}

const messageOf = ({ update }: Exchange): Float64Array =>
  update.kind === 'parameters' ? update.theta : update.kind === 'delta' ? update.dTheta : update.grad

function checkNumbers(values: Float64Array, { head, what }: { head: RegressionHead; what: string }): void {
  const d = head.weightAt + head.width + (head.biasAt === undefined ? 0 : head.outputs)
  if (values.length !== d) throw new OverhearError('E_SHAPE', `${what} has ${values.length} values`, `${d} are needed`)
  const bad = firstNonFinite(values)
  if (bad >= 0) throw new OverhearError('E_NON_FINITE', `${what} holds ${values[bad]} at ${bad}`)
}

interface Descended {
  readonly grad: Float64Array
  readonly steps: number
  /** Standard error of an entry by rounding alone. */
  roundingAt(j: number): number
}

/** The gradient that was shared, or what was descended by the step: (theta - theta_c) / (eta steps). */
function descended(
  exchange: Exchange,
  { localSteps: steps, unit }: { localSteps: number | undefined; unit: number },
): Descended {
  const { update, received: theta, learningRate: eta } = exchange
  if (update.kind === 'gradient') {
    const { grad } = update
    return { grad, steps: 1, roundingAt: (j) => unit * Math.abs(grad[j]!) }
  }
  if (eta === null) throw new Inapplicable(['learningRate'], 'a model or a difference needs the step to be a gradient')
  if (steps === undefined || !(steps > 0)) {
    throw new Inapplicable(['samples'], 'the number of local steps cannot be told without the number of records')
  }
  const descent =
    update.kind === 'parameters' ? update.theta.map((v, j) => theta![j]! - v) : update.dTheta.map((v) => -v)
  return {
    grad: descent.map((v) => v / (eta * steps)),
    steps,
    // The client rounds the model that it ends with, also where it sends the difference.
    roundingAt: (j) => {
      const before = Math.abs(theta![j]!)
      return (unit * Math.max(before, Math.abs(theta![j]! - descent[j]!))) / (eta * steps)
    },
  }
}

/** Noise that the protocol says was added to each entry of the mean gradient. */
function noiseOf(
  view: Heard,
  { steps, records }: { steps: number; records: number },
): { std: number; warnings: string[] } {
  const privacy = view.protocol.differentialPrivacy
  if (privacy === null) return { std: 0, warnings: [] }
  const { maxNorm, noiseMultiplier, mechanism } = privacy
  const std = ((noiseMultiplier ?? 0) * (maxNorm ?? 0)) / (records * Math.sqrt(steps))
  return { std, warnings: [`the protocol declares ${mechanism}: gradients are clipped and noisy`] }
}

/** What to say of an update of several steps where their mean gradient is all that is used. */
export function driftWarning({ round, steps }: RegressionUpdate): string[] {
  if (steps === 1) return []
  return [`round ${round} is ${steps} local steps: their mean gradient stands for the one at the model sent`]
}
