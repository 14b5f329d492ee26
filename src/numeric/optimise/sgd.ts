/** Gradient descent with momentum, in the convention of PyTorch: the gradient enters the momentum undamped. */
import { type FirstOrder, firstOrder, requireNumber, requireSameSize } from './optimiser.js'

export interface SgdOptions {
  readonly learningRate: number
  readonly momentum?: number
  readonly nesterov?: boolean
  /** Adds this times x to the gradient; stopping rules see the objective's own gradient. */
  readonly weightDecay?: number
}

export interface SgdState {
  readonly momentum: Float64Array // empty without momentum
  readonly size: number
}

/** b ← μ b + g,  x ← x − η b  (Nesterov: x ← x − η (g + μ b)), with g the gradient plus weight decay. */
export function sgd(options: SgdOptions): FirstOrder<SgdState> {
  const { learningRate: eta, momentum: mu = 0, nesterov = false, weightDecay = 0 } = options
  requireNumber('learningRate', eta, { above: 0 })
  requireNumber('momentum', mu, { min: 0, below: 1 })
  requireNumber('weightDecay', weightDecay, { min: 0 })
  return firstOrder({
    name: 'sgd',
    init: (size) => ({ momentum: new Float64Array(mu > 0 ? size : 0), size }),
    stepInto(x, gradient, state) {
      requireSameSize(x, gradient, state.size)
      const b = state.momentum
      for (let j = 0; j < x.length; j++) {
        const g = weightDecay === 0 ? gradient[j]! : gradient[j]! + weightDecay * x[j]!
        let step = g
        if (mu > 0) {
          const moved = mu * b[j]! + g
          b[j] = moved
          step = nesterov ? g + mu * moved : moved
        }
        x[j]! -= eta * step
      }
    },
  })
}
