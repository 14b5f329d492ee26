// Tries: to see or change others' numbers by what lies behind typed arrays: their buffers, species, prototypes and iterators.
// Success: details.got is above 0 and it is not failed, or a neighbour's figures change.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const attack = defineAttack({
  ...{ id: 'known-typed-arrays', title: 'Looks behind arrays', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  uses: ['globals', 'records', 'auxiliary'],
  async run(view) {
    const turns = await turnsOf(view)
    const theta = turns.at(-1).returned.slice()
    let got = 0
    const arrays = [view.records?.features.data, view.auxiliary?.features.data]
    for (const round of view.exchanges.rounds) arrays.push((await view.exchanges.read(round)).received)
    for (const round of view.globals?.rounds ?? []) arrays.push(await view.globals.read(round))
    for (const one of arrays) if (one !== undefined && one.buffer.byteLength > one.byteLength) got++
    class Mine extends Float64Array {}
    const patches = [
      () => Object.defineProperty(Float64Array, Symbol.species, { get: () => Mine }),
      () => (Object.getPrototypeOf(Float64Array).prototype.fill = () => {}),
      () => (Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })),
      () => (Array.prototype.sort = () => []),
    ]
    for (const patch of patches) {
      try {
        patch()
        got += 1
      } catch {}
    }
    return claimed({ kind: 'model', client: view.target, theta }, { details: { got } })
  },
  ...{ plant: plantedTurns, shuffle: permutedTurns },
})
export default definePlugin({ name: 'known-10', attacks: [attack] })
