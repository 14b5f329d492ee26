/** The schemas of the JSON files. Only imported when a file is read: what they are made with is slow to load. */
import { z } from 'zod'
import { settingsIn, type ToldSettings } from '../settings/index.js'
import { unknownWord } from '../settings/setting.js'
import { valueSchema } from '../settings/value-schema.js'
import { idPattern } from './client-id.js'
import { modelSchema, modelShapes } from './model-schema.js'

const clientId = z.string().regex(idPattern)

/** One entry of `rounds`, or one line of rounds.jsonl. */
export const roundSchema = z.looseObject({
  round: z.int().min(0).optional(),
  file: z.string().optional(),
  participants: z.array(clientId).nullable().default(null),
  dropped: z.array(clientId).default([]),
  tampered: z.array(clientId).default([]),
  learningRate: z.number().positive().nullable().default(null),
  // Who lost its place in secure aggregation, in which phase, and why.
  excluded: z.array(z.looseObject({ client: clientId, phase: z.string(), reason: z.string() })).optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .optional()
    .describe("the digest of the round's file"),
})

const count = z.int().min(1)
const rate = z.number().min(0)

const privacySchema = z.looseObject({
  mechanism: z.string().min(1),
  maxNorm: z.number().positive().nullable().default(null),
  noiseMultiplier: rate.nullable().default(null),
  sampleRate: rate.max(1).nullable().default(null),
  delta: rate.max(1).nullable().default(null),
  // What is claimed of it, and for whom; said by whoever recorded, and believed by nobody: `overhear account` computes it anew.
  unit: z.enum(['record', 'client']).optional(),
  sampling: z.enum(['poisson', 'fixed', 'none']).optional(),
  neighbours: z.enum(['add-remove', 'replace']).optional(),
  accountant: z.string().min(1).optional(),
  epsilon: rate.optional(),
})

/** What the training's settings are called in a recording, and what their absence means. */
function settingsShape(): Record<string, z.ZodType> {
  const told = Object.values(settingsIn('training')).flatMap(({ value, manifest }) => {
    if (manifest === undefined) return []
    const { key, absent, unknown, entry } = manifest
    // Names of other people's algorithms are in no table of ours.
    const schema =
      entry !== undefined
        ? toldEntrySchema(entry.named)
        : value.kind === 'name'
          ? z.string().min(1)
          : valueSchema(manifest.value ?? value)
    if (unknown === true) return [[key, z.union([schema, z.literal(unknownWord)]).optional()] as const]
    // Whether epochs were given is asked once more where both epochs and steps are known.
    if (key === 'localEpochs') return [[key, schema.optional()] as const]
    return [[key, absent === undefined ? schema : schema.default(absent as never)] as const]
  })
  return Object.fromEntries(told)
}

/** The keys of it alone: every view asks for them. */
const toldKeys = (): object =>
  Object.fromEntries(
    Object.values(settingsIn('training')).flatMap(({ manifest }) => (manifest ? [[manifest.key, true]] : [])),
  )

/** An entry as a recording has it: any name, since other people's are in no table of ours. */
const toldEntrySchema = (named: string): z.ZodType =>
  z.looseObject({ [named]: z.string().min(1).describe('which it is') }).nullable()

const besides = {
  dropout: rate.lt(1).default(0),
  aggregation: z.string().min(1).default('weighted-mean'),
  secureAggregation: z.boolean().default(false),
  differentialPrivacy: privacySchema.nullable().default(null),
  // Clients trained on mixtures of two of their records each, with shares from Beta(alpha, alpha).
  mixup: z.looseObject({ alpha: z.number().positive() }).nullable().optional(),
}
const protocolShape = () => ({ ...settingsShape(), ...besides })

type Besides = z.ZodObject<typeof besides>

/** The protocol of a recording with its defaults; whether epochs were given is not settled yet. */
export type ProtocolKeys = Omit<ToldSettings, 'localEpochs'> &
  z.output<Besides> &
  Partial<Pick<ToldSettings, 'localEpochs'>>
type ProtocolInput = Pick<ToldSettings, 'share'> & Partial<ToldSettings> & z.input<Besides> & { [key: string]: unknown }

const samples = z.int().min(0).nullable().default(null)

const parameterSchema = z.looseObject({ name: z.string().min(1), shape: z.array(count) })

const manifestFrame = () =>
  z.looseObject({
    format: z.literal('overhear-transcript/1'),
    source: z
      .looseObject({ tool: z.string(), version: z.string().nullable().default(null) })
      .nullable()
      .default(null),
    recordedFor: z
      .string()
      .regex(/^(server|secagg-server|eavesdropper:[A-Za-z0-9_.-]{1,128})$/)
      .default('server'),
    model: z.unknown(), // by the table of models as it is then
    loss: z.enum(['mse', 'cross-entropy', 'binary-cross-entropy']),
    parameters: z.array(parameterSchema).min(1).optional(),
    protocol: z.looseObject(protocolShape()) as unknown as z.ZodType<ProtocolKeys, ProtocolInput>,
    clients: z.union([z.array(z.looseObject({ id: clientId, samples })), z.looseObject({ count, samples })]),
    rounds: z.union([z.literal('rounds.jsonl'), z.array(roundSchema)]),
  })

/** Made anew for each reading: plug-ins may have brought models. */
export const manifestSchema = () => manifestFrame().extend({ model: modelSchema().optional() })

const tableSchema = z.looseObject({
  file: z.string().min(1),
  // A list where a record has several labels, in the order of the model's outputs.
  label: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  metaclass: z.string().optional(),
  metaclasses: z.array(z.string()).min(1).optional(),
  // Names the records and is no input.
  id: z.string().optional(),
})

const values = z.union([z.array(z.array(z.number())).min(2), z.tuple([z.number(), z.number()])])
const sensitiveSchema = z.looseObject({
  name: z.string().min(1),
  columns: z.array(z.string()).min(1),
  kind: z.enum(['binary', 'categorical', 'continuous']),
  values,
  words: z.array(z.string()).optional(),
})

export const knowledgeSchema = z.looseObject({
  format: z.literal('overhear-knowledge/1'),
  target: clientId.optional(),
  round: z.int().min(0).optional(),
  batchSize: z.int().min(1).optional(),
  records: tableSchema.optional(),
  sensitive: z.array(sensitiveSchema).min(1).optional(),
  auxiliary: tableSchema.optional(),
  metaclassCounts: z.array(z.int().min(0)).optional(),
  candidates: tableSchema.optional(),
  property: z.looseObject({ name: z.string().min(1), record: z.int().min(0).optional() }).optional(),
  turnCounts: z
    .array(z.looseObject({ from: z.int().min(0), to: z.int().min(0), clients: z.record(clientId, z.int().min(0)) }))
    .min(1)
    .optional(),
})

export const truthSchema = z.looseObject({
  format: z.literal('overhear-truth/1'),
  clients: z.record(clientId, tableSchema.extend({ heldBack: z.string().min(1).optional() })).optional(),
  batches: z
    .array(z.looseObject({ round: z.int().min(0), client: clientId, rows: z.array(z.int().min(0)) }))
    .optional(),
  optimum: z.record(clientId, z.string().min(1)).optional(),
  properties: z.record(z.string(), z.array(clientId)).optional(),
  contribution: z.record(clientId, z.number()).optional(),
  participation: z.array(z.looseObject({ round: z.int().min(0), clients: z.array(clientId) })).optional(),
  protocol: z.record(z.string(), z.unknown()).optional(),
})

/** JSON Schema of what a file may hold before defaults, for editors. */
export function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { io: 'input' })
}

/** The keys that the format defines for a model, the protocol and its privacy, as objects that have them. */
export const knownShapes = {
  model: (kind: string): object => modelShapes()[kind] ?? {},
  protocol: (): object => ({ ...toldKeys(), ...besides }),
  privacy: privacySchema.shape,
}

export type RoundRaw = z.output<typeof roundSchema>
export type { ModelManifest } from './model-schema.js'
export type Privacy = z.output<typeof privacySchema>
export type ManifestInput = z.input<ReturnType<typeof manifestSchema>>
export type SensitiveRaw = z.output<typeof sensitiveSchema>
