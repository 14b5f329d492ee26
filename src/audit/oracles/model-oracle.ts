/** Model-w-O: the model that the client would train alone, from its own records. */
import { claimed, Inapplicable } from '../../attacks/attack.js'
import { modelOf } from '../../attacks/shared/evaluable-model.js'
import { turnOf } from '../../attacks/shared/target-turns.js'
import { OverhearError } from '../../errors.js'
import { localOptimum } from '../../federation/local-optimum.js'
import { type Batch, functionsOf } from '../../models/functions.js'
import { trainer } from '../../models/trainer.js'
import { firstNonFinite } from '../../numeric/linalg/vector.js'
import { numbers, whole } from '../../params.js'
import { truthIterations } from '../../scenario/models-alone.js'
import type { Truth } from '../../transcript/truth-file.js'
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
  effort: 30,
  title: 'The client’s optimal model, found by L-BFGS on its own records',
  paper: 'aia',
  where: 'Section 5.3, Model-w-O run to convergence',
  target: 'model',
  needs,
  params: {
    iterations: whole({ default: 2000, min: 1, doc: 'at most so many iterations, those behind the truth included' }),
  },
  async run(view, { truth, params }) {
    const { exchanges, target, loss, protocol } = view
    const { returned } = turnOf(await exchanges.read(exchanges.rounds.at(-1)!))
    const further = await truth.optimum(target)
    const done = further === undefined ? 0 : truthIterations
    const found = localOptimum(modelOf(view), await recordsOf(truth, target), {
      loss,
      lossScale: protocol.lossScale,
      ...{ from: returned, further },
      maxIterations: Math.max(1, params.iterations - done),
    })
    const details = { loss: found.loss, iterations: found.iterations, converged: found.converged }
    return claimed({ kind: 'model', client: target, theta: found.theta }, { details })
  },
})

export const modelOracleAdam200 = defineOracle({
  id: 'model-oracle-adam200',
  effort: 40,
  title: 'The client’s model after 200 epochs of Adam on its own records',
  paper: 'aia',
  where: 'Section 5.3, Model-w-O as in the paper',
  target: 'model',
  needs,
  params: {
    epochs: whole({ default: 200, min: 1, doc: 'passes over the records' }),
    batchSize: whole({ default: 32, min: 1, doc: 'records per step' }),
    rates: numbers({ default: [0.01, 0.03, 0.1, 0.3, 1], min: 0, doc: 'steps of Adam to try; the least loss counts' }),
  },
  async run(view, { truth, params, rng, tick }) {
    const { exchanges, target, loss, protocol } = view
    const { rates, epochs, batchSize } = params
    const { returned } = turnOf(await exchanges.read(exchanges.rounds.at(-1)!))
    const model = modelOf(view)
    const data = await recordsOf(truth, target)
    const functions = functionsOf(model, { loss, lossScale: protocol.lossScale })
    const tried = rates.map((rate, r) => {
      const client = trainer(model, { data, precision: 'f64', loss, lossScale: protocol.lossScale, adam: {} })
      client.load(returned)
      for (let e = 0; e < epochs; e++) {
        tick(r * epochs + e, rates.length * epochs)
        const epoch = rng.fork('epoch', e)
        const order = epoch.permutation(client.records)
        for (let start = 0; start < order.length; start += batchSize) {
          client.step(order.subarray(start, start + batchSize), rate, () => epoch.fork('drop', start))
        }
      }
      const theta = client.theta()
      client.release()
      return { rate, theta, loss: firstNonFinite(theta) < 0 ? functions.loss(theta, data) : Number.POSITIVE_INFINITY }
    })
    const best = tried.reduce((least, one) => (one.loss < least.loss ? one : least))
    if (!Number.isFinite(best.loss)) {
      throw new OverhearError('E_NON_FINITE', `Adam diverged at each of ${rates.length} rates`, 'give smaller rates')
    }
    const details = { loss: best.loss, learningRate: best.rate }
    return claimed({ kind: 'model', client: target, theta: best.theta }, { details })
  },
})
