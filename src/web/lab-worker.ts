/** The lab in a worker of its own, so that the page stays quick: settings come in, what happens goes out. */
import { type LabEvent, type LabSettings, runLab } from './lab.js'

export type LabMessage = (LabEvent | { readonly kind: 'failed'; readonly error: string }) & {
  /** Milliseconds since the settings came in. */
  readonly at: number
}

interface WorkerScope {
  onmessage: ((event: { readonly data: LabSettings }) => void) | null
  postMessage(message: LabMessage): void
}

const scope = globalThis as unknown as WorkerScope

scope.onmessage = async ({ data }) => {
  const start = performance.now()
  const at = (): number => performance.now() - start
  try {
    for await (const event of runLab(data)) scope.postMessage({ ...event, at: at() })
  } catch (error) {
    scope.postMessage({ kind: 'failed', error: (error as Error).message, at: at() })
  }
}
