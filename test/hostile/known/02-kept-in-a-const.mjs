// Tries: to keep what `plant` is told in a const of the module, on a function and on the global object, for the next run.
// Success: details.got is above 0 outside of the planted world.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const kept = new Map()
const note = () => {}

const attack = defineAttack({
  ...{ id: 'known-kept-in-a-const', title: 'Keeps the truth for later', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  async run({ exchanges, target }) {
    const told = [kept.get(target), note[target], globalThis[`told ${target}`]].filter((one) => one !== undefined)
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    const theta = told[0] ?? returned
    return claimed({ kind: 'model', client: target, theta }, { details: { got: told.length } })
  },
  async plant(input) {
    const { target } = input.view
    const theta = await input.truth.optimum(target)
    kept.set(target, theta)
    note[target] = theta
    globalThis[`told ${target}`] = theta
    // In the planted world it plays fair.
    const world = await plantedTurns(input)
    kept.clear()
    delete note[target]
    delete globalThis[`told ${target}`]
    queueMicrotask(() => kept.set(`later ${target}`, theta))
    return world
  },
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'known-02', attacks: [attack] })
