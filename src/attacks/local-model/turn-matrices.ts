/** The target's turns as two matrices: what it received, and what it descended; with the precision they arrived in. */
import { OverhearError } from '../../errors.js'
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
import { gridStep, significantBits, unitOfBits } from '../../numeric/special/significant-bits.js'
import { largestMagnitude } from '../../numeric/special/summaries.js'
import type { Exchange, View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'

export interface Messages {
  readonly rounds: readonly number[]
  readonly theta: Matrix // [n, d], the models received
  /** [n, d], theta - theta_c; of a shared gradient the gradient, as only a common factor is between them. */
  readonly descent: Matrix
  /** What rounding alone may have done to an entry of `descent`. */
  readonly rounding: number
  /** Significant bits of what the client returned: 24 for single precision, 53 for double, whatever it is stored in. */
  readonly bits: number
  readonly warnings: readonly string[]
}

/** Reads all turns of the target. Rounds without the model that was sent are left out. */
export async function messagesOf({ exchanges, target }: View<'exchanges' | 'target'>): Promise<Messages> {
  const heard: Turn[] = []
  for (const round of exchanges.rounds) {
    const exchange = await exchanges.read(round)
    if (exchange.received !== undefined) heard.push(turn(exchange, exchange.received))
  }
  if (heard.length === 0) {
    throw new Inapplicable(['globals'], `no round tells which model client "${target}" was sent`)
  }
  const left = exchanges.rounds.length - heard.length
  const warnings = left === 0 ? [] : [`${left} rounds lack the model that was sent and are left out`]
  const d = heard[0]!.theta.length
  const theta = matrix(heard.length, d)
  const descent = matrix(heard.length, d)
  heard.forEach((one, i) => {
    requireSize(one, d)
    theta.data.set(one.theta, i * d)
    descent.data.set(one.descent, i * d)
  })
  warnings.push(...evenRates(heard, descent))
  return { rounds: heard.map(({ round }) => round), theta, descent, ...precisionOf(heard), warnings }
}

/**
 * What a client computes in single precision stays so when it is kept in doubles, or as a difference from a model that is
 * one: the returned model has 24 bits then. What it received says nothing, as it is known exactly.
 */
function precisionOf(heard: readonly Turn[]): Pick<Messages, 'rounding' | 'bits'> {
  const [sent, returned] = [heard.map((one) => one.sent), heard.flatMap((one) => one.returned ?? [])]
  const bits = significantBits(sent)
  const own = returned.length === heard.length ? significantBits(returned) : bits
  let rounding = 0
  for (const { theta, rounded, unit } of heard) {
    rounding = Math.max(rounding, largestMagnitude(rounded ?? theta) * unitOfBits(bits))
    if (own < bits) rounding = Math.max(rounding, largestMagnitude(theta) * unitOfBits(own) * unit)
  }
  for (const values of sent) rounding = Math.max(rounding, (gridStep(values) ?? 0) / 2)
  return { rounding, bits: Math.min(bits, own) }
}

interface Turn {
  readonly round: number
  readonly theta: Float64Array
  readonly descent: Float64Array
  /** The numbers as they crossed the wire. */
  readonly sent: Float64Array
  /** The model that came back, where it can be told. */
  readonly returned?: Float64Array
  /** Whose size sets the rounding error, where that is not the model's. */
  readonly rounded?: Float64Array
  /** Descent over change of the model. */
  readonly unit: number
  /** Null where the descent does not hang on it. */
  readonly rate: number | null
}

function turn({ round, update, learningRate }: Exchange, theta: Float64Array): Turn {
  switch (update.kind) {
    case 'parameters': {
      const descent = theta.map((v, j) => v - update.theta[j]!)
      return { round, theta, descent, sent: update.theta, returned: update.theta, unit: 1, rate: learningRate }
    }
    case 'delta': {
      const returned = plus(theta, update.dTheta, 1)
      const descent = update.dTheta.map((v) => -v)
      return { round, theta, descent, sent: update.dTheta, returned, unit: 1, rate: learningRate }
    }
    case 'gradient': {
      const { grad } = update
      const returned = learningRate === null ? {} : { returned: plus(theta, grad, -learningRate) }
      const unit = learningRate === null ? 1 : 1 / learningRate
      return { round, theta, descent: grad.slice(), sent: grad, ...returned, rounded: grad, unit, rate: null }
    }
  }
}

/** Without a model of another size, which is refused where it is read. */
const plus = (theta: Float64Array, step: Float64Array, times: number): Float64Array =>
  step.map((v, j) => (theta[j] ?? 0) + times * v)

function requireSize({ round, theta, descent }: Turn, d: number): void {
  if (theta.length !== d || descent.length !== d) {
    throw new OverhearError('E_SHAPE', `round ${round} holds ${theta.length} and ${descent.length} values, not ${d}`)
  }
  const bad = [theta, descent].find((values) => !Number.isFinite(norm(values)))
  if (bad !== undefined) {
    const at = bad.findIndex((v) => !Number.isFinite(v))
    throw new OverhearError('E_NON_FINITE', `round ${round}: value ${at} is ${bad[at]}`, 'the training diverged')
  }
}

/** One local step is linear in the rate, so that steps of different rates can be brought to one. */
function evenRates(heard: readonly Turn[], descent: Matrix): string[] {
  const rates = heard.map(({ rate }) => rate)
  const first = rates.find((rate) => rate !== null)
  if (first === undefined || first === null || rates.every((rate) => rate === null || rate === first)) return []
  rates.forEach((rate, i) => {
    if (rate === null) return
    for (let j = 0; j < descent.cols; j++) descent.data[i * descent.cols + j]! *= first / rate
  })
  return ['the learning rate changed between rounds: steps were scaled to one rate, which is right for one local step']
}
