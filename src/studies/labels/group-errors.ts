/** [labels] 6.4 and 6.5: what every figure of them measures of one experiment: means and counts of groups, by each solver. */
import { epochPart } from '../central-training.js'
import type { RecordedRun } from '../recorded-run.js'
import type { Measure } from '../study.js'

const meansWays = {
  'Moore-Penrose (MP)': { solver: 'pinv' },
  'Tikhonov (T), slope -n/m': { solver: 'tikhonov', rule: 'slope-nm' },
  'Tikhonov (T), slope -1': { solver: 'tikhonov', rule: 'slope-1' },
  'prior (beyond the thesis)': { solver: 'prior' },
} as const
export const naive = 'naive: the prediction for auxiliary records'
export const [mp, tikhonov, steep, prior] = Object.keys(meansWays) as [string, string, string, string]

interface Asked {
  readonly panel: string
  readonly epochs: readonly number[]
}

/** Errors of the mean labels of groups, and the condition number of the system beside them. */
export async function meansErrors(run: RecordedRun, { panel, epochs }: Asked): Promise<Measure[]> {
  const found: Measure[] = []
  for (const x of epochs) {
    for (const [series, params] of Object.entries(meansWays)) {
      const score = await run.scoreIfAny('metaclass-means', { target: '0', params, part: epochPart(x) })
      if (score === undefined) continue
      found.push({ panel, series, x, value: score.value })
      if (series === mp) found.push({ panel, series: naive, x, value: score.also.auxiliaryPrediction! })
    }
  }
  return found
}

const countsWays = {
  'Moore-Penrose (MP)': { solver: 'pinv' },
  'Tikhonov (T), slope -n/m': { solver: 'tikhonov', rule: 'slope-nm' },
  'best linear prediction (beyond the thesis)': { solver: 'blup' },
} as const
export const shares = 'K times the auxiliary shares'
export const blup = 'best linear prediction (beyond the thesis)'
/** The two metrics of the thesis, in the names of panels. */
export const [mae, asr] = ['MAE', 'ASR'] as const
export const inMetric = (panel: string, metric: string): string => (panel === '' ? metric : `${panel}, ${metric}`)

export async function countsErrors(run: RecordedRun, { panel, epochs }: Asked): Promise<Measure[]> {
  const found: Measure[] = []
  for (const x of epochs) {
    for (const [series, params] of Object.entries(countsWays)) {
      const score = await run.scoreIfAny('metaclass-counts', { target: '0', params, part: epochPart(x) })
      if (score === undefined) continue
      const { value, also, chance } = score
      found.push({ panel: inMetric(panel, mae), series, x, value })
      found.push({ panel: inMetric(panel, asr), series, x, value: also.ASR! })
      if (series !== mp) continue
      found.push({ panel: inMetric(panel, mae), series: shares, x, value: chance! })
      found.push({ panel: inMetric(panel, asr), series: shares, x, value: also.chanceASR! })
    }
  }
  return found
}

/** What must be said of all of them. */
export const groupNotes = {
  [prior]: 'ours; it also reads the auxiliary labels',
  [blup]: 'ours',
  [shares]: 'what the same attacker may say without any message',
}
export const leftOut =
  'Where a gradient looks otherwise than the protocol says, the attack claims nothing, whatever its solver: such runs are left out.'
export const fewer = (runs: number): string => `--quick: ${runs} experiments in place of 100, epochs 0, 1, 5 and 10.`
