/** Jobs of an audit beyond this machine: attacks run wherever a worker serves the queue, on evidence that it fetches. */
import type { AttackResult } from '../../audit/attack-result.js'
import type { AuditThreads, JobPool, JobRequest } from '../../audit/ports.js'
import { OverhearError } from '../../errors.js'
import type { Outcome } from '../../sweep/run-trials.js'
import { datasetMarks } from '../sweep/dataset-marks.js'
import { tookLonger, usualMegabytes } from '../sweep/trial-processes.js'
import { outOfTime } from '../threads/job-pool.js'
import { type JobQueue, jobQueue } from './job-queue.js'
import type { QueueAddress } from './queue-address.js'
import { attackIdOf, readAttackAnswer, versions } from './queue-job.js'
import { evidencePacker } from './travelling-evidence.js'

export interface QueueAttacksOptions {
  readonly address: QueueAddress
  readonly dataDir?: string
}

/** As often as a trial of a sweep is begun. */
const mostAttempts = 3
/** Of an attack without a limit. */
const aWeek = 7 * 24 * 3600

const interrupted = (): OverhearError => new OverhearError('E_INTERRUPTED', 'interrupted')

/** In place of the threads of this machine; the queue is spoken to once there is something to run. */
export function queueAttacks({ address, dataDir }: QueueAttacksOptions): AuditThreads['jobs'] {
  return ({ secondsPerJob }) => {
    const evidence = evidencePacker()
    const data = datasetMarks(dataDir)
    const limits = { seconds: secondsPerJob ?? aWeek, megabytes: usualMegabytes }
    /** Those under way: two that ask the same have one answer. */
    const asked = new Map<string, Promise<AttackResult>>()
    let opened: Promise<JobQueue<AttackResult>> | undefined
    let closed = false
    const open = (): Promise<JobQueue<AttackResult>> => {
      opened ??= jobQueue<AttackResult>({
        address,
        placeOf: (sha256) => evidence.placeOf(sha256) ?? data.placeOf(sha256),
        isKept: () => false,
        read: (id, json) => readAttackAnswer(id, json) as Outcome<AttackResult>,
      })
      return opened
    }
    const run = async (request: JobRequest): Promise<AttackResult> => {
      const files = request.live === undefined ? {} : await data.marksOf(request.live.scenario.data)
      const job = {
        format: 'overhear-attack-job/1' as const,
        versions: { ...versions },
        ...jsonOf(await evidence.pack(request)),
        files: { ...files },
        limits,
        label: `${request.job.attack} (${request.job.observer})`,
      }
      const id = await attackIdOf(job)
      const queue = await open()
      const found = asked.get(id) ?? attempts(() => (closed ? undefined : queue.run(id, job)), request, secondsPerJob)
      asked.set(id, found)
      try {
        const result = await found
        if (asked.delete(id)) await queue.kept(id)
        return result
      } catch (error) {
        asked.delete(id)
        throw error
      }
    }
    return {
      run: (request) => (closed ? Promise.reject(interrupted()) : run(request)),
      async close() {
        closed = true
        await (await opened)?.close()
      },
    } satisfies JobPool
  }
}

/** As it comes out of the queue: what is undefined is not there. */
const jsonOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

async function attempts(
  begin: () => Promise<Outcome<AttackResult>> | undefined,
  request: JobRequest,
  secondsPerJob: number | null,
): Promise<AttackResult> {
  for (let k = 1; ; k++) {
    const outcome = (await begin()) ?? { kind: 'stopped' as const }
    if (outcome.kind === 'done') return outcome.result
    if (outcome.kind === 'stopped') throw interrupted()
    const { reason } = outcome
    if (secondsPerJob !== null && reason === tookLonger(secondsPerJob)) return outOfTime(request, secondsPerJob)
    if (outcome.kind === 'lost' && k < mostAttempts) continue
    const what = `${request.job.attack} could not be run through the queue: ${reason}`
    throw new OverhearError('E_INPUT', what, 'see what its workers printed; --resume goes on')
  }
}
