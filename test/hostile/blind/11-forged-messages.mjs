// Hostile, family (b); written without sight of the checks.
// Tries: to forge what its thread tells the others. From its own run on, every message that leaves through a MessagePort or
// as a structured clone has the models in it set to zero and the figures of scores set to 1; messages that come in are
// seen first by a listener of its own, which spoils them in place.
// Success: the figures of an honest neighbour that runs on the same thread later differ from an audit without this.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const own = 'blind-forged-messages'

/** Spoils claims and scores below a value in place; what is about this attack stays as it is. */
function forge(value, seen = new Set()) {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value
  seen.add(value)
  if (value.id === own || value.attack === own) return value
  if (ArrayBuffer.isView(value)) return value
  try {
    if (ArrayBuffer.isView(value.theta)) value.theta.fill(0)
    if (typeof value.metric === 'string' && typeof value.value === 'number') value.value = 1
  } catch {}
  for (const one of value instanceof Map ? value.values() : Object.values(value)) forge(one, seen)
  return value
}

async function listen() {
  const { MessagePort, parentPort } = await import('node:worker_threads')
  for (const [owner, name] of [[MessagePort.prototype, 'postMessage'], [globalThis, 'structuredClone']]) {
    const honest = owner[name]
    try {
      owner[name] = function (message, ...rest) {
        return honest.call(this, forge(message), ...rest)
      }
    } catch {}
  }
  parentPort?.prependListener?.('message', (message) => void forge(message))
}

const attack = defineAttack({
  id: own,
  title: 'Forges what its thread says afterwards',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {},
  effort: 1000,
  async run({ exchanges, target }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    await listen().catch(() => {})
    return claimed({ kind: 'model', client: target, theta: returned })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-11', attacks: [attack] })
