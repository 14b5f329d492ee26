/** The coordinator's side of a queue: jobs that workers anywhere serve, each once, and what came of them. */
import type { Outcome } from '../../sweep/run-trials.js'
import { serveFiles } from './file-exchange.js'
import type { QueueAddress } from './queue-address.js'
import { type QueueJob, queueName, versions } from './queue-job.js'
import { connect, connectionOf, queuePackages } from './queue-packages.js'

export interface JobQueueOptions<R> {
  readonly address: QueueAddress
  /** Reads what a worker answered; throws where that is no answer. */
  read(id: string, json: unknown): Outcome<R>
  /** Where a file with this hash lies here, for workers that lack it. */
  placeOf(sha256: string): string | undefined
  /** Whether a job is done and kept: an earlier coordinator may have had no time to take it out of the queue. */
  isKept(id: string): boolean
}

export interface JobQueue<R> {
  /** How many jobs may lie in the queue at a time: workers must not run out, and Redis need not hold all. */
  readonly size: number
  run(id: string, job: QueueJob): Promise<Outcome<R>>
  /** Told when what a job ended in is kept. */
  kept(id: string): Promise<void>
  doing(): string
  close(): Promise<void>
}

const mostAtOnce = 1000
const lookEvery = 150 // ms
/** Every so many looks it is seen to that no job was lost, and others are told that there is a coordinator. */
const looksPerRound = 20

interface Pending<R> {
  readonly job: QueueJob
  settle(outcome: Outcome<R>): void
}

export async function jobQueue<R>(options: JobQueueOptions<R>): Promise<JobQueue<R>> {
  const packages = await queuePackages()
  const redis = await connect(packages, options.address)
  const queue = new packages.bullmq.Queue<QueueJob>(queueName, { connection: connectionOf(options.address) })
  queue.on('error', () => {}) // it connects anew by itself
  const pending = new Map<string, Pending<R>>()
  const doing = { waiting: 0, active: 0 }
  let closed = false
  // The queue knows jobs by their ids: one that is there already is not added again.
  const put = (id: string, job: QueueJob) =>
    queue.add('trial', job, { jobId: id, attempts: 1, removeOnComplete: false, removeOnFail: false })
  const take = async (id: string): Promise<void> => {
    const own = pending.get(id)
    const job = own === undefined ? undefined : await queue.getJob(id)
    if (own === undefined || job === undefined) return
    const outcome = outcomeOf(id, job, options)
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
    run(id, job) {
      if (closed) return Promise.resolve({ kind: 'stopped' })
      return new Promise((resolve, reject) => {
        pending.set(id, { job, settle: resolve })
        put(id, job).catch(reject)
      })
    },
    async kept(id) {
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
function outcomeOf<R>(
  id: string,
  { returnvalue, failedReason }: Ended,
  { read }: Pick<JobQueueOptions<R>, 'read'>,
): Outcome<R> {
  if (returnvalue === null || returnvalue === undefined) {
    return { kind: 'lost', reason: failedReason === '' ? 'its worker was lost' : failedReason }
  }
  try {
    return read(id, returnvalue)
  } catch (error) {
    return { kind: 'lost', reason: (error as Error).message }
  }
}
