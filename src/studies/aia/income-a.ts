/** Income-A of [aia]: one client for each region of the survey. */
import { type RecordedRun, recordedRun } from '../recorded-run.js'
import type { Extent, StudyPorts } from '../study.js'

export interface IncomeA {
  readonly run: RecordedRun
  /** Its clients, the smallest first. */
  readonly bySize: readonly { readonly id: string; readonly samples: number }[]
}

export async function incomeA({
  seed,
  quick,
  ports,
}: Extent & { readonly seed: number; readonly ports: StudyPorts }): Promise<IncomeA> {
  const run = await recordedRun(
    {
      name: 'aia-income-a',
      seed,
      heldBack: 0,
      data: {
        name: 'acs-income',
        params: { part: 'states' },
        rows: quick ? 6000 : 60_000,
        validation: 0.1,
        auxiliary: 0,
      },
      partition: { name: 'by-column', params: { column: 'ST' } },
      models: [{ kind: 'mlp', hidden: [128] }],
      training: { rounds: 100, localEpochs: 1, batchSize: 32, learningRate: 1e-6 },
      knowledge: { targets: 'all', sensitive: ['SEX'] },
    },
    ports,
  )
  const { transcript } = await run.sources(run.targets[0]!)
  const { clients } = transcript.manifest
  const bySize = (Array.isArray(clients) ? (clients as { id: string; samples: number | null }[]) : [])
    .map(({ id, samples }) => ({ id, samples: samples ?? 0 }))
    .sort((a, b) => a.samples - b.samples)
  return { run, bySize }
}

export const incomeADeparts = [
  'The paper has 51 regions of 2014 to 2018 and 332,900 people; here 49 regions of 2024 and 60,000 people, drawn from a fifth of the survey (--quick: 6,000).',
]
