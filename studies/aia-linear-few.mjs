// What aia-linear finds where a message has fewer numbers than a client has records: a linear model of cps-wages, all records in every
// step, one attribute unknown. The rights of every client, and processor time.
//   node studies/aia-linear-few.mjs [--attributes union,gender] [--seeds 31,32,33] [--clients 8] [--steps 4] [--rounds 30] [--against DIR]
// DIR is another checkout, built: its attack on the same messages.
import { pathToFileURL } from 'node:url'
import { federate } from './attribute-run.mjs'
import { at, numbers, options, print, tableOf } from './figures.mjs'
import { sourceOf } from './shared-data.mjs'

/** @typedef {{ clients: number, whole: number, values: number, right: number, sure: number, sureWrong: number, seconds: number }} Found */

/**
 * @param {{ attribute: string, seeds: readonly number[], clients: number, steps: number, rounds: number }} options
 * @param {typeof import('./run-attack.mjs').runAttack} runAttack of this checkout or another
 * @returns {Promise<Found>}
 */
export async function fewEquations({ attribute, seeds, clients, steps, rounds }, runAttack) {
  const source = await sourceOf('cps-wages', { wage: 'log' })
  const partition = { id: 'heterogeneous', params: { clients, heterogeneity: 0.4, attribute: 'union' } }
  const local = { learningRate: 0.1, hidden: 0, batchSize: null, localEpochs: steps }
  const found = { clients: 0, whole: 0, values: 0, right: 0, sure: 0, sureWrong: 0, seconds: 0 }
  for (const seed of seeds) {
    for (const { view, truth } of federate({ source, partition, attribute, rounds, seed, ...local })) {
      const before = process.cpuUsage()
      const outcome = await runAttack('aia-linear', view, { params: { passes: 2, rehearsals: 8, directions: 20, rate: 'auto', fuse: 'none' } }) // biome-ignore format: a line
      const { user, system } = process.cpuUsage(before)
      found.seconds += (user + system) / 1e6
      found.clients++
      found.values += truth.length
      const [claim] = outcome.status === 'claimed' ? outcome.claims : []
      if (claim?.kind !== 'attribute') continue
      const right = [...truth.keys()].filter((i) => at(claim.values, i) === at(truth, i))
      const sure = [...truth.keys()].filter((i) => at(claim.confidence ?? [], i) >= 0.95)
      found.right += right.length
      found.whole += Number(right.length === truth.length)
      found.sure += sure.length
      found.sureWrong += sure.filter((i) => !right.includes(i)).length
    }
  }
  return found
}

async function main() {
  const asked = options({ attributes: 'union,gender,married,race,sector', seeds: '31,32,33', clients: 8, steps: 4, rounds: 30, against: '' }) // biome-ignore format: a line
  const checkouts = ['.', ...(asked.against === '' ? [] : [`${asked.against}/studies`])]
  const rows = []
  for (const attribute of asked.attributes.split(','))
    for (const [c, place] of checkouts.entries()) {
      const { runAttack } = await import(c === 0 ? './run-attack.mjs' : `${place}/run-attack.mjs`)
      const { clients, steps, rounds } = asked
      const found = await fewEquations({ attribute, seeds: numbers(asked.seeds), clients, steps, rounds }, runAttack)
      const shares = [`${found.whole} of ${found.clients}`, ((100 * found.right) / found.values).toFixed(1)]
      const sure = `${found.sureWrong} of ${found.sure}`
      rows.push([attribute, c === 0 ? 'here' : 'there', ...shares, sure, (found.seconds / found.clients).toFixed(2)])
    }
  const heads = ['attribute', 'checkout', 'clients with every value right', 'right, %', 'wrong among those at 0.95', 'seconds a client'] // biome-ignore format: a line
  for (const line of tableOf(heads, rows)) print(line)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
