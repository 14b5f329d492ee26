/** One client for each value of a column: states, hospitals, or the clients a dataset comes with. */
import { asWords, columnOf, levelsOf } from '../data/table.js'
import { OverhearError } from '../errors.js'
import { text } from '../params.js'
import { definePartition } from './partition-entry.js'

export const byColumn = definePartition({
  id: 'by-column',
  title: 'one client per value of a column',
  params: {
    column: text({ default: '', doc: "the column; unless told, the one that names the dataset's own clients" }),
  },
  deal: ({ source, rows }, { column: asked }) => {
    const name = asked === '' ? source.client : asked
    if (name === undefined) {
      const known = source.table.columns.map((column) => column.name).join(', ')
      throw new OverhearError('E_INPUT', `dataset "${source.name}" has no clients of its own`, `set column: ${known}`)
    }
    const column = columnOf(source.table, name)
    const { codes, words } = asWords(column)
    const owned = words.map((): number[] => [])
    for (const row of rows) {
      const own = owned[codes[row]!]
      if (own === undefined) {
        throw new OverhearError('E_VALUE', `partition by-column: "${name}" is missing in row ${row}`, 'drop such rows')
      }
      own.push(row)
    }
    // Values that stand only in rows that are not dealt make no client.
    const ids = levelsOf(column).filter((word) => owned[words.indexOf(word)]!.length > 0)
    return { ids, clients: ids.map((word) => owned[words.indexOf(word)]!) }
  },
})
