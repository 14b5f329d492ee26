/** Adam, step by step as in [kingma2015] Alg. 1. */
import { type FirstOrder, firstOrder, requireNumber, requireSameSize } from './optimiser.js'

export interface AdamOptions {
  readonly learningRate?: number
  readonly beta1?: number
  readonly beta2?: number
  /** Added to the root of the second moment. */
  readonly tiny?: number
  /** Adds this times x to the gradient (not decoupled); stopping rules see the objective's own gradient. */
  readonly weightDecay?: number
}

export interface AdamState {
  readonly m: Float64Array // first moment, not corrected
  readonly v: Float64Array // second moment, not corrected
  beta1Power: number // β₁^t as a running product
  beta2Power: number
}

/**
 *   m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²,
 *   x ← x − η (m / (1 − β₁^t)) / (√(v / (1 − β₂^t)) + tiny)
 */
export function adam(options: AdamOptions = {}): FirstOrder<AdamState> {
  const { learningRate: eta = 1e-3, beta1 = 0.9, beta2 = 0.999, tiny = 1e-8, weightDecay = 0 } = options
  requireNumber('learningRate', eta, { above: 0 })
  requireNumber('beta1', beta1, { min: 0, below: 1 })
  requireNumber('beta2', beta2, { min: 0, below: 1 })
  requireNumber('tiny', tiny, { above: 0 })
  requireNumber('weightDecay', weightDecay, { min: 0 })
  return firstOrder({
    name: 'adam',
    init: (size) => ({ m: new Float64Array(size), v: new Float64Array(size), beta1Power: 1, beta2Power: 1 }),
    stepInto(x, gradient, state) {
      const { m, v } = state
      requireSameSize(x, gradient, m.length)
      state.beta1Power *= beta1
      state.beta2Power *= beta2
      const correction1 = 1 - state.beta1Power
      const correction2 = 1 - state.beta2Power
      for (let j = 0; j < x.length; j++) {
        const g = weightDecay === 0 ? gradient[j]! : gradient[j]! + weightDecay * x[j]!
        const mNext = beta1 * m[j]! + (1 - beta1) * g
        const vNext = beta2 * v[j]! + (1 - beta2) * g * g
        m[j] = mNext
        v[j] = vNext
        x[j]! -= (eta * (mNext / correction1)) / (Math.sqrt(vNext / correction2) + tiny)
      }
    },
  })
}
