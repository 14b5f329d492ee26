/** The table of models, and how one is made from plain data. */
import { lookup } from '../errors.js'
import { lenetCifar, lenetDlg, lenetMnist } from './lenet.js'
import { linear, logistic, mlp, softmaxRegression } from './mlp.js'
import type { Model } from './model.js'

export const models = {
  linear,
  logistic,
  softmax: softmaxRegression,
  mlp,
  'lenet-mnist': lenetMnist,
  'lenet-cifar': lenetCifar,
  'lenet-dlg': lenetDlg,
} as const

/** A model as JSON: what a transcript's manifest holds. */
export type ModelSpec = {
  [K in keyof typeof models]: { readonly kind: K } & NonNullable<Parameters<(typeof models)[K]>[0]>
}[keyof typeof models]

export function createModel({ kind, ...options }: ModelSpec): Model {
  const make = lookup<unknown>(models, kind, 'model') as (options: unknown) => Model
  return make(options)
}

/** The parameters of a model given as JSON: what a reader of transcripts matches a manifest with. */
export function parametersOf(spec: { readonly kind: string }): Model['parameters'] {
  return createModel(spec as ModelSpec).parameters
}
