/** The experiments of [labels] 6.1: 6,000 records of which 500 are auxiliary, a client's batch of 40, an MLP 48-24. */
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { type Central, centralTraining } from '../central-training.js'
import { type RecordedRun, recordedRun } from '../recorded-run.js'
import type { Extent, StudyPorts } from '../study.js'

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

/** What can differ from the thesis' usual experiment. */
export interface Experiment extends Extent, Pick<Central, 'spoil'> {
  readonly seed: number
  readonly ports: StudyPorts
  /** Widths of the hidden layers; 48 and 24 unless told. */
  readonly hidden?: readonly number[]
  /** K, records of the batch; 40 unless told. */
  readonly K?: number
  /** In place of the usual ones. */
  readonly epochs?: readonly number[]
}

const [usual, auxiliary] = [6000, 500]

function labelBatch(
  { records = usual, ...data }: Pick<ScenarioInput['data'], 'name' | 'params'> & { readonly records?: number },
  { seed, quick, ports, hidden = [48, 24], K = 40, epochs = salaryEpochs({ quick }), spoil }: Experiment,
): Promise<RecordedRun> {
  const scenario = {
    name: `${data.name}-batch`,
    seed,
    heldBack: 0,
    data: { ...data, rows: records, validation: 0, auxiliary: auxiliary / records },
    partition: { name: 'sizes', params: { sizes: [K, records - auxiliary - K] } },
    models: [{ kind: 'mlp', hidden: [...hidden] }],
    training: { algorithm: 'fedsgd', share: 'gradient', rounds: 1, learningRate: 1e-4 },
    knowledge: { targets: ['0'], sensitive: [], metaclassCounts: true },
  } as const
  const central = { epochs, learningRate: 1e-4, batchSize: 32, ...(spoil && { spoil }) }
  return recordedRun(scenario, ports, centralTraining(central, ports))
}

export const salaryBatch = ({ scale, ...experiment }: Experiment & { readonly scale: Scale }): Promise<RecordedRun> =>
  labelBatch({ name: 'salary', params: { duplicates: 'keep', scale: scales[scale] } }, experiment)

/** Without copies of rows, which a random split puts on both sides: 1,770 people, 500 of them auxiliary. */
export const distinctSalaryBatch = ({ scale, ...experiment }: Experiment & { readonly scale: Scale }) =>
  labelBatch({ name: 'salary', params: { duplicates: 'drop', scale: scales[scale] }, records: 1770 }, experiment)

/** [labels] 5.1: 30 inputs unless told, four metaclasses. */
export const syntheticBatch = ({ inputs = 30, ...experiment }: Experiment & { readonly inputs?: number }) =>
  labelBatch({ name: 'metaclass-synthetic', params: { records: usual, inputs } }, experiment)
