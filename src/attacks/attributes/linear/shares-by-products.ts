/** Shares of many records, without a Gram matrix: by the factors of a model that has them, else by its gradients. */
import { descendBoxes } from './active-set-descent.js'
import type { Problem } from './linear-problem.js'
import { type Descent, type DescentOptions, descend } from './projected-gradient.js'
import type { Pass } from './weighted-squares.js'

export function sharesByProducts(problem: Problem, pass: Pass, options: DescentOptions): Descent {
  const { factors, gradients } = problem
  return factors !== undefined && gradients.values === 2
    ? descendBoxes(problem, pass, { ...options, factors })
    : descend(problem, pass, options)
}
