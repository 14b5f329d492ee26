/** Adam, whose weight decay is part of the gradient; and the step that AdamW shares. */
import { number, type ValuesOf } from '../../params.js'
import { defineOptimizer, raised, type StepAt } from './optimizer.js'

export const adamParams = {
  beta1: number({ default: 0.9, min: 0, below: 1, doc: 'how much of the mean gradient is kept' }),
  beta2: number({ default: 0.999, min: 0, below: 1, doc: 'how much of the mean square is kept' }),
  tiny: number({ default: 1e-8, min: 0, doc: 'what is added to the root (eps of PyTorch)' }),
}

/** [kingma2015] Alg. 1: m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, theta -= eta (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + tiny). */
export function stepByAdam(at: StepAt, { beta1, beta2, tiny }: ValuesOf<typeof adamParams>): void {
  const { theta, grad, learningRate: eta, count: t } = at
  const [m, v] = at.memory as [Float64Array, Float64Array]
  const first = eta / (1 - raised(beta1, t))
  const second = Math.sqrt(1 - raised(beta2, t))
  for (let j = 0; j < theta.length; j++) {
    const g = grad[j]!
    m[j] = beta1 * m[j]! + (1 - beta1) * g
    v[j] = beta2 * v[j]! + (1 - beta2) * g * g
    theta[j]! -= (first * m[j]!) / (Math.sqrt(v[j]!) / second + tiny)
  }
}

export const adam = defineOptimizer({
  id: 'adam',
  title: 'steps of about one length in every coordinate, by running means of gradients and their squares',
  paper: 'kingma2015',
  params: adamParams,
  remembers: 2,
  step: stepByAdam,
})
