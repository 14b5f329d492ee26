/** The table of defences: one file and one line each. */

import type { Defence } from '../federation/hooks.js'
import { chosen, type Named, table } from '../registry.js'
import { centralDpEntry } from './central-dp.js'
import { clipEntry } from './clip.js'
import type { DefenceEntry } from './defence-entry.js'
import { distributedDpEntry } from './distributed-dp.js'
import { dpFtrlEntry } from './dp-ftrl.js'
import { dpSgdEntry } from './dp-sgd.js'
import { gradientPruningEntry } from './gradient-pruning.js'
import { localDpEntry } from './local-dp.js'
import { mixupEntry } from './mixup.js'
import { quantiseEntry } from './quantised-change.js'
import { representationMaskEntry } from './representation-mask.js'
import { secureAggregationEntry } from './secure-aggregation.js'
import { sparsifyEntry } from './sparsify.js'

export const defences = table('defence', [
  dpSgdEntry,
  localDpEntry,
  centralDpEntry,
  dpFtrlEntry,
  distributedDpEntry,
  clipEntry,
  sparsifyEntry,
  quantiseEntry,
  mixupEntry,
  gradientPruningEntry,
  representationMaskEntry,
  secureAggregationEntry,
])

/** The same table, whatever the parameters of its entries. */
export const allDefences = defences as unknown as Readonly<Record<string, DefenceEntry>>

/** The plain data that chooses a defence. */
export type DefenceSpec = Named<typeof defences>

/** The defence that is meant; an unknown name or parameter is an error. */
export function createDefence(spec: DefenceSpec): Defence {
  const { entry, values } = chosen(allDefences, spec)
  return entry.create(values)
}
