// Broken attacks, each in a whole audit beside the sound one: whether its controls say that it is broken, and that the sound
// one is not; one that refuses to claim anything says so itself. Rows go to a file as they come, and are not made again.
//   npm run build:ts && node studies/broken-attacks.mjs [--corpus blind,own] [--out runs/broken-attacks.jsonl] [--only NAME] [--seed N]
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { attacks } from '../dist/attacks/index.js'
import { audit, memoryPorts } from '../dist/index.js'
import { broken as blind } from '../test/broken/blind/index.mjs'
import { tried } from '../test/broken/blind/worlds.mjs'
import { own } from '../test/broken/own.mjs'
import { at, options, print, tableOf } from './figures.mjs'

/** @typedef {{ corpus: string, name: string, attack: string, sound: string, broken: string, lifts: (number | null)[][] }} Row */

const { corpus, out, only, seed } = options({
  corpus: 'blind,own',
  out: 'runs/broken-attacks.jsonl',
  only: '',
  seed: 0,
})
const wanted = String(corpus).split(',')
const file = String(out)

const all = [
  ...blind.map((one) => ({ corpus: 'blind', world: one.name, ...one })),
  ...own.map((one) => ({ corpus: 'own', ...one })),
].filter((one) => wanted.includes(one.corpus) && one.name.includes(String(only)))

mkdirSync(dirname(file), { recursive: true })
/** @type {Row[]} */
const rows = existsSync(file)
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  : []

/** Audits that were made, by their scenarios. @type {Map<string, Promise<import('../dist/index.js').AuditDocument>>} */
const made = new Map()

for (const { world } of all) {
  const together = all.filter((one) => one.world === world && !rows.some((row) => row.name === one.name))
  if (together.length === 0) continue
  for (const row of await audited(world, together)) {
    rows.push(row)
    appendFileSync(file, `${JSON.stringify(row)}\n`)
    process.stderr.write(`${row.corpus} ${row.name}: sound ${row.sound}, broken one ${row.broken}\n`)
  }
}

/** Those of one world in one audit, with the attacks that they were made of. @param {string} world @param {typeof all} together @returns {Promise<Row[]>} */
async function audited(world, together) {
  const { scenario, observer = 'eavesdropper', params = {} } = /** @type {any} */ (tried)[world]
  /** @param {string} name */
  const idOf = (name) => `broken-${name.replace(/[^a-z0-9]+/g, '-')}`
  const spoiled = together.map(({ name, id, breakAttack }) => ({ ...breakAttack(attacks[id]), id: idOf(name) }))
  const sound = [...new Set(together.map(({ id }) => id))]
  const asked = [...sound, ...spoiled.map(({ id }) => id)].map((id) => ({ id, params }))
  const subject = {
    ...scenario,
    observers: [observer],
    attacks: asked,
    ...(Number(seed) > 0 && { seed: Number(seed) }),
  }
  const key = JSON.stringify(subject)
  const plugin = { name: `broken ${world}`, attacks: spoiled }
  const document = made.get(key) ?? audit(subject, { ports: memoryPorts(), plugins: [plugin] }).result
  made.set(key, document)
  const { observers } = await document
  /** @param {string} id */
  const resultOf = (id) => observers.flatMap((one) => one.attacks).find(({ attack }) => attack === id)
  return together.map(({ corpus: from, name, id }) => {
    const [good, bad] = [resultOf(id), resultOf(idOf(name))]
    /** @param {typeof good} one */
    const lifts = (one) => (one?.power?.curve ?? []).map(({ lift }) => lift)
    /** @param {typeof good} one */
    const word = (one) => (one?.status === 'not-applicable' ? 'refused' : (one?.controls?.planted.status ?? 'untested'))
    return { corpus: from, name, attack: id, sound: word(good), broken: word(bad), lifts: [lifts(good), lifts(bad)] }
  })
}

/** @param {readonly (number | null)[]} lifts */
const told = (lifts) => lifts.map((lift) => (lift === null ? '-' : lift.toFixed(2))).join(', ')
const shown = rows.filter(({ name }) => all.some((one) => one.name === name))
const table = tableOf(
  ['corpus', 'mistake', 'attack', 'sound', 'lifts', 'broken', 'lifts'],
  shown.map((row) => [
    ...[row.corpus, row.name, row.attack, row.sound, told(at(row.lifts, 0))],
    ...[row.broken, told(at(row.lifts, 1))],
  ]),
)
print(`${table.join('\n')}\n`)
for (const one of wanted) {
  const those = shown.filter((row) => row.corpus === one)
  const flagged = those.filter(({ broken }) => ['broken', 'failed', 'refused'].includes(broken)).length
  const kept = those.filter(({ sound }) => sound !== 'broken').length
  print(`${one}: ${flagged} of ${those.length} flagged; ${kept} of ${those.length} sound ones not called broken\n`)
}
