/** One worker thread of a pool: it takes jobs one at a time, and whatever ends it is told to those who wait. */
import { type ErrorCode, internal, OverhearError } from '../../errors.js'
import type { Answer, ClientWorkerInput, Reply, Request } from './client-worker.js'
import { starvedThread } from './starved-thread.js'
import { openLine } from './thread-line.js'

export interface Job {
  readonly request: Request
  /** Who is at work in it, for errors. */
  who(): string
  /** Gets what comes before the reply or with it; it does not throw. */
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
  readonly input: ClientWorkerInput
  /** The next job for it. */
  take(): Job | undefined
}

export function startThread({ place, input, take }: ThreadOptions): Thread {
  let current: Job | undefined
  let dead: Error | undefined

  const next = (): void => {
    if (dead !== undefined) return // unref now, and the process may end before the thread has
    current = take()
    if (current === undefined) {
      line.ref(false) // an idle pool keeps no process alive
      return
    }
    line.ref(true)
    try {
      line.post(current.request)
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
  const lost = (how: string, why = '', starved?: Error): void => {
    const when = current === undefined ? 'while idle' : `while it played ${current.who()}`
    fail(starved ?? internal(`worker thread ${place} ${how} ${when}${why}`))
  }
  const ended = (reply: Reply): void => {
    if ('answers' in reply) for (const one of reply.answers) current?.answered?.(one)
    const done = current
    current = undefined
    if ('error' in reply) done?.reject(new OverhearError(reply.error.code as ErrorCode, reply.error.message))
    else done?.resolve(reply)
    next()
  }
  const line = openLine<Reply | Answer>(
    { role: 'clients', input },
    {
      message: (heard) => ('answer' in heard ? current?.answered?.(heard) : ended(heard)),
      lost: (how, error) => lost(how, error === undefined ? '' : `: ${error.message}`, starvedThread(error)),
    },
  )
  return {
    wake() {
      if (dead !== undefined) fail(dead)
      else if (current === undefined) next()
    },
    async end() {
      const free = dead === undefined && current === undefined
      dead ??= new OverhearError('E_INTERRUPTED', 'the pool of worker threads was closed')
      if (free) line.release()
      else await line.end()
    },
  }
}
