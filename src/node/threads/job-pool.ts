/** Jobs of an audit in worker threads: a few at a time, each with a limit of time that holds whatever the attack does. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { AttackResult } from '../../audit/attack-result.js'
import { oracles } from '../../audit/oracles/index.js'
import type { JobPool, JobRequest } from '../../audit/ports.js'
import { type ErrorCode, internal, OverhearError } from '../../errors.js'
import { fromRoot } from '../package-root.js'
import type { JobReply, JobWorkerInput } from './job-worker.js'

export interface JobPoolOptions extends JobWorkerInput {
  readonly workers?: number
  /** null: no limit. */
  readonly secondsPerJob: number | null
  /** What a worker runs; for tests of the pool. */
  readonly script?: URL
}

interface Task {
  readonly request: JobRequest
  onTick?(done: number, total: number): void
  resolve(result: AttackResult): void
  reject(error: Error): void
}

interface Thread {
  readonly worker: Worker
  task: Task | undefined
  timer?: NodeJS.Timeout
  /** Ended or about to: it gets no more work, and what it still says is not heard. */
  gone: boolean
}

const interrupted = (): OverhearError => new OverhearError('E_INTERRUPTED', 'interrupted')

const jobWorker = fromRoot('dist/node/threads/job-worker.js')

export function jobPool({ workers: wanted, secondsPerJob, script = jobWorker, ...input }: JobPoolOptions): JobPool {
  const size = Math.max(1, wanted ?? availableParallelism())
  const idle: Thread[] = []
  const busy = new Set<Thread>()
  const waiting: Task[] = []
  let closed = false

  const start = (): Thread => {
    const thread: Thread = {
      worker: new Worker(script, { workerData: input satisfies JobWorkerInput }),
      task: undefined,
      gone: false,
    }
    thread.worker.on('message', (reply: JobReply) => {
      if (thread.gone) return
      const { task } = thread
      if (reply.kind === 'tick') return task?.onTick?.(reply.done, reply.total)
      finish(thread, true)
      if (reply.kind === 'done') task?.resolve(reply.result)
      else task?.reject(new OverhearError(reply.code as ErrorCode, reply.message))
    })
    const died = (why: string): void => {
      const { task } = thread
      finish(thread, false)
      task?.reject(closed ? interrupted() : internal(why))
    }
    thread.worker.on('error', (error) => died(`a worker thread died: ${error.stack ?? error.message}`))
    thread.worker.on('exit', (code) => died(`a worker thread ended with code ${code}`))
    return thread
  }
  const finish = (thread: Thread, reusable: boolean): void => {
    clearTimeout(thread.timer)
    thread.task = undefined
    busy.delete(thread)
    if (reusable && !closed) idle.push(thread)
    else {
      thread.gone = true
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
      void thread.worker.terminate()
    }
    next()
  }
  const next = (): void => {
    while (waiting.length > 0 && (idle.length > 0 || busy.size < size)) play(idle.pop() ?? start(), waiting.shift()!)
  }
  const play = (thread: Thread, task: Task): void => {
    busy.add(thread)
    thread.task = task
    if (secondsPerJob !== null) {
      thread.timer = setTimeout(() => {
        finish(thread, false)
        task.resolve(outOfTime(task.request, secondsPerJob))
      }, 1000 * secondsPerJob)
    }
    thread.worker.postMessage(task.request)
  }
  return {
    run: (request, onTick) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(interrupted())
        waiting.push({ request, resolve, reject, ...(onTick !== undefined && { onTick }) })
        next()
      }),
    async close() {
      closed = true
      for (const { reject } of waiting.splice(0)) reject(interrupted())
      await Promise.all([...idle, ...busy].map(({ worker }) => worker.terminate()))
    },
  }
}

function outOfTime({ job }: JobRequest, seconds: number): AttackResult {
  const message = `stopped after ${seconds} s; set secondsPerAttack higher in the scenario`
  return {
    attack: job.attack,
    status: 'failed',
    oracle: Object.hasOwn(oracles, job.attack),
    observer: job.observer,
    model: null,
    target: job.target,
    params: job.params,
    seed: job.seed,
    findings: [],
    error: { code: 'E_TIME', message },
    warnings: [],
    details: {},
    millis: 1000 * seconds,
  }
}
