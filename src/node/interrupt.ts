/** Ctrl-C: the first asks to stop cleanly, the second ends at once. */
import { OverhearError } from '../errors.js'

/** Whether somebody asked to stop what runs. */
let asked = false

/** Ends what is made of many small steps and was handed no signal, such as reading a file. */
export function stopIfAsked(): void {
  if (asked) throw new OverhearError('E_INTERRUPTED', 'interrupted')
}

/** Runs something that can be asked to stop. */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = (): void => {
    asked = true
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    return await run(controller.signal)
  } finally {
    asked = false
    process.removeListener('SIGINT', stop)
    process.removeListener('SIGTERM', stop)
  }
}
