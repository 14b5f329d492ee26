/** Runs job after job on evidence that is opened once: what a worker thread does, and an audit without threads. */
import type { SimulatePorts } from '../scenario/simulate.js'
import { keepRounds, type Room } from '../transcript/kept-rounds.js'
import type { AttackResult } from './attack-result.js'
import type { Evidence } from './evidence.js'
import { type JobHooks, runJob } from './job.js'
import { type KeptFiles, memoryKeeper } from './kept/keeper.js'
import { liveLines } from './live-run.js'
import { openBeside, openRecording, type RecordingPaths, type RecordingPorts } from './open-recording.js'
import type { JobRequest } from './ports.js'

export interface RunnerPorts extends RecordingPorts, Pick<SimulatePorts, 'dataset'> {
  /** The folder that a path in a request names. */
  folder: SimulatePorts['folder']
  /** Files that several threads may write at once, in a folder that a request names. */
  keptFiles?(folder: string): KeptFiles
}

/** Decoded messages that a runner keeps between jobs. */
const keptBytes = 256 * 1024 * 1024

const keeping = ({ sources }: Evidence, room: Room): Evidence => ({
  sources: { ...sources, transcript: keepRounds(sources.transcript, room) },
})

export function jobRunner(ports: RunnerPorts): (request: JobRequest, hooks?: JobHooks) => Promise<AttackResult> {
  const opened = new Map<string, Promise<Evidence>>()
  const transcripts = new Map<string, Promise<Evidence>>()
  const room: Room = { left: keptBytes }
  /** Each transcript is opened once, whatever is known and true beside it, and its rounds are kept for the next job. */
  const open = async (paths: RecordingPaths): Promise<Evidence> => {
    const { transcript: path, ...beside } = paths
    const bare = transcripts.get(path) ?? openRecording({ transcript: path }, ports).then((one) => keeping(one, room))
    transcripts.set(path, bare)
    const { sources } = await bare
    return openBeside(sources.transcript, beside, ports)
  }
  const lineOf = liveLines(ports)
  const derived = memoryKeeper()
  return async ({ job, paths, live, kept }, hooks) => {
    const files = kept === undefined ? undefined : ports.keptFiles?.(kept)
    const key = JSON.stringify(paths)
    const evidence = opened.get(key) ?? open(paths)
    opened.set(key, evidence)
    const { sources, truth } = await evidence
    // A fresh line into the federation for every job that may send: what one attack did to a client no other sees.
    const channel = live === undefined ? undefined : await lineOf(live, job)
    return runJob(
      job,
      { sources: { ...sources, ...(channel !== undefined && { channel }) }, ...(truth !== undefined && { truth }) },
      { keeper: files === undefined ? derived : derived.beside(files), ...hooks },
    )
  }
}
