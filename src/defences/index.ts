/** The table of defences: one file and one line each. */

import { chosen, type Entry, type Named } from '../federation/chosen-by-name.js'
import type { Defence } from '../federation/hooks.js'
import type { DefenceEntry } from './defence-entry.js'
import { dpSgdEntry } from './dp-sgd.js'
import { secureAggregationEntry } from './secure-aggregation.js'

export const defences = {
  'dp-sgd': dpSgdEntry,
  'secure-aggregation': secureAggregationEntry,
} as const satisfies Record<string, Entry>

/** The plain data that chooses a defence. */
export type DefenceSpec = Named<typeof defences>

/** The defence that is meant; an unknown name or parameter is an error. */
export function createDefence(spec: DefenceSpec): Defence {
  const { entry, values } = chosen<DefenceEntry>(defences as unknown as Record<string, DefenceEntry>, spec, 'defence')
  return entry.create(values)
}
