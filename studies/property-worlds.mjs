// Small federations for the studies of accusations: a table or images, clients alike or not, so many of them guilty.
import { featureSums, sumsOf } from '../dist/doors/attacks.js'
import { rng } from '../dist/doors/numeric.js'
import { at } from './figures.mjs'
import { run } from './prolin-run.mjs'
import { sourceOf } from './shared-data.mjs'

/** @typedef {import('../dist/doors/federation.js').Source} Source */
/** @typedef {{ data: 'table' | 'images', unlike: number, N: number, guilty: number }} Cell */

/** Records of a client, and of the attacker; rounds; clients in a round. */
const [size, auxiliary, rounds, pairs] = [20, 400, 80, 30]
const perRound = (/** @type {number} */ N) => Math.max(4, N / 5)
const classes = 5

/**
 * A table: each client's law of the label stands `unlike` deviations from the common one; the attacker's records are those of
 * clients who take no part. Images: a share `unlike` of a client's pictures is of one class, its own.
 * @param {Cell} cell
 * @param {import('../dist/doors/numeric.js').Rng} stream
 */
async function records({ data, unlike, N }, stream) {
  const others = auxiliary / size
  if (data === 'table') {
    const params = { clients: N + others, recordsPerClient: size, numericColumns: 9, heterogeneity: unlike }
    const source = await sourceOf('toy-least-squares', params, stream)
    return { source, rowsOf: (/** @type {number} */ c) => Int32Array.from({ length: size }, (_, i) => c * size + i) }
  }
  const source = await sourceOf('tiny-images', { records: 3 * (N + others) * size, classes }, stream)
  const column = source.table.columns.find(({ name }) => name === 'class')
  if (column?.kind !== 'number') throw new Error('pictures without classes')
  const left = [...stream.fork('rows').permutation(source.table.rows)]
  const take = (/** @type {(row: number) => boolean} */ fits) => at(left.splice(left.findIndex(fits), 1), 0)
  const rowsOf = (/** @type {number} */ c) =>
    Int32Array.from({ length: size }, (_, i) => {
      const own = c < N && i < Math.round(unlike * size)
      return take((row) => !own || at(column.values, row) === c % classes)
    })
  return { source, rowsOf }
}

/**
 * One world, trained, and its features: what all estimates rest on.
 * @param {Cell} cell
 * @param {number} seed
 */
export async function propertyWorld(cell, seed) {
  const { N, data } = cell
  const stream = rng(seed).fork('world', data, cell.unlike, N, cell.guilty)
  const { source, rowsOf } = await records(cell, stream.fork('data'))
  const clients = Array.from({ length: N }, (_, c) => ({ id: String(c), rows: rowsOf(c) }))
  const aside = Array.from({ length: auxiliary / size }, (_, c) => [...rowsOf(N + c)]).flat()
  const guilty = new Set(Array.from(stream.fork('guilty').sample(N, cell.guilty), String))
  const dealt = { clients, guilty, target: at(aside, 0), auxiliary: Int32Array.from(aside) }
  const world = await run(source, {
    property: 'inversion',
    seed: stream.fork('training').integer(2 ** 31),
    rounds,
    learningRate: data === 'table' ? 0.02 : 0.05,
    batchSize: 5,
    sampling: { name: 'fraction', fraction: perRound(N) / N },
    model:
      data === 'table'
        ? { kind: 'mlp', inputs: 10, outputs: 1, hidden: [8] }
        : { kind: 'mlp', inputs: 64, outputs: classes, hidden: [8] },
    loss: data === 'table' ? 'mse' : 'cross-entropy',
    dealt,
  })
  const sums = sumsOf(world.view)
  const options = /** @type {const} */ ({
    property: 'inversion',
    pairs,
    records: 0,
    floor: 0.1,
    maxNorm: 2,
    features: 1,
    riding: 'any',
  })
  const found = await featureSums(world.view, sums, options, { rng: stream.fork('attack'), tick() {} })
  return { ids: sums.ids, guilty, features: at(found, 0) }
}
