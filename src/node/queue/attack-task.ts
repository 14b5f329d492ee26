/** One job of an audit in this process: what a worker process answers when it is asked for one. */
import type { AttackResult } from '../../audit/attack-result.js'
import { jobRunner } from '../../audit/job-runner.js'
import type { JobRequest } from '../../audit/ports.js'
import { datasetReader } from '../files/dataset-files.js'
import { fileStore } from '../files/file-store.js'
import { keptFiles } from '../files/kept-files.js'
import { recordingPorts } from '../recording-ports.js'
import { replyOf, type TrialReply } from '../sweep/trial-task.js'

/** What a worker process is asked to do. */
export interface AttackTask {
  readonly request: JobRequest
  /** Where datasets are looked for first. */
  readonly dataDir?: string
  /** Where files of datasets are that were found by their contents. */
  readonly places?: Readonly<Record<string, string>>
}

const runners = new Map<string, ReturnType<typeof jobRunner>>()

/** Jobs on the same files share what was read and derived. */
function runnerFor({ dataDir, places }: Omit<AttackTask, 'request'>): ReturnType<typeof jobRunner> {
  const key = JSON.stringify([dataDir, places])
  const run =
    runners.get(key) ??
    jobRunner({
      ...recordingPorts,
      folder: fileStore,
      keptFiles,
      dataset: (name) => datasetReader(name, dataDir, places),
    })
  runners.set(key, run)
  return run
}

export function answerToAttack({ request, ...files }: AttackTask): Promise<TrialReply<AttackResult>> {
  return replyOf(() => runnerFor(files)(request, { now: () => performance.now() }))
}
