// Broken attacks, each in a whole audit beside the sound one: whether its controls say that it is broken, and that the sound
// one is not; one that refuses to claim anything says so itself. Rows go to a file as they come, and are not made again.
//   npm run build:ts && node studies/broken-attacks.mjs [--seeds 521,522] [--corpus blind,own] [--only NAME] [--out studies/broken-attacks.jsonl]
// Seeds 511 and 512 were named before anything was measured on them; the rules were made with 300 to 303 and 41 in view. With these in view attacks are
// told the same otherwise on three plants in place of one; 521 and 522 were named for that. Seed 0: the worlds' own.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { attacks } from '../dist/attacks/index.js'
import { audit, memoryPorts } from '../dist/index.js'
import { binomialInterval } from '../dist/numeric/special/binomial-interval.js'
import { broken as blind } from '../test/broken/blind/index.mjs'
import { tried } from '../test/broken/blind/worlds.mjs'
import { own } from '../test/broken/own.mjs'
import { at, options, print, tableOf } from './figures.mjs'

/** @typedef {{ seed: number, world: string, corpus: string, name: string, attack: string, sound: string, broken: string, reason: string, lifts: (number | null)[][] }} Row */

const { corpus, out, only, ...flags } = options({
  corpus: 'blind,own',
  out: 'studies/broken-attacks.jsonl',
  only: '',
  seeds: '521,522',
})
const seeds = String(flags.seeds).split(',').map(Number)
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

for (const seed of seeds) {
  for (const { world } of all) {
    const known = rows.filter((row) => row.seed === seed).map(({ name }) => name)
    const together = all.filter((one) => one.world === world && !known.includes(one.name))
    if (together.length === 0) continue
    for (const row of await audited(world, together, seed)) {
      rows.push(row)
      appendFileSync(file, `${JSON.stringify(row)}\n`)
      process.stderr.write(`${seed} ${row.corpus} ${row.name}: sound ${row.sound}, broken one ${row.broken}\n`)
    }
  }
}

/** Those of one world in one audit, with the attacks that they were made of. @param {string} world @param {typeof all} together @param {number} seed @returns {Promise<Row[]>} */
async function audited(world, together, seed) {
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
    ...(seed > 0 && { seed }),
  }
  const plugin = { name: `broken ${world}`, attacks: spoiled }
  const { observers } = await audit(subject, { ports: memoryPorts(), plugins: [plugin] }).result
  /** @param {string} id */
  const resultOf = (id) => observers.flatMap((one) => one.attacks).find(({ attack }) => attack === id)
  return together.map(({ corpus: from, name, id }) => {
    const [good, bad] = [resultOf(id), resultOf(idOf(name))]
    /** @param {typeof good} one */
    const lifts = (one) => (one?.power?.curve ?? []).map(({ lift }) => lift)
    /** @param {typeof good} one */
    const word = (one) => (one?.status === 'not-applicable' ? 'refused' : (one?.controls?.planted.status ?? 'untested'))
    const reason = bad?.controls?.planted.reason ?? bad?.why ?? ''
    const words = { sound: word(good), broken: word(bad), reason }
    return { seed, world, corpus: from, name, attack: id, ...words, lifts: [lifts(good), lifts(bad)] }
  })
}

/** @param {readonly (number | null)[]} lifts */
const told = (lifts) => lifts.map((lift) => (lift === null ? '-' : lift.toFixed(2))).join(', ')
const shown = rows.filter(({ seed, name }) => seeds.includes(seed) && all.some((one) => one.name === name))
const table = tableOf(
  ['seed', 'corpus', 'mistake', 'attack', 'sound', 'lifts', 'broken', 'lifts'],
  shown.map((row) => [
    ...[row.seed, row.corpus, row.name, row.attack, row.sound, told(at(row.lifts, 0))],
    ...[row.broken, told(at(row.lifts, 1))],
  ]),
)
print(`${table.join('\n')}\n`)
/** @param {number} successes @param {number} trials */
const share = (successes, trials) => {
  const { low, high } = binomialInterval({ successes, trials, confidence: 0.95 })
  return `${successes} of ${trials} (${low.toFixed(3)}..${high.toFixed(3)})`
}
/** @param {string} name @param {readonly Row[]} those */
const total = (name, those) => {
  const flagged = those.filter(({ broken }) => ['broken', 'failed', 'refused'].includes(broken)).length
  const sound = new Map(those.map((row) => [`${row.seed} ${row.world} ${row.attack}`, row.sound]))
  const called = [...sound.values()].filter((word) => word === 'broken').length
  print(`${name}: flagged ${share(flagged, those.length)}; sound ones called broken ${share(called, sound.size)}\n`)
}
for (const seed of seeds) {
  for (const one of wanted) {
    const those = shown.filter((row) => row.seed === seed && row.corpus === one)
    if (those.length > 0) total(`${seed}, ${one}`, those)
  }
}
total('all', shown)
