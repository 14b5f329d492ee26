/** Plain gradient descent; its momentum is a setting of its own. */
import { defineOptimizer } from './optimizer.js'

export const sgd = defineOptimizer({
  id: 'sgd',
  title: 'plain gradient descent, with momentum where training.momentum is above 0',
  params: {},
  remembers: 0,
})
