// How much of a client's loss active attacks leave, by the messages that they send, trials included; linear, logistic and
// softmax models and networks, full batches and small ones. Needs dist/. `node studies/lmra-active.mjs [--seeds N] [--json]`
import { emulateAdam, emulateEcho } from '../dist/attacks/local-model/active/emulated-server.js'
import { observableObjective, tuneAdam } from '../dist/attacks/local-model/active/tune-adam.js'
import { functionsOf, initialise, linear, logistic, mlp, softmaxRegression } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { at, mean, options } from './figures.mjs'
import { show } from './messages.mjs'
import { claimIn, protocolOf, runAttack } from './run-attack.mjs'

const given = options({ seeds: 3, json: false })
const [n, p] = [120, 8]

/**
 * @typedef {object} World
 * @property {string} name
 * @property {import('../dist/doors/models.js').Model} model
 * @property {Record<string, unknown>} spec
 * @property {import('../dist/doors/models.js').Loss} loss
 * @property {Float64Array} labels
 * @property {number} rate
 * @property {number} before rounds of training before the attack
 * @property {import('../dist/doors/numeric.js').Matrix} features
 */

/** @param {number} seed @returns {World[]} */
function worldsOf(seed) {
  const stream = rng(seed).fork('lmra-active')
  const features = matrix(n, p, stream.fork('X').normals(n * p))
  const law = stream.fork('law').normals(p)
  const noise = stream.fork('noise').normals(n, { std: 0.5 })
  const score = noise.map((e, i) => law.reduce((sum, w, j) => sum + w * at(features.data, i * p + j), e))
  const three = score.map((x) => (x > 1 ? 2 : x > -1 ? 1 : 0))
  const all = [
    { name: 'linear', model: linear({ inputs: p, outputs: 1 }), loss: 'mse', labels: score, rate: 0.02 },
    { name: 'logistic', model: logistic({ inputs: p }), loss: 'binary-cross-entropy', labels: score.map((x) => (x > 0 ? 1 : 0)), rate: 0.1 },
    { name: 'softmax', model: softmaxRegression({ inputs: p, outputs: 3 }), loss: 'cross-entropy', labels: three, rate: 0.1 },
    { name: 'network', model: mlp({ inputs: p, hidden: [16], outputs: 1 }), loss: 'mse', labels: score, rate: 0.02 },
    { name: 'network, dollars', model: mlp({ inputs: p, hidden: [16], outputs: 1 }), loss: 'mse', labels: score.map((x) => 1e4 * x + 13_000), rate: 1e-6, before: 200 },
    { name: 'network, classes', model: mlp({ inputs: p, hidden: [16], outputs: 3, outputActivation: /** @type {any} */ ('softmax') }), loss: 'cross-entropy', labels: three, rate: 0.1 },
  ] // biome-ignore format: a list
  return all.map((one) => ({
    before: 20,
    ...one,
    spec: { kind: one.model.kind, inputs: p, outputs: one.model.outputs, bias: true },
    loss: /** @type {import('../dist/doors/models.js').Loss} */ (one.loss),
    features,
  }))
}

/** A client that trains one epoch a turn, in batches drawn anew, and counts what it is sent. @param {World} world @param {number} batchSize */
function clientOf({ model, loss, features, labels, rate }, batchSize) {
  const functions = functionsOf(model, { loss })
  let total = 0
  /** @returns {import('../dist/threat/granted-keys.js').Channel} */
  const open = () => {
    let turn = 0
    const line = async (/** @type {string} */ _, /** @type {Float64Array} */ sent) => {
      total++
      const order = rng(1).fork('turn', turn++).permutation(n)
      let theta = sent.slice()
      for (let s = 0; s < n; s += batchSize) {
        const rows = order.subarray(s, s + batchSize)
        const batch = {
          features: matrix(rows.length, p, Float64Array.from({ length: rows.length * p }, (__, k) => at(features.data, at(rows, Math.floor(k / p)) * p + (k % p)))),
          labels: Float64Array.from(rows, (i) => at(labels, i)),
        } // biome-ignore format: one place
        const { grad } = functions.gradient(theta, batch)
        theta = theta.map((x, j) => x - rate * at(grad, j))
      }
      return theta
    }
    return Object.assign(line, { restart: open })
  }
  return { open, functions, sent: () => total }
}

/** @typedef {{ left: number, messages: number }} Reached */
/** @type {Map<string, Reached[]>} */
const rows = new Map()
/** @param {string} name @param {Reached} reached */
const note = (name, reached) => rows.set(name, [...(rows.get(name) ?? []), reached])

for (const budget of [10, 50]) {
  for (const batchSize of [n, 16]) {
    for (let seed = 1; seed <= given.seeds; seed++) {
      for (const world of worldsOf(seed)) {
        const data = { features: world.features, labels: world.labels }
        const warm = clientOf(world, batchSize)
        const line = warm.open()
        let start = initialise(world.model, rng(7))
        for (let t = 0; t < world.before; t++) start = await line('0', start)
        const first = warm.functions.loss(start, data)
        const where = `${budget} messages, ${batchSize === n ? 'full batches' : `batches of ${batchSize}`}`
        /** @param {string} name @param {(client: ReturnType<typeof clientOf>) => Promise<Float64Array | undefined>} attack */
        const played = async (name, attack) => {
          const client = clientOf(world, batchSize)
          const theta = await attack(client)
          if (theta === undefined) return
          const left = Math.min(client.functions.loss(theta, data) / first, 100)
          note(`${where} | ${name}`, { left, messages: client.sent() })
        }
        const rounds = Array.from({ length: budget }, (_, t) => t)
        /** @param {ReturnType<typeof clientOf>} client */
        const lineTo = (client) => ({ channel: client.open(), client: '0', start, rounds })
        /** @param {string} id @param {Record<string, unknown>} params */
        const byAttack = (id, params) => async (/** @type {ReturnType<typeof clientOf>} */ client) => {
          const exchange = {
            round: 0,
            received: start,
            learningRate: world.rate,
            update: /** @type {const} */ ({ kind: 'parameters', theta: start }),
          }
          const view = {
            exchanges: { rounds: [0], read: async () => exchange },
            target: '0',
            tampered: [],
            channel: client.open(),
            model: /** @type {any} */ (world.spec),
            loss: world.loss,
            protocol: protocolOf({ learningRate: world.rate, batchSize: batchSize === n ? null : batchSize }),
          }
          const outcome = await runAttack(id, view, { params: { rounds: budget, ...params } })
          return outcome.status === 'claimed' ? claimIn(outcome, 'model').theta : undefined
        }
        await played('echo', async (client) => (await emulateEcho(lineTo(client))).theta)
        await played(
          'Adam as given (0.1)',
          async (client) => (await emulateAdam(lineTo(client), { learningRate: 0.1 })).theta,
        )
        await played('lmra-active-adam, adaptive', byAttack('lmra-active-adam', {}))
        if (budget > 10)
          await played('lmra-active-adam, 3 trials', byAttack('lmra-active-adam', { tuning: 'observable', trials: 3 }))
        await played('50 trials beside it', async (client) => {
          const tuned = await tuneAdam({
            line: lineTo(client),
            trials: 50,
            rng: rng(1),
            objective: observableObjective('0'),
            rates: [0.1, 50],
            betas: [0.6, 0.999],
          })
          return tuned && (await emulateAdam(lineTo(client), tuned.setting)).theta
        })
        if (world.name === 'linear') await played('lmra-active-ols (linear only)', byAttack('lmra-active-ols', {}))
      }
    }
  }
}

const table = [...rows].map(([name, reached]) => {
  const left = Math.exp(mean(reached.map((one) => Math.log(Math.max(one.left, 1e-12)))))
  return { name, left, clients: reached.length, messages: mean(reached.map((one) => one.messages)) }
})
const lines = [
  '| may send | attack | clients | messages sent | loss left |',
  '|---|---|--:|--:|--:|',
  ...table.map(({ name, left, clients, messages }) => {
    const [where, attack] = name.split(' | ')
    return `| ${where} | ${attack} | ${clients} | ${messages.toFixed(0)} | ${left.toFixed(3)} |`
  }),
]
/** @param {string} attack */
const leftBy = (attack) => table.filter(({ name }) => name.endsWith(attack)).map(({ left }) => left)
const claims = [
  {
    text: 'the adaptive Adam leaves less of the loss than an echo of as many messages, in every row',
    holds: leftBy('adaptive').every((left, i) => left < at(leftBy('echo'), i)),
  },
  {
    text: 'and sends no more than it may',
    holds: table.every(({ name, messages }) => !name.includes('lmra-active') || messages <= Number(name.split(' ')[0])),
  },
]
show({ json: given.json, result: { rows: table, claims }, lines })
