/** Runs job after job on evidence that is opened once: what a worker thread does, and an audit without threads. */
import type { SimulatePorts } from '../scenario/simulate.js'
import { sends } from '../threat/observer.js'
import { observerCalled } from '../threat/observers.js'
import { keepRounds, type Room } from '../transcript/kept-rounds.js'
import { keepTables } from '../transcript/kept-tables.js'
import type { AttackResult } from './attack-result.js'
import type { Evidence } from './evidence.js'
import { type JobHooks, runJob } from './job.js'
import { type KeptFiles, memoryKeeper } from './kept/keeper.js'
import type { Ask } from './ladder/answer.js'
import { type AskedEvidence, runAsked } from './ladder/run-asked.js'
import { liveLines } from './live-run.js'
import { openBeside, openRecording, type RecordingPaths, type RecordingPorts } from './open-recording.js'
import type { JobRequest } from './ports.js'
import { heardBefore } from './recorded/heard-before.js'

export interface RunnerPorts extends RecordingPorts, Pick<SimulatePorts, 'dataset'> {
  /** The folder that a path in a request names. */
  folder: SimulatePorts['folder']
  /** Files that several threads may write at once, in a folder that a request names. */
  keptFiles?(folder: string): KeptFiles
}

/** Decoded messages that a runner keeps between jobs. */
export const keptBytes = 256 * 1024 * 1024

const keeping = ({ sources }: Evidence, room: Room): Evidence => ({
  sources: { ...sources, transcript: keepRounds(sources.transcript, room) },
})

export function jobRunner(ports: RunnerPorts): (request: JobRequest, hooks?: JobHooks) => Promise<AttackResult> {
  const opened = new Map<string, Promise<Evidence>>()
  const transcripts = new Map<string, Promise<Evidence>>()
  const besides = new Map<string, Promise<Evidence>>()
  const room: Room = { left: keptBytes }
  const reading = { ...ports, tables: keepTables(room) }
  /** Each transcript is opened once, whatever is known and true beside it, and what is read of both is kept for the next job. */
  const open = async (paths: RecordingPaths): Promise<Evidence> => {
    const { transcript: path, model, ...beside } = paths
    const own = { transcript: path, ...(model !== undefined && { model }) }
    const name = JSON.stringify(own)
    const bare = transcripts.get(name) ?? openRecording(own, ports).then((one) => keeping(one, room))
    transcripts.set(name, bare)
    const { transcript } = (await bare).sources
    const key = JSON.stringify({ model, ...beside })
    const rest = besides.get(key) ?? openBeside(transcript, beside, reading)
    besides.set(key, rest)
    const { sources, ...truth } = await rest
    return { ...truth, sources: { ...sources, transcript } }
  }
  const lineOf = liveLines(ports)
  const derived = memoryKeeper()
  const guesses = new Map<string, AskedEvidence['guesses']>()
  const asking = async ({ job, paths, live, ask }: JobRequest & { readonly ask: Ask }, hooks?: JobHooks) => {
    const key = JSON.stringify(paths)
    const evidence = await evidenceOf(paths)
    const { without } = ask
    const alone = without === null ? undefined : (await evidenceOf({ ...paths, transcript: without })).sources
    const made = guesses.get(key) ?? new Map()
    guesses.set(key, made)
    return runAsked(
      job,
      ask,
      {
        ...evidence,
        sources: heardBefore(evidence.sources, job, live),
        ...(alone !== undefined && { without: heardBefore(alone, job, live) }),
        guesses: made,
        ...(live !== undefined &&
          sends(observerCalled(job.observer)) && { channelTo: (target: string) => lineOf(live, { ...job, target }) }),
      },
      hooks,
    )
  }
  const evidenceOf = (paths: RecordingPaths): Promise<Evidence> => {
    const key = JSON.stringify(paths)
    const evidence = opened.get(key) ?? open(paths)
    opened.set(key, evidence)
    return evidence
  }
  return async (request, given) => {
    const { job, paths, live, ask, claimed, kept } = request
    const files = kept === undefined ? undefined : ports.keptFiles?.(kept)
    const hooks = { keeper: files === undefined ? derived : derived.beside(files), ...given }
    if (ask !== undefined) return asking({ ...request, ask }, hooks)
    const { sources, truth } = await evidenceOf(paths)
    // A fresh line into the federation for every job that may send: what one attack did to a client no other sees.
    const channel = live !== undefined && sends(observerCalled(job.observer)) ? await lineOf(live, job) : undefined
    const heard = heardBefore(sources, job, channel === undefined ? undefined : live)
    return runJob(
      job,
      { sources: { ...heard, ...(channel !== undefined && { channel }) }, ...(truth !== undefined && { truth }) },
      { ...hooks, ...(claimed !== undefined && { claimed }) },
    )
  }
}
