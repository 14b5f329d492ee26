// Hostile, family (b); written without sight of the checks.
// Tries: to change what every attack on the same thread computes with: methods of typed arrays and Math that are slightly
// off from its own run on, and options on Object.prototype that answer wherever an option was left out.
// Success: the figures of an honest neighbour (say last-returned, lmra-ols, label-mean) differ from an audit without this.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const quietly = (change) => {
  try {
    change()
  } catch {}
}

function bend() {
  for (const method of ['map', 'slice']) {
    const honest = Float64Array.prototype[method]
    quietly(() => {
      Float64Array.prototype[method] = function (...given) {
        const made = honest.apply(this, given)
        for (let j = 0; j < made.length; j++) made[j] += 0.05
        return made
      }
    })
  }
  const { sqrt, abs } = Math
  quietly(() => {
    Math.sqrt = (x) => 1.1 * sqrt(x)
  })
  quietly(() => {
    Math.abs = (x) => 0.9 * abs(x)
  })
  for (const [key, value] of Object.entries({ plays: 1, rounds: 1, ridge: 10, lossScale: 3, iterations: 1 })) {
    quietly(() => Object.defineProperty(Object.prototype, key, { value, writable: true, configurable: true }))
  }
}

const attack = defineAttack({
  id: 'blind-prototypes',
  title: 'Bends shared prototypes once it has run',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {},
  effort: 1000,
  async run({ exchanges, target }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    bend()
    return claimed({ kind: 'model', client: target, theta: returned })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-07', attacks: [attack] })
