/** RMSprop: gradients over the root of their running mean square. */
import { number } from '../../params.js'
import { defineOptimizer } from './optimizer.js'

export const rmsprop = defineOptimizer({
  id: 'rmsprop',
  title: 'gradients divided by the root of their running mean square',
  paper: 'tieleman2012',
  params: {
    decay: number({ default: 0.99, min: 0, below: 1, doc: 'how much of the mean square is kept (alpha of PyTorch)' }),
    tiny: number({ default: 1e-8, min: 0, doc: 'what is added to the root (eps of PyTorch)' }),
  },
  remembers: 1,
  // v = a v + (1 - a) g^2, theta -= eta g / (sqrt(v) + tiny)
  step({ theta, grad, memory, learningRate: eta }, { decay, tiny }) {
    const v = memory[0]!
    for (let j = 0; j < theta.length; j++) {
      const g = grad[j]!
      v[j] = decay * v[j]! + (1 - decay) * g * g
      theta[j]! -= (eta * g) / (Math.sqrt(v[j]!) + tiny)
    }
  },
})
