// What the studies of model reconstruction share: a small federation that keeps one client's messages, the view of an
// eavesdropper on its line, and figures over seeds. Needs dist/ (npm run build:ts).
import { weightedMean } from '../dist/doors/federation.js'
import { trainer } from '../dist/doors/models.js'
import { leastSquares, matrix } from '../dist/doors/numeric.js'
import { deviation, mean, print, verdicts } from './figures.mjs'
import { claimed, claimIn, protocolOf, runAttack } from './run-attack.mjs'

/** @typedef {import('../dist/doors/federation.js').Records} Records */
/** @typedef {import('../dist/doors/numeric.js').Rng} Rng */
/** @typedef {import('./figures.mjs').Claim} Claim */
/** @typedef {{ round: number, received: Float64Array, returned: Float64Array }} Message */

/**
 * FedAvg, weighted by records; `turn` takes a client's steps, so that a study says how batches are drawn.
 * @param {object} options
 * @param {import('../dist/doors/models.js').Model} options.model
 * @param {readonly Records[]} options.records
 * @param {Float64Array} options.start
 * @param {number} options.rounds
 * @param {Rng} options.rng
 * @param {(client: import('../dist/doors/models.js').Trainer, rng: Rng) => void} options.turn
 * @param {number} [options.taking] clients in a round, drawn anew each time; all unless told
 * @param {number} [options.perturbStd] of what is added to every model that is sent
 * @param {import('../dist/doors/numeric.js').Precision} [options.precision] of the training and of all messages
 * @returns {{ messages: Message[][], global: Float64Array }} messages by client, and the last global model
 */
export function federate(options) {
  const { model, records, start, rounds, rng: world, turn, taking = records.length, perturbStd = 0 } = options
  const { precision = 'f64' } = options
  const clients = records.map((data) => trainer(model, { data, precision }))
  const messages = clients.map(() => /** @type {Message[]} */ ([]))
  let global = start
  for (let round = 0; round < rounds; round++) {
    const own = world.fork('round', round)
    const noise = own.fork('perturb').normals(global.length, { std: perturbStd })
    const received = global.map((x, j) => {
      const sent = x + (noise[j] ?? 0)
      return precision === 'f32' ? Math.fround(sent) : sent
    })
    const chosen = [...own.fork('who').sample(clients.length, taking)].sort((a, b) => a - b) // one order of summation
    const weights = chosen.map((k) => clients[k]?.records ?? 0)
    const all = chosen.map((k) => {
      const client = clients[k]
      if (client === undefined) throw new Error(`no client ${k}`)
      client.load(received)
      turn(client, own.fork('client', k))
      const returned = client.theta()
      messages[k]?.push({ round, received, returned })
      return returned
    })
    global = weightedMean(all, weights)
  }
  return { messages, global }
}

/** The least-squares model with a bias in the last place. @param {Records} records */
export function leastSquaresOptimum({ features: { rows: n, cols, data }, labels }) {
  const A = matrix(n, cols + 1)
  for (let i = 0; i < n; i++) {
    A.data.set(data.subarray(i * cols, (i + 1) * cols), i * (cols + 1))
    A.data[i * (cols + 1) + cols] = 1
  }
  return leastSquares(A, matrix(n, 1, labels)).X.data
}

/**
 * What an eavesdropper on the client's line knows.
 * @param {readonly Message[]} messages
 * @param {object} training
 * @param {import('./run-attack.mjs').Spec} training.model
 * @param {import('../dist/doors/models.js').Loss} training.loss
 * @param {number | null} training.batchSize
 * @param {number} training.learningRate
 */
export function viewOf(messages, { model, loss, batchSize, learningRate }) {
  const byRound = new Map(messages.map((one) => [one.round, one]))
  return {
    target: '0',
    model,
    loss,
    protocol: protocolOf({ algorithm: 'fedavg', share: 'parameters', batchSize }),
    exchanges: {
      rounds: [...byRound.keys()],
      /** @param {number} round @returns {Promise<import('../dist/threat/granted-keys.js').Exchange>} */
      async read(round) {
        const one = byRound.get(round)
        if (one === undefined) throw new Error(`no message in round ${round}`)
        return { round, received: one.received, update: { kind: 'parameters', theta: one.returned }, learningRate }
      },
    },
  }
}

/**
 * The model that an attack claims there, and its own estimate of the error where it has one.
 * @param {string} id
 * @param {import('./run-attack.mjs').AnyView} view
 * @param {Readonly<Record<string, unknown>>} [params]
 */
export async function modelBy(id, view, params = {}) {
  const outcome = await runAttack(id, view, { params })
  const { errorEstimate } = claimed(outcome).details
  return {
    theta: claimIn(outcome, 'model').theta,
    errorEstimate: typeof errorEstimate === 'number' ? errorEstimate : Number.NaN,
  }
}

/** @param {readonly number[]} xs */
export const spread = (xs) => `${mean(xs).toFixed(2)} +- ${deviation(xs).toFixed(2)}`

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function relativeError(a, b) {
  let [miss, size] = [0, 0]
  for (let j = 0; j < b.length; j++) {
    miss += ((a[j] ?? 0) - (b[j] ?? 0)) ** 2
    size += (b[j] ?? 0) ** 2
  }
  return Math.sqrt(miss / size)
}

/**
 * Prints JSON or lines; a claim that does not hold makes the exit code 1.
 * @param {{ json: boolean, result: { claims: readonly Claim[], [more: string]: unknown }, lines: readonly string[] }} options
 */
export function show({ json, result, lines }) {
  print(json ? JSON.stringify(result, null, 2) : [...lines, '', ...verdicts(result.claims)].join('\n'))
  if (result.claims.some(({ holds }) => !holds)) process.exitCode = 1
}
