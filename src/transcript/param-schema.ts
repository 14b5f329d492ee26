/** Declared parameters as schemas of what a file may hold. */
import { z } from 'zod'
import type { NumberParam, NumbersParam, Param } from '../params.js'
import type { Entry } from '../registry.js'

/** What a parameter's value may be, whatever its default. */
export function schemaOf(param: Param): z.ZodType {
  switch (param.kind) {
    case 'number':
      return numberIn(param)
    case 'numbers':
      return z.array(numberIn(param))
    case 'choice':
      return z.enum(param.choices as [string, ...string[]])
    case 'text':
      return z.string()
    case 'flag':
      return z.boolean()
  }
}

function numberIn({ whole, min, max }: NumberParam | NumbersParam): z.ZodType {
  let schema: z.ZodNumber | z.ZodInt = whole ? z.int() : z.number()
  if (min !== undefined) schema = schema.min(min)
  if (max !== undefined) schema = schema.max(max)
  return schema
}

/**
 * The parameters of all entries of a table side by side, as optional keys: for editors what they may hold and in whose
 * words, here anything, since the entry that is chosen checks its own.
 */
export function optionsOf(table: Readonly<Record<string, Entry>>): Record<string, z.ZodOptional<z.ZodUnknown>> {
  const owners = new Map<string, { readonly param: Param; readonly ids: string[] }>()
  for (const { id, params } of Object.values(table)) {
    for (const [name, param] of Object.entries(params)) {
      const found = owners.get(name)
      if (found === undefined) owners.set(name, { param, ids: [id] })
      else found.ids.push(id)
    }
  }
  const options = [...owners].map(([name, { param, ids }]) => {
    const { $schema: _, ...json } = z.toJSONSchema(schemaOf(param))
    const usual = Array.isArray(param.default) ? param.default.join() || 'none' : String(param.default)
    const description = `${ids.join(', ')}: ${param.doc}; ${usual} unless told`
    return [
      name,
      z
        .unknown()
        .optional()
        .meta({ ...json, description }),
    ]
  })
  return Object.fromEntries(options)
}
