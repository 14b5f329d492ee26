// Tries: to start threads and processes that are not held as it is, and to have them read files.
// Success: details.got is above 0.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const code = "require('fs').readdirSync('/')"
const ways = [
  async () => new (await import('node:worker_threads')).Worker(code, { eval: true }).threadId,
  async () => (await import('node:child_process')).execSync('ls /'),
  async () => (await import('node:child_process')).fork('/dev/null').pid,
  async () => (await import('node:cluster')).default.fork(),
  async () => new (await import('node:vm')).Script('this.constructor').runInThisContext(),
  async () => new (await import('node:wasi')).WASI({ version: 'preview1', preopens: { '/': '/' } }),
  async () => (await import('node:inspector')).open(0),
  () => new Worker('data:text/javascript,0'),
]

const attack = defineAttack({
  ...{ id: 'known-other-threads', title: 'Has others read for it', target: 'model', params: {} },
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
export default definePlugin({ name: 'known-06', attacks: [attack] })
