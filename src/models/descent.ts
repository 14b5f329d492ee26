/** What is done with a gradient that was written down: noise, a pull back, momentum or Adam, then the step itself. */
import { OverhearError } from '../errors.js'
import { type Buffer, bytesPer, type Engine } from '../numeric/engine/engine.js'
import { binaryOp, type Precision, unaryOp } from '../numeric/engine/kernels.js'
import type { Rng } from '../numeric/random/rng.js'

export interface DescentOptions {
  /** Adam ([kingma2015] Alg. 1) instead of plain SGD; its moments start at zero and outlive `load`. */
  readonly adam?: { readonly beta1?: number; readonly beta2?: number; readonly tiny?: number }
  /** beta of v = beta v + gradient, theta -= learningRate v; `load` sets v to zero. 0 unless told. */
  readonly momentum?: number
  /** mu of FedProx: adds mu (theta - theta as loaded) to every gradient. 0 unless told. */
  readonly proxMu?: number
  /**
   * DP-SGD ([abadi2016] Alg. 1): each record's gradient clipped, noise of noiseMultiplier * maxNorm on their sum. With a
   * `sampleRate` q the sum is divided by q n, the expected batch, whatever the batch is; it may then be empty.
   */
  readonly privacy?: { readonly maxNorm: number; readonly noiseMultiplier: number; readonly sampleRate?: number }
}

export interface Stepped {
  readonly rows: number
  /** Of which the rows are a batch. */
  readonly records: number
  readonly learningRate: number
  /** Steps so far, this one included. */
  readonly count: number
  readonly rng: (() => Rng) | undefined
}

export interface Descent {
  /** The gradient need never be written down: theta += settings[0] * gradient is all. */
  readonly direct: boolean
  /** Holds -learningRate. */
  readonly settings: Buffer
  /** To be called when theta has been set from outside. */
  begin(): void
  /** The gradient of an empty batch, where one is allowed. */
  readonly zeros: Buffer | undefined
  /** Makes the mean over the batch the noisy one that privacy asks for. */
  privatise(grad: number, step: Pick<Stepped, 'rows' | 'records' | 'rng'>): void
  step(grad: number, step: Stepped): void
  release(): void
}

interface Place {
  readonly engine: Engine
  readonly precision: Precision
  readonly theta: Buffer
  readonly d: number
}

const slots = 8 // -rate, or Adam's six; mu; one

export function descent(options: DescentOptions, { engine: host, precision, theta, d }: Place): Descent {
  checkOptions(options)
  const { adam, momentum: beta = 0, proxMu: mu = 0, privacy } = options
  const size = bytesPer(precision)
  const kernels = host[precision]
  const own: Buffer[] = []
  const allocate = (count: number): Buffer => {
    const buffer = host.allocate(count * size)
    own.push(buffer)
    kernels.fill(buffer.address, count, 0)
    return buffer
  }
  const settings = allocate(slots)
  const [muAt, oneAt] = [6, 7].map((slot) => settings.address + slot * size) as [number, number]
  host.writeOne(precision, muAt, mu)
  host.writeOne(precision, oneAt, 1)
  const moments = adam === undefined ? undefined : allocate(2 * d)
  const velocity = beta > 0 ? allocate(d) : undefined
  const prox = mu > 0 ? { anchor: allocate(d), drift: allocate(d) } : undefined
  const q = privacy?.sampleRate
  const zeros = q === undefined ? undefined : allocate(d)
  const noisy = (privacy?.noiseMultiplier ?? 0) > 0

  const moved = (grad: number, { learningRate, count }: Stepped): void => {
    if (moments !== undefined) {
      const { beta1 = 0.9, beta2 = 0.999, tiny = 1e-8 } = adam!
      host
        .view(precision, settings.address, 6)
        .set([learningRate, beta1, beta2, 1 - raised(beta1, count), 1 - raised(beta2, count), tiny])
      kernels.adam(theta.address, grad, moments.address, moments.address + d * size, d, settings.address)
      return
    }
    host.writeOne(precision, settings.address, -learningRate)
    if (velocity === undefined) {
      kernels.addScaled(theta.address, grad, d, settings.address)
      return
    }
    kernels.unary(unaryOp.scale, velocity.address, velocity.address, d, beta)
    kernels.addScaled(velocity.address, grad, d, oneAt)
    kernels.addScaled(theta.address, velocity.address, d, settings.address)
  }
  return {
    direct: adam === undefined && velocity === undefined && prox === undefined && q === undefined && !noisy,
    settings,
    zeros,
    begin() {
      if (velocity !== undefined) kernels.fill(velocity.address, d, 0)
      if (prox !== undefined) host.copy(prox.anchor.address, theta.address, d * size)
    },
    privatise(grad, { rows, records, rng }) {
      const divisor = q === undefined ? rows : q * records
      if (q !== undefined) kernels.unary(unaryOp.scale, grad, grad, d, rows / divisor)
      if (!noisy) return
      const std = (privacy!.noiseMultiplier * privacy!.maxNorm) / divisor
      const noise = drawn(rng).fork('noise').normals(d, { mean: 0, std })
      const g = host.view(precision, grad, d)
      for (let j = 0; j < d; j++) g[j]! += noise[j]!
    },
    step(grad, step) {
      if (prox !== undefined) {
        const { anchor, drift } = prox
        kernels.binary(binaryOp.sub, drift.address, theta.address, anchor.address, 1, d, d, 1, d, 1)
        kernels.addScaled(grad, drift.address, d, muAt)
      }
      moved(grad, step)
    },
    release: () => own.splice(0).forEach(host.release),
  }
}

function checkOptions({ adam, momentum = 0, proxMu = 0, privacy }: DescentOptions): void {
  if (!(momentum >= 0 && momentum < 1)) {
    throw new OverhearError('E_VALUE', `momentum is ${momentum}`, 'a number from 0 to below 1 is needed')
  }
  if (momentum > 0 && adam !== undefined) {
    throw new OverhearError('E_VALUE', `momentum is ${momentum} beside Adam`, 'Adam has moments of its own: choose one')
  }
  if (!(proxMu >= 0 && proxMu < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `proxMu is ${proxMu}`, 'a number from 0 is needed')
  }
  if (privacy === undefined) return
  const { maxNorm, noiseMultiplier, sampleRate } = privacy
  if (!(maxNorm > 0 && maxNorm < Number.POSITIVE_INFINITY))
    throw new OverhearError('E_VALUE', `maxNorm is ${maxNorm}`, 'a positive number is needed')
  if (!(noiseMultiplier >= 0 && noiseMultiplier < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `noiseMultiplier is ${noiseMultiplier}`, 'a number from 0 is needed')
  }
  if (sampleRate !== undefined && !(sampleRate > 0 && sampleRate <= 1)) {
    throw new OverhearError('E_VALUE', `sampleRate is ${sampleRate}`, 'a number above 0 and up to 1 is needed')
  }
}

/** The stream that dropout and noise are drawn from. */
export function drawn(rng: (() => Rng) | undefined): Rng {
  if (rng === undefined)
    throw new OverhearError('E_INPUT', 'dropout or noise was asked for without randomness', 'give step an rng')
  return rng()
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
