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
}

export function answerToCell({ cell, dataDir }: CellTask): Promise<TrialReply<readonly Measure[]>> {
  const { seed, quick, at } = cell
  const ports = { dataset: (name: string) => datasetReader(name, dataDir) }
  return replyOf(() => find<Study>(studies, cell.study).measure(at, { seed, quick, ports }))
}
