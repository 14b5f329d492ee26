// Tries: to import Node's file system in every spelling, and to read or list anything at all by it.
// Success: details.got is above 0.
import fs, { readdirSync, readFileSync } from 'node:fs'
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const ways = [
  () => readdirSync('/'),
  () => readFileSync('/etc/hostname'),
  () => fs.existsSync('/'),
  async () => (await import('fs')).readdirSync('.'),
  async () => (await import('fs/promises')).readdir('.'),
  async () => (await import(['node:', 'fs'].join(''))).default.readdirSync('.'),
  async () => (await import('node:module')).createRequire('/')('fs').readdirSync('.'),
  async () => (await import('node:sea')).getRawAsset('x'),
]

const attack = defineAttack({
  ...{ id: 'known-node-fs', title: 'Imports the file system', target: 'model', params: {} },
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
export default definePlugin({ name: 'known-04', attacks: [attack] })
