/** transcript.json: its schema, what it means once defaults are filled in, and its fit with the model. */
import { z } from 'zod'
import { OverhearError } from '../errors.js'
import { parseJson } from './json.js'
import { type Clients, clientId, type RoundRaw, roundSchema } from './rounds.js'
import { type Checked, check, distinct } from './validate.js'

const count = z.int().min(1)
const image = z.tuple([count, count, count])
const layers = { inputs: count, outputs: count, bias: z.boolean().default(true) }

const modelSchema = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('linear'), ...layers }),
  z.looseObject({ kind: z.literal('logistic'), ...layers, outputs: count.default(1) }),
  z.looseObject({ kind: z.literal('softmax'), ...layers }),
  z.looseObject({
    kind: z.literal('mlp'),
    ...layers,
    hidden: z.array(count).default([]),
    activation: z.enum(['relu', 'sigmoid', 'tanh']).default('relu'),
    outputActivation: z.enum(['identity', 'sigmoid']).default('identity'),
  }),
  z.looseObject({
    kind: z.literal('lenet-mnist'),
    inputs: z.union([count, image]).optional(),
    outputs: count.default(10),
  }),
  z.looseObject({
    kind: z.literal('lenet-cifar'),
    inputs: z.union([count, image]).optional(),
    outputs: count.default(10),
  }),
  z.looseObject({ kind: z.literal('lenet-dlg'), inputs: image, outputs: count }),
  z.looseObject({ kind: z.literal('opaque') }),
])

const rate = z.number().min(0)

const privacySchema = z.looseObject({
  mechanism: z.string().min(1),
  maxNorm: z.number().positive().nullable().default(null),
  noiseMultiplier: rate.nullable().default(null),
  sampleRate: rate.max(1).nullable().default(null),
  delta: rate.max(1).nullable().default(null),
})

const protocolShape = {
  algorithm: z.string().min(1).default('fedavg'),
  share: z.enum(['parameters', 'delta', 'gradient']),
  localEpochs: rate.nullable().optional(),
  localSteps: z.int().min(0).nullable().default(null),
  // Null means the full batch.
  batchSize: count.nullable().default(null),
  // No default can be right for what an attack divides by: null, so that such an attack says what it lacks.
  learningRate: z.number().positive().nullable().default(null),
  momentum: rate.default(0),
  proxMu: rate.default(0),
  dropout: rate.lt(1).default(0),
  lossScale: z.number().positive().default(1),
  aggregateWeights: z.enum(['one', 'samples']).default('one'),
  aggregation: z.string().min(1).default('weighted-mean'),
  secureAggregation: z.boolean().default(false),
  differentialPrivacy: privacySchema.nullable().default(null),
}
const protocolSchema = z.looseObject(protocolShape)

const samples = z.int().min(0).nullable().default(null)

const parameterSchema = z.looseObject({ name: z.string().min(1), shape: z.array(count) })

const manifestSchema = z.looseObject({
  format: z.literal('overhear-transcript/1'),
  source: z
    .looseObject({ tool: z.string(), version: z.string().nullable().default(null) })
    .nullable()
    .default(null),
  recordedFor: z
    .string()
    .regex(/^(server|secagg-server|eavesdropper:[A-Za-z0-9_.-]{1,128})$/)
    .default('server'),
  model: modelSchema.optional(),
  loss: z.enum(['mse', 'cross-entropy', 'binary-cross-entropy']),
  parameters: z.array(parameterSchema).min(1).optional(),
  protocol: protocolSchema,
  clients: z.union([z.array(z.looseObject({ id: clientId, samples })), z.looseObject({ count, samples })]),
  rounds: z.union([z.literal('rounds.jsonl'), z.array(roundSchema)]),
})

export interface ParameterShape {
  readonly name: string
  readonly shape: readonly number[]
}
export type ModelManifest = z.output<typeof modelSchema>
type ProtocolKeys = z.output<z.ZodObject<typeof protocolShape>>
export type Protocol = Readonly<Omit<ProtocolKeys, 'localEpochs'>> & { readonly localEpochs: number | null }
export type Privacy = z.output<typeof privacySchema>

/** Whose ears the recording stands for. */
export type RecordedFor =
  | { readonly kind: 'server' }
  | { readonly kind: 'secagg-server' }
  | { readonly kind: 'eavesdropper'; readonly client: string }

export interface Manifest {
  readonly format: 'overhear-transcript/1'
  readonly source: { readonly tool: string; readonly version: string | null } | null
  readonly recordedFor: RecordedFor
  readonly model: ModelManifest
  readonly loss: 'mse' | 'cross-entropy' | 'binary-cross-entropy'
  readonly parameters: readonly ParameterShape[]
  readonly protocol: Protocol
  readonly clients: Clients
}

/** What a manifest holds as JSON before defaults: what a writer takes. */
export type ManifestInput = z.input<typeof manifestSchema>

/** The parameters of a model that is not opaque; the models' own table supplies it. */
export type ParametersOf = (model: ModelManifest) => readonly ParameterShape[]

export interface ParsedManifest extends Checked<Manifest> {
  /** The entries, or the name of the file that holds them. */
  readonly rounds: readonly RoundRaw[] | 'rounds.jsonl'
}

/** Reads the text of a manifest, fills in the defaults and checks that model and parameters fit. */
export function parseManifest(text: string, parametersOf: ParametersOf, where = 'transcript.json'): ParsedManifest {
  return manifestOf(parseJson(text, where), parametersOf, where)
}

export function manifestOf(json: unknown, parametersOf: ParametersOf, where = 'transcript.json'): ParsedManifest {
  const { value, warnings: unknown } = check(manifestSchema, json, where)
  // What is left in `kept` includes the unknown keys.
  const { rounds, ...kept } = value
  const { clients } = kept
  const warnings = [...unknown]
  const { localEpochs, ...rest } = value.protocol
  if (typeof localEpochs === 'number' && rest.localSteps !== null) {
    warnings.push(`${where}: protocol holds both localSteps and localEpochs: localSteps counts`)
  }
  const epochs = localEpochs === undefined ? 1 : localEpochs
  const protocol = { ...rest, localEpochs: rest.localSteps === null ? epochs : null }
  if (Array.isArray(clients))
    distinct(
      clients.map(({ id }) => id),
      { key: 'clients', where },
    )
  const model = value.model ?? { kind: 'opaque' as const }
  const parameters = matched({ model, given: value.parameters, parametersOf, where })
  const recordedFor = listenerOf(value.recordedFor)
  return { value: { ...kept, recordedFor, model, parameters, protocol }, rounds, warnings }
}

function listenerOf(text: string): RecordedFor {
  if (text === 'server' || text === 'secagg-server') return { kind: text }
  return { kind: 'eavesdropper', client: text.slice('eavesdropper:'.length) }
}

interface Match {
  readonly model: ModelManifest
  readonly given: readonly ParameterShape[] | undefined
  readonly parametersOf: ParametersOf
  readonly where: string
}

/** The parameters as named in the file; a known model must have the same shapes in the same order. */
function matched({ model, given, parametersOf, where }: Match): readonly ParameterShape[] {
  if (given !== undefined)
    distinct(
      given.map(({ name }) => name),
      { key: 'parameters', where },
    )
  if (model.kind === 'opaque') {
    if (given === undefined) {
      throw new OverhearError('E_INPUT', `${where}: parameters is missing`, 'an opaque or absent model needs the list')
    }
    return sized(given, where)
  }
  const own = parametersOf(knownKeys(model)).map(({ name, shape }) => ({ name, shape }))
  if (given === undefined) return sized(own, where)
  const shapes = (list: readonly ParameterShape[]): string =>
    list
      .slice(0, 12)
      .map(({ shape }) => `[${shape.join(', ')}]`)
      .join(', ') + (list.length > 12 ? ', ...' : '')
  const fits =
    own.length === given.length &&
    own.every(
      ({ shape }, i) => shape.length === given[i]!.shape.length && shape.every((s, k) => s === given[i]!.shape[k]),
    )
  if (!fits) {
    const found = `${where}: parameters have the shapes ${shapes(given)}`
    throw new OverhearError(
      'E_SHAPE',
      found,
      `the ${model.kind} model of this manifest has ${shapes(own)}, in this order`,
    )
  }
  return sized(given, where)
}

/** The members of an object that a table of keys holds. */
const only = (value: object, keys: object): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(keys, key)))

/** A model's keys that the format defines: an unknown key must not change what is built. */
export function knownKeys(model: ModelManifest): ModelManifest {
  const option = modelSchema.options.find(({ shape }) => shape.kind.value === model.kind)!
  return only(model, option.shape) as ModelManifest
}

/** The protocol without the unknown keys that a file may carry, at any depth. */
export function knownProtocol(protocol: Protocol): Protocol {
  const { differentialPrivacy } = protocol
  const known = only(protocol, protocolShape) as Protocol
  if (differentialPrivacy === null) return known
  return { ...known, differentialPrivacy: only(differentialPrivacy, privacySchema.shape) as Privacy }
}

export const sizeOfShape = (shape: readonly number[]): number => shape.reduce((n, s) => n * s, 1)

/** Length d of the flat theta. */
export function dimension(parameters: readonly ParameterShape[]): number {
  return parameters.reduce((d, { shape }) => d + sizeOfShape(shape), 0)
}

function sized(parameters: readonly ParameterShape[], where: string): readonly ParameterShape[] {
  const d = dimension(parameters)
  if (!Number.isSafeInteger(d)) throw new OverhearError('E_SHAPE', `${where}: parameters hold ${d} values`, 'too many')
  return parameters
}

/** JSON Schema of transcript.json, for editors. */
export function manifestJsonSchema(): object {
  return z.toJSONSchema(manifestSchema, { io: 'input' })
}
