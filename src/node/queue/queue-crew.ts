/** The crew of a sweep beyond this machine: trials are jobs of a queue that workers anywhere serve, and come back through it. */
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import type { Crew } from '../../sweep/run-trials.js'
import type { FileMarks, Trial } from '../../sweep/trial.js'
import type { TrialResult } from '../../sweep/trial-result.js'
import { labelOf } from '../sweep/local-crew.js'
import type { TrialLimits } from '../sweep/trial-processes.js'
import { type JobQueueOptions, jobQueue } from './job-queue.js'
import { readAnswer, versions } from './queue-job.js'

export interface QueueCrewOptions extends Omit<JobQueueOptions<TrialResult>, 'read'> {
  readonly limits: TrialLimits
  scenarioOf(trial: Trial): ScenarioInput
  filesOf(scenario: ScenarioInput): Promise<FileMarks>
}

export async function queueCrew({ limits, scenarioOf, filesOf, ...options }: QueueCrewOptions): Promise<Crew> {
  const queue = await jobQueue({ ...options, read: readAnswer })
  return {
    size: queue.size,
    async run(trial) {
      const scenario = scenarioOf(trial)
      return queue.run(trial.id, {
        format: 'overhear-job/1',
        versions: { ...versions },
        scenario: { ...scenario },
        files: { ...(await filesOf(scenario)) },
        limits,
        label: labelOf(trial),
      })
    },
    kept: ({ id }) => queue.kept(id),
    doing: () => queue.doing(),
    close: () => queue.close(),
  }
}
