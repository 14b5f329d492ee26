/** Attribute inference as [aia] measures it: every attack of its tables on the clients of one federation. */
import type { RecordedRun } from '../recorded-run.js'
import type { Measure, Published } from '../study.js'

/** The rows of the paper's Tables 1 to 3, and what stands beside them. */
export const rowNames = {
  majority: 'best constant in hindsight',
  grad: 'passive, Grad',
  gradOracle: 'passive, Grad-w-O (oracle)',
  passive: 'passive, ours',
  active10: 'active, 10 rounds (oracle)',
  active50: 'active, 50 rounds (oracle)',
  oracle: 'Model-w-O (oracle)',
  beyond: 'passive, aia-linear (beyond the paper)',
} as const

export type RowName = keyof typeof rowNames

export interface AiaOptions {
  readonly panel: string
  readonly rows: readonly RowName[]
  /** Who is attacked: the first so many of the run's targets, or these. */
  readonly clients: number | readonly string[]
  /** Where the messages of a target are, of a recorder that makes several recordings. */
  readonly part?: (target: string) => string
  /** The attack behind "passive, ours": the last returned model, or Alg. 3 for a linear one. */
  readonly reconstruct: 'last-returned' | 'lmra-ols'
  /** Settings of Adam that the active attack tries. */
  readonly trials: number
  /** Shares of the rounds that Grad tries, and its rates. */
  readonly grid: { readonly fractions: readonly number[]; readonly rates: readonly number[] }
  /** Parameters of aia-linear, where not as they are. */
  readonly linear?: Readonly<Record<string, number>>
  /** Where on a curve it stands. */
  readonly x?: number
  /** How many active rounds the two active rows have, where not 10 and 50. */
  readonly activeRounds?: { readonly active10?: number; readonly active50?: number }
  /** The round from which on the active attacks send; the end of the training unless told. */
  readonly activeFrom?: number
}

const fromModel = (from: string, fromParams = {}) => ({ id: 'aia-model', params: { from }, fromParams })

/** What is run for a row. */
function attackFor(
  row: Exclude<RowName, 'majority'>,
  { reconstruct, trials, grid, linear = {}, activeRounds: { active10 = 10, active50 = 50 } = {} }: AiaOptions,
) {
  const active = (rounds: number) => fromModel('lmra-active-adam-oracle', { rounds, trials })
  switch (row) {
    case 'grad':
      return { id: 'aia-gradient', params: grid }
    case 'gradOracle':
      return { id: 'aia-gradient-oracle', params: grid }
    case 'passive':
      // [aia] Alg. 3 regresses the models on their changes.
      return fromModel(reconstruct, reconstruct === 'lmra-ols' ? { form: 'inverse' } : {})
    case 'active10':
      return active(active10)
    case 'active50':
      return active(active50)
    case 'oracle':
      // The paper: Adam for 200 epochs; the optimum of a linear model is had at once.
      return fromModel(reconstruct === 'lmra-ols' ? 'model-oracle' : 'model-oracle-adam200')
    case 'beyond':
      return { id: 'aia-linear', params: linear }
  }
}

/** The share of the attribute's values that each attack has right, in %, as a mean over the clients. */
export async function accuracies(run: RecordedRun, options: AiaOptions): Promise<Measure[]> {
  const found: Measure[] = []
  const { clients, part } = options
  const targets = typeof clients === 'number' ? run.targets.slice(0, clients) : clients
  for (const row of options.rows) {
    let sum = 0
    for (const target of targets) {
      const where = { target, ...(part !== undefined && { part: part(target) }) }
      if (row === 'majority') {
        const { also } = await run.score('aia-model', where)
        sum += also.bestConstantInHindsight!
        continue
      }
      const { id, ...asked } = attackFor(row, options)
      const { activeFrom } = options
      const { accuracy } = await run.score(id, { ...asked, ...where, ...(activeFrom !== undefined && { activeFrom }) })
      sum += accuracy!
    }
    const { panel, x } = options
    found.push({ panel, series: rowNames[row], ...(x !== undefined && { x }), value: (100 * sum) / targets.length })
  }
  return found
}

/** Rows that the paper prints for a dataset. */
export function printedRows(
  panel: string,
  rows: Partial<Record<RowName, readonly [mean: number, std: number]>>,
): Published[] {
  return Object.entries(rows).map(([row, [mean, std]]) => ({ panel, series: rowNames[row as RowName], mean, std }))
}
