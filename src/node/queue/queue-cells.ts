/** Cells of studies beyond this machine: jobs of the queue that sweeps use, served by the same workers. */
import type { DatasetEntry } from '../../data/dataset-entry.js'
import { datasets } from '../../data/index.js'
import { find } from '../../registry.js'
import type { Outcome } from '../../sweep/run-trials.js'
import { dataFolders, findFile } from '../files/dataset-files.js'
import type { CellCrew } from '../studies/cell-crew.js'
import type { CellResult } from '../studies/cell-task.js'
import { jobQueue } from './job-queue.js'
import type { QueueAddress } from './queue-address.js'
import { readCellAnswer, versions } from './queue-job.js'

export interface QueueCellsOptions {
  readonly address: QueueAddress
  /** The datasets of the studies, whose files workers may ask for. */
  readonly data: readonly string[]
  readonly limits: { readonly seconds: number; readonly megabytes: number }
  readonly dataDir?: string
  isKept(id: string): boolean
}

export async function queueCells({ address, data, limits, dataDir, isKept }: QueueCellsOptions): Promise<CellCrew> {
  const folders = dataFolders(dataDir === undefined ? {} : { dataDir })
  const places = new Map<string, string>()
  const filesOf = (name: string): [path: string, sha256: string][] =>
    (find<DatasetEntry>(datasets, name).files ?? []).flatMap((file) => {
      const place = findFile(file, folders)
      if (place === undefined || file.sha256 === undefined) return []
      places.set(file.sha256, place)
      return [[file.path, file.sha256]]
    })
  const marks = new Map(data.map((name) => [name, filesOf(name)]))
  const placeOf = (sha256: string): string | undefined => places.get(sha256)
  const queue = await jobQueue<CellResult>({
    address,
    placeOf,
    isKept,
    read: (id, json) => readCellAnswer(id, json) as Outcome<CellResult>,
  })
  return {
    size: queue.size,
    run({ id, ...cell }, { label, data: used }) {
      return queue.run(id, {
        format: 'overhear-cell-job/1',
        versions: { ...versions },
        cell,
        files: Object.fromEntries(used.flatMap((name) => marks.get(name) ?? [])),
        limits,
        label,
      })
    },
    kept: (id) => queue.kept(id),
    close: () => queue.close(),
  }
}
