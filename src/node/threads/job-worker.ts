/** What runs in a worker thread of an audit: one job after another, on evidence that lies on the disk. */
import { parentPort } from 'node:worker_threads'
import type { AttackResult } from '../../audit/attack-result.js'
import type { Evidence } from '../../audit/evidence.js'
import { runJob } from '../../audit/job.js'
import type { Job } from '../../audit/plan-jobs.js'
import { openEvidence, type RunPaths } from '../files/open-run.js'
import { type LiveRun, liveChannelOf } from '../live-run.js'

export interface JobRequest {
  readonly job: Job
  readonly paths: RunPaths
  /** The federation itself, for attacks that send. */
  readonly live?: LiveRun
}
export type JobReply =
  | { readonly kind: 'tick'; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly result: AttackResult }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }

const opened = new Map<string, Promise<Evidence>>()

const tickEvery = 100 // ms

/** A fresh line into the federation for every job that may send: what one attack did to a client no other sees. */
async function withChannel({ sources, truth }: Evidence, job: Job, live: LiveRun | undefined): Promise<Evidence> {
  const channel = live === undefined ? undefined : await liveChannelOf(live, job)
  return { sources: { ...sources, ...(channel !== undefined && { channel }) }, ...(truth !== undefined && { truth }) }
}

parentPort?.on('message', async ({ job, paths, live }: JobRequest) => {
  const reply = (message: JobReply): void => parentPort?.postMessage(message)
  let last = performance.now()
  try {
    const key = JSON.stringify(paths)
    const evidence = opened.get(key) ?? openEvidence(paths)
    opened.set(key, evidence)
    const result = await runJob(job, await withChannel(await evidence, job, live), {
      now: () => performance.now(),
      onTick(done, total) {
        if (performance.now() - last < tickEvery) return
        last = performance.now()
        reply({ kind: 'tick', done, total })
      },
    })
    reply({ kind: 'done', result })
  } catch (error) {
    const { code = 'E_INTERNAL', message, stack } = error as { code?: string; message: string; stack?: string }
    reply({ kind: 'error', code, message: code === 'E_INTERNAL' ? (stack ?? message) : message })
  }
})
