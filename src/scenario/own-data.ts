/** What is in a table that a scenario says nothing of but its name: a run depends on it. */
import type { DatasetEntry } from '../data/dataset-entry.js'
import { datasets } from '../data/index.js'
import { find } from '../registry.js'
import { sha256Of } from '../transcript/file-digest.js'
import type { Scenario } from './scenario-schema.js'
import { poolsOf, type SimulatePorts } from './simulate.js'

/** The digest of a table that is not known by its dataset's name; undefined where the name says it all. */
export async function digestOfData(
  scenario: Scenario,
  ports: Pick<SimulatePorts, 'dataset'>,
): Promise<string | undefined> {
  const { origin, files } = find<DatasetEntry>(datasets, scenario.data.name)
  if (origin !== 'files' || files !== undefined) return undefined
  const { source } = await poolsOf(scenario, ports)
  const sums: string[] = []
  for (const column of source.table.columns) {
    const { buffer, byteOffset, byteLength } = column.kind === 'number' ? column.values : column.codes
    const words = column.kind === 'number' ? [] : column.words
    sums.push(column.name, JSON.stringify(words), await sha256Of(new Uint8Array(buffer, byteOffset, byteLength)))
  }
  return sha256Of(new TextEncoder().encode(sums.join('\n')))
}
