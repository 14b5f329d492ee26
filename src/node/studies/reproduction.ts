/** Studies: their cells on a crew, the longest first; what is finished is kept and never run twice. */
import type { DatasetEntry } from '../../data/dataset-entry.js'
import { datasets } from '../../data/index.js'
import { find } from '../../registry.js'
import { type Cell, secondsFor } from '../../studies/cells.js'
import type { Study } from '../../studies/study.js'
import { dataFolders, findFile } from '../files/dataset-files.js'
import type { CellCrew } from './cell-crew.js'
import type { CellLog } from './cell-log.js'

/** How much one cell may take: the largest holds the records of 49 regions and what is known of them in memory. */
export const cellLimits = { seconds: 6 * 3600, megabytes: 8000 }
const attempts = 2

/** Why a study cannot run here; undefined where it can. */
export function whyNot({ data }: Pick<Study, 'data'>, dataDir?: string): string | undefined {
  const folders = dataFolders(dataDir === undefined ? {} : { dataDir })
  for (const name of data) {
    const { files = [] } = find<DatasetEntry>(datasets, name)
    if (files.length === 0 || files.some((file) => findFile(file, folders) !== undefined)) continue
    return `the files of dataset "${name}" are not in ${folders.join(', ')}; "overhear data ${name}" says where to get them`
  }
  return undefined
}

/** A study with the cells that are asked of it. */
export interface Planned {
  readonly study: Study
  readonly cells: readonly Cell[]
}

/** Seconds of one processor that are left, by what studies declare. */
export const secondsLeft = (planned: readonly Planned[], log: CellLog, quick: boolean): number =>
  planned.reduce((sum, { study, cells }) => {
    return sum + secondsFor(study, { quick, cells: cells.filter(({ id }) => log.read(id) === undefined) })
  }, 0)

export interface RunOptions {
  readonly log: CellLog
  readonly quick: boolean
  readonly signal: AbortSignal
  /** It is closed when all is done. */
  readonly crew: CellCrew
  /** Told when a cell is finished or has failed. */
  onEnd(done: number, failed: number): void
}

export interface Failure {
  readonly cell: Cell
  readonly reason: string
}

/** Runs what is not finished; the failures come back. It ends early where it is asked to stop. */
export async function runCells(
  planned: readonly Planned[],
  { log, quick, signal, crew, onEnd }: RunOptions,
): Promise<readonly Failure[]> {
  const waiting = planned
    .flatMap(({ study, cells }) =>
      cells.map((cell) => ({ cell, data: study.data, cost: secondsFor(study, { quick, cells: [cell] }) })),
    )
    .filter(({ cell }) => log.read(cell.id) === undefined)
    .sort((a, b) => a.cost - b.cost)
  const failures: Failure[] = []
  let done = 0
  const stop = (): void => void crew.close()
  signal.addEventListener('abort', stop)
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined && !signal.aborted; next = waiting.pop()) {
      const { cell, data } = next
      const ended = await attempted(cell, data)
      if (ended === undefined) return
      if ('reason' in ended) failures.push({ cell, reason: ended.reason })
      else {
        const { id, study, at, seed, quick: small } = cell
        await log.add({ id, study, at, seed, quick: small, ...ended })
        await crew.kept?.(id)
        done++
      }
      onEnd(done, failures.length)
    }
  }
  const attempted = async (cell: Cell, data: readonly string[]) => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await crew.run(cell, { label: `${cell.study}, seed ${cell.seed}`, data })
      if (outcome.kind === 'stopped') return undefined
      if (outcome.kind === 'done') return { ...outcome.result, measures: [...outcome.result.measures] }
      if (outcome.kind === 'refused' || attempt === attempts) return { reason: outcome.reason }
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(crew.size, waiting.length) }, lane))
  } finally {
    signal.removeEventListener('abort', stop)
    await crew.close()
  }
  return failures
}
