// Tries: to import records as modules: as JSON, by other endings, by addresses of data, by its own place on the disk.
// Success: details.got is above 0.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const json = { with: { type: 'json' } }
const ways = [
  () => import('../../../package.json', json),
  () => import('../../pinned/audit.json', json),
  () => import('file:///etc/hostname'),
  () => import('data:text/javascript,export default process'),
  () => import('https://example.org/x.mjs'),
  () => import(new URL('../../../package.json', import.meta.url).href, json),
  () => import.meta.url,
  () => import.meta.resolve('overhear/plugin'),
  () => import('overhear/node'),
  () => import('overhear'),
  () => import('overhear/federation'),
  async () => (await import('overhear/numeric')).rng(1).uniform(),
]

const attack = defineAttack({
  ...{ id: 'known-imported-records', title: 'Imports what is no code', target: 'model', params: {} },
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
export default definePlugin({ name: 'known-08', attacks: [attack] })
