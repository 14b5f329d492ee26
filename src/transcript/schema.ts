/** The schemas of the JSON files. Only imported when a file is read: what they are made with is slow to load. */
import { z } from 'zod'
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
})

const count = z.int().min(1)
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

const manifestFrame = z.looseObject({
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
  protocol: protocolSchema,
  clients: z.union([z.array(z.looseObject({ id: clientId, samples })), z.looseObject({ count, samples })]),
  rounds: z.union([z.literal('rounds.jsonl'), z.array(roundSchema)]),
})

/** Made anew for each reading: plug-ins may have brought models. */
export const manifestSchema = () => manifestFrame.extend({ model: modelSchema().optional() })

const tableSchema = z.looseObject({
  file: z.string().min(1),
  // A list where a record has several labels, in the order of the model's outputs.
  label: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  metaclass: z.string().optional(),
  metaclasses: z.array(z.string()).min(1).optional(),
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
})

export const truthSchema = z.looseObject({
  format: z.literal('overhear-truth/1'),
  clients: z.record(clientId, tableSchema).optional(),
  batches: z
    .array(z.looseObject({ round: z.int().min(0), client: clientId, rows: z.array(z.int().min(0)) }))
    .optional(),
  optimum: z.record(clientId, z.string().min(1)).optional(),
  properties: z.record(z.string(), z.array(clientId)).optional(),
})

/** JSON Schema of what a file may hold before defaults, for editors. */
export function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { io: 'input' })
}

/** The keys that the format defines for a model, the protocol and its privacy, as objects that have them. */
export const knownShapes = {
  model: (kind: string): object => modelShapes()[kind] ?? {},
  protocol: protocolShape,
  privacy: privacySchema.shape,
}

export type RoundRaw = z.output<typeof roundSchema>
export type { ModelManifest } from './model-schema.js'
export type ProtocolKeys = z.output<z.ZodObject<typeof protocolShape>>
export type Privacy = z.output<typeof privacySchema>
export type ManifestInput = z.input<ReturnType<typeof manifestSchema>>
export type SensitiveRaw = z.output<typeof sensitiveSchema>
