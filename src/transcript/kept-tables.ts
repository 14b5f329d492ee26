/** Tables that are read and decoded once, as long as they fit in a store of bytes that several may share. */
import { matrix } from '../numeric/linalg/matrix.js'
import { type ReadTable, readTable, type Table } from './encoded-table.js'
import type { Room } from './kept-rounds.js'
import type { FileStore } from './store.js'

/** Reads as `readTable` does; what it hands out is the reader's own. What is wrong with a file is found each time anew. */
export function keepTables(room: Room): ReadTable {
  const kept = new WeakMap<FileStore, Map<string, Table>>()
  return async (store, spec, options) => {
    const own = kept.get(store) ?? new Map<string, Table>()
    kept.set(store, own)
    const { where: _, readParquet: __, mayBeEmpty } = options
    const key = JSON.stringify([spec, mayBeEmpty])
    const known = own.get(key)
    if (known !== undefined) return copyOf(known)
    const table = await readTable(store, spec, options)
    const bytes = bytesOf(table)
    if (bytes <= room.left && !own.has(key)) {
      room.left -= bytes
      own.set(key, copyOf(table))
    }
    return table
  }
}

const bytesOf = ({ features, labels, metaclasses }: Table): number =>
  features.data.byteLength + (labels?.byteLength ?? 0) + (metaclasses?.byteLength ?? 0)

function copyOf({ columns, features, labels, metaclasses, ids }: Table): Table {
  return {
    columns: [...columns],
    features: matrix(features.rows, features.cols, features.data.slice()),
    ...(labels !== undefined && { labels: labels.slice() }),
    ...(metaclasses !== undefined && { metaclasses: metaclasses.slice() }),
    ...(ids !== undefined && { ids: [...ids] }),
  }
}
