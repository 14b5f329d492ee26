/** States of audits as they change, as server-sent events: the last one of each, at most a few times a second. */
import type { Context } from 'hono'
import type { JobState } from '../../api/answers.js'
import { OverhearError } from '../../errors.js'
import type { Jobs } from './jobs.js'
import type { RunList } from './run-list.js'

export interface StreamOptions {
  readonly jobs: Jobs
  readonly runs: RunList
}

/** Streams that may be open at once. */
const mostStreams = 256
const every = 200 // ms between two messages
const aliveEvery = 15_000 // ms: a line that keeps proxies from hanging up
let open = 0

const message = (job: JobState): string => `event: job\ndata: ${JSON.stringify(job)}\n\n`

/** Of one run, or of all. */
export function eventStream(c: Context, { jobs, runs }: StreamOptions, id?: string): Response {
  if (id !== undefined) runs.folder(id)
  if (open >= mostStreams) throw new OverhearError('E_WORK', `${mostStreams} pages listen already`, 'close some')
  open++
  const waiting = new Map<string, JobState>()
  const encoder = new TextEncoder()
  let end = (): void => {}
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string): void => {
        try {
          controller.enqueue(encoder.encode(text))
        } catch {
          end()
        }
      }
      const flush = (): void => {
        for (const job of waiting.values()) send(message(job))
        waiting.clear()
      }
      const unfollow = jobs.follow((job) => {
        if (id === undefined || job.id === id) waiting.set(job.id, job)
      })
      const timers = [setInterval(flush, every), setInterval(() => send(': alive\n\n'), aliveEvery)]
      for (const timer of timers) timer.unref()
      end = () => {
        open--
        end = () => {}
        unfollow()
        for (const timer of timers) clearInterval(timer)
        try {
          controller.close()
        } catch {
          // It was closed by whoever listened.
        }
      }
      send(': hello\n\n')
      const now = id === undefined ? runs.list().flatMap(({ job }) => job ?? []) : [jobs.get(id)]
      for (const job of now) if (job !== null) send(message(job))
      c.req.raw.signal.addEventListener('abort', () => end())
    },
    cancel: () => end(),
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}
