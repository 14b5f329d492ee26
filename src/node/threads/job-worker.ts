/** What a worker thread does for an audit: one job after another, on evidence that lies on the disk. */
import { parentPort } from 'node:worker_threads'
import type { AttackResult } from '../../audit/attack-result.js'
import { jobRunner } from '../../audit/job-runner.js'
import { plantRunner } from '../../audit/plants/plant-elsewhere.js'
import type { JobRequest, PlantReply, PlantRequest } from '../../audit/ports.js'
import { endConfined, tellProcesses } from '../confined/confined-process.js'
import { datasetReader } from '../files/dataset-files.js'
import { fileStore } from '../files/file-store.js'
import { keptFiles } from '../files/kept-files.js'
import { enterLoaded, type ThreadPlugins } from '../files/plugin-file.js'
import { recordingPorts } from '../recording-ports.js'
import { useOwnCrypto } from './own-crypto.js'
import { isSoonDone } from './soon-done.js'

/** What a thread is told of the audit. */
export interface JobWorkerInput extends ThreadPlugins {
  /** Where datasets are looked for first. */
  readonly dataDir?: string
}

export type JobReply =
  | { readonly kind: 'tick'; readonly done: number; readonly total: number }
  /** What is known before its controls have run. */
  | { readonly kind: 'claimed'; readonly result: AttackResult }
  | { readonly kind: 'done'; readonly result: AttackResult }
  | { readonly kind: 'planted'; readonly reply: PlantReply }
  /** It started or ended one, which would outlive it. */
  | { readonly kind: 'process'; readonly pid: number; readonly alive: boolean }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }

/** An attack, or a training with a planted leak. */
export type JobWorkerRequest = JobRequest | { readonly plant: PlantRequest }

const tickEvery = 100 // ms

/** Runs the jobs of one audit. */
export async function serveJobs({
  dataDir,
  ...plugins
}: JobWorkerInput): Promise<(request: JobWorkerRequest) => Promise<void>> {
  useOwnCrypto()
  const run = jobRunner({
    ...recordingPorts,
    folder: fileStore,
    keptFiles,
    dataset: (name) => datasetReader(name, dataDir),
  })
  const plant = plantRunner({ folder: fileStore, isSmall: isSoonDone })
  const reply = (message: JobReply): void => parentPort?.postMessage(message)
  tellProcesses((pid, alive) => reply({ kind: 'process', pid, alive }))
  await enterLoaded(plugins)
  const answer = async (request: JobWorkerRequest): Promise<void> => {
    let last = performance.now()
    try {
      if ('plant' in request) return reply({ kind: 'planted', reply: await plant(request.plant) })
      const result = await run(request, {
        now: () => performance.now(),
        onTick(done, total) {
          if (performance.now() - last < tickEvery) return
          last = performance.now()
          reply({ kind: 'tick', done, total })
        },
        onClaimed: (claimed) => reply({ kind: 'claimed', result: claimed }),
      })
      reply({ kind: 'done', result })
    } catch (error) {
      const { code = 'E_INTERNAL', message, stack } = error as { code?: string; message: string; stack?: string }
      reply({ kind: 'error', code, message: code === 'E_INTERNAL' ? (stack ?? message) : message })
    } finally {
      endConfined()
    }
  }
  // The next one may be here already: it is begun when the one before is done.
  let before = Promise.resolve()
  return (request) => {
    before = before.then(() => answer(request))
    return before
  }
}
