// @ts-nocheck: a script that is run by hand
// What an active attack costs: 50 messages of lmra-active-adam (settings as given) and of lmra-active-echo beside 50 rounds
// of the same training, two clients of 602 records, 8 inputs, 128 units, batches of 32. CPU time, least of the repetitions.
//   node bench/active.mjs [--repeat 20] [--records 602] [--inputs 8]
import { parseArgs } from 'node:util'
import { attacks } from '../dist/doors/attacks.js'
import { batchRows, weightedMean } from '../dist/doors/federation.js'
import { createModel, initialise, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { madeUp } from '../dist/node/bench/bench-data.js'

const { values } = parseArgs({
  options: {
    repeat: { type: 'string', default: '20' },
    records: { type: 'string', default: '602' },
    inputs: { type: 'string', default: '8' },
  },
})
const [repeat, records, inputs] = [Number(values.repeat), Number(values.records), Number(values.inputs)]
const rounds = 50
const plan = { batchSize: 32, localEpochs: 1, localSteps: null, shuffle: 'epoch' }
const model = createModel({ kind: 'mlp', inputs, outputs: 1, hidden: [128] })
const clients = [1, 2].map((salt) =>
  trainer(model, {
    data: {
      features: matrix(records, inputs, madeUp(records * inputs, salt)),
      labels: madeUp(records, 10 + salt),
    },
  }),
)

/** A client's turn, the same for training and attack. */
function turn(client, theta, own) {
  clients[client].load(theta)
  for (const rows of batchRows(records, { plan, rng: own })) clients[client].step(rows, 1e-4, () => own)
  return clients[client].theta()
}

function train(from, count) {
  let theta = from
  for (let t = 0; t < count; t++) {
    theta = weightedMean(
      clients.map((_, c) => turn(c, theta, rng(1).fork('round', t, 'client', c))),
      [1, 1],
    )
  }
  return theta
}

const start = initialise(model, rng(1))
const received = train(start, 3)
const returned = turn(0, received, rng(2))
const heard = {
  target: '0',
  tampered: [],
  exchanges: {
    rounds: [0],
    read: async () => ({ round: 0, received, update: { kind: 'parameters', theta: returned } }),
  },
}
async function attack(id, params) {
  let at = 0
  const channel = async (_, theta) => turn(0, theta, rng(3).fork('sent', at++))
  const context = { params: { rounds, ...params }, rng: rng(4), tick() {}, claimOf: async () => undefined }
  const outcome = await attacks[id].run({ ...heard, channel }, context)
  if (outcome.status !== 'claimed' || at !== rounds) throw new Error(`${at} messages: ${JSON.stringify(outcome)}`)
}
const alone = () => {
  let theta = returned
  for (let t = 0; t < rounds; t++) theta = turn(0, theta, rng(3).fork('sent', t))
}

const work = {
  [`${rounds} rounds of training, two clients`]: () => train(start, rounds),
  [`${rounds} turns of the one client, nothing else`]: alone,
  'lmra-active-adam, tuning=none': () => attack('lmra-active-adam', { tuning: 'none' }),
  'lmra-active-echo': () => attack('lmra-active-echo', {}),
}
const least = Object.fromEntries(Object.keys(work).map((name) => [name, Number.POSITIVE_INFINITY]))
for (let k = 0; k < repeat; k++) {
  for (const [name, run] of Object.entries(work)) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    least[name] = Math.min(least[name], (user + system) / 1000)
  }
}
const [training] = Object.values(least)
for (const [name, ms] of Object.entries(least)) {
  console.log(`${name}: ${ms.toFixed(1)} ms, ${(ms / training).toFixed(2)} of the training`)
}
