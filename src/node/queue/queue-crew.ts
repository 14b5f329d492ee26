/** The crew of a sweep beyond this machine: trials are jobs of a queue that workers anywhere serve, and come back through it. */
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import type { Crew, Outcome } from '../../sweep/run-trials.js'
import type { FileMarks, Trial } from '../../sweep/trial.js'
import { labelOf } from '../sweep/local-crew.js'
import type { TrialLimits } from '../sweep/trial-processes.js'
import { serveFiles } from './file-exchange.js'
import type { QueueAddress } from './queue-address.js'
import { type QueueJob, queueName, readAnswer, versions } from './queue-job.js'
import { connect, connectionOf, queuePackages } from './queue-packages.js'

export interface QueueCrewOptions {
  readonly address: QueueAddress
  readonly limits: TrialLimits
  scenarioOf(trial: Trial): ScenarioInput
  filesOf(scenario: ScenarioInput): Promise<FileMarks>
  /** Where a file with this hash lies here, for workers that lack it. */
  placeOf(sha256: string): string | undefined
  /** Whether a trial is done and kept: an earlier coordinator may have had no time to take it out of the queue. */
  isKept(id: string): boolean
}

/** Jobs that lie in the queue at a time: workers must not run out, and Redis need not hold a whole sweep. */
const mostAtOnce = 1000
const lookEvery = 150 // ms
/** Every so many looks it is seen to that no job was lost, and others are told that there is a sweep. */
const looksPerRound = 20

interface Pending {
  readonly job: QueueJob
  settle(outcome: Outcome): void
}

export async function queueCrew(options: QueueCrewOptions): Promise<Crew> {
  const packages = await queuePackages()
  const redis = await connect(packages, options.address)
  const queue = new packages.bullmq.Queue<QueueJob>(queueName, { connection: connectionOf(options.address) })
  queue.on('error', () => {}) // it connects anew by itself
  const pending = new Map<string, Pending>()
  const doing = { waiting: 0, active: 0 }
  let closed = false
  // The queue knows jobs by their ids: one that is there already is not added again.
  const put = (id: string, job: QueueJob) =>
    queue.add('trial', job, { jobId: id, attempts: 1, removeOnComplete: false, removeOnFail: false })
  const take = async (id: string): Promise<void> => {
    const own = pending.get(id)
    const job = own === undefined ? undefined : await queue.getJob(id)
    if (own === undefined || job === undefined) return
    const outcome = outcomeOf(id, job)
    // Taken out before it is tried again, for the id is the same; what is done stays until it is kept.
    if (outcome.kind === 'lost') await queue.remove(id)
    pending.delete(id)
    own.settle(outcome)
  }
  const look = async (): Promise<void> => {
    const ended = await queue.getRanges(['completed', 'failed'], 0, -1, true)
    const known = (id: string): unknown => (pending.has(id) ? take(id) : options.isKept(id) && queue.remove(id))
    await Promise.all([...new Set(ended)].map(known))
  }
  const lookAround = async (): Promise<void> => {
    await redis.set(`overhear:sweep:${queueName}`, versions.overhear, 'EX', 60)
    const counts = await queue.getJobCounts('waiting', 'active')
    Object.assign(doing, counts)
    // A server without persistence that was restarted has forgotten them.
    const ids = [...pending.keys()]
    const there = await redis.pipeline(ids.map((id) => ['exists', queue.toKey(id)])).exec()
    for (const [i, id] of ids.entries()) {
      const job = pending.get(id)?.job
      if (there?.[i]?.[1] === 0 && job !== undefined) await put(id, job)
    }
  }
  const loop = (async () => {
    for (let round = 0; !closed; round++) {
      try {
        await look()
        await serveFiles(redis, options.placeOf)
        if (round % looksPerRound === 0) await lookAround()
      } catch {
        // The server is away: everything is looked at again when it is back.
      }
      await new Promise((resolve) => setTimeout(resolve, lookEvery))
    }
  })()
  return {
    size: mostAtOnce,
    async run(trial) {
      if (closed) return { kind: 'stopped' }
      const scenario = options.scenarioOf(trial)
      const job: QueueJob = {
        format: 'overhear-job/1',
        versions: { ...versions },
        scenario: { ...scenario },
        files: { ...(await options.filesOf(scenario)) },
        limits: options.limits,
        label: labelOf(trial),
      }
      return new Promise((resolve, reject) => {
        pending.set(trial.id, { job, settle: resolve })
        put(trial.id, job).catch(reject)
      })
    },
    async kept({ id }) {
      await queue.remove(id)
    },
    doing: () => `${doing.active} at work, ${doing.waiting} waiting in the queue`,
    async close() {
      if (closed) return
      closed = true
      const left = [...pending]
      pending.clear()
      for (const [, { settle }] of left) settle({ kind: 'stopped' })
      await loop
      // What nobody has begun need not be begun; what runs is done, and found by --resume.
      await Promise.allSettled(left.map(([id]) => queue.remove(id)))
      await queue.close()
      redis.disconnect()
    },
  }
}

interface Ended {
  readonly returnvalue: unknown
  readonly failedReason: string
  readonly finishedOn?: number
}

/** What a worker answered; a job that failed in the queue itself lost its workers, or none may take it. */
function outcomeOf(id: string, { returnvalue, failedReason }: Ended): Outcome {
  if (returnvalue === null || returnvalue === undefined) {
    return { kind: 'lost', reason: failedReason === '' ? 'its worker was lost' : failedReason }
  }
  try {
    return readAnswer(id, returnvalue)
  } catch (error) {
    return { kind: 'lost', reason: (error as Error).message }
  }
}
