/** Gradients of batches of pictures, as [labels] chapter 3 attacks them: every attack on the labels of a batch, graded. */
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { type RecordedRun, recordedRun } from '../recorded-run.js'
import type { Measure, StudyPorts } from '../study.js'

/** The thesis' names, the attacks, and whether they claim how often a class occurs. */
export const classAttacks = {
  iDLG: { id: 'idlg', params: {}, counts: false },
  BLR: { id: 'blr', params: {}, counts: false },
  LLG: { id: 'llg', params: {}, counts: true },
  'LLG*': { id: 'llg-star', params: {}, counts: true },
  'LLG+': { id: 'llg-plus', params: {}, counts: true },
  'iLRG, as published': { id: 'ilrg', params: { embeddings: 'class' }, counts: true },
  'iLRG, ours': { id: 'ilrg', params: {}, counts: true },
} as const
export type ClassAttack = keyof typeof classAttacks
const unheard = 'no message: the likeliest labels by the auxiliary shares'
export const [cAcc, iAcc] = ['cAcc', 'iAcc'] as const

export interface Batches {
  readonly dataset: 'mnist' | 'fashion-mnist' | 'cifar10'
  readonly model: ScenarioInput['models'][number]
  /** Records of each client, and how many clients. */
  readonly K: number
  readonly clients: number
  readonly seed: number
  /** Rounds of training by all clients and one more; 0: the first message alone. */
  readonly trained?: number
  /** Turns of several steps in place of one gradient. */
  readonly fedavg?: { readonly localEpochs: number; readonly batchSize: number; readonly learningRate: number }
}

export function classBatches(options: Batches, ports: StudyPorts): Promise<RecordedRun> {
  const { dataset, model, K, clients, seed, trained = 0, fedavg } = options
  const sizes = Array.from({ length: clients }, () => K)
  const all = K * clients
  return recordedRun(
    {
      name: `class-batches-${dataset}`,
      seed,
      heldBack: 0,
      data: {
        name: dataset,
        params: { scale: 'unit' },
        rows: all + 200,
        validation: 0,
        auxiliary: 200 / (all + 200),
      },
      partition: { name: 'sizes', params: { sizes } },
      models: [model],
      training: {
        rounds: trained + 1,
        learningRate: 0.05,
        ...(fedavg === undefined ? { algorithm: 'fedsgd', share: 'gradient' } : { algorithm: 'fedavg', ...fedavg }),
      },
      knowledge: { targets: 'all', sensitive: [] },
    },
    ports,
  )
}

/** cAcc and iAcc in %, means over the clients that an attack makes a claim of, in the last round. */
export async function classScores(
  run: RecordedRun,
  {
    panel,
    round,
    attacks,
  }: { readonly panel: string; readonly round: number; readonly attacks: readonly ClassAttack[] },
): Promise<Measure[]> {
  const found = new Map<string, number[]>()
  const put = (series: string, value: number | undefined): void => {
    if (value !== undefined) found.set(series, [...(found.get(series) ?? []), 100 * value])
  }
  for (const name of attacks) {
    const { id, params, counts } = classAttacks[name]
    for (const target of run.targets) {
      const score = await run.scoreIfAny(id, { target, params, heard: [round] })
      if (score === undefined) continue
      const { metric, value, also, chance } = score
      put(`${name}, ${cAcc}`, metric === cAcc ? value : also.cAcc)
      if (counts) put(`${name}, ${iAcc}`, metric === iAcc ? value : (also.iAcc ?? also.ASR))
      if (name === 'LLG' && chance !== null) {
        put(`${unheard}, ${iAcc}`, chance)
        put(`${unheard}, ${cAcc}`, also.chanceCAcc)
      }
    }
  }
  return [...found].map(([series, values]) => {
    return { panel, series, value: values.reduce((sum, value) => sum + value, 0) / values.length }
  })
}
