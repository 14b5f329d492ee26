/** Runs job after job on evidence that is opened once: what a worker thread does, and an audit without threads. */
import type { SimulatePorts } from '../scenario/simulate.js'
import type { AttackResult } from './attack-result.js'
import type { Evidence } from './evidence.js'
import { type JobHooks, runJob } from './job.js'
import { liveLines } from './live-run.js'
import { openRecording, type RecordingPorts } from './open-recording.js'
import type { JobRequest } from './ports.js'

export interface RunnerPorts extends RecordingPorts, Pick<SimulatePorts, 'dataset'> {
  /** The folder that a path in a request names. */
  folder: SimulatePorts['folder']
}

export function jobRunner(ports: RunnerPorts): (request: JobRequest, hooks?: JobHooks) => Promise<AttackResult> {
  const opened = new Map<string, Promise<Evidence>>()
  const lineOf = liveLines(ports)
  return async ({ job, paths, live }, hooks) => {
    const key = JSON.stringify(paths)
    const evidence = opened.get(key) ?? openRecording(paths, ports)
    opened.set(key, evidence)
    const { sources, truth } = await evidence
    // A fresh line into the federation for every job that may send: what one attack did to a client no other sees.
    const channel = live === undefined ? undefined : await lineOf(live, job)
    return runJob(
      job,
      { sources: { ...sources, ...(channel !== undefined && { channel }) }, ...(truth !== undefined && { truth }) },
      hooks,
    )
  }
}
