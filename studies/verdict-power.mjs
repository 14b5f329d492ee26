// What the test of docs/verdict.md finds, and whether its intervals hold what they promise: simulated questions whose
// effect is known, one row among ten of a stratum, the other nine null.
//   node studies/verdict-power.mjs [--parts found,intervals,least] [--audits 1000] [--seed 1]
import { rng } from '../dist/numeric/random/rng.js'
import { normalQuantile } from '../dist/numeric/special/normal-quantile.js'
import { decide, judge } from '../dist/verdict/judge.js'
import { labellings, ranking, relabel, swap } from '../dist/verdict/relabellings.js'
import { at, options, print, tableOf } from './figures.mjs'

/** @typedef {import('../dist/numeric/random/rng.js').Rng} Rng */
/** @typedef {import('../dist/verdict/tables.js').Deal} Deal */
/** @typedef {import('../dist/verdict/tables.js').Row} Row */

const ROWS = 10
const values = options({ parts: 'found,intervals,least', audits: 1000, seed: 1 })
const root = rng(values.seed)

/** @template T @param {number} n @param {(i: number) => T} make */
const times = (n, make) => Array.from({ length: n }, (_, i) => make(i))
const digits = (/** @type {number} */ x) => x.toFixed(3)
/** @template T @param {readonly T[]} list @param {(one: T) => boolean} holds */
const share = (list, holds) => list.filter(holds).length / list.length

/** Ten rows of one stratum, the first with the effect. @param {(s: number, effects: readonly number[]) => Deal[]} dealsOf */
function table(/** @type {number} */ trainings, /** @type {number} */ effect, dealsOf, rows = ROWS) {
  const deals = times(trainings, (s) => dealsOf(s, [effect, ...Array(rows - 1).fill(0)]))
  return times(rows, (r) => {
    /** @type {Row} */
    const row = { id: `${r}`, step: 'record', stratum: 'one', deals: deals.map((list) => at(list, r)) }
    return row
  })
}

/** Half of the records trained on, at random. @param {Rng} stream @param {number} n */
function split(stream, n) {
  const truth = new Uint8Array(n)
  for (const i of stream.sample(n, n / 2)) truth[i] = 1
  return { truth, candidates: labellings(truth, { most: 199, rng: stream }) }
}

/** Members: scores of the trained lie above by what makes this area. @param {Rng} stream @param {number} n records of either half */
const members = (stream, n) => (/** @type {number} */ s, /** @type {readonly number[]} */ effects) => {
  const { truth, candidates } = split(stream, 2 * n)
  return effects.map((effect) => {
    const shift = Math.SQRT2 * normalQuantile(0.5 + effect)
    return ranking(s, candidates, [Float64Array.from(truth, (trained) => stream.normal() + shift * trained)])
  })
}

/** Mean scores of single records, of standard deviation 1. @param {Rng} stream @param {number} n */
const means = (stream, n) => (/** @type {number} */ s, /** @type {readonly number[]} */ effects) => {
  const { truth, candidates } = split(stream, 2 * n)
  return effects.map((effect) => {
    const scores = Float64Array.from(truth, (trained) => stream.normal() + effect * trained)
    return relabel(s, candidates, [(records) => records.reduce((sum, i) => sum + at(scores, i), 0) / records.length])
  })
}

/** List attacks whose difference has this spread from training to training. @param {Rng} stream @param {number} spread */
const lists = (stream, spread) => (/** @type {number} */ s, /** @type {readonly number[]} */ effects) =>
  effects.map((effect) => swap(s, [effect + spread * stream.normal()], [0]))

/** @typedef {(stream: Rng) => (s: number, effects: readonly number[]) => Deal[]} Kind */
/** @type {Record<string, { kind: Kind, trainings: number, effects: readonly number[] }>} */
const settings = {
  'members, 20 + 20 records, 1 training': {
    kind: (r) => members(r, 20),
    trainings: 1,
    effects: [0, 0.1, 0.2, 0.3, 0.4],
  },
  'members, 100 + 100 records, 1 training': {
    kind: (r) => members(r, 100),
    trainings: 1,
    effects: [0, 0.05, 0.1, 0.15, 0.2],
  },
  'members, 20 + 20 records, 10 trainings': {
    kind: (r) => members(r, 20),
    trainings: 10,
    effects: [0, 0.05, 0.1, 0.15, 0.2],
  },
  'lists, spread 0.1, 6 trainings': { kind: (r) => lists(r, 0.1), trainings: 6, effects: [0, 0.05, 0.1, 0.2, 0.3] },
  'lists, spread 0.1, 10 trainings': { kind: (r) => lists(r, 0.1), trainings: 10, effects: [0, 0.05, 0.1, 0.2, 0.3] },
}

/** How often a row is rejected, after the correction for ten rows. */
function found() {
  for (const [name, { kind, trainings, effects }] of Object.entries(settings)) {
    const cells = effects.map((effect) => {
      const rejected = times(values.audits, (i) => {
        const stream = root.fork('found', name, i)
        const rows = table(trainings, effect, kind(stream))
        return at(decide(rows, { rng: stream.fork('test'), draws: 999 }), 0).rejected
      })
      return `${effect}: ${digits(share(rejected, (one) => one))}`
    })
    print(`${name}: found at effect ${cells.join(', ')}`)
  }
}

/** How often an interval of 95 % holds the true effect, and how wide it is. */
function intervals() {
  const rows = [
    {
      name: 'mean of records, 30 + 30, 1 training',
      kind: /** @type {Kind} */ ((r) => means(r, 30)),
      trainings: 1,
      effect: 0.3,
    },
    {
      name: 'members, 30 + 30, 1 training',
      kind: /** @type {Kind} */ ((r) => members(r, 30)),
      trainings: 1,
      effect: 0.1,
    },
    {
      name: 'members, 30 + 30, 1 training',
      kind: /** @type {Kind} */ ((r) => members(r, 30)),
      trainings: 1,
      effect: 0.3,
    },
    {
      name: 'members, 30 + 30, 4 trainings',
      kind: /** @type {Kind} */ ((r) => members(r, 30)),
      trainings: 4,
      effect: 0.1,
    },
    { name: 'lists, 10 trainings', kind: /** @type {Kind} */ ((r) => lists(r, 0.1)), trainings: 10, effect: 0.1 },
  ].map(({ name, kind, trainings, effect }) => {
    const all = times(values.audits, (i) => {
      const stream = root.fork('intervals', name, i)
      return at(judge(table(trainings, effect, kind(stream), 1), { rng: stream.fork('test'), draws: 999 }), 0).interval
    })
    const held = share(all, ({ low, high }) => low <= effect && effect <= high)
    const width = all.reduce((sum, { low, high }) => sum + high - low, 0) / all.length
    return [name, effect, digits(held), digits(width)]
  })
  for (const line of tableOf(['row', 'effect', 'share of intervals that hold it', 'mean width'], rows)) print(line)
}

/** The least effect that would have been seen, told by audits in which there is nothing, and how often it is then found. */
function least() {
  const rows = Object.entries(settings).map(([name, { kind, trainings }]) => {
    const few = Math.ceil(values.audits / 5)
    const told = times(few, (i) => {
      const stream = root.fork('least', name, i)
      return at(judge(table(trainings, 0, kind(stream)), { rng: stream.fork('test'), draws: 999 }), 0).leastSeen
    }).sort((a, b) => a - b)
    const middle = at(told, few >> 1)
    const seen = times(values.audits, (i) => {
      const stream = root.fork('seen', name, i)
      const effect = Math.min(middle, name.startsWith('members') ? 0.4999 : middle)
      return at(decide(table(trainings, effect, kind(stream)), { rng: stream.fork('test'), draws: 999 }), 0).rejected
    })
    const range = `${digits(at(told, Math.floor(few * 0.1)))}..${digits(at(told, Math.floor(few * 0.9)))}`
    return [name, digits(middle), range, digits(share(seen, (one) => one))]
  })
  for (const line of tableOf(['row', 'told, median', 'told, 8 of 10 audits', 'then found'], rows)) print(line)
}

const parts = { found, intervals, least }
for (const name of values.parts.split(',')) if (name in parts) parts[/** @type {keyof typeof parts} */ (name)]()
