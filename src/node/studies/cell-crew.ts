/** Who runs cells: worker processes of this machine, or a queue that others serve. */
import { availableParallelism } from 'node:os'
import type { Cell } from '../../studies/cells.js'
import type { Outcome } from '../../sweep/run-trials.js'
import { type TrialLimits, trialProcesses } from '../sweep/trial-processes.js'
import type { CellResult, CellTask } from './cell-task.js'

export interface CellCrew {
  /** How many cells it may have at a time. */
  readonly size: number
  /** `data`: the datasets that the cell's study reads. */
  run(cell: Cell, about: { readonly label: string; readonly data: readonly string[] }): Promise<Outcome<CellResult>>
  /** Told when what a cell ended in is kept. */
  kept?(id: string): Promise<void>
  /** Ends all work; what runs is stopped. */
  close(): Promise<void>
}

export interface LocalCells {
  readonly limits: TrialLimits
  readonly workers?: number
  readonly dataDir?: string
}

export function localCells({ limits, workers = availableParallelism(), dataDir }: LocalCells): CellCrew {
  const processes = trialProcesses<CellTask, CellResult>()
  return {
    size: workers,
    run: (cell, { label }) => processes.run({ cell, ...(dataDir !== undefined && { dataDir }) }, limits, label),
    close: () => processes.close(),
  }
}
