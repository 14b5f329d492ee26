/** What a sweep leaves beside its log: tables as CSV files, in the order of the sweep whoever was done first. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { csvLine, rowsOf } from '../../sweep/sweep-tables.js'
import { columnsOf, type TableName, tableNames } from '../../sweep/table-columns.js'
import type { TrialLine } from '../../sweep/trial-line.js'
import { faultOf } from '../files/machine-faults.js'
import { makeFolders } from '../files/make-folder.js'

/** Writes every table into the folder; gives their paths. */
export async function writeTables(
  folder: string,
  axes: readonly string[],
  lines: AsyncIterable<TrialLine>,
): Promise<Record<TableName, string>> {
  await makeFolders(folder)
  const written = tableNames.map((name) => [name, join(folder, `${name}.csv`)] as const)
  const streams = written.map(([name, path]) => ({ name, path, stream: createWriteStream(`${path}.tmp`) }))
  let fault: unknown
  for (const { stream, path } of streams)
    stream.on('error', (error) => {
      fault ??= faultOf(error, path)
    })
  for (const { name, stream } of streams) stream.write(csvLine(columnsOf(name, axes)))
  for await (const line of lines) {
    for (const { name, stream } of streams) {
      const text = rowsOf(name, line, axes).map(csvLine).join('')
      if (fault !== undefined) throw fault
      if (text !== '' && !stream.write(text)) await once(stream, 'drain').catch(() => {}) // the fault is kept
    }
  }
  for (const { stream, path } of streams) {
    stream.end()
    // One that failed meanwhile is closed already.
    await finished(stream).catch(() => {})
    if (fault !== undefined) throw fault
    await rename(`${path}.tmp`, path)
  }
  return Object.fromEntries(written) as Record<TableName, string>
}
