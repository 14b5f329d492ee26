/** What is done with a gradient that was written down: a pull back, momentum or Adam, then the step itself. */
import { OverhearError } from '../errors.js'
import { type Buffer, bytesPer, type Engine } from '../numeric/engine/engine.js'
import { binaryOp, type Precision, unaryOp } from '../numeric/engine/kernels.js'

export interface DescentOptions {
  /** Adam ([kingma2015] Alg. 1) instead of plain SGD; its moments start at zero and outlive `begin`. */
  readonly adam?: { readonly beta1?: number; readonly beta2?: number; readonly tiny?: number }
  /** beta of v = beta v + gradient, theta -= learningRate v; `begin` sets v to zero. 0 unless told. */
  readonly momentum?: number
  /** mu of FedProx: adds mu (theta - theta as loaded) to every gradient. 0 unless told. */
  readonly proxMu?: number
}

interface Place {
  readonly engine: Engine
  readonly precision: Precision
  readonly theta: Buffer
  readonly d: number
}

export interface Descent extends Place {
  readonly options: DescentOptions
  /** The gradient need never be written down: theta += settings[0] * gradient is all. */
  readonly direct: boolean
  /** Holds -learningRate or Adam's six numbers; mu; one. */
  readonly settings: Buffer
  readonly moments: Buffer | undefined // 2 d
  readonly velocity: Buffer | undefined // d
  readonly prox: { readonly anchor: Buffer; readonly drift: Buffer } | undefined // d, d
  /** All that was allocated. */
  readonly own: Buffer[]
}

const slots = { mu: 6, one: 7, count: 8 } as const

export function descent(options: DescentOptions, place: Place): Descent {
  checkOptions(options)
  const { adam, momentum = 0, proxMu = 0 } = options
  const { engine, precision, d } = place
  const own: Buffer[] = []
  const allocate = (count: number): Buffer => {
    const buffer = engine.allocate(count * bytesPer(precision))
    own.push(buffer)
    engine[precision].fill(buffer.address, count, 0)
    return buffer
  }
  const settings = allocate(slots.count)
  engine.writeOne(precision, slotAt(settings, 'mu', precision), proxMu)
  engine.writeOne(precision, slotAt(settings, 'one', precision), 1)
  const moments = adam === undefined ? undefined : allocate(2 * d)
  const velocity = momentum > 0 ? allocate(d) : undefined
  const prox = proxMu > 0 ? { anchor: allocate(d), drift: allocate(d) } : undefined
  const direct = adam === undefined && velocity === undefined && prox === undefined
  return { ...place, options, direct, settings, moments, velocity, prox, own }
}

const slotAt = (settings: Buffer, name: 'mu' | 'one', precision: Precision): number =>
  settings.address + slots[name] * bytesPer(precision)

/** To be called when theta has been set from outside. */
export function begin({ engine, precision, theta, d, velocity, prox }: Descent): void {
  if (velocity !== undefined) engine[precision].fill(velocity.address, d, 0)
  if (prox !== undefined) engine.copy(prox.anchor.address, theta.address, d * bytesPer(precision))
}

export interface Stepped {
  readonly learningRate: number
  /** Steps so far, this one included. */
  readonly count: number
}

/** Moves theta by the gradient at an address, which is overwritten. */
export function descend(way: Descent, grad: number, step: Stepped): void {
  if (way.prox !== undefined) pullBack(way, way.prox, grad)
  if (way.moments !== undefined) stepByAdam(way, way.moments, { grad, ...step })
  else stepBySgd(way, grad, step.learningRate)
}

/** grad += mu (theta - anchor) */
function pullBack(way: Descent, { anchor, drift }: NonNullable<Descent['prox']>, grad: number): void {
  const { engine, precision, theta, d, settings } = way
  const kernels = engine[precision]
  kernels.binary(binaryOp.sub, drift.address, theta.address, anchor.address, 1, d, d, 1, d, 1)
  kernels.addScaled(grad, drift.address, d, slotAt(settings, 'mu', precision))
}

function stepByAdam(way: Descent, moments: Buffer, { grad, learningRate, count }: Stepped & { grad: number }): void {
  const { engine, precision, theta, d, settings, options } = way
  const { beta1 = 0.9, beta2 = 0.999, tiny = 1e-8 } = options.adam!
  engine
    .view(precision, settings.address, 6)
    .set([learningRate, beta1, beta2, 1 - raised(beta1, count), 1 - raised(beta2, count), tiny])
  const second = moments.address + d * bytesPer(precision)
  engine[precision].adam(theta.address, grad, moments.address, second, d, settings.address)
}

function stepBySgd({ engine, precision, theta, d, settings, velocity, options }: Descent, grad: number, rate: number) {
  const kernels = engine[precision]
  engine.writeOne(precision, settings.address, -rate)
  if (velocity === undefined) {
    kernels.addScaled(theta.address, grad, d, settings.address)
    return
  }
  kernels.unary(unaryOp.scale, velocity.address, velocity.address, d, options.momentum!)
  kernels.addScaled(velocity.address, grad, d, slotAt(settings, 'one', precision))
  kernels.addScaled(theta.address, velocity.address, d, settings.address)
}

export function releaseDescent({ own, engine }: Descent): void {
  own.splice(0).forEach(engine.release)
}

function checkOptions({ adam, momentum = 0, proxMu = 0 }: DescentOptions): void {
  if (!(momentum >= 0 && momentum < 1)) {
    throw new OverhearError('E_VALUE', `momentum is ${momentum}`, 'a number from 0 to below 1 is needed')
  }
  if (momentum > 0 && adam !== undefined) {
    throw new OverhearError('E_VALUE', `momentum is ${momentum} beside Adam`, 'Adam has moments of its own: choose one')
  }
  if (!(proxMu >= 0 && proxMu < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `proxMu is ${proxMu}`, 'a number from 0 is needed')
  }
}

/** beta^t by repeated squaring. */
function raised(beta: number, t: number): number {
  let [result, base] = [1, beta]
  for (let left = t; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= base
    base *= base
  }
  return result
}
