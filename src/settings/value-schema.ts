/** The schema of a setting's value, for files: what zod checks, and what editors are told. */
import { z } from 'zod'
import { wordsOf } from '../params.js'
import { type Kind, namesIn } from '../registry.js'
import type { Setting, SettingValue } from './setting.js'

/** An object of settings by their names, with their defaults and words. */
export function sectionSchema(known: Readonly<Record<string, Setting>>): z.ZodObject {
  return z.looseObject(
    Object.fromEntries(Object.entries(known).map(([key, { value }]) => [key, withDefault(value, value.default)])),
  )
}

/** The value's schema with its words; without a default it must be given. */
export function withDefault(declared: SettingValue, usual: unknown): z.ZodType {
  const schema = valueSchema(declared)
  return (usual === undefined ? schema : schema.default(usual as never)).describe(wordsOf(declared))
}

/** A name of a table: for editors the names, here any text, so that a wrong one is answered with the nearest. */
export function nameIn(kind: Kind, words: string): z.ZodType {
  const names = namesIn(kind)
  return z
    .string()
    .min(1)
    .meta({ ...(names.length > 0 && { enum: names }), description: words })
}

/** An entry by its name, with parameters; `entriesOf` tells whoever writes a JSON schema which they are. */
const entrySchema = (kind: Kind): z.ZodType =>
  z
    .looseObject({
      name: nameIn(kind, `which ${kind}`),
      params: z.record(z.string(), z.unknown()).default({}).describe(`parameters of the ${kind}`),
    })
    .meta({ entriesOf: kind })

export function valueSchema(declared: SettingValue): z.ZodType {
  switch (declared.kind) {
    case 'number': {
      const { orNull } = declared
      return orNull === undefined ? numberSchema(declared) : numberSchema(declared).nullable()
    }
    case 'numbers':
      return z.array(numberSchema(declared))
    case 'choice':
      return z.enum(declared.choices as [string, ...string[]])
    case 'text': {
      const text = declared.pattern === undefined ? z.string() : z.string().regex(declared.pattern)
      return declared.orNull === undefined ? text : text.nullable()
    }
    case 'flag':
      return z.boolean()
    case 'name':
      return nameIn(declared.table, declared.doc)
    case 'params':
      return z.record(z.string(), z.unknown())
    case 'entry':
      return entrySchema(declared.table)
    case 'entries':
      return z.array(entrySchema(declared.table))
    case 'by client':
      return z.record(z.string(), entrySchema(declared.table))
    case 'texts': {
      const text = declared.table === undefined ? z.string() : nameIn(declared.table, `which ${declared.table}`)
      const list = z.array(text).min(declared.least ?? 0)
      return declared.words.length === 0 ? list : z.union([...declared.words.map((word) => z.literal(word)), list])
    }
    case 'other':
      return z.unknown()
  }
}

type Numbers = Extract<SettingValue, { readonly kind: 'number' | 'numbers' }>

function numberSchema({ whole, min, max, above, below }: Numbers): z.ZodType<number> {
  let schema: z.ZodNumber = whole === true ? z.int() : z.number()
  if (min !== undefined) schema = schema.min(min)
  if (max !== undefined) schema = schema.max(max)
  if (above !== undefined) schema = schema.gt(above)
  if (below !== undefined) schema = schema.lt(below)
  return schema
}
