/** A worker thread that had too little memory: no bug of ours. */
import { OverhearError } from '../../errors.js'

/** The error in words where that is what a thread died of. */
export function outOfMemory(error: Error | undefined): OverhearError | undefined {
  if ((error as { code?: unknown } | undefined)?.code !== 'ERR_WORKER_OUT_OF_MEMORY') return undefined
  const hint = 'give fewer --workers, or more memory by NODE_OPTIONS=--max-old-space-size=MEGABYTES'
  return new OverhearError('E_INPUT', 'a worker thread ran out of memory', hint)
}
