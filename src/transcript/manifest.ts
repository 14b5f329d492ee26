/** transcript.json: what it means once defaults are filled in, and its fit with the model. */
import { OverhearError } from '../errors.js'
import { settingsIn } from '../settings/index.js'
import { type Chosen, type InManifest, unknownWord } from '../settings/setting.js'
import { parseJson } from './json.js'
import type { Clients } from './round-list.js'
import type { ManifestInput, ModelManifest, Privacy, ProtocolKeys, RoundRaw } from './schema.js'
import { type Checked, check, distinct } from './validate.js'

export interface ParameterShape {
  readonly name: string
  readonly shape: readonly number[]
}
export type Protocol = Readonly<Omit<ProtocolKeys, 'localEpochs'>> & { readonly localEpochs: number | null }
export type { ManifestInput, ModelManifest, Privacy }

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

/** The parameters of a model that is not opaque; the models' own table supplies it. */
export type ParametersOf = (model: ModelManifest) => readonly ParameterShape[]

export interface ParsedManifest extends Checked<Manifest> {
  /** The entries, or the name of the file that holds them. */
  readonly rounds: readonly RoundRaw[] | 'rounds.jsonl'
}

/** Reads the text of a manifest, fills in the defaults and checks that model and parameters fit. */
export async function parseManifest(
  text: string,
  parametersOf: ParametersOf,
  where = 'transcript.json',
): Promise<ParsedManifest> {
  return manifestOf(parseJson(text, where), parametersOf, where)
}

export async function manifestOf(
  json: unknown,
  parametersOf: ParametersOf,
  where = 'transcript.json',
): Promise<ParsedManifest> {
  const { manifestSchema } = await import('./schema.js')
  const { value, warnings: unknown } = check(manifestSchema(), json, where)
  // What is left in `kept` includes the unknown keys.
  const { rounds, ...kept } = value
  const { clients } = kept
  const warnings = [...unknown]
  const { localEpochs, ...rest } = withUnknown(value.protocol, value.source?.tool === 'overhear')
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
  const own = model.kind === 'opaque' ? undefined : parametersOf(await knownKeys(model))
  const parameters = matched({ model, given: value.parameters, own, where })
  const recordedFor = listenerOf(value.recordedFor)
  return { value: { ...kept, recordedFor, model, parameters, protocol }, rounds, warnings }
}

/**
 * The protocol without what nobody knows: what other people's recordings do not say, an optimizer that is null. What ours
 * do not say, as those of older versions, has its default.
 */
function withUnknown(protocol: ProtocolKeys, ours: boolean): ProtocolKeys {
  const read: Record<string, unknown> = { ...protocol }
  for (const { value, manifest } of Object.values(settingsIn('training'))) {
    if (manifest?.unknown !== true) continue
    const { key, entry } = manifest
    if (read[key] === undefined && ours) read[key] = usual(value.default, entry)
    const silent = entry !== undefined && entry.nothing === undefined && read[key] === null
    if (silent || read[key] === undefined || read[key] === unknownWord) delete read[key]
  }
  return read as unknown as ProtocolKeys
}

function usual(value: unknown, entry: InManifest['entry']): unknown {
  if (entry === undefined) return value
  const { name } = value as Chosen
  return name === entry.nothing ? null : { [entry.named]: name }
}

function listenerOf(text: string): RecordedFor {
  if (text === 'server' || text === 'secagg-server') return { kind: text }
  return { kind: 'eavesdropper', client: text.slice('eavesdropper:'.length) }
}

interface Match {
  readonly model: ModelManifest
  readonly given: readonly ParameterShape[] | undefined
  /** What the model itself has; undefined for an opaque one. */
  readonly own: readonly ParameterShape[] | undefined
  readonly where: string
}

/** The parameters as named in the file; a known model must have the same shapes in the same order. */
function matched({ model, given, own: known, where }: Match): readonly ParameterShape[] {
  if (given !== undefined)
    distinct(
      given.map(({ name }) => name),
      { key: 'parameters', where },
    )
  if (known === undefined) {
    if (given === undefined) {
      throw new OverhearError('E_INPUT', `${where}: parameters is missing`, 'an opaque or absent model needs the list')
    }
    return sized(given, where)
  }
  const own = known.map(({ name, shape }) => ({ name, shape }))
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
export async function knownKeys(model: ModelManifest): Promise<ModelManifest> {
  const { knownShapes } = await import('./schema.js')
  return only(model, knownShapes.model(model.kind)) as ModelManifest
}

/** The protocol without the unknown keys that a file may carry, at any depth. */
export async function knownProtocol(protocol: Protocol): Promise<Protocol> {
  const { knownShapes } = await import('./schema.js')
  const { differentialPrivacy } = protocol
  const known = only(protocol, knownShapes.protocol()) as Protocol
  if (differentialPrivacy === null) return known
  return { ...known, differentialPrivacy: only(differentialPrivacy, knownShapes.privacy) as Privacy }
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
export async function manifestJsonSchema(): Promise<object> {
  const { jsonSchemaOf, manifestSchema } = await import('./schema.js')
  return jsonSchemaOf(manifestSchema())
}
