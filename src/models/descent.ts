/** What is done with a gradient that was written down: a pull back, clipping, weight decay, then the step itself. */
import { OverhearError } from '../errors.js'
import { type Buffer, bytesPer, type Engine } from '../numeric/engine/engine.js'
import { binaryOp, type Precision, unaryOp } from '../numeric/engine/kernels.js'
import { type OptimizerSpec, optimizerOf } from './optimizers/index.js'
import { type Optimizer, raised } from './optimizers/optimizer.js'

export interface DescentOptions {
  /** Adam ([kingma2015] Alg. 1) instead of plain SGD; its moments start at zero and outlive `begin`. */
  readonly adam?: { readonly beta1?: number; readonly beta2?: number; readonly tiny?: number }
  /** beta of v = beta v + gradient, theta -= learningRate v; `begin` sets v to zero. 0 unless told. */
  readonly momentum?: number
  /** mu of FedProx: adds mu (theta - theta as loaded) to every gradient. 0 unless told. */
  readonly proxMu?: number
  /** Another rule than plain SGD; what it remembers is zero after `begin`. */
  readonly optimizer?: OptimizerSpec
  /** lambda: adds lambda theta to every gradient, or shrinks theta by learningRate lambda where the optimizer says so. */
  readonly weightDecay?: number
  /** A gradient longer than this is shortened to it; null: never. */
  readonly clipNorm?: number | null
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
  /** Holds -learningRate or Adam's six numbers; mu; one; lambda. */
  readonly settings: Buffer
  readonly moments: Buffer | undefined // 2 d
  readonly velocity: Buffer | undefined // d
  readonly prox: { readonly anchor: Buffer; readonly drift: Buffer } | undefined // d, d
  /** An optimizer with a step of its own, its parameters, and what it remembers. */
  readonly rule: Rule | undefined
  /** All that was allocated. */
  readonly own: Buffer[]
}

interface Rule {
  readonly entry: Optimizer
  readonly values: Readonly<Record<string, unknown>>
  /** As many times d as the optimizer remembers vectors. */
  readonly memory: Buffer | undefined
  /** Steps since `begin`. */
  count: number
}

const slots = { mu: 6, one: 7, decay: 8, count: 9 } as const

export function descent(options: DescentOptions, place: Place): Descent {
  checkOptions(options)
  const { adam, momentum = 0, proxMu = 0, weightDecay = 0, clipNorm = null, optimizer = { name: 'sgd' } } = options
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
  engine.writeOne(precision, slotAt(settings, 'decay', precision), weightDecay)
  const moments = adam === undefined ? undefined : allocate(2 * d)
  const velocity = momentum > 0 ? allocate(d) : undefined
  const prox = proxMu > 0 ? { anchor: allocate(d), drift: allocate(d) } : undefined
  const { entry, values } = optimizerOf(optimizer)
  const memory = entry.remembers > 0 ? allocate(entry.remembers * d) : undefined
  const rule: Rule | undefined = entry.step && { entry, values, memory, count: 0 }
  const plain = rule === undefined && weightDecay === 0 && clipNorm === null
  const direct = plain && adam === undefined && velocity === undefined && prox === undefined
  return { ...place, options, direct, settings, moments, velocity, prox, rule, own }
}

const slotAt = (settings: Buffer, name: 'mu' | 'one' | 'decay', precision: Precision): number =>
  settings.address + slots[name] * bytesPer(precision)

/** To be called when theta has been set from outside. */
export function begin({ engine, precision, theta, d, velocity, prox, rule }: Descent): void {
  if (rule?.memory !== undefined) engine[precision].fill(rule.memory.address, rule.entry.remembers * d, 0)
  if (rule !== undefined) rule.count = 0
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
  shorten(way, grad)
  decay(way, grad, step.learningRate)
  if (way.rule !== undefined) stepByRule(way, way.rule, { grad, ...step })
  else if (way.moments !== undefined) stepByAdam(way, way.moments, { grad, ...step })
  else stepBySgd(way, grad, step.learningRate)
}

/** grad += mu (theta - anchor) */
function pullBack(way: Descent, { anchor, drift }: NonNullable<Descent['prox']>, grad: number): void {
  const { engine, precision, theta, d, settings } = way
  const kernels = engine[precision]
  kernels.binary(binaryOp.sub, drift.address, theta.address, anchor.address, 1, d, d, 1, d, 1)
  kernels.addScaled(grad, drift.address, d, slotAt(settings, 'mu', precision))
}

/** What PyTorch adds to the norm of a gradient before it divides by it (clip_grad_norm_). */
const clipGuard = 1e-6

/** Shortens a gradient that is longer than clipNorm. */
export function shorten({ engine, precision, d, options: { clipNorm = null } }: Descent, grad: number): void {
  if (clipNorm === null) return
  const g = engine.view(precision, grad, d)
  let square = 0
  for (let j = 0; j < d; j++) square += g[j]! * g[j]!
  const by = clipNorm / (Math.sqrt(square) + clipGuard)
  if (by >= 1) return
  for (let j = 0; j < d; j++) g[j]! *= by
}

/** grad += lambda theta; or theta -= learningRate lambda theta. */
function decay(way: Descent, grad: number, learningRate: number): void {
  const { engine, precision, theta, d, settings, options, rule } = way
  const { weightDecay = 0 } = options
  if (weightDecay === 0) return
  if (rule?.entry.decoupled !== true) {
    engine[precision].addScaled(grad, theta.address, d, slotAt(settings, 'decay', precision))
    return
  }
  engine[precision].unary(unaryOp.scale, theta.address, theta.address, d, 1 - learningRate * weightDecay)
}

function stepByRule(way: Descent, rule: Rule, { grad, learningRate }: Stepped & { grad: number }): void {
  const { engine, precision, theta, d } = way
  const { entry, values, memory } = rule
  rule.count++
  const size = d * bytesPer(precision)
  entry.step!(
    {
      theta: engine.view(precision, theta.address, d),
      grad: engine.view(precision, grad, d),
      memory: Array.from({ length: entry.remembers }, (_, k) => engine.view(precision, memory!.address + k * size, d)),
      learningRate,
      count: rule.count,
    },
    values as never,
  )
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

function checkOptions(options: DescentOptions): void {
  const { adam, momentum = 0, proxMu = 0, weightDecay = 0, clipNorm = null, optimizer } = options
  const own = optimizer === undefined ? undefined : optimizerOf(optimizer).entry
  if (!(momentum >= 0 && momentum < 1)) {
    throw new OverhearError('E_VALUE', `momentum is ${momentum}`, 'a number from 0 to below 1 is needed')
  }
  if (momentum > 0 && adam !== undefined) {
    throw new OverhearError('E_VALUE', `momentum is ${momentum} beside Adam`, 'Adam has moments of its own: choose one')
  }
  if (own?.step !== undefined && (momentum > 0 || adam !== undefined)) {
    const beside = momentum > 0 ? `momentum is ${momentum}` : 'Adam'
    throw new OverhearError('E_VALUE', `${beside} beside the optimizer ${own.id}`, 'momentum is for sgd: choose one')
  }
  if (!(weightDecay >= 0 && weightDecay < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `weightDecay is ${weightDecay}`, 'a number from 0 is needed')
  }
  if (clipNorm !== null && !(clipNorm > 0)) {
    throw new OverhearError('E_VALUE', `clipNorm is ${clipNorm}`, 'a positive number or null is needed')
  }
  if (!(proxMu >= 0 && proxMu < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `proxMu is ${proxMu}`, 'a number from 0 is needed')
  }
}
