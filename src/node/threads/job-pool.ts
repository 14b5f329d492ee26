/** Jobs of an audit in worker threads: a few at a time, each with a limit of time that holds whatever the attack does. */
import { availableParallelism } from 'node:os'
import type { AttackResult } from '../../audit/attack-result.js'
import { oracles } from '../../audit/oracles/index.js'
import type { JobPool, JobPoolHooks, JobRequest, PlantReply } from '../../audit/ports.js'
import { type ErrorCode, internal, OverhearError } from '../../errors.js'
import type { JobReply, JobWorkerInput, JobWorkerRequest } from './job-worker.js'
import { starvedThread } from './starved-thread.js'
import { type Line, openLine } from './thread-line.js'

export interface JobPoolOptions extends JobWorkerInput {
  readonly workers?: number
  /** null: no limit. */
  readonly secondsPerJob: number | null
  /** What a worker runs; for tests of the pool. */
  readonly script?: URL
}

interface Task extends JobPoolHooks {
  readonly request: JobWorkerRequest
  /** Whether the attack's own code is told the truth in it, to plant a leak: such a thread runs nothing else any more. */
  readonly told: boolean
  resolve(result: AttackResult | PlantReply): void
  reject(error: Error): void
}

interface Thread {
  readonly line: Line
  readonly told: boolean
  task: Task | undefined
  /** What it begins by itself when that is done: the main thread may be training, and slow to hear of it. */
  next: Task | undefined
  timer?: NodeJS.Timeout
  /** Processes that it started: they would outlive it. */
  readonly processes: Set<number>
  /** Ended or about to: it gets no more work, and what it still says is not heard. */
  gone: boolean
}

const interrupted = (): OverhearError => new OverhearError('E_INTERRUPTED', 'interrupted')

interface State {
  readonly script: URL | undefined
  readonly input: JobWorkerInput
  readonly size: number
  readonly secondsPerJob: number | null
  readonly idle: Thread[]
  readonly busy: Set<Thread>
  readonly waiting: Task[]
  closed: boolean
}

export function jobPool({ workers, secondsPerJob, script, ...input }: JobPoolOptions): JobPool {
  const size = Math.max(1, workers ?? availableParallelism())
  const pool: State = { script, input, size, secondsPerJob, idle: [], busy: new Set(), waiting: [], closed: false }
  const { idle, busy, waiting } = pool
  const ask = <T extends AttackResult | PlantReply>(request: JobWorkerRequest, hooks: JobPoolHooks, told: boolean) =>
    new Promise<T>((resolve, reject) => {
      if (pool.closed) return reject(interrupted())
      enqueue(waiting, { ...hooks, request, told, resolve: resolve as Task['resolve'], reject })
      // In a moment: others come with it, and the longest goes first.
      queueMicrotask(() => playNext(pool))
    })
  const run = (request: JobRequest, hooks: JobPoolHooks, told: boolean) => ask<AttackResult>(request, hooks, told)
  // The package's own attacks keep nothing between runs, which tools/reach.mjs sees to; of others nobody knows.
  const strangers = (input.plugins ?? []).length > 0
  return {
    // Where code of others runs, nobody is told the truth who need not be.
    ...(!strangers && { plant: (plant) => ask<PlantReply>({ plant }, {}, false) }),
    async run(request, hooks = {}) {
      const { job, paths, ask, claimed } = request
      if (
        !strangers ||
        !job.controls ||
        ask !== undefined ||
        paths.truth === undefined ||
        Object.hasOwn(oracles, job.attack)
      ) {
        return run(request, hooks, false)
      }
      // The attack first, where nobody tells it the truth; then its control, in a thread that no attack will run in.
      const before = claimed ?? (await run({ ...request, job: { ...job, controls: false } }, hooks, false))
      if (before.status === 'not-applicable' || before.error?.code === 'E_TIME') return before
      if (claimed === undefined) hooks.onClaimed?.(before)
      return run({ ...request, claimed: before }, hooks, true)
    },
    async close() {
      pool.closed = true
      for (const { reject } of waiting.splice(0)) reject(interrupted())
      for (const thread of idle.splice(0)) {
        thread.gone = true
        if (thread.told) void thread.line.end()
        else thread.line.release()
      }
      await Promise.all([...busy].map(endThread))
    },
  }
}

/** Before the first that takes less: a long job that is begun last is what everybody waits for. */
function enqueue(waiting: Task[], task: Task): void {
  // Attacks wait for what is trained.
  const effort = ({ request }: Task): number => ('plant' in request ? Number.POSITIVE_INFINITY : (request.effort ?? 0))
  const at = waiting.findIndex((one) => effort(one) < effort(task))
  waiting.splice(at < 0 ? waiting.length : at, 0, task)
}

function startThread(pool: State, told: boolean): Thread {
  const died = (why: Error): void => {
    const { task } = thread
    finish(pool, thread, 'end')
    task?.reject(pool.closed ? interrupted() : why)
  }
  const heard = (reply: JobReply): void => {
    if (thread.gone && reply.kind !== 'process') return
    const { task } = thread
    if (reply.kind === 'process') thread.processes[reply.alive ? 'add' : 'delete'](reply.pid)
    else if (reply.kind === 'tick') task?.onTick?.(reply.done, reply.total)
    else if (reply.kind === 'claimed') task?.onClaimed?.(reply.result)
    else {
      finish(pool, thread, 'reuse')
      if (reply.kind === 'done') task?.resolve(reply.result)
      else if (reply.kind === 'planted') task?.resolve(reply.reply)
      else task?.reject(new OverhearError(reply.code as ErrorCode, reply.message))
    }
  }
  const lost = (how: string, error?: Error): void =>
    died(
      starvedThread(error) ??
        internal(
          error === undefined ? `a worker thread ${how}` : `a worker thread died: ${error.stack ?? error.message}`,
        ),
    )
  const line = openLine({ role: 'jobs', input: pool.input }, { message: heard, lost }, pool.script)
  const thread: Thread = { line, told, task: undefined, next: undefined, gone: false, processes: new Set() }
  return thread
}

/** Ends a thread with what it started. */
async function endThread({ line, processes }: Thread): Promise<void> {
  await line.end()
  for (const pid of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {} // it is gone already
  }
}

/** A thread is done with its task. */
function finish(pool: State, thread: Thread, then: 'reuse' | 'end'): void {
  const { idle, busy, waiting } = pool
  const { next } = thread
  clearTimeout(thread.timer)
  thread.task = undefined
  thread.next = undefined
  if (then === 'reuse' && next !== undefined) {
    begin(pool, thread, next)
    playNext(pool)
    return
  }
  if (next !== undefined) {
    if (pool.closed) next.reject(interrupted())
    else enqueue(waiting, next)
  }
  busy.delete(thread)
  if (then === 'reuse' && !pool.closed) {
    idle.push(thread)
    thread.line.ref(false)
  } else {
    thread.gone = true
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
    void endThread(thread)
  }
  playNext(pool)
}

function playNext(pool: State): void {
  const { idle, busy, waiting, size } = pool
  // Each of them makes itself ready for the same work once more: a few will do.
  const mostTold = Math.ceil(size / 4)
  while (busy.size < size) {
    const telling = [...busy].filter(({ told }) => told).length
    const next = waiting.findIndex(({ told }) => !told || telling < mostTold)
    if (next < 0) return
    const [task] = waiting.splice(next, 1) as [Task]
    const at = idle.findLastIndex(({ told }) => told === task.told)
    const [thread] = at < 0 ? [] : idle.splice(at, 1)
    const free = thread ?? startThread(pool, task.told)
    begin(pool, free, task)
    free.line.ref(true)
    free.line.post(task.request)
  }
  // While so many wait, it does not matter which thread gets the next one.
  for (const thread of busy) {
    if (waiting.length <= 2 * size) return
    if (thread.told || thread.next !== undefined || waiting[0]!.told) continue
    thread.next = waiting.shift()!
    thread.line.post(thread.next.request)
  }
}

function begin(pool: State, thread: Thread, task: Task): void {
  const { busy, secondsPerJob } = pool
  busy.add(thread)
  thread.task = task
  const { request } = task
  if (secondsPerJob !== null && !('plant' in request)) {
    thread.timer = setTimeout(() => {
      finish(pool, thread, 'end')
      task.resolve(outOfTime(request, secondsPerJob))
    }, 1000 * secondsPerJob)
  }
}

/** What becomes of a job that was stopped from outside. */
export function outOfTime({ job }: JobRequest, seconds: number): AttackResult {
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
