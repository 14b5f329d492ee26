// A federation for the studies of property inference: real images, LeNet, a few clients with a property, sums only.
import { encodeSource, federate, fitSource, population } from '../dist/doors/federation.js'
import { rng } from '../dist/doors/numeric.js'
import { at } from './figures.mjs'
import { protocolOf } from './run-attack.mjs'

/** @typedef {import('../dist/doors/federation.js').Dataset} Dataset */
/** @typedef {import('../dist/doors/federation.js').FederationSpec} FederationSpec */
/** @typedef {import('../dist/doors/federation.js').MisbehaviourSpec} MisbehaviourSpec */
/** @typedef {import('../dist/doors/federation.js').Source} Source */
/** @typedef {import('../dist/threat/granted-keys.js').Knowledge} Knowledge */
/** @typedef {(rows: ArrayLike<number>) => Dataset} Encode */

/**
 * @typedef {object} RunOptions
 * @property {string} property a misbehaviour, "membership" or "none"
 * @property {number} [N] clients
 * @property {number} [size] records of each
 * @property {number} [auxiliary] records of the attacker
 * @property {number} [positives] clients with the property
 * @property {number} [seed]
 * @property {number} [rounds]
 * @property {number} [learningRate]
 * @property {number} [batchSize]
 * @property {number} [localSteps] in place of one epoch, unless 0
 * @property {FederationSpec['sampling']} [sampling] a fifth of the clients unless told
 * @property {number} [dropout]
 * @property {number} [dropouts]
 * @property {readonly import('../dist/doors/federation.js').Defence[]} [defences]
 * @property {number} [prob] with which clients misbehave in a round
 * @property {Readonly<Record<string, unknown>>} [misbehaviour] its other parameters
 * @property {(records: Dataset['records'], client: number) => void} [corrupt] changes a client's records
 * @property {FederationSpec['model']} [model] LeNet unless told
 * @property {FederationSpec['loss']} [loss] cross-entropy unless told
 * @property {Dealt} [dealt] who holds which rows, in place of rows at random
 */

/** @typedef {{ clients: readonly { id: string, rows: Int32Array }[], guilty: ReadonlySet<string>, target: number, auxiliary: Int32Array }} Dealt */

/** What the server of one round sees. @typedef {{ round: number, theta: Float64Array, sum: Float64Array, participants: readonly string[], dropped: readonly string[] }} Heard */

/**
 * Rows by role: `size` for each of N clients, `auxiliary` for the attacker, one target. Members hold the target in
 * place of their last record.
 * @param {Source} source
 * @param {RunOptions} options
 * @returns {Dealt}
 */
function deal(source, { N = 50, size = 25, auxiliary = 6000, positives = 5, seed = 1, property }) {
  const draws = rng(seed).fork('study', 'deal')
  const order = draws.fork('rows').permutation(source.table.rows)
  const ids = Array.from({ length: N }, (_, i) => String(i))
  const guilty = new Set(Array.from(draws.fork('guilty').sample(N, positives), (i) => at(ids, i)))
  const target = at(order, N * size + auxiliary)
  const clients = ids.map((id, i) => {
    const rows = order.slice(i * size, (i + 1) * size)
    if (property === 'membership' && guilty.has(id)) rows[size - 1] = target
    return { id, rows }
  })
  return { clients, guilty, target, auxiliary: order.slice(N * size, N * size + auxiliary) }
}

const misbehaviours = /** @type {const} */ (['inversion', 'ascent', 'free-rider', 'scaled'])

/**
 * Trains, and returns what a server under secure aggregation is given, as the view of an attack.
 * @param {Source} source
 * @param {RunOptions} options
 */
export async function run(source, options) {
  const { property, rounds = 100, learningRate = 0.01, batchSize = 10, localSteps = 0, seed = 1 } = options
  const { dropout = 0, dropouts = 0, defences = [], prob = 1, misbehaviour = {}, corrupt } = options
  const { sampling = { name: 'fraction', fraction: 0.2 } } = options
  const {
    model = { kind: 'lenet-mnist', outputs: 10 },
    loss = 'cross-entropy',
    dealt = deal(source, options),
  } = options
  const used = Int32Array.from(dealt.clients.flatMap(({ rows }) => [...rows]))
  const fit = fitSource(source, used)
  /** @type {Encode} */
  const encode = (rows) => encodeSource(source, { rows, fit })
  const clients = dealt.clients.map(({ id, rows }) => ({ id, records: encode(rows).records }))
  if (corrupt) for (const [i, { records }] of clients.entries()) corrupt(records, i)
  const kind = misbehaviours.find((name) => name === property)
  /** @param {MisbehaviourSpec['name']} name @returns {[id: string, how: MisbehaviourSpec][]} */
  const acting = (name) => [...dealt.guilty].map((id) => [id, { name, prob, ...misbehaviour }])
  /** @type {FederationSpec} */
  const spec = {
    model: dropout > 0 ? { kind: 'lenet-mnist', outputs: 10, dropout } : model,
    loss,
    seed,
    rounds,
    rule: { algorithm: 'fedavg', learningRate, batchSize, ...(localSteps > 0 ? { localSteps } : { localEpochs: 1 }) },
    sampling,
    aggregateWeights: 'one',
    dropouts,
    ...(kind !== undefined && { misbehaving: Object.fromEntries(acting(kind)) }),
  }
  /** @type {Heard[]} */
  const heard = []
  /** @type {Float64Array} */
  let theta = new Float64Array()
  for await (const round of federate(spec, { population: population({ kind: 'held', clients }), defences })) {
    const sum = round.aggregate ?? round.next.map((x, j) => (x - at(round.global, j)) * round.participants.length)
    heard.push({
      round: round.round,
      theta: round.global,
      sum,
      participants: round.participants,
      dropped: round.dropped,
    })
    theta = round.next
  }
  return {
    ...dealt,
    spec,
    clients,
    theta,
    view: viewOf(heard, { rule: spec.rule, model, loss, dealt, encode, dropout, property }),
    encode,
  }
}

/**
 * @param {readonly Heard[]} heard
 * @param {object} made
 * @param {FederationSpec['rule']} made.rule
 * @param {NonNullable<RunOptions['model']>} made.model
 * @param {NonNullable<RunOptions['loss']>} made.loss
 * @param {Dealt} made.dealt
 * @param {Encode} made.encode
 * @param {number} made.dropout
 * @param {string} made.property
 */
function viewOf(heard, { rule, model, loss, dealt, encode, dropout, property }) {
  const by = new Map(heard.map((one) => [one.round, one]))
  const rounds = heard.map(({ round }) => round)
  /** @param {number} round */
  const of = (round) => {
    const one = by.get(round)
    if (one === undefined) throw new Error(`round ${round} was not heard`)
    return one
  }
  /** @param {ArrayLike<number>} rows */
  const table = (rows) => {
    const { records, columns } = encode(rows)
    return { encoded: { columns: columns.map(({ name }) => name), features: records.features }, labels: records.labels }
  }
  const [auxiliary, candidate] = [table(dealt.auxiliary), table([dealt.target])]
  const { localEpochs = null, localSteps = null, batchSize = null, algorithm, learningRate } = rule
  return {
    model,
    loss,
    protocol: protocolOf({
      algorithm,
      learningRate,
      localEpochs,
      localSteps,
      batchSize,
      dropout,
      share: 'parameters',
      secureAggregation: true,
    }),
    globals: { rounds, read: async (/** @type {number} */ round) => of(round).theta },
    aggregates: {
      rounds,
      read: async (/** @type {number} */ round) => ({ round, dThetaSum: of(round).sum, derived: false }),
    },
    participation: heard.map(({ round, participants, dropped }) => ({ round, participants, dropped })),
    sampleCounts: dealt.clients.map(({ id, rows }) => ({ id, samples: rows.length })),
    auxiliary: auxiliary.encoded,
    'auxiliary.label': auxiliary.labels,
    candidates: candidate.encoded,
    'candidates.label': candidate.labels,
    property: { name: property, record: 0 },
  }
}

/**
 * F1 of a decision and AUC of what ranks clients, by id.
 * @param {{ ids: readonly string[], positive: ArrayLike<boolean>, score: ArrayLike<number> }} claim
 * @param {ReadonlySet<string>} guilty
 */
export function scoresOf({ ids, positive, score }, guilty) {
  let [tp, fp, fn] = [0, 0, 0]
  for (const [i, id] of ids.entries()) {
    if (positive[i] && guilty.has(id)) tp++
    else if (positive[i]) fp++
    else if (guilty.has(id)) fn++
  }
  let [wins, pairs] = [0, 0]
  for (const [i, a] of ids.entries()) {
    for (const [j, b] of ids.entries()) {
      if (!guilty.has(a) || guilty.has(b)) continue
      pairs++
      const [p, q] = [at(score, i), at(score, j)]
      wins += p > q ? 1 : p === q ? 0.5 : 0
    }
  }
  return { f1: tp === 0 ? 0 : (2 * tp) / (2 * tp + fp + fn), auc: wins / pairs }
}
