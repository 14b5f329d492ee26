/** The table of models, and how one is made from plain data. */
import { lookup } from '../errors.js'
import { lenetCifar, lenetDlg, lenetMnist } from './lenet.js'
import { linear, logistic, mlp, softmaxRegression } from './mlp.js'
import type { Model } from './model.js'

interface ModelEntry {
  readonly title: string
  readonly create: (options: never) => Model
}

export const models = {
  linear: { title: 'one affine map, squared error', create: linear },
  logistic: { title: 'one affine map and a sigmoid, for a label of two classes', create: logistic },
  softmax: { title: 'one affine map and a softmax over classes', create: softmaxRegression },
  mlp: { title: 'a fully connected network; hidden gives its layers', create: mlp },
  'lenet-mnist': { title: 'two convolutions and two dense layers for 28 x 28 images', create: lenetMnist },
  'lenet-cifar': { title: 'two convolutions and three dense layers for 3 x 32 x 32 images', create: lenetCifar },
  'lenet-dlg': { title: 'the sigmoid network of gradient-matching papers', create: lenetDlg },
} as const satisfies Readonly<Record<string, ModelEntry>>

/** A model as JSON: what a transcript's manifest holds. */
export type ModelSpec = {
  [K in keyof typeof models]: { readonly kind: K } & NonNullable<Parameters<(typeof models)[K]['create']>[0]>
}[keyof typeof models]

export function createModel({ kind, ...options }: ModelSpec): Model {
  return lookup<ModelEntry>(models, kind, 'model').create(options as never)
}

/** The parameters of a model given as JSON: what a reader of transcripts matches a manifest with. */
export function parametersOf(spec: { readonly kind: string }): Model['parameters'] {
  return createModel(spec as ModelSpec).parameters
}
