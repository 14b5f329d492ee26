/** The table of optimizers, one line each, and how one is chosen by what a scenario or a recording says. */
import type { ValuesOf } from '../../params.js'
import { chosen, type Named, table } from '../../registry.js'
import { adagrad } from './adagrad.js'
import { adam } from './adam-step.js'
import { adamw } from './adamw.js'
import type { Optimizer } from './optimizer.js'
import { rmsprop } from './rmsprop.js'
import { sgd } from './sgd-step.js'

export const optimizers = table('optimizer', [sgd, adam, adamw, adagrad, rmsprop])

/** An optimizer as plain data: its name, and parameters that differ from their defaults. */
export type OptimizerSpec = Named<typeof optimizers> | { readonly name: string; readonly [param: string]: unknown }

export function optimizerOf(spec: OptimizerSpec): {
  readonly entry: Optimizer
  readonly values: ValuesOf<Optimizer['params']>
} {
  return chosen<Optimizer>(optimizers, spec)
}

/** Parameters under the names that PyTorch has for them, under ours. */
export function ownNames(spec: { readonly name: string; readonly [param: string]: unknown }): OptimizerSpec {
  const { name, betas, eps, alpha, ...rest } = spec
  const [beta1, beta2] = Array.isArray(betas) ? betas : []
  return {
    name,
    ...(beta1 !== undefined && { beta1 }),
    ...(beta2 !== undefined && { beta2 }),
    ...(eps !== undefined && { tiny: eps }),
    ...(alpha !== undefined && { decay: alpha }),
    ...rest,
  }
}
