/** A small federation for tests: three clients of different sizes, a linear model. */
import type { Records } from '../src/data/records.js'
import { toyClient } from '../src/data/toy-least-squares.js'
import { heldPopulation } from '../src/federation/population.js'
import type { FederationSpec } from '../src/federation/spec.js'
import { rng } from '../src/numeric/random/rng.js'

const sizes = [7, 12, 5] as const

export const smallRecords: readonly Records[] = sizes.map((n, k) =>
  toyClient(rng('small'), { recordsPerClient: n, numericColumns: 3, heterogeneity: 0.5 })(k),
)

export const smallPopulation = heldPopulation(smallRecords)

export const smallSpec: FederationSpec = {
  model: { kind: 'linear', inputs: 4, outputs: 1 },
  rule: { algorithm: 'fedavg', learningRate: 0.05, localEpochs: 2, batchSize: 4 },
  precision: 'f64',
  seed: 3,
  rounds: 4,
}
