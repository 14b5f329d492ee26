/** One worker thread of a pool: it takes jobs one at a time, and whatever ends it is told to those who wait. */
import { Worker } from 'node:worker_threads'
import { type ErrorCode, internal, OverhearError } from '../../errors.js'
import { fromRoot } from '../package-root.js'
import type { Answer, Reply, Request, WorkerInput } from './client-worker.js'

export interface Job {
  readonly request: Request
  /** Who is at work in it, for errors. */
  who(): string
  /** Gets what comes before the reply; it does not throw. */
  answered?(answer: Answer): void
  resolve(reply: Exclude<Reply, { readonly error: unknown }>): void
  reject(error: Error): void
}

export interface Thread {
  /** There may be a job for it. */
  wake(): void
  end(): Promise<void>
}

export interface ThreadOptions {
  /** Its place in the pool. */
  readonly place: number
  readonly input: WorkerInput
  /** The next job for it. */
  take(): Job | undefined
}

export function startThread({ place, input, take }: ThreadOptions): Thread {
  // Flags of the process are not for its threads: some of them, such as --input-type, would stop one.
  const worker = new Worker(fromRoot('dist/bundle/node/threads/client-worker.js'), { workerData: input, execArgv: [] })
  let current: Job | undefined
  let dead: Error | undefined
  worker.unref() // an idle pool keeps no process alive

  const next = (): void => {
    if (dead !== undefined) return // unref now, and the process may end before the thread has
    current = take()
    if (current === undefined) {
      worker.unref()
      return
    }
    worker.ref()
    try {
      worker.postMessage(current.request)
    } catch (error) {
      const lost = current
      current = undefined
      lost.reject(error as Error) // what cannot be sent must not keep the thread
      next()
    }
  }
  const fail = (error: Error): void => {
    dead ??= error
    current?.reject(dead)
    current = undefined
    for (let job = take(); job !== undefined; job = take()) job.reject(dead) // the run is lost anyway
  }
  const lost = (how: string, why = ''): void => {
    const when = current === undefined ? 'while idle' : `while it played ${current.who()}`
    fail(internal(`worker thread ${place} ${how} ${when}${why}`))
  }
  const ended = (reply: Reply): void => {
    const done = current
    current = undefined
    if ('error' in reply) done?.reject(new OverhearError(reply.error.code as ErrorCode, reply.error.message))
    else done?.resolve(reply)
    next()
  }
  worker.on('message', (heard: Reply | Answer) => ('answer' in heard ? current?.answered?.(heard) : ended(heard)))
  worker.on('error', (error) => lost('failed', `: ${error.message}`))
  worker.on('exit', (code) => lost(`ended with code ${code}`))
  return {
    wake() {
      if (dead !== undefined) fail(dead)
      else if (current === undefined) next()
    },
    async end() {
      dead ??= new OverhearError('E_INTERRUPTED', 'the pool of worker threads was closed')
      await worker.terminate()
    },
  }
}
