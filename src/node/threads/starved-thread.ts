/** A worker thread that had too little memory, or too few files that it may open: no bug of ours. */
import { OverhearError } from '../../errors.js'
import { faultOf, systemCode } from '../files/machine-faults.js'

/** The error in words where that is what a thread died of. */
export function starvedThread(error: Error | undefined): OverhearError | undefined {
  // A thread that cannot load its own code says so by the system's code, or by words alone.
  const code = systemCode(error) ?? /^(EMFILE|ENFILE|ENOMEM|EAGAIN): /.exec(error?.message ?? '')?.[1]
  if (code !== undefined)
    return faultOf(Object.assign(new Error(code), { code }), 'a file of the program') as OverhearError
  if ((error as { code?: unknown } | undefined)?.code !== 'ERR_WORKER_OUT_OF_MEMORY') return undefined
  const hint = 'give fewer --workers, or more memory by NODE_OPTIONS=--max-old-space-size=MEGABYTES'
  return new OverhearError('E_INPUT', 'a worker thread ran out of memory', hint)
}
