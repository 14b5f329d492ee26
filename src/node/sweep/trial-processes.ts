/** Trials in processes of their own, so many at a time: one that crashes, hangs or takes too much memory is replaced. */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Outcome } from '../../sweep/run-trials.js'
import type { TrialResult } from '../../sweep/trial-result.js'
import { fromRoot } from '../package-root.js'
import type { TrialReply, TrialTask } from './trial-task.js'

/** How much one trial may take. */
export interface TrialLimits {
  readonly seconds: number
  readonly megabytes: number
}

/** Of a process that is begun before anybody says otherwise; what the file of a sweep has unless told. */
export const usualMegabytes = 4096

export const tookLonger = (seconds: number): string => `it took longer than ${seconds} s`

export interface ProcessOptions {
  /** What a process runs; for tests. */
  readonly script?: URL
  /** No more processes than so many: what finds none free waits, or is sent ahead to one that is quick. As many as are asked for unless told. */
  readonly most?: number
}

export interface TrialProcesses<T = TrialTask, R = TrialResult> {
  /** Runs a trial in a free process, or a new one while there may be more. */
  run(task: T, limits: TrialLimits, label?: string): Promise<Outcome<R>>
  /** Begins as many processes as there may be, so that they have loaded their code when the first trial comes. */
  warm(megabytes: number): void
  /** What each process does. */
  doing(): string
  /** Ends all of them at once. */
  close(): Promise<void>
}

interface Job<T, R> {
  readonly task: T
  readonly limits: TrialLimits
  readonly label: string
  settle(outcome: Outcome<R>): void
}

interface Worker<T, R> {
  readonly child: ChildProcess
  readonly number: number
  readonly megabytes: number
  /** The end of what it wrote on stderr. */
  said: string
  busy: { readonly job: Job<T, R>; readonly since: number; stopWatching(): void } | undefined
  /** What it was sent ahead: it begins with it as soon as it has answered. */
  next: Job<T, R> | undefined
  /** How long its last job took, in ms. */
  took: number
  gone: boolean
}

const lookEvery = 200 // ms
/** A process whose last job took no longer is sent the next one ahead, and never waits for an answer to its answer. */
const quick = 250 // ms

/** For trials of sweeps, unless other work is named that their processes know. */
export function trialProcesses<T extends object = TrialTask, R = TrialResult>({
  script = fromRoot('dist/bundle/node/sweep/trial-child.js'),
  most = Number.POSITIVE_INFINITY,
}: ProcessOptions = {}): TrialProcesses<T, R> {
  const workers = new Set<Worker<T, R>>()
  const waiting: Job<T, R>[] = []
  let closed = false
  const end = (worker: Worker<T, R>, outcome: Outcome<R>): void => {
    const { busy, next } = worker
    worker.busy = undefined
    worker.next = undefined
    dismiss(worker)
    busy?.stopWatching()
    busy?.job.settle(closed ? { kind: 'stopped' } : outcome)
    // What was sent ahead had not begun: it is no attempt, and somebody else begins it.
    if (next !== undefined) waiting.unshift(next)
    if (!closed) dispatch()
  }
  const dismiss = (worker: Worker<T, R>): void => {
    worker.gone = true
    workers.delete(worker)
    worker.child.kill('SIGKILL')
  }
  const heard = (worker: Worker<T, R>, reply: TrialReply<R>): void => {
    const { busy, next } = worker
    if (busy === undefined) return
    if (reply.kind === 'broken') {
      end(worker, { kind: 'lost', reason: reply.reason })
      return
    }
    worker.busy = undefined
    worker.next = undefined
    worker.took = performance.now() - busy.since
    busy.stopWatching()
    if (next !== undefined) watch(worker, next)
    dispatch()
    busy.job.settle(reply.kind === 'done' ? { ...reply, worker: `${hostname()}/${worker.number}` } : reply)
  }
  const start = (megabytes: number): Worker<T, R> => {
    const numbers = new Set([...workers].map(({ number }) => number))
    let number = 1
    while (numbers.has(number)) number++
    const child = fork(fileURLToPath(script), {
      // Threads that help the collector and the compiler take another worker's core: fewer of them take less of a processor in all.
      execArgv: [`--max-old-space-size=${megabytes}`, '--single-threaded-gc', '--interrupt-budget=1000000'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const idle = { busy: undefined, next: undefined, took: Number.POSITIVE_INFINITY }
    const worker: Worker<T, R> = { child, number, megabytes, said: '', gone: false, ...idle }
    child.stderr?.on('data', (text) => {
      worker.said = `${worker.said}${text}`.slice(-2000)
    })
    child.on('message', (reply: TrialReply<R>) => heard(worker, reply))
    child.on('error', (error) => end(worker, { kind: 'lost', reason: `a worker could not be used: ${error.message}` }))
    child.on('close', (code, signal) => {
      if (!worker.gone) end(worker, { kind: 'lost', reason: deathOf(worker, code, signal) })
    })
    workers.add(worker)
    return worker
  }
  /** From now on the job counts as what the process does. */
  const watch = (worker: Worker<T, R>, job: Job<T, R>): void => {
    const { megabytes, seconds } = job.limits
    const look = setInterval(() => {
      if (residentMegabytes(worker.child.pid) > megabytes)
        end(worker, { kind: 'lost', reason: `its worker took more memory than ${megabytes} MB` })
    }, lookEvery)
    const clock = setTimeout(
      () => end(worker, { kind: 'lost', reason: tookLonger(seconds) }),
      Math.min(1000 * seconds, 0x7fffffff),
    )
    const stopWatching = (): void => {
      clearInterval(look)
      clearTimeout(clock)
    }
    worker.busy = { job, since: performance.now(), stopWatching }
  }
  const send = (worker: Worker<T, R>, { task }: Job<T, R>): void => {
    worker.child.send(task, (error) => {
      if (error !== null && !worker.gone) end(worker, { kind: 'lost', reason: `a worker is gone: ${error.message}` })
    })
  }
  /** Hands out what waits: to a free process, to a new one, ahead to one that is quick, or to nobody yet. */
  const dispatch = (): void => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const { megabytes } = job.limits
      // One that was begun early with another limit stands in the way here.
      for (const other of workers)
        if (workers.size >= most && other.megabytes !== megabytes && other.busy === undefined) dismiss(other)
      const able = [...workers].filter((worker) => worker.megabytes === megabytes)
      const worker = able.find(({ busy }) => busy === undefined) ?? (workers.size < most ? start(megabytes) : undefined)
      const ahead = worker ?? able.find(({ next, took }) => next === undefined && took <= quick)
      if (worker !== undefined) watch(worker, job)
      else if (ahead !== undefined) ahead.next = job
      else {
        waiting.unshift(job)
        return
      }
      send(ahead!, job)
    }
  }
  return {
    run(task, limits, label = '') {
      if (closed) return Promise.resolve({ kind: 'stopped' })
      return new Promise((settle) => {
        waiting.push({ task, limits, label, settle })
        dispatch()
      })
    },
    warm(megabytes) {
      while (!closed && workers.size < most && Number.isFinite(most)) start(megabytes)
    },
    doing() {
      const lines = [...workers].flatMap(({ number, busy }) => {
        if (busy === undefined) return []
        const seconds = Math.round((performance.now() - busy.since) / 1000)
        return [`${number}: ${busy.job.label}${seconds < 2 ? '' : ` (${seconds} s)`}`]
      })
      return lines.join(' | ')
    },
    async close() {
      closed = true
      const ended = [...workers].map(({ child }) => new Promise((resolve) => child.once('close', resolve)))
      for (const worker of [...workers]) end(worker, { kind: 'stopped' })
      for (const job of waiting.splice(0)) job.settle({ kind: 'stopped' })
      await Promise.all(ended)
    },
  }
}

function deathOf(
  { said, megabytes }: Pick<Worker<unknown, unknown>, 'said' | 'megabytes'>,
  code: number | null,
  signal: NodeJS.Signals | null,
): string {
  if (/heap out of memory/i.test(said)) return `its worker took more memory than ${megabytes} MB`
  const last = said.trim().split('\n').at(-1) ?? ''
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`
  return `its worker ${how}${last === '' ? '' : ` (${last.slice(0, 200)})`}`
}

/** Memory that a process holds, buffers and kernels among it; 0 where the system does not tell, and the heap alone is limited. */
function residentMegabytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
