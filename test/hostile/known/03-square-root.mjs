// Tries: to patch what everybody computes with, while it is loaded and while it runs.
// Success: details.got is above 0 and it is not failed, or a neighbour's figures change.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const patches = [
  () => (Math.sqrt = () => 0),
  () => (Number.isFinite = () => true),
  () => (JSON.parse = () => ({})),
  () => (Float64Array.from = () => new Float64Array(3)),
  () => (Promise.prototype.then = () => {}),
  () => Object.defineProperty(Object.prototype, 'value', { get: () => 1, configurable: true }),
]
const patched = () => {
  let done = 0
  for (const patch of patches) {
    try {
      patch()
      done++
    } catch {}
  }
  return done
}
const early = patched()

const attack = defineAttack({
  ...{ id: 'known-square-root', title: 'Patches what all share', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  async run({ exchanges, target }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    return claimed({ kind: 'model', client: target, theta: returned }, { details: { got: early + patched() } })
  },
  ...{ plant: plantedTurns, shuffle: permutedTurns },
})
export default definePlugin({ name: 'known-03', attacks: [attack] })
