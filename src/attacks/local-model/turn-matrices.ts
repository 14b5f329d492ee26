/** The target's turns as two matrices: what it received, and what it descended; with the precision they arrived in. */
import { OverhearError } from '../../errors.js'
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
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
  /** Significant bits of the numbers that were sent: 24 for single precision, 53 for double. */
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
  const bits = significantBits(heard.flatMap(({ theta, sent }) => [theta, sent]))
  let largest = 0
  for (const { theta, rounded } of heard) largest = Math.max(largest, largestMagnitude(rounded ?? theta))
  return { rounds: heard.map(({ round }) => round), theta, descent, rounding: largest * half(bits), bits, warnings }
}

interface Turn {
  readonly round: number
  readonly theta: Float64Array
  readonly descent: Float64Array
  /** The numbers as they crossed the wire. */
  readonly sent: Float64Array
  /** Whose size sets the rounding error, where that is not the model's. */
  readonly rounded?: Float64Array
  /** Null where the descent does not hang on it. */
  readonly rate: number | null
}

function turn({ round, update, learningRate }: Exchange, theta: Float64Array): Turn {
  switch (update.kind) {
    case 'parameters': {
      const descent = theta.map((v, j) => v - update.theta[j]!)
      return { round, theta, descent, sent: update.theta, rate: learningRate }
    }
    case 'delta':
      return { round, theta, descent: update.dTheta.map((v) => -v), sent: update.dTheta, rate: learningRate }
    case 'gradient':
      return { round, theta, descent: update.grad.slice(), sent: update.grad, rounded: update.grad, rate: null }
  }
}

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

const half = (bits: number): number => {
  let unit = 1
  for (let b = 0; b < bits; b++) unit /= 2
  return unit
}

/**
 * The widest significand among the values: 24 bits for numbers that were singles once. Fewer than 8 bits (no format of
 * messages has them) are round numbers made by hand and say nothing.
 */
export function significantBits(all: readonly Float64Array[]): number {
  let most = 0
  for (const values of all) {
    const words = new Uint32Array(values.slice().buffer)
    for (let i = 0; i < values.length; i++) {
      if (values[i] === 0) continue
      const [low, high] = littleEndian ? [words[2 * i]!, words[2 * i + 1]!] : [words[2 * i + 1]!, words[2 * i]!]
      const width = low === 0 ? 21 - trailingZeros(high | 0x100000) : 53 - trailingZeros(low)
      most = Math.max(most, width)
    }
  }
  return most < 8 ? 53 : most
}

const littleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1
const trailingZeros = (x: number): number => 31 - Math.clz32(x & -x)
