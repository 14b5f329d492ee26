/** The table of models, one line each, and how one is made from plain data. */
import { OverhearError } from '../errors.js'
import { type Params, readParams, type ValuesOf } from '../params.js'
import { find, table } from '../registry.js'
import { lenetCifarEntry } from './lenet-cifar.js'
import { lenetDlgEntry } from './lenet-dlg.js'
import { lenetMnistEntry } from './lenet-mnist.js'
import { linearEntry } from './linear.js'
import { logisticEntry } from './logistic.js'
import { mlpEntry } from './mlp.js'
import type { Model } from './model.js'
import type { FullSizes, GivenSizes, ModelEntry, Takes } from './model-entry.js'
import { softmaxEntry } from './softmax.js'

export const models = table('model', [
  linearEntry,
  logisticEntry,
  softmaxEntry,
  mlpEntry,
  lenetMnistEntry,
  lenetCifarEntry,
  lenetDlgEntry,
])

type SpecOf<K, E> =
  E extends ModelEntry<infer P extends Params, infer T extends Takes>
    ? { readonly kind: K } & Partial<ValuesOf<P>> & GivenSizes<T>
    : never

/** A model as JSON: what a federation is told. */
export type ModelSpec = { [K in keyof typeof models]: SpecOf<K, (typeof models)[K]> }[keyof typeof models]

/** Any model as JSON, such as what a recording's manifest holds. */
export interface RecordedSpec {
  readonly kind: string
  readonly [option: string]: unknown
}

/** The entry of a kind, built in or added; an unknown one is an error that lists the known. */
export const modelEntry = (kind: string): ModelEntry =>
  find(models as unknown as Readonly<Record<string, ModelEntry>>, kind)

/** Makes a model; what is unknown or ill-typed is an error. */
export function createModel(spec: ModelSpec): Model {
  const { kind, inputs, outputs, ...given } = spec as RecordedSpec
  const entry = modelEntry(kind)
  const sizes = fullSizes(entry, { inputs, outputs })
  const options = { ...readParams(entry.params, given, `model ${kind}`), ...sizes }
  return entry.create(options as Parameters<ModelEntry['create']>[0])
}

/**
 * The model of a manifest: keys that its kind does not have change nothing. What acts in training alone is asked for by
 * `training`, such as a manifest's protocol.
 */
export function recordedModel(spec: RecordedSpec, training: Readonly<Record<string, unknown>> = {}): Model {
  const { kind, inputs, outputs } = spec
  const { params, inTraining = [] } = modelEntry(kind)
  const from = (key: string) => (inTraining.includes(key) ? training[key] : spec[key])
  const options = Object.fromEntries(Object.keys(params).map((key) => [key, from(key)]))
  return createModel({ kind, inputs, outputs, ...options } as unknown as ModelSpec)
}

/** The parameters of a model given as JSON: what a reader of transcripts matches a manifest with. */
export function parametersOf(spec: RecordedSpec): Model['parameters'] {
  return recordedModel(spec).parameters
}

/** What a manifest says of a model: all but what acts in training alone. */
export function architectureOf(spec: ModelSpec): RecordedSpec {
  const { inTraining = [] } = modelEntry(spec.kind)
  const kept = Object.entries(spec).filter(([key]) => !inTraining.includes(key))
  return Object.fromEntries(kept) as unknown as RecordedSpec
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1

function fullSizes({ id, takes }: ModelEntry, given: { inputs?: unknown; outputs?: unknown }): FullSizes {
  const { inputs } = given
  const outputs = given.outputs ?? (takes.outputs === 'count' ? undefined : takes.outputs)
  const wrong = (what: string, value: unknown, needed: string): OverhearError =>
    new OverhearError('E_VALUE', `${id}: ${what} is ${JSON.stringify(value) ?? 'missing'}`, needed)
  if (takes.inputs === 'count' && !isCount(inputs)) throw wrong('inputs', inputs, 'sizes are whole numbers from 1')
  if (takes.inputs === 'picture' && !(Array.isArray(inputs) && inputs.length === 3 && inputs.every(isCount)))
    throw wrong('inputs', inputs, 'channels, height and width are needed: three whole numbers from 1')
  if (!isCount(outputs)) throw wrong('outputs', outputs, 'sizes are whole numbers from 1')
  return { inputs, outputs }
}
