/** Income-L of [aia]: people of Louisiana dealt to ten clients by Alg. 5, and the attacks of Figs. 3 to 5 on some of them. */

import { type RecordedRun, recordedRun } from '../recorded-run.js'
import type { Extent, StudyPorts } from '../study.js'
import type { AiaOptions } from './aia-run.js'

export interface IncomeWorld extends Extent {
  readonly seed: number
  readonly heterogeneity?: number
  readonly batchSize?: number
  readonly localEpochs?: number
  readonly ports: StudyPorts
}

/** [aia] B.4. */
const rateFor = (batchSize: number): number =>
  batchSize <= 64 ? 5e-7 : batchSize <= 128 ? 1e-6 : batchSize <= 512 ? 2e-6 : 3e-6

export function incomeRun(world: IncomeWorld): Promise<RecordedRun> {
  const { seed, quick, heterogeneity = 0.4, batchSize = 32, localEpochs = 1, ports } = world
  return recordedRun(
    {
      name: 'aia-income',
      seed,
      heldBack: 0,
      data: {
        name: 'acs-income',
        params: { part: 'louisiana' },
        rows: quick ? 2000 : null,
        validation: 0.1,
        auxiliary: 0,
      },
      partition: { name: 'heterogeneous', params: { clients: 10, heterogeneity } },
      models: [{ kind: 'mlp', hidden: [128] }],
      training: {
        rounds: Math.ceil(100 / localEpochs),
        localEpochs,
        batchSize,
        learningRate: rateFor(batchSize),
      },
      knowledge: { targets: quick ? ['0', '9'] : 'all', sensitive: ['SEX'] },
    },
    ports,
  )
}

/** What is asked of it. */
export const incomeAttacks = ({ quick }: Extent): Pick<AiaOptions, 'clients' | 'reconstruct' | 'trials' | 'grid'> => ({
  clients: quick ? 2 : 10,
  reconstruct: 'last-returned',
  trials: quick ? 6 : 50,
  grid: quick
    ? { fractions: [0.01, 0.05], rates: [1e3, 1e4, 1e5] }
    : { fractions: [0.01, 0.05, 0.1, 0.2, 0.5, 1], rates: [1e2, 1e3, 1e4, 1e5, 1e6] },
})

export const incomeDeparts = [
  "The paper's survey year is not among the data: Income-L is Louisiana in 2024.",
  'Grad is the passive one; its active variant (echoes) is not in the figure.',
  '--quick: one seed, 2,000 people (about 150 a client, of the paper about 1,500), clients 0 and 9, 6 settings of Adam in place of 50, a small grid for Grad. Grad does better on small clients (Fig. 1): what is said of it beside the others needs the whole sizes.',
]
