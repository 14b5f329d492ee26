/** What an optimizer is: how a step follows from a gradient, by the formulas that PyTorch documents. */
import type { Params, ValuesOf } from '../../params.js'
import type { Entry } from '../../registry.js'

export type Floats = Float64Array | Float32Array

/** One step, on numbers where they lie. */
export interface StepAt {
  /** Moved in place. */
  readonly theta: Floats
  readonly grad: Floats
  /** As many vectors as the optimizer remembers; zeros before the first step of a turn. */
  readonly memory: readonly Floats[]
  readonly learningRate: number
  /** Steps of this turn, this one included. */
  readonly count: number
}

export interface Optimizer<P extends Params = Params> extends Entry<P> {
  /** How many vectors it remembers from step to step; they are forgotten between turns. */
  readonly remembers: number
  /** Weight decay shrinks the model beside the step, and is no part of the gradient. */
  readonly decoupled?: boolean
  /** Absent: theta -= learningRate * gradient, with momentum where it is asked for. */
  step?(at: StepAt, values: ValuesOf<P>): void
}

export const defineOptimizer = <const I extends string, const P extends Params>(
  optimizer: Optimizer<P> & { readonly id: I },
): Optimizer<P> & { readonly id: I } => optimizer

/** beta^t by repeated squaring. */
export function raised(beta: number, t: number): number {
  let [result, base] = [1, beta]
  for (let left = t; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= base
    base *= base
  }
  return result
}
