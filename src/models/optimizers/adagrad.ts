/** Adagrad: every coordinate's step shrinks with the squares of its gradients so far. */
import { number } from '../../params.js'
import { defineOptimizer } from './optimizer.js'

export const adagrad = defineOptimizer({
  id: 'adagrad',
  title: "steps that shrink with the sum of a coordinate's squared gradients",
  paper: 'duchi2011',
  params: { tiny: number({ default: 1e-10, min: 0, doc: 'what is added to the root (eps of PyTorch)' }) },
  remembers: 1,
  // G += g^2, theta -= eta g / (sqrt(G) + tiny)
  step({ theta, grad, memory, learningRate: eta }, { tiny }) {
    const sum = memory[0]!
    for (let j = 0; j < theta.length; j++) {
      const g = grad[j]!
      sum[j]! += g * g
      theta[j]! -= (eta * g) / (Math.sqrt(sum[j]!) + tiny)
    }
  },
})
