/** A worker of queues: it takes one trial, cell or job of an audit after another, runs it in a process of this machine, and answers through the queue. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from 'bullmq'
import type { AttackResult } from '../../audit/attack-result.js'
import type { JobRequest } from '../../audit/ports.js'
import { OverhearError } from '../../errors.js'
import type { Outcome } from '../../sweep/run-trials.js'
import type { TrialResult } from '../../sweep/trial-result.js'
import type { CellResult, CellTask } from '../studies/cell-task.js'
import { trialProcesses } from '../sweep/trial-processes.js'
import type { TrialTask } from '../sweep/trial-task.js'
import type { AttackTask } from './attack-task.js'
import { fileFinder } from './file-exchange.js'
import type { QueueAddress } from './queue-address.js'
import { type AttackAnswer, type CellAnswer, type QueueJob, queueName, readJob, type TrialAnswer } from './queue-job.js'
import { connect, connectionOf, queuePackages } from './queue-packages.js'
import { evidenceReader, type PackedRequest } from './travelling-evidence.js'

export interface QueueWorkerOptions {
  readonly address: QueueAddress
  /** Trials at a time. */
  readonly concurrency: number
  readonly dataDir?: string
  /** Seconds without a sign of life after which others take a worker's trial over. */
  readonly lease: number
  /** Ends after so many seconds without work; unless told, never. */
  readonly idle?: number
  readonly signal: AbortSignal
  /** Told of every trial that ended, and of anything that a person should know. */
  tell(line: string): void
}

/** A trial that cost so many workers their lives is given up by the queue. */
const mostStalled = 3
const lookEvery = 500 // ms

type Answer = TrialAnswer | CellAnswer | AttackAnswer
type Result = TrialResult | CellResult | AttackResult

/** Serves the queue until it is told to stop, or has been idle for long enough; gives the number of trials. */
export async function serveQueue(options: QueueWorkerOptions): Promise<number> {
  const { address, concurrency, dataDir, lease, idle = Number.POSITIVE_INFINITY, signal, tell } = options
  const packages = await queuePackages()
  const { Worker, WaitingError, UnrecoverableError } = packages.bullmq
  const redis = await connect(packages, address)
  const processes = trialProcesses<TrialTask | CellTask | AttackTask, Result>()
  const near = dataDir === undefined ? {} : { dataDir }
  const findFiles = fileFinder(redis, near)
  // Messages of other people's federations are not kept.
  const work = await mkdtemp(join(tmpdir(), 'overhear-worker-'))
  const readEvidence = evidenceReader(work, fileFinder(redis, { cache: join(work, 'by-sha256') }))
  let [ended, running, last] = [0, 0, performance.now()]
  const runOne = async (job: Job<QueueJob>): Promise<Outcome<Result>> => {
    const read = await readJob(job.id!, job.data)
    const { files, limits, label } = read
    let places: Record<string, string>
    let heard: { request: JobRequest; folders: string[] } | undefined
    try {
      places = await findFiles(files)
      if ('request' in read) heard = await readEvidence(read)
    } catch (error) {
      return { kind: 'lost', reason: (error as Error).message }
    }
    const outcome = await processes.run({ ...taskOf(job.id!, read, heard?.request), places, ...near }, limits, label)
    const told = outcome.kind === 'done' ? `done in ${outcome.seconds.toFixed(1)} s` : `${outcome.kind}`
    tell(`${label}: ${told}${'reason' in outcome ? `, ${outcome.reason}` : ''}`)
    return 'request' in read && heard !== undefined ? asAsked(outcome, read, heard.folders) : outcome
  }
  const answer = async (job: Job<QueueJob>, token?: string): Promise<Answer> => {
    running++
    try {
      const outcome = await runOne(job)
      if (outcome.kind !== 'stopped') {
        ended++
        return outcome as Answer
      }
    } catch (error) {
      if (error instanceof OverhearError) {
        tell(error.message)
        throw new UnrecoverableError(error.message)
      }
      throw error
    } finally {
      running--
      last = performance.now()
    }
    // Somebody stops this worker: another one may have the trial at once.
    await job.moveToWait(token)
    throw new WaitingError()
  }
  const worker = new Worker<QueueJob, Answer>(queueName, answer, {
    connection: connectionOf(address),
    concurrency,
    lockDuration: 1000 * lease,
    stalledInterval: 500 * lease,
    maxStalledCount: mostStalled,
    runRetryDelay: 500,
  })
  worker.on('error', () => {}) // it connects anew by itself
  await tellOthers(redis, tell)
  const isOver = (): boolean => signal.aborted || (running === 0 && performance.now() - last > 1000 * idle)
  while (!isOver()) await new Promise((resolve) => setTimeout(resolve, lookEvery))
  await processes.close()
  await worker.close()
  redis.disconnect()
  await rm(work, { recursive: true, force: true })
  return ended
}

/** What a process is asked to do. */
function taskOf(id: string, read: Awaited<ReturnType<typeof readJob>>, request: JobRequest | undefined) {
  if (request !== undefined) return { request }
  return 'cell' in read ? { cell: { id, ...read.cell } } : { scenario: (read as TrialTask).scenario }
}

/** Messages that name a file name it as whoever asked calls it. */
function asAsked(outcome: Outcome<Result>, { bases }: Pick<PackedRequest, 'bases'>, folders: readonly string[]) {
  let text = JSON.stringify(outcome)
  for (const [i, folder] of folders.entries()) text = text.replaceAll(folder, bases[i]!.folder)
  return JSON.parse(text) as Outcome<Result>
}

/** Says where sweeps of other versions wait: this worker is never handed their trials. */
async function tellOthers(redis: Awaited<ReturnType<typeof connect>>, tell: (line: string) => void): Promise<void> {
  const [, keys] = await redis.scan('0', 'MATCH', 'overhear:sweep:*', 'COUNT', 1000)
  for (const key of keys) {
    const name = key.slice('overhear:sweep:'.length)
    if (name !== queueName) tell(`a sweep of ${name} waits for workers of its own version; this one is ${queueName}`)
  }
}
