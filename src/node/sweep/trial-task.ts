/** One trial in this process, whole in its memory: what a worker process answers when it is asked for one. */
import { memoryPorts } from '../../audit/memory-ports.js'
import { OverhearError } from '../../errors.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { runTrial, type TrialResult } from '../../sweep/trial-result.js'
import { datasetReader } from '../files/dataset-files.js'
import { version } from '../version.js'

/** What a worker process is asked to do. */
export interface TrialTask {
  readonly scenario: ScenarioInput
  /** Where datasets are looked for first. */
  readonly dataDir?: string
  /** Where files of datasets are that were found by their contents. */
  readonly places?: Readonly<Record<string, string>>
}

/** What it answers. */
export type TrialReply<R = TrialResult> =
  | { readonly kind: 'done'; readonly result: R; readonly seconds: number }
  /** The trial is wrong, wherever it is run. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It failed in a way that it should not. */
  | { readonly kind: 'broken'; readonly reason: string }

export function answerTo({ scenario, dataDir, places }: TrialTask): Promise<TrialReply> {
  const ports = memoryPorts({ dataset: (name) => datasetReader(name, dataDir, places) })
  return replyOf(() => runTrial(scenario, { ...ports, versions: { overhear: version } }))
}

/** What came of a piece of work, and how long it took. */
export async function replyOf<R>(work: () => Promise<R>): Promise<TrialReply<R>> {
  const began = performance.now()
  try {
    const result = await work()
    return { kind: 'done', result, seconds: (performance.now() - began) / 1000 }
  } catch (error) {
    if (error instanceof OverhearError && error.code !== 'E_INTERNAL') return { kind: 'refused', reason: error.message }
    const { message, stack } = error as Error
    return { kind: 'broken', reason: (stack ?? message).split('\n').slice(0, 3).join(' ') }
  }
}
