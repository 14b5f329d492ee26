// Who is accused, rightly or not: worlds with nobody guilty and with a few, clients alike and unlike, a table and images.
//   node studies/innocent-worlds.mjs [--out runs/innocent-worlds.jsonl] [--worlds 20] [--only 'table 0.8']
//     [--guilty 0] [--methods property-posterior] [--first 5000] [--report]
// One line of the file is one world; worlds that are there already are not made again. --report makes none. --methods: those
// whose names hold it, for a quick look at one. --guilty: worlds with so many alone.
// Seeds are fixed: world k of every cell has the seed 5000 + k. Nothing was tuned on them (development: 900001 on); worlds of
// --first 1000 and 3000 were looked at before.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { byBlup, byOls, byPosterior, byProlin, byReg } from '../dist/doors/attacks.js'
import { binomialInterval, rng } from '../dist/doors/numeric.js'
import { at, mean, options, print, tableOf } from './figures.mjs'
import { propertyWorld } from './property-worlds.mjs'

const values = options({
  out: 'runs/innocent-worlds.jsonl',
  worlds: 20,
  only: '',
  guilty: '',
  methods: '',
  first: 5000,
  report: false,
})

/** @typedef {import('./property-worlds.mjs').Cell} Cell */
/** @typedef {{ score: number[], positive: boolean[] }} Found */
/** A training that diverged has nothing in it. @typedef {{ cell: Cell, seed: number, guilty: boolean[], found: Record<string, Found> }} Line */

/** @type {Cell[]} */
const cells = /** @type {const} */ (['table', 'images']).flatMap((data) =>
  [0, 0.8].flatMap((unlike) =>
    [10, 20, 50].flatMap((N) => [0, 1, 2, 5].map((guilty) => ({ data, unlike, N, guilty }))),
  ),
)
const keyOf = (/** @type {Cell} */ cell, /** @type {number} */ seed) => JSON.stringify([cell, seed])

/** @returns {Line[]} */
const kept = () =>
  existsSync(values.out)
    ? readFileSync(values.out, 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    : []

/** The published decisions, and ours; probabilities only where a method has them. @param {Cell} cell @param {number} seed */
async function one(cell, seed) {
  const { ids, guilty, features } = await propertyWorld(cell, seed)
  const tools = () => ({ rng: rng(seed).fork('posterior'), tick() {} })
  const sampler = { share: 0.1, chains: 4, sweeps: 250, maxSweeps: 1750 }
  const prolin = /** @type {const} */ ({ lambda: 5, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 })
  const estimates = {
    'property-ols, paper': () => byOls([features]),
    'property-reg, paper': () => byReg([features], { lambda: 5 }),
    'prolin, paper': () => byProlin([features], prolin, tools()),
    'property-blup, f1': () => byBlup([features], { share: 0.1 }),
    'property-posterior': () => byPosterior([features], sampler, tools()),
  }
  const asked = Object.entries(estimates).filter(([method]) => method.includes(values.methods))
  const found = Object.fromEntries(
    asked.map(([method, estimate]) => {
      const { score, positive } = estimate()
      return [method, { score: Array.from(score, (x) => Number(x.toPrecision(6))), positive: [...positive] }]
    }),
  )
  /** @type {Line} */
  const line = { cell, seed, guilty: ids.map((id) => guilty.has(id)), found }
  return line
}

if (!values.report) {
  mkdirSync(dirname(values.out), { recursive: true })
  const done = new Set(kept().map(({ cell, seed }) => keyOf(cell, seed)))
  for (let k = 0; k < values.worlds; k++) {
    for (const cell of cells) {
      const seed = values.first + k
      const asked =
        `${cell.data} ${cell.unlike}`.startsWith(values.only) &&
        (values.guilty === '' || String(cell.guilty) === values.guilty)
      if (!asked || done.has(keyOf(cell, seed))) continue
      const line = await one(cell, seed).catch((error) => {
        if (error?.code !== 'E_NON_FINITE') throw error
        return { cell, seed, guilty: [], found: {} }
      })
      appendFileSync(values.out, `${JSON.stringify(line)}\n`)
    }
  }
}

const all = kept()
const lines = all.filter(({ guilty }) => guilty.length > 0)
const methods = Object.keys(lines[0]?.found ?? {})
const where = (/** @type {Cell} */ { data, unlike }) => `${data}, ${unlike === 0 ? 'alike' : `unlike ${unlike}`}`

print(`${lines.length} worlds; ${all.length - lines.length} more diverged in training`)
print('\nInnocent worlds in which somebody is accused:\n')
const innocent = lines.filter(({ cell }) => cell.guilty === 0)
/** How many of these worlds hold somebody who is accused, with the exact interval at 95 %. @param {Line[]} own @param {string} m */
function accusedIn(own, m) {
  const count = own.filter(({ found }) => found[m]?.positive.some(Boolean)).length
  const { low, high } = binomialInterval({ successes: count, trials: own.length, confidence: 0.95 })
  return `${count} of ${own.length} (${low.toFixed(3)} to ${high.toFixed(3)})`
}
const groups = [...new Set(innocent.map(({ cell }) => `${where(cell)}, N = ${cell.N}`))]
for (const line of tableOf(
  ['', ...methods],
  groups.map((group) => {
    const own = innocent.filter(({ cell }) => `${where(cell)}, N = ${cell.N}` === group)
    return [group, ...methods.map((m) => accusedIn(own, m))]
  }),
))
  print(line)
print(`All of them: ${methods.map((m) => `${m} ${accusedIn(innocent, m)}`).join(', ')}\n`)

print('Worlds with guilty clients: precision (recall) over all clients of the cell, – where nobody is accused:\n')
const some = lines.filter(({ cell }) => cell.guilty > 0)
const mixed = [...new Set(some.map(({ cell }) => `${where(cell)}, ${cell.guilty} of ${cell.N}`))]
for (const line of tableOf(
  ['', ...methods],
  mixed.map((group) => {
    const own = some.filter(({ cell }) => `${where(cell)}, ${cell.guilty} of ${cell.N}` === group)
    const cellOf = (/** @type {string} */ m) => {
      let [tp, fp, fn] = [0, 0, 0]
      for (const { guilty, found } of own) {
        for (const [i, is] of guilty.entries()) {
          const accused = found[m]?.positive[i] ?? false
          if (accused && is) tp++
          else if (accused) fp++
          else if (is) fn++
        }
      }
      const precision = tp + fp === 0 ? '–' : (tp / (tp + fp)).toFixed(2)
      return `${precision} (${(tp / (tp + fn)).toFixed(2)})`
    }
    return [group, ...methods.map(cellOf)]
  }),
))
  print(line)

print('The same worlds by rank, whoever is accused: AUC (share of the g guilty among the g ranked first):\n')
/** Pairs of a guilty and an innocent client in the right order, ties by half. @param {boolean[]} guilty @param {number[]} score */
function aucOf(guilty, score) {
  let [sum, pairs] = [0, 0]
  for (const [i, a] of score.entries()) {
    if (!guilty[i]) continue
    for (const [j, b] of score.entries()) {
      if (guilty[j]) continue
      pairs++
      sum += a > b ? 1 : a === b ? 0.5 : 0
    }
  }
  return sum / pairs
}
/** @param {boolean[]} guilty @param {number[]} score */
function firstOf(guilty, score) {
  const order = [...score.keys()].sort((a, b) => at(score, b) - at(score, a))
  const g = guilty.filter(Boolean).length
  return order.slice(0, g).filter((i) => guilty[i]).length / g
}
for (const line of tableOf(
  ['', ...methods],
  mixed.map((group) => {
    const own = some.filter(({ cell }) => `${where(cell)}, ${cell.guilty} of ${cell.N}` === group)
    const cellOf = (/** @type {string} */ m) => {
      const each = (/** @type {(guilty: boolean[], score: number[]) => number} */ of) =>
        mean(own.map(({ guilty, found }) => of(guilty, found[m]?.score ?? [])))
      return `${each(aucOf).toFixed(2)} (${each(firstOf).toFixed(2)})`
    }
    return [group, ...methods.map(cellOf)]
  }),
))
  print(line)

print('Of clients whose probability by property-posterior lies there, how many are guilty:\n')
const edges = [0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 1.01]
const kinds = [...new Set(lines.map(({ cell }) => where(cell)))]
for (const line of tableOf(
  ['probability', ...kinds, 'all'],
  edges.map((to, e) => {
    const from = edges[e - 1] ?? 0
    const cellOf = (/** @type {Line[]} */ own) => {
      let [n, sum, is] = [0, 0, 0]
      for (const { guilty, found } of own) {
        for (const [i, p] of (found['property-posterior']?.score ?? []).entries()) {
          if (p < from || p >= to) continue
          n++
          sum += p
          if (guilty[i]) is++
        }
      }
      return n === 0 ? '–' : `${(is / n).toFixed(3)} where ${(sum / n).toFixed(3)} is said (${n})`
    }
    const split = kinds.map((kind) => cellOf(lines.filter(({ cell }) => where(cell) === kind)))
    return [`${from} to ${Math.min(to, 1)}`, ...split, cellOf(lines)]
  }),
))
  print(line)
