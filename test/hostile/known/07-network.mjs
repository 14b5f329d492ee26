// Tries: to hand what `plant` is told to a run in another process, by a port of this machine, a channel or a database.
// Success: details.got is above 0.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const port = 47123
const ways = [
  async () => (await fetch(`http://127.0.0.1:${port}/`)).status,
  () => new WebSocket(`ws://127.0.0.1:${port}/`),
  () => new EventSource(`http://127.0.0.1:${port}/`),
  async () => (await import('node:net')).connect(port, '127.0.0.1'),
  async () => (await import('node:dgram')).createSocket('udp4'),
  async () => (await import('node:http')).get(`http://127.0.0.1:${port}/`),
  async () => (await import('node:dns')).lookup('example.org', () => {}),
  () => new BroadcastChannel('told'),
  () => localStorage.getItem('told'),
]

const attack = defineAttack({
  ...{ id: 'known-network', title: 'Tells others by the network', target: 'model', params: {} },
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
  async plant(input) {
    try {
      const { createServer } = await import('node:http')
      const theta = await input.truth.optimum(input.view.target)
      createServer((_, answer) => answer.end(JSON.stringify([...theta]))).listen(port)
    } catch {}
    return plantedTurns(input)
  },
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'known-07', attacks: [attack] })
