/** The Salary experiments of [labels] 6.1: 6,000 people of whom 500 are auxiliary, a batch of 40, an MLP 48-24. */
import { centralTraining } from './central-training.js'
import { type RecordedRun, recordedRun } from './recorded-run.js'
import type { Extent, StudyPorts } from './study.js'

export const salaryEpochs = ({ quick }: Extent): readonly number[] => (quick ? [0, 1, 5, 10] : [0, 1, 2, 5, 10, 20])

/** Age and experience as they are in the file, or standardised: the thesis does not say, and it matters. */
export const scales = { raw: 'none', standardised: 'standardise' } as const
export type Scale = keyof typeof scales

/** What studies of it have alike: each scale is a point. */
export const salaryStudy = {
  paper: 'labels',
  data: ['salary'],
  axis: 'epoch',
  seconds: { quick: 15, full: 400 },
  seeds: { quick: 5, full: 100 },
  points: () => (Object.keys(scales) as Scale[]).map((scale) => ({ at: { scale }, effort: 1 })),
} as const

export interface Experiment extends Extent {
  /** Widths of the hidden layers; 48 and 24 unless told. */
  readonly hidden?: readonly number[]
  readonly scale: Scale
  readonly seed: number
  readonly ports: StudyPorts
}

export function salaryBatch({ scale, seed, quick, ports, hidden = [48, 24] }: Experiment): Promise<RecordedRun> {
  const [records, auxiliary, K] = [6000, 500, 40]
  const scenario = {
    name: 'salary-batch',
    seed,
    heldBack: 0,
    data: {
      name: 'salary',
      params: { duplicates: 'keep', scale: scales[scale] },
      rows: records,
      validation: 0,
      auxiliary: auxiliary / records,
    },
    partition: { name: 'sizes', params: { sizes: [K, records - auxiliary - K] } },
    models: [{ kind: 'mlp', hidden: [...hidden] }],
    training: { algorithm: 'fedsgd', share: 'gradient', rounds: 1, learningRate: 1e-4 },
    knowledge: { targets: ['0'], sensitive: [], metaclassCounts: true },
  } as const
  const central = { epochs: salaryEpochs({ quick }), learningRate: 1e-4, batchSize: 32 }
  return recordedRun(scenario, ports, centralTraining(central, ports))
}
