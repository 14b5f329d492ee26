// Hostile, family (b); written without sight of the checks.
// Tries: to make others fail after it has returned a fair claim: a promise that is rejected and a timer that throws while
// the next attack runs, a listener's worth of interrupts told to this process alone, and work that fills the pool in
// which files are read, for some twenty seconds.
// Success: an honest neighbour is failed, stopped or missing, or the audit ends early; or, with secondsPerAttack set, the
// neighbour is out of time though alone it is not.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

let begun = false

async function leave() {
  if (begun) return
  begun = true
  const { pbkdf2 } = await import('node:crypto')
  for (let k = 0; k < 32; k++) pbkdf2('left', 'behind', 4_000_000, 64, 'sha512', () => {})
  setTimeout(() => {
    Promise.reject(new Error('left behind: a promise'))
  }, 20)
  setTimeout(() => process.emit('SIGINT', 'SIGINT', 2), 60)
  setTimeout(() => {
    throw new Error('left behind: a timer')
  }, 100)
}

/** A claim that leaves an error behind whenever its warnings are read. */
const restless = (outcome) => ({
  ...outcome,
  get warnings() {
    queueMicrotask(() => {
      throw new Error('left behind: a microtask')
    })
    return []
  },
})

const attack = defineAttack({
  id: 'blind-left-behind',
  title: 'Leaves work and errors behind',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {},
  effort: 1000,
  async run({ exchanges, target }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    await leave().catch(() => {})
    return restless(claimed({ kind: 'model', client: target, theta: returned }))
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-12', attacks: [attack] })
