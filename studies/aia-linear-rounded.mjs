// One step on all records, sent in single precision: what aia-linear says of Medical with a standardised target (MLP 8-128-1,
// three clients of 446), where the rounding of a message hides what a record changes.
//   node studies/aia-linear-rounded.mjs [--rates 1e-5,1e-4] [--attributes sex,smoker] [--seeds 1,2] [--clients 0,1,2] [--rounds 1]
import { pathToFileURL } from 'node:url'
import { federate } from './attribute-run.mjs'
import { at, numbers, options, print, tableOf } from './figures.mjs'
import { claimed, claimIn, runAttack } from './run-attack.mjs'
import { sourceOf } from './shared-data.mjs'

/**
 * @param {{ learningRate: number, attribute: string, seed: number, client: number, rounds?: number }} options
 */
export async function roundedStep({ client, ...own }) {
  const source = await sourceOf('medical')
  const standardised = { ...source, label: { ...source.label, scale: /** @type {const} */ ('standardise') } }
  const partition = { id: 'iid', params: { clients: 3 } }
  const clients = federate({ source: standardised, partition, rounds: 1, batchSize: null, heldOut: 0, ...own })
  const { view, truth } = at(clients, client)
  const outcome = await runAttack('aia-linear', view)
  const { values, confidence = [] } = claimIn(outcome, 'attribute')
  /** @param {number} from */
  const surer = (from) => [...truth.keys()].filter((i) => at(confidence, i) >= from)
  const wrongIn = (/** @type {readonly number[]} */ rows) => rows.filter((i) => at(values, i) !== at(truth, i)).length
  const { solver, verified } = claimed(outcome).details
  return {
    ...{ records: truth.length, solver, verified, wrong: wrongIn(surer(0)) },
    ...{ sure: surer(0.95).length, sureWrong: wrongIn(surer(0.95)) },
    ...{ certain: surer(1).length, certainWrong: wrongIn(surer(1)) },
  }
}

async function main() {
  const asked = options({ rates: '1e-5,1e-4', attributes: 'sex,smoker', seeds: '1', clients: '0,1,2', rounds: 1 })
  const rows = []
  for (const learningRate of numbers(asked.rates))
    for (const attribute of asked.attributes.split(','))
      for (const seed of numbers(asked.seeds))
        for (const client of numbers(asked.clients)) {
          const found = await roundedStep({ learningRate, attribute, seed, client, rounds: asked.rounds })
          const { records, wrong, sure, sureWrong, certain, certainWrong, solver } = found
          const shares = [`${wrong} of ${records}`, `${sureWrong} of ${sure}`, `${certainWrong} of ${certain}`]
          rows.push([learningRate, attribute, seed, client, ...shares, String(solver)])
        }
  const heads = ['rate', 'attribute', 'seed', 'client', 'wrong', 'among those at 0.95', 'among those at 1', 'solver']
  for (const line of tableOf(heads, rows)) print(line)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
