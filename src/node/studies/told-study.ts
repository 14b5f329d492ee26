/** What is told and stored of a study: rows from the log of its cells, and how they were measured. */
import type { ToldStudy } from '../../report/study-text.js'
import { summaryOf } from '../../studies/summary.js'
import { version } from '../version.js'
import type { CellLog } from './cell-log.js'
import type { Failure, Planned } from './reproduction.js'

export interface Told {
  readonly log: CellLog
  readonly quick: boolean
  readonly failures: readonly Failure[]
  /** Why it did not run. */
  readonly absent: string | undefined
}

/** Figures to nine digits: what is stored is read by people, and the log has them whole. */
const rounded = (value: number): number => Number(value.toPrecision(9))

export function toldStudy({ study, cells }: Planned, { log, quick, failures, absent }: Told): ToldStudy {
  const lines = cells.flatMap(({ id }) => log.read(id) ?? [])
  const measures = lines.flatMap((line) =>
    line.measures.map(({ x, ...rest }) => ({ ...rest, ...(x !== undefined && { x }) })),
  )
  const { rows, ...summary } = summaryOf(study, measures)
  return {
    ...summary,
    rows: rows.map(({ ours: { mean, std, median, n }, ...row }) => {
      return { ...row, ours: { mean: rounded(mean), std: rounded(std), median: rounded(median), n } }
    }),
    run: {
      quick,
      seeds: [...new Set(cells.map(({ seed }) => seed))],
      cells: lines.length,
      planned: cells.length,
      seconds: Math.round(lines.reduce((sum, { seconds }) => sum + seconds, 0)),
      version,
      date: new Date().toISOString().slice(0, 10),
      trouble: [
        ...(absent === undefined ? [] : [absent]),
        ...failures
          .filter(({ cell }) => cell.study === study.id)
          .map(({ cell, reason }) => `${JSON.stringify(cell.at)}, seed ${cell.seed}: ${reason}`),
      ],
    },
  }
}
