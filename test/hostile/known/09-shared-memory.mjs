// Tries: to share memory with whoever runs beside or after it, and to tell from the clock what others do.
// Success: details.got is above 0.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const shared = new Int32Array(new SharedArrayBuffer(64))
const pages = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })
const gone = []
const registry = new FinalizationRegistry((one) => gone.push(one))

const attack = defineAttack({
  ...{ id: 'known-shared-memory', title: 'Shares memory', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  async run({ exchanges, target }) {
    const turns = await turnsOf({ exchanges })
    let got = Atomics.load(shared, 0) + new Uint8Array(pages.buffer)[0] + gone.length
    const [before, since] = [performance.now(), Date.now()]
    for (let k = 0; k < 1e6; k++) Atomics.add(shared, 1, 1)
    got += performance.now() - before > 0 ? 1 : 0
    for (const way of [() => new MessageChannel(), () => setTimeout(() => {}, 0), () => new Worker('x', { shared })]) {
      try {
        way()
        got++
      } catch {}
    }
    return claimed(
      { kind: 'model', client: target, theta: turns.at(-1).returned },
      { details: { got, clock: Date.now() >= since } },
    )
  },
  async plant(input) {
    const world = await plantedTurns(input)
    registry.register(world, 1)
    queueMicrotask(() => void Atomics.store(shared, 0, 1))
    return world
  },
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'known-09', attacks: [attack] })
