/** Audits that were started from the page: each a process of the command, few at once, the others wait in line. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { JobState } from '../../api/answers.js'
import { OverhearError } from '../../errors.js'
import { fromRoot } from '../package-root.js'
import { listening, type Told } from '../tell-parent.js'
import { afterTold, freshJob } from './job-progress.js'
import type { JobLimits } from './server-options.js'

export interface Jobs {
  /** Puts an audit in line; `args` are those of `overhear audit`. */
  start(id: string, args: readonly string[]): JobState
  /** Asks it to stop; what is finished is kept. */
  stop(id: string): JobState
  get(id: string): JobState | null
  /** Called with every new state until the function that it returns is called. */
  follow(take: (job: JobState) => void): () => void
  /** Stops all, and waits for them. */
  close(): Promise<void>
}

interface Job {
  state: JobState
  readonly args: readonly string[]
  started: number
  child: ChildProcess | null
  /** The end of what it said on stderr. */
  said: string
  asked: boolean
}

const mostSaid = 20_000

export function jobLine({ running, waiting }: JobLimits, script = fileURLToPath(fromRoot('bin/overhear.mjs'))): Jobs {
  const jobs = new Map<string, Job>()
  const followers = new Set<(job: JobState) => void>()
  let closed = false

  const set = (job: Job, state: JobState): void => {
    job.state = state
    for (const take of followers) take(state)
  }
  const inState = (wanted: JobState['state']): Job[] => [...jobs.values()].filter(({ state }) => state.state === wanted)

  const begin = (job: Job): void => {
    job.started = performance.now()
    const child = fork(script, ['audit', ...job.args], {
      execArgv: [],
      env: { ...process.env, [listening]: '1' },
      // In a group of its own: Ctrl-C is for the server, which asks it to stop once.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    job.child = child
    set(job, { ...job.state, state: 'running' })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      job.said = (job.said + text).slice(-mostSaid)
    })
    child.on('message', (told) => set(job, afterTold(job.state, told as Told, seconds(job))))
    let ended = false
    const end = (code: number | null, why: string | null): void => {
      if (ended) return
      ended = true
      job.child = null
      set(job, { ...endOf(job, code, why), seconds: seconds(job), secondsLeft: null })
      next()
    }
    child.on('error', (error) => end(null, error.message))
    child.on('close', (code, signal) => end(code, signal === null ? null : `it was ended by ${signal}`))
  }

  const next = (): void => {
    if (closed) return
    for (const job of inState('waiting').slice(0, Math.max(0, running - inState('running').length))) begin(job)
  }

  return {
    start(id, args) {
      const state = jobs.get(id)?.state.state
      if (state === 'running' || state === 'waiting') {
        throw new OverhearError('E_INPUT', `${id} is at work already`, 'wait for its end, or cancel it')
      }
      if (inState('waiting').length >= waiting) {
        const found = `${inState('running').length} audits run and ${waiting} wait`
        throw new OverhearError('E_WORK', found, 'cancel one, or wait for its end')
      }
      const job: Job = { state: freshJob(id), args, started: 0, child: null, said: '', asked: false }
      jobs.delete(id)
      jobs.set(id, job)
      set(job, job.state)
      next()
      return job.state
    },
    stop(id) {
      const job = jobs.get(id)
      if (job === undefined) throw new OverhearError('E_UNKNOWN_NAME', `${id} is not at work`)
      job.asked = true
      if (job.state.state === 'waiting') set(job, { ...job.state, state: 'stopped' })
      // A second one ends it at once.
      else job.child?.kill('SIGTERM')
      return job.state
    },
    get: (id) => jobs.get(id)?.state ?? null,
    follow(take) {
      followers.add(take)
      return () => followers.delete(take)
    },
    async close() {
      closed = true
      const ends = [...jobs.values()].flatMap((job) => {
        const { child } = job
        if (child === null) return []
        job.asked = true
        child.kill('SIGTERM')
        return [new Promise<void>((resolve) => child.once('close', () => resolve()))]
      })
      await Promise.all(ends)
    },
  }
}

const seconds = ({ started }: Job): number => (performance.now() - started) / 1000

/** Exit codes as main() gives them: 0 and 4 have a document, 130 was asked to stop. */
function endOf(job: Job, code: number | null, why: string | null): JobState {
  if (code === 0 || code === 4) return { ...job.state, state: 'done', share: 1 }
  if (code === 130 || job.asked) return { ...job.state, state: 'stopped' }
  const lines = job.said.split('\n').filter((line) => line.startsWith('overhear: '))
  const error = why ?? lines.at(-1)?.slice('overhear: '.length) ?? job.said.trim().split('\n').at(-1) ?? ''
  return { ...job.state, state: 'failed', error: error === '' ? `it ended with exit code ${code}` : error }
}
