/** The parameters of all entries of a table, where they stand side by side and not below a key of their own. */
import { z } from 'zod'
import type { Param } from '../params.js'
import type { Entry } from '../registry.js'
import { valueSchema } from './value-schema.js'

/**
 * Optional keys, one for each name: for editors what they may hold and in whose
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
    const { $schema: _, ...json } = z.toJSONSchema(valueSchema(param))
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
