/** Model-w-O: the model that the client would train alone, from its own records. */
import { claimed, Inapplicable } from '../../attacks/attack.js'
import { modelOf } from '../../attacks/evaluable.js'
import { turnOf } from '../../attacks/turns.js'
import { type Batch, functionsOf } from '../../models/functions.js'
import { trainer } from '../../models/trainer.js'
import { number, whole } from '../../params.js'
import type { Truth } from '../../transcript/truth.js'
import { localOptimum } from '../optimum.js'
import { defineOracle } from './oracle.js'

/** The client's own records, the sensitive columns included. */
export async function recordsOf(truth: Truth, client: string): Promise<Batch> {
  const table = await truth.client(client)
  if (table?.labels === undefined) throw new Inapplicable([`clients.${client}`], 'the truth lacks the records')
  return { features: table.features, labels: table.labels }
}

const needs = ['exchanges', 'target', 'model', 'loss', 'protocol'] as const

export const modelOracle = defineOracle({
  id: 'model-oracle',
  title: 'The client’s optimal model, found by L-BFGS on its own records',
  paper: 'aia',
  where: 'Section 5.3, Model-w-O run to convergence',
  target: 'model',
  needs,
  params: { iterations: whole({ default: 2000, min: 1, doc: 'at most so many iterations' }) },
  async run(view, { truth, params }) {
    const { exchanges, target, loss, protocol } = view
    const { returned } = turnOf(await exchanges.read(exchanges.rounds.at(-1)!))
    const found = localOptimum(modelOf(view), await recordsOf(truth, target), {
      ...{ loss, lossScale: protocol.lossScale, from: returned, maxIterations: params.iterations },
    })
    const details = { loss: found.loss, iterations: found.iterations, converged: found.converged }
    return claimed({ kind: 'model', client: target, theta: found.theta }, { details })
  },
})

export const modelOracleAdam200 = defineOracle({
  id: 'model-oracle-adam200',
  title: 'The client’s model after 200 epochs of Adam on its own records',
  paper: 'aia',
  where: 'Section 5.3, Model-w-O as in the paper',
  target: 'model',
  needs,
  params: {
    epochs: whole({ default: 200, min: 1, doc: 'passes over the records' }),
    batchSize: whole({ default: 32, min: 1, doc: 'records a step' }),
    learningRate: number({ default: 0.01, min: 0, doc: 'the step of Adam' }),
  },
  async run(view, { truth, params, rng, tick }) {
    const { exchanges, target, loss, protocol } = view
    const { returned } = turnOf(await exchanges.read(exchanges.rounds.at(-1)!))
    const model = modelOf(view)
    const data = await recordsOf(truth, target)
    const client = trainer(model, { data, precision: 'f64', loss, lossScale: protocol.lossScale, adam: {} })
    client.load(returned)
    for (let e = 0; e < params.epochs; e++) {
      tick(e, params.epochs)
      const epoch = rng.fork('epoch', e)
      const order = epoch.permutation(client.records)
      for (let start = 0; start < order.length; start += params.batchSize) {
        client.step(order.subarray(start, start + params.batchSize), params.learningRate, () =>
          epoch.fork('drop', start),
        )
      }
    }
    const theta = client.theta()
    const value = functionsOf(model, { loss, lossScale: protocol.lossScale }).loss(theta, data)
    return claimed({ kind: 'model', client: target, theta }, { details: { loss: value } })
  },
})
