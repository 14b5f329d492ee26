/** The schema of a manifest's `model`, from the table of models as it is when a file is read: plug-ins are known too. */
import { z } from 'zod'
import { type Entry, tableOf } from '../registry.js'
import { valueSchema } from '../settings/value-schema.js'

/** What of an entry of that table a manifest follows. */
interface Described extends Entry {
  readonly takes: { readonly inputs: 'count' | 'picture' | 'known'; readonly outputs: 'count' | number }
  readonly inTraining?: readonly string[]
}

const count = z.int().min(1)
const picture = z.tuple([count, count, count])
const inputs = { count, picture, known: z.union([count, picture]).optional() } as const

function shapeOf({ id, params, takes, inTraining = [] }: Described) {
  const options = Object.entries(params)
    .filter(([name]) => !inTraining.includes(name))
    .map(([name, param]) => [name, valueSchema(param).default(param.default)])
  return {
    kind: z.literal(id),
    inputs: inputs[takes.inputs],
    outputs: takes.outputs === 'count' ? count : count.default(takes.outputs),
    ...(Object.fromEntries(options) as Record<string, z.ZodType>),
  }
}

/** The keys that a manifest's model of some kind may have, with their schemas. */
export const modelShapes = (): Readonly<Record<string, { readonly kind: z.ZodLiteral<string> }>> => ({
  ...Object.fromEntries(Object.values(tableOf('model')).map((entry) => [entry.id, shapeOf(entry as Described)])),
  opaque: { kind: z.literal('opaque') },
})

/** A model as a manifest holds it: its kind and the options of that kind, defaults filled in. */
export interface ModelManifest {
  readonly kind: string
  readonly [option: string]: unknown
}

export function modelSchema(): z.ZodType<ModelManifest, ModelManifest> {
  const options = Object.values(modelShapes()).map((shape) => z.looseObject(shape))
  return z.discriminatedUnion('kind', options as [(typeof options)[number], ...typeof options])
}
