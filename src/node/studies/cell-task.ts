/** One cell of a study in this process: what a worker process answers when it is asked for one. */
import { find } from '../../registry.js'
import type { Cell } from '../../studies/cells.js'
import { studies } from '../../studies/index.js'
import type { Measure, Study } from '../../studies/study.js'
import { datasetReader } from '../files/dataset-files.js'
import { replyOf, type TrialReply } from '../sweep/trial-task.js'

/** What a worker process is asked to do. */
export interface CellTask {
  readonly cell: Cell
  /** Where datasets are looked for first. */
  readonly dataDir?: string
  /** Where files of datasets are that were found by their contents. */
  readonly places?: Readonly<Record<string, string>>
}

/** What was measured, and the seconds of a processor that it took: a busy machine does not change them much. */
export interface CellResult {
  readonly measures: readonly Measure[]
  readonly seconds: number
}

export function answerToCell({ cell, dataDir, places }: CellTask): Promise<TrialReply<CellResult>> {
  const { seed, quick, at } = cell
  const ports = { dataset: (name: string) => datasetReader(name, dataDir, places) }
  return replyOf(async () => {
    const before = process.cpuUsage()
    const measures = await find<Study>(studies, cell.study).measure(at, { seed, quick, ports })
    const { user, system } = process.cpuUsage(before)
    return { measures, seconds: Math.round((user + system) / 1e4) / 100 }
  })
}
