/** The table of models, and how one is made from plain data. */
import { lookup } from '../errors.js'
import { linear, logistic, type MlpOptions, mlp, softmaxRegression } from './mlp.js'
import type { Model } from './model.js'

export const models = { linear, logistic, softmax: softmaxRegression, mlp } as const satisfies Record<
  string,
  (options: MlpOptions) => Model
>

/** A model as JSON: what a transcript's manifest holds. */
export interface ModelSpec extends MlpOptions {
  readonly kind: keyof typeof models
}

export function createModel({ kind, ...options }: ModelSpec): Model {
  return lookup<(options: MlpOptions) => Model>(models, kind, 'model')(options)
}
