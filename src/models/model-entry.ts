/** What an entry of the table of models is: parameters, the sizes that data ask for, and how a model is made from both. */
import type { Cited } from '../papers.js'
import type { Params, ValuesOf } from '../params.js'
import type { Entry } from '../registry.js'
import type { Model, Picture } from './model.js'

/** What data offer a model. */
export interface DataSizes {
  /** Features of a record. */
  readonly inputs: number
  /** Where the features are the points of a picture. */
  readonly picture?: Picture | undefined
  /** Classes of the label; undefined for regression. */
  readonly classes?: number | undefined
  /** Labels of a record. */
  readonly labels: number
}

/** Why a model does not fit some data, after "model x on dataset y, ...", and what to do about it. */
export interface Refusal {
  readonly refused: string
  readonly hint: string
}

/** How the sizes stand in plain data, such as a recording's manifest. */
export interface Takes {
  /** A number; channels, height and width; or what the model knows by itself. */
  readonly inputs: 'count' | 'picture' | 'known'
  /** A number that must be given, or the one that is meant where none is. */
  readonly outputs: 'count' | number
}

/** The sizes of a model as plain data give them. */
export type GivenSizes<T extends Takes = Takes> = (T['inputs'] extends 'count'
  ? { readonly inputs: number }
  : T['inputs'] extends 'picture'
    ? { readonly inputs: Picture }
    : { readonly inputs?: number | Picture }) &
  (T['outputs'] extends 'count' ? { readonly outputs: number } : { readonly outputs?: number })

/** The sizes of a model with nothing left open. */
export interface FullSizes<T extends Takes = Takes> {
  readonly inputs: T['inputs'] extends 'count' ? number : T['inputs'] extends 'picture' ? Picture : unknown
  readonly outputs: number
}

export interface ModelEntry<P extends Params = Params, T extends Takes = Takes> extends Entry<P> {
  readonly paper?: Cited
  readonly takes: T
  /** Parameters that act in training alone: a manifest has them under its protocol. */
  readonly inTraining?: readonly (keyof P & string)[]
  /** What to give for these data, or why it cannot be. */
  sizes(data: DataSizes): Partial<GivenSizes<T>> | Refusal
  create(options: ValuesOf<P> & FullSizes<T>): Model
  /** In a few letters that may name a folder; its id unless told. */
  shortName?(options: ValuesOf<P>): string
}

/** An entry as it is written: a model's kind is the id of its entry. */
export interface ModelDefinition<P extends Params, T extends Takes> extends Omit<ModelEntry<P, T>, 'create'> {
  create(options: ValuesOf<P> & FullSizes<T>): Omit<Model, 'kind'>
}

export const defineModel = <const I extends string, const P extends Params, const T extends Takes>(
  definition: ModelDefinition<P, T> & { readonly id: I },
): ModelEntry<P, T> & { readonly id: I } => ({
  ...definition,
  create: (options) => ({ ...definition.create(options), kind: definition.id }),
})

/** For models without a notion of classes of their own: an output for each class, else one for each label. */
export const denseSizes = ({ inputs, classes, labels }: DataSizes): { inputs: number; outputs: number } => ({
  inputs,
  outputs: classes ?? labels,
})
