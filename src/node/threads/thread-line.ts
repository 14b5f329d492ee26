/** Worker threads that serve one purpose after another: clients of a federation, then attacks. Idle ones wait for the next. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { compiledKernels } from '../../numeric/engine/kernels.js'
import { fromRoot } from '../package-root.js'
import type { ClientWorkerInput } from './client-worker.js'
import type { JobWorkerInput } from './job-worker.js'

/** What a thread is opened for. */
export type Opening =
  | { readonly role: 'clients'; readonly input: ClientWorkerInput }
  | { readonly role: 'jobs'; readonly input: JobWorkerInput }

/** What a thread is told when it starts. */
export interface ThreadStart {
  readonly kernels: ReturnType<typeof compiledKernels>
  /** Whether it should make itself ready for every role before it is asked. */
  readonly warm: boolean
}

/** What is heard from a thread. */
export interface Ear<Heard> {
  message(heard: Heard): void
  /** It is gone: "failed", "ended with code 7"; an error that it died of. */
  lost(how: string, error?: Error): void
}

/** A thread in one role, until it is released or ended. */
export interface Line {
  /** The number of the thread in this process. */
  readonly thread: number
  post(message: unknown): void
  /** Whether it keeps the process alive. */
  ref(alive: boolean): void
  /** It has nothing under way: others may have it. */
  release(): void
  /** Ends it, whatever it is doing. */
  end(): Promise<void>
}

interface Idle {
  readonly worker: Worker
  /** Plug-ins that were entered in its tables, where they stay. */
  readonly plugins: ReadonlySet<string>
  readonly timer: NodeJS.Timeout
}

const script = fromRoot('dist/bundle/node/threads/thread-worker.js')
/** An idle thread ends after so many milliseconds. */
const patience = 3000
const idle: Idle[] = []

/** Starts threads that are not asked for yet, so that they are ready when they are. */
export function prepareThreads(count = availableParallelism()): void {
  const missing = count - idle.length
  for (let i = 0; i < missing; i++) keep(start(script, true), new Set())
}

/** Threads that wait for somebody to ask for them. */
export const idleThreads = (): number => idle.length

/** An idle thread, or a new one, in a role. A script of one's own is for tests: its threads serve nobody else. */
export function openLine<Heard>(opening: Opening, ear: Ear<Heard>, own?: URL): Line {
  const { plugins: files = [] } = opening.input
  const confined = opening.role === 'jobs' ? (opening.input.confined ?? []) : []
  const wanted = [...files, ...confined.map(({ file }) => file)]
  const at = own === undefined ? idle.findIndex(({ plugins }) => [...plugins].every((one) => wanted.includes(one))) : -1
  const [found] = at < 0 ? [] : idle.splice(at, 1)
  if (found !== undefined) clearTimeout(found.timer)
  const worker = found?.worker ?? start(own ?? script, false)
  // Of a new thread too: with what Node itself listens to, threads that exchange messages hang (test/secure-threads).
  worker.removeAllListeners()
  let gone = false
  const lost = (how: string, error?: Error): void => {
    gone = true
    ear.lost(how, error)
  }
  worker.on('message', (heard: Heard) => ear.message(heard))
  worker.on('error', (error) => lost('failed', error))
  worker.on('exit', (code) => lost(`ended with code ${code}`))
  try {
    worker.postMessage(opening, opening.role === 'clients' ? [...(opening.input.ends ?? [])] : [])
  } catch (error) {
    void worker.terminate() // what cannot be sent must not keep the thread
    throw error
  }
  return {
    thread: worker.threadId,
    post: (message) => worker.postMessage(message),
    ref: (alive) => void (alive ? worker.ref() : worker.unref()),
    release() {
      if (gone) return
      gone = true
      if (own === undefined && idle.length < availableParallelism()) keep(worker, new Set(wanted))
      else void worker.terminate()
    },
    async end() {
      await worker.terminate()
    },
  }
}

function start(of: URL, warm: boolean): Worker {
  const kernels = compiledKernels()
  // Flags of the process are not for its threads: some of them, such as --input-type, would stop one.
  const execArgv = process.execArgv.filter((flag) => /^--(cpu|heap)-prof/.test(flag))
  const worker = new Worker(of, { workerData: { kernels, warm } satisfies ThreadStart, execArgv })
  worker.unref() // an idle one keeps no process alive
  return worker
}

function keep(worker: Worker, plugins: ReadonlySet<string>): void {
  const timer = setTimeout(() => {
    forget()
    void worker.terminate()
  }, patience)
  timer.unref()
  const one: Idle = { worker, plugins, timer }
  const forget = (): void => {
    clearTimeout(timer)
    if (idle.includes(one)) idle.splice(idle.indexOf(one), 1)
  }
  worker.removeAllListeners()
  worker.on('error', forget)
  worker.on('exit', forget)
  worker.unref()
  idle.push(one)
}
