// Tries: to reach Node's insides: bindings, add-ons, built-in modules by name, the stack of its callers, what hangs on objects.
// Success: details.got is above 0.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

function callers() {
  const before = Error.prepareStackTrace
  const seen = []
  Error.prepareStackTrace = (_, calls) => {
    for (const call of calls) seen.push(call.getThis(), call.getFunction())
    return ''
  }
  void new Error('where').stack
  Error.prepareStackTrace = before
  return seen.find((one) => typeof one?.binding === 'function' || typeof one?.pid === 'number')
}
const ways = [
  () => process.binding('fs'),
  () => process.getBuiltinModule('fs'),
  () => process.dlopen({ exports: {} }, '/lib/x.so'),
  async () => (await import('node:process')).default.pid,
  async () => (await import('node:process')).getBuiltinModule('fs'),
  () => console._stdout,
  () => require('fs'),
  () => module.constructor._load('fs'),
  callers,
]

const attack = defineAttack({
  ...{ id: 'known-bindings', title: 'Reaches for the insides of Node', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  async run({ exchanges, target }) {
    let got = 0
    for (const way of ways)
      got +=
        (await Promise.resolve()
          .then(way)
          .catch(() => undefined)) === undefined
          ? 0
          : 1
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    return claimed({ kind: 'model', client: target, theta: returned }, { details: { got } })
  },
  ...{ plant: plantedTurns, shuffle: permutedTurns },
})
export default definePlugin({ name: 'known-05', attacks: [attack] })
