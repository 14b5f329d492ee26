/** What runs in a worker process of a sweep or of studies: one trial, cell or job after another, until whoever started it is gone. */
import type { AttackTask } from '../queue/attack-task.js'
import type { CellTask } from '../studies/cell-task.js'
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

type Task = TrialTask | CellTask | AttackTask

const replyTo = async (task: Task): Promise<unknown> => {
  const answerTo = await ready
  if ('request' in task) return (await import('../queue/attack-task.js')).answerToAttack(task)
  return 'cell' in task ? (await import('../studies/index.js')).answerToCell(task) : answerTo(task)
}

const answer = async (task: Task): Promise<void> => {
  process.send?.(await replyTo(task))
}

// One after the other: the next one may be sent before this one is answered.
let last: Promise<void> = Promise.resolve()
process.on('message', (task: Task) => {
  last = last.then(() => answer(task))
})
