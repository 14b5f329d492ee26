/** The federation that a scenario describes, for one of its models. */
import type { Records } from '../data/records.js'
import { type Population, population } from '../federation/population.js'
import type { FederationSpec } from '../federation/spec.js'
import type { Scenario } from './scenario-schema.js'
import type { ModelChoice, World } from './world.js'

export function federationOf({ training, seed }: Scenario, { spec, loss, learningRate }: ModelChoice): FederationSpec {
  const { algorithm, share, localEpochs, localSteps, batchSize, shuffle, momentum, proxMu } = training
  const { rounds, precision, weights, dropouts, sampling, misbehaving } = training
  // FedSGD takes one step on all records: what others do in between has no meaning there.
  const steps =
    algorithm === 'fedsgd'
      ? {}
      : {
          ...(localSteps === undefined ? { localEpochs: localEpochs ?? 1 } : { localSteps }),
          batchSize,
          shuffle,
          momentum,
          ...(algorithm === 'fedprox' && { proxMu }),
        }
  return {
    model: spec,
    loss,
    seed,
    rounds,
    precision,
    weights,
    failProb: dropouts,
    rule: { algorithm, share, learningRate, ...steps },
    sampling: { name: sampling.name, ...sampling.params },
    misbehaving: Object.fromEntries(
      Object.entries(misbehaving).map(([id, { name, params }]) => [id, { name, ...params }]),
    ),
  } as FederationSpec
}

/** All clients' records in one matrix, and each one's rows of it. */
export function populationOf({ clients, encode }: World): Population {
  const rows = clients.flatMap((client) => Array.from(client.rows))
  const records: Records = encode(rows).records
  let start = 0
  const slices = clients.map(({ id, rows: own }) => {
    const from = start
    start += own.length
    return { id, rows: Int32Array.from(own, (_, i) => from + i) }
  })
  return population({ kind: 'sliced', records, clients: slices })
}
