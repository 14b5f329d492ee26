/** Plain steps done again from the model that was sent, on whatever gradients, and how well they explain what was returned. */
import type { Batch, ModelFunctions } from '../../models/functions.js'
import { firstNonFinite, norm } from '../../numeric/linalg/vector.js'
import { exp, log } from '../../numeric/special/elementary-functions.js'
import { normalCdf } from '../../numeric/special/normal.js'
import type { View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'
import type { Fit } from '../claim.js'

type Protocol = View<'protocol'>['protocol']

export interface StepRule {
  readonly momentum: number
  readonly proxMu: number
}

/** The rule of steps that can be done again; refused where the protocol says that they were others. */
export function plainStepRule(protocol: Protocol): StepRule {
  const { optimizer, weightDecay = 0, compression, mixup } = protocol
  const name = optimizer?.name ?? 'sgd'
  const other =
    name !== 'sgd' ? name : weightDecay > 0 ? 'weight decay' : compression ? 'compression' : mixup ? 'mixup' : undefined
  if (other !== undefined) throw new Inapplicable(['plain steps'], `the protocol has ${other}: steps are not plain`)
  if (protocol.dropout > 0)
    throw new Inapplicable(['plain steps'], 'the protocol has dropout: steps cannot be done again')
  const { momentum, proxMu } = protocol
  return { momentum, proxMu }
}

/** The norm to which gradients were cut, by a defence or by training itself. */
export function clippingNorm(protocol: Protocol): number {
  const { clipNorm, differentialPrivacy } = protocol
  return Math.min(clipNorm ?? Number.POSITIVE_INFINITY, differentialPrivacy?.maxNorm ?? Number.POSITIVE_INFINITY)
}

export interface Turn extends StepRule {
  readonly theta: Float64Array
  readonly steps: number
  readonly learningRate: number
  /** The gradient of a step at a model. */
  readonly gradient: (theta: Float64Array, step: number) => Float64Array
}

/** theta - theta_c after these steps, NaN where they run away; a velocity that is forgotten between turns. */
export function replayedDescent({ theta, steps, learningRate: eta, momentum, proxMu, gradient }: Turn): Float64Array {
  const at = theta.slice()
  const velocity = new Float64Array(at.length)
  for (let s = 0; s < steps; s++) {
    const g = gradient(at, s)
    for (let j = 0; j < at.length; j++) {
      velocity[j] = momentum * velocity[j]! + g[j]! + proxMu * (at[j]! - theta[j]!)
    }
    for (let j = 0; j < at.length; j++) at[j]! -= eta * velocity[j]!
    if (firstNonFinite(at) >= 0) return at.fill(Number.NaN)
  }
  for (let j = 0; j < at.length; j++) at[j] = theta[j]! - at[j]!
  return at
}

/** The gradient on all of these records, whatever the step. */
export const onAll =
  (functions: ModelFunctions, batch: Batch): Turn['gradient'] =>
  (theta) =>
    functions.gradient(theta, batch).grad

/** Times what rounding explains: sums in another order and a client's own short arithmetic are within. */
const leeway = 16

export interface Heard {
  readonly heard: Float64Array
  /** Standard error of an entry. */
  readonly errorAt: (j: number) => number
  /** Whether these errors are of noise that was added, and not of rounding alone. */
  readonly noisy: boolean
  /** Numbers that were fitted to it. */
  readonly fitted: number
  /** Relative misfit that the errors of what was fitted explain besides. */
  readonly besides?: number
}

/** A replayed against a heard update. With noise the sum of squares is compared with chi-squared, by Wilson and Hilferty. */
export function fitOf(replayed: Float64Array, { heard, errorAt, noisy, fitted, besides = 0 }: Heard): Fit {
  const size = norm(heard)
  if (size === 0) return { misfit: norm(replayed) === 0 ? 0 : 1, expected: 0, p: norm(replayed) === 0 ? 1 : 0 }
  let [missSq, errorSq, chiSq] = [0, 0, 0]
  for (let j = 0; j < heard.length; j++) {
    const miss = (replayed[j]! - heard[j]!) / size
    const error = errorAt(j) / size
    missSq += miss * miss
    errorSq += error * error
    chiSq += error > 0 ? (miss / error) * (miss / error) : 0
  }
  const misfit = Math.sqrt(missSq)
  const expected = Math.sqrt(errorSq + besides * besides)
  if (!noisy) return { misfit, expected, p: misfit <= leeway * expected ? 1 : 0 }
  const freedom = Math.max(1, heard.length - fitted)
  const spread = 2 / (9 * freedom)
  const cubeRoot = chiSq > 0 ? exp(log(chiSq / freedom) / 3) : 0
  return { misfit, expected, p: normalCdf(-(cubeRoot - (1 - spread)) / Math.sqrt(spread)) }
}

/** Below this a misfit is no accident. */
const unlikely = 1e-3

export const explains = ({ misfit, p }: Fit): boolean => Number.isFinite(misfit) && p >= unlikely

/** What to say of a message that nothing believed of it reproduces. */
export function unexplained(what: string, { misfit, expected }: Fit): Inapplicable {
  const found = `${what} and the stated protocol leave ${figure(misfit)} of the update unexplained`
  return new Inapplicable(
    ['a protocol that explains the update'],
    `${found}, where rounding or noise explain ${figure(expected)}: the protocol is not as stated`,
  )
}

const figure = (x: number): string => String(Number(x.toPrecision(2)))
