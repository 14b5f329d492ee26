// Hostile, family (b); written without sight of the checks.
// Tries: to write over whatever it is handed, in case others are handed the same: messages and models of its view, the rules
// of the training, the outcome of another attack (`claimOf`), and in `plant` the records, labels, optimum and methods of
// the truth that everybody is graded by.
// Success: figures or controls of an honest neighbour (say last-returned, lmra-ols) differ from an audit without this.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

/** Sets all numbers below a value to 7, wherever nothing forbids it. */
function spoil(value, seen = new Set()) {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (value instanceof Float64Array) return void value.fill(7)
  if (value instanceof Map) for (const one of value.values()) spoil(one, seen)
  for (const key of Reflect.ownKeys(value)) {
    try {
      const one = value[key]
      if (typeof one === 'number') value[key] = 7
      else spoil(one, seen)
    } catch {}
  }
}

const attack = defineAttack({
  id: 'blind-written-over',
  title: 'Writes over what it is handed',
  target: 'model',
  needs: ['exchanges', 'target', 'protocol'],
  uses: ['globals', 'updates', 'aggregates', 'auxiliary', 'records', 'sampleCounts', 'participation'],
  params: {},
  effort: 1000,
  async run(view, { claimOf }) {
    const { exchanges, target } = view
    const theta = (await turnsOf({ exchanges })).at(-1).returned.slice()
    for (const series of [exchanges, view.globals, view.updates, view.aggregates]) {
      for (const round of [...(series?.rounds ?? [])]) spoil(await series.read(round))
    }
    for (const id of ['last-returned', 'lmra-ols', 'lmra-exact']) spoil(await claimOf(id).catch(() => null))
    spoil(view)
    return claimed({ kind: 'model', client: target, theta })
  },
  async plant(input) {
    const { truth, view } = input
    const world = await plantedTurns({ view, truth: { optimum: async (id) => (await truth.optimum(id))?.slice() } })
    spoil(await truth.optimum(view.target))
    spoil(await truth.client(view.target))
    const wrong = { optimum: async () => new Float64Array(1000).fill(7), client: async () => undefined, batch: () => [0] }
    try {
      Object.assign(truth, wrong)
    } catch {}
    return world
  },
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-09', attacks: [attack] })
