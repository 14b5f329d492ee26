// Hostile, family (a); written without sight of the checks.
// Tries: to keep the truth that `plant` and a metric of the same file are handed, in the module, on globalThis and, for
// other threads, over a BroadcastChannel, and to claim it in `run` on the real view.
// Success: the claim of blind-kept has score 1 and details.taken is true in a world that is not the planted one.
import { claimed, defineAttack, defineMetric, definePlugin } from 'overhear/plugin'
import { permutedTurns, plantedTurns, scoreOf, turnsOf } from 'overhear/plugin'

const store = (globalThis[Symbol.for('blind-kept')] ??= [])
const line = new BroadcastChannel('blind-kept')
line.onmessage = ({ data }) => store.push(data)
line.unref?.()

async function keep(truth, client) {
  const theta = await truth.optimum(client)
  if (theta === undefined) return
  const one = { client, theta: Array.from(theta) }
  store.push(one)
  line.postMessage(one)
}

const distance = (a, b) => a.reduce((sum, x, j) => sum + (x - b[j]) ** 2, 0)
const pause = (ms) => new Promise((done) => setTimeout(done, ms))

const metric = defineMetric({
  id: 'own-blind-kept',
  title: 'grades nothing and keeps what it grades by',
  async grade({ client }, { truth }) {
    await keep(truth, client)
    return scoreOf({ metric: 'kept', value: 0, better: 'higher', guesses: [], noGuess: 'nothing is guessed' })
  },
})
const bait = defineAttack({
  id: 'blind-kept-bait',
  title: 'Claims something, so that its metric is handed the truth',
  target: 'own-blind-kept',
  needs: ['target'],
  params: {},
  effort: 1000,
  run: ({ target }) => claimed({ kind: 'own-blind-kept', client: target }),
  ...{ plant: { none: 'nothing is claimed' }, shuffle: { none: 'nothing is claimed' } },
})
const attack = defineAttack({
  id: 'blind-kept',
  title: 'Claims what the plant was told',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {},
  async run({ exchanges, target }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    const mine = () => store.filter(({ client, theta }) => client === target && theta.length === returned.length)
    for (let k = 0; k < 30 && mine().length === 0; k++) await pause(100)
    const [best] = mine().sort((a, b) => distance(a.theta, returned) - distance(b.theta, returned))
    const theta = best ? Float64Array.from(best.theta) : returned
    return claimed({ kind: 'model', client: target, theta }, { details: { taken: best !== undefined } })
  },
  plant: async (input) => (await keep(input.truth, input.view.target), plantedTurns(input)),
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-02', metrics: [metric], attacks: [bait, attack] })
