/** What runs in a worker thread of an audit: one job after another, on evidence that lies on the disk. */
import { parentPort, workerData } from 'node:worker_threads'
import type { AttackResult } from '../../audit/attack-result.js'
import { jobRunner } from '../../audit/job-runner.js'
import type { JobRequest } from '../../audit/ports.js'
import { datasetReader } from '../files/dataset-files.js'
import { fileStore } from '../files/file-store.js'
import { keptFiles } from '../files/kept-files.js'
import { enterPlugins } from '../files/plugin-file.js'
import { recordingPorts } from '../recording-ports.js'

/** What a thread is told when it starts. */
export interface JobWorkerInput {
  /** Where datasets are looked for first. */
  readonly dataDir?: string
  /** Files of plug-ins. */
  readonly plugins?: readonly string[]
}

export type JobReply =
  | { readonly kind: 'tick'; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly result: AttackResult }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }

const tickEvery = 100 // ms

const { dataDir, plugins = [] } = workerData as JobWorkerInput
await enterPlugins(plugins)
const run = jobRunner({
  ...recordingPorts,
  folder: fileStore,
  keptFiles,
  dataset: (name) => datasetReader(name, dataDir),
})

parentPort?.on('message', async (request: JobRequest) => {
  const reply = (message: JobReply): void => parentPort?.postMessage(message)
  let last = performance.now()
  try {
    const result = await run(request, {
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
