// Datasets for the studies: those made of files are looked for in the shared folder first.
import { datasets, loadDataset } from '../dist/doors/federation.js'
import { rng } from '../dist/doors/numeric.js'
import { lookup } from '../dist/errors.js'
import { fileReader } from '../dist/node/index.js'

const dataDir = process.env.OVERHEAR_SHARED ? `${process.env.OVERHEAR_SHARED}/data` : '../shared/data'

/**
 * @param {string} name
 * @param {Readonly<Record<string, unknown>>} [params]
 * @param {import('../dist/doors/numeric.js').Rng} [stream] what generated data are drawn from
 */
export function sourceOf(name, params = {}, stream = rng(1)) {
  const files = fileReader(lookup(datasets, name, 'dataset'), { dataDir })
  return loadDataset(name, { rng: stream, files }, params)
}
