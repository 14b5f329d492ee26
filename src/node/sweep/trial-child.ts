/** What runs in a worker process of a sweep: one trial after another, until whoever started it is gone. */
import { lockIntrinsics } from '../threads/lock-intrinsics.js'
import type { TrialTask } from './trial-task.js'

// Before anything else is loaded: attacks are held to what all share as it is now.
lockIntrinsics()
// A terminal tells all processes of its group; whoever started this one decides.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())

const ready = (async () => {
  const [{ answerTo }, { useOwnCrypto }] = await Promise.all([
    import('./trial-task.js'),
    import('../threads/own-crypto.js'),
  ])
  useOwnCrypto()
  return answerTo
})()

process.on('message', async (task: TrialTask) => {
  process.send?.(await (await ready)(task))
})
