/** The table of partitions. */
import { find, table } from '../registry.js'
import { adultPhd } from './adult-phd.js'
import { byColumn } from './by-column.js'
import { contiguous } from './contiguous.js'
import { dirichlet } from './dirichlet.js'
import { heterogeneous } from './heterogeneous.js'
import { iid } from './iid.js'
import type { Deal, PartitionEntry, PartitionInput } from './partition-entry.js'
import { sizes } from './sizes.js'

export const partitions = table('partition', [iid, contiguous, byColumn, sizes, dirichlet, heterogeneous, adultPhd])

/** Deals rows by the name of a partition; an unknown name is an error that lists the known. */
export function dealRows(name: string, input: PartitionInput, params: Readonly<Record<string, unknown>> = {}): Deal {
  return find<PartitionEntry>(partitions, name).deal(input, params)
}
