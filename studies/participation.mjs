// Who took part when, from sums and counts: where updates repeat, and where they do not.
//   node studies/participation.mjs [--seeds 1,2,3] [--window 10]
// Clients of a table train as the cell says; the attacker hears the sums, and knows how often each took part in windows of rounds.
import { attacks, scoreClaim } from '../dist/doors/attacks.js'
import { rng } from '../dist/doors/numeric.js'
import { at, mean, numbers, options, print, tableOf } from './figures.mjs'
import { run } from './prolin-run.mjs'
import { sourceOf } from './shared-data.mjs'

const values = options({ seeds: '1,2,3', window: 10 })
const size = 20

/** @typedef {{ N: number, rounds: number, learningRate: number, batchSize: number, unlike: number, model: 'linear' | 'mlp' }} Cell */

/** @param {Cell} cell @param {number} seed */
async function one({ N, rounds, learningRate, batchSize, unlike, model }, seed) {
  const stream = rng(seed).fork('participation', N, rounds, learningRate, batchSize, unlike, model)
  const params = { clients: N + 20, recordsPerClient: size, numericColumns: 29, heterogeneity: unlike }
  const source = await sourceOf('toy-least-squares', params, stream.fork('data'))
  const rowsOf = (/** @type {number} */ c) => Int32Array.from({ length: size }, (_, i) => c * size + i)
  const aside = Int32Array.from({ length: 20 * size }, (_, i) => N * size + i)
  const world = await run(source, {
    property: 'inversion',
    seed: stream.fork('training').integer(2 ** 31),
    rounds,
    learningRate,
    batchSize,
    sampling: { name: 'fraction', fraction: 0.3 },
    model:
      model === 'linear'
        ? { kind: 'linear', inputs: 30, outputs: 1 }
        : { kind: 'mlp', inputs: 30, outputs: 1, hidden: [8] },
    loss: 'mse',
    dealt: {
      clients: Array.from({ length: N }, (_, c) => ({ id: String(c), rows: rowsOf(c) })),
      guilty: new Set(),
      target: at(aside, 0),
      auxiliary: aside,
    },
  })
  const { participation, aggregates } = world.view
  const ids = Array.from({ length: N }, (_, c) => String(c))
  const turnCounts = Array.from({ length: Math.ceil(rounds / values.window) }, (_, k) => {
    const within = participation.slice(k * values.window, (k + 1) * values.window)
    const countOf = (/** @type {string} */ id) => within.filter(({ participants }) => participants.includes(id)).length
    return {
      from: at(within, 0).round,
      to: at(within, within.length - 1).round,
      clients: Object.fromEntries(ids.map((id) => [id, countOf(id)])),
    }
  })
  const attack = attacks.participation
  if (attack === undefined) throw new Error('no such attack')
  const context = {
    params: {},
    rng: stream.fork('attack'),
    tick() {},
    claimOf: async () => ({ status: /** @type {const} */ ('not-applicable'), missing: [] }),
  }
  const outcome = await attack.run({ aggregates, turnCounts }, context)
  if (outcome.status !== 'claimed') throw new Error(outcome.why)
  const rows = new Map(participation.map(({ round, participants }) => [round, participants]))
  const truth = /** @type {import('../dist/doors/attacks.js').Grading['truth']} */ (
    /** @type {unknown} */ ({ participation: rows })
  )
  const score = await scoreClaim(at(outcome.claims, 0), { truth, known: {} })
  if ('missing' in score) throw new Error(score.missing.join())
  const { misfit, strangers } = outcome.details
  return {
    score,
    misfit: Number(misfit),
    strangers: Number(strangers),
    doubted: outcome.warnings.some((w) => w.includes('do not exist')),
  }
}

/** @type {Cell[]} */
const cells = [
  { N: 10, rounds: 60, learningRate: 1e-5, batchSize: size, unlike: 0.8, model: 'linear' },
  { N: 10, rounds: 60, learningRate: 0.001, batchSize: size, unlike: 0.8, model: 'linear' },
  { N: 10, rounds: 60, learningRate: 0.01, batchSize: size, unlike: 0.8, model: 'linear' },
  { N: 10, rounds: 60, learningRate: 0.05, batchSize: size, unlike: 0.8, model: 'linear' },
  { N: 10, rounds: 60, learningRate: 0.001, batchSize: 5, unlike: 0.8, model: 'linear' },
  { N: 10, rounds: 60, learningRate: 0.001, batchSize: size, unlike: 0, model: 'linear' },
  { N: 20, rounds: 30, learningRate: 0.001, batchSize: size, unlike: 0.8, model: 'linear' },
  { N: 20, rounds: 120, learningRate: 0.001, batchSize: size, unlike: 0.8, model: 'linear' },
  { N: 10, rounds: 60, learningRate: 0.001, batchSize: size, unlike: 0.8, model: 'mlp' },
  { N: 10, rounds: 60, learningRate: 0.02, batchSize: 5, unlike: 0.8, model: 'mlp' },
]
/** @type {string[][]} */
const rows = []
for (const cell of cells) {
  /** @type {Awaited<ReturnType<typeof one>>[]} */
  const found = []
  for (const seed of numbers(values.seeds)) found.push(await one(cell, seed))
  const of = (/** @type {(x: Awaited<ReturnType<typeof one>>) => number} */ pick) => mean(found.map(pick)).toFixed(2)
  rows.push([
    `${cell.model}, ${cell.unlike === 0 ? 'alike' : `unlike ${cell.unlike}`}, ${cell.batchSize === size ? 'all records a step' : `batches of ${cell.batchSize}`}`,
    `${cell.N}`,
    `${cell.rounds}`,
    `${cell.learningRate}`,
    of(({ score }) => score.value),
    of(({ score }) => score.chance ?? 0),
    of(({ score }) => score.also.F1 ?? 0),
    of(({ score }) => score.also['whole clients'] ?? 0),
    `${of(({ misfit }) => misfit)} (${of(({ strangers }) => strangers)})`,
    `${found.filter(({ doubted }) => doubted).length} of ${found.length}`,
  ])
}
for (const line of tableOf(
  ['', 'N', 'rounds', 'rate', 'cells', 'by counts', 'F1', 'whole clients', 'misfit (strangers)', 'doubted'],
  rows,
))
  print(line)
