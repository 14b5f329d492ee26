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

export interface ProcessOptions {
  /** What a process runs; for tests. */
  readonly script?: URL
}

export interface TrialProcesses<T = TrialTask, R = TrialResult> {
  /** Runs a trial in a free process, or a new one; at most as many at a time as somebody waits for. */
  run(task: T, limits: TrialLimits, label?: string): Promise<Outcome<R>>
  /** What each process does. */
  doing(): string
  /** Ends all of them at once. */
  close(): Promise<void>
}

interface Worker<R> {
  readonly child: ChildProcess
  readonly number: number
  readonly megabytes: number
  /** The end of what it wrote on stderr. */
  said: string
  busy: { readonly label: string; readonly since: number; settle(outcome: Outcome<R>): void } | undefined
  gone: boolean
}

const lookEvery = 200 // ms

/** For trials of sweeps, unless other work is named that their processes know. */
export function trialProcesses<T extends object = TrialTask, R = TrialResult>({
  script = fromRoot('dist/bundle/node/sweep/trial-child.js'),
}: ProcessOptions = {}): TrialProcesses<T, R> {
  const workers = new Set<Worker<R>>()
  let closed = false
  const end = (worker: Worker<R>, outcome: Outcome<R>): void => {
    const { busy } = worker
    worker.gone = true
    worker.busy = undefined
    workers.delete(worker)
    worker.child.kill('SIGKILL')
    busy?.settle(closed ? { kind: 'stopped' } : outcome)
  }
  const heard = (worker: Worker<R>, reply: TrialReply<R>): void => {
    const { busy } = worker
    if (busy === undefined) return
    if (reply.kind === 'broken') {
      end(worker, { kind: 'lost', reason: reply.reason })
      return
    }
    worker.busy = undefined
    busy.settle(reply.kind === 'done' ? { ...reply, worker: `${hostname()}/${worker.number}` } : reply)
  }
  const start = (megabytes: number): Worker<R> => {
    const numbers = new Set([...workers].map(({ number }) => number))
    let number = 1
    while (numbers.has(number)) number++
    const child = fork(fileURLToPath(script), {
      execArgv: [`--max-old-space-size=${megabytes}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const worker: Worker<R> = { child, number, megabytes, said: '', busy: undefined, gone: false }
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
  return {
    run(task, limits, label = '') {
      if (closed) return Promise.resolve({ kind: 'stopped' })
      const free = [...workers].find(({ busy, megabytes }) => busy === undefined && megabytes === limits.megabytes)
      const worker = free ?? start(limits.megabytes)
      return new Promise((resolve) => {
        const watch = setInterval(() => {
          const used = residentMegabytes(worker.child.pid)
          if (used <= limits.megabytes) return
          const reason = `its worker took more memory than ${limits.megabytes} MB`
          end(worker, { kind: 'lost', reason })
        }, lookEvery)
        const clock = setTimeout(
          () => end(worker, { kind: 'lost', reason: `it took longer than ${limits.seconds} s` }),
          Math.min(1000 * limits.seconds, 0x7fffffff),
        )
        const settle = (outcome: Outcome<R>): void => {
          clearInterval(watch)
          clearTimeout(clock)
          resolve(outcome)
        }
        worker.busy = { label, since: performance.now(), settle }
        worker.child.send(task, (error) => {
          if (error !== null && !worker.gone)
            end(worker, { kind: 'lost', reason: `a worker is gone: ${error.message}` })
        })
      })
    },
    doing() {
      const lines = [...workers].flatMap(({ number, busy }) => {
        if (busy === undefined) return []
        const seconds = Math.round((performance.now() - busy.since) / 1000)
        return [`${number}: ${busy.label}${seconds < 2 ? '' : ` (${seconds} s)`}`]
      })
      return lines.join(' | ')
    },
    async close() {
      closed = true
      const ended = [...workers].map(({ child }) => new Promise((resolve) => child.once('close', resolve)))
      for (const worker of [...workers]) end(worker, { kind: 'stopped' })
      await Promise.all(ended)
    },
  }
}

function deathOf(
  { said, megabytes }: Pick<Worker<unknown>, 'said' | 'megabytes'>,
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
