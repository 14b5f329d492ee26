// A federation for the studies of property inference: real images, LeNet, a few clients with a property, sums only.
import { datasets, encodeSource, federate, fitSource, loadDataset, population } from '../dist/doors/federation.js'
import { rng } from '../dist/doors/numeric.js'
import { fileReader } from '../dist/node/index.js'

const dataDir = process.env.OVERHEAR_SHARED ? `${process.env.OVERHEAR_SHARED}/data` : '../shared/data'

/** Training images of a dataset, as a source to encode rows of. */
export const imagesOf = (name) => loadDataset(name, { rng: rng(1), files: fileReader(datasets[name], { dataDir }) }, {})

/**
 * Rows by role: `size` for each of N clients, `auxiliary` for the attacker, one target. Members hold the target in
 * place of their last record.
 */
export function deal(source, { N = 50, size = 25, auxiliary = 6000, positives = 5, seed = 1, property }) {
  const draws = rng(seed).fork('study', 'deal')
  const order = draws.fork('rows').permutation(source.table.rows)
  const ids = Array.from({ length: N }, (_, i) => String(i))
  const guilty = new Set(Array.from(draws.fork('guilty').sample(N, positives), (i) => ids[i]))
  const target = order[N * size + auxiliary]
  const rowsOf = (i) => {
    const rows = order.slice(i * size, (i + 1) * size)
    if (property === 'membership' && guilty.has(ids[i])) rows[size - 1] = target
    return rows
  }
  const clients = ids.map((id, i) => ({ id, rows: rowsOf(i) }))
  return { clients, guilty, target, auxiliary: order.slice(N * size, N * size + auxiliary) }
}

/** Trains, and returns what a server under secure aggregation is given, as the view of an attack. */
export async function run(source, options) {
  const {
    property,
    rounds = 100,
    fraction = 0.2,
    learningRate = 0.01,
    batchSize = 10,
    localEpochs = 1,
    localSteps = 0,
    seed = 1,
  } = options
  const { dropout = 0, failProb = 0, defences = [], prob = 1, onRound, misbehaviour = {}, corrupt } = options
  const { sampling = { name: 'fraction', fraction } } = options
  const dealt = deal(source, options)
  const used = Int32Array.from(dealt.clients.flatMap(({ rows }) => [...rows]))
  const fit = fitSource(source, used)
  const encode = (rows) => encodeSource(source, { rows, fit })
  const clients = dealt.clients.map(({ id, rows }) => ({ id, records: encode(rows).records }))
  if (corrupt) for (const [i, { records }] of clients.entries()) corrupt(records, i)
  const bad = ['inversion', 'ascent', 'free-rider', 'scaled'].includes(property)
  const misbehaving = Object.fromEntries([...dealt.guilty].map((id) => [id, { name: property, prob, ...misbehaviour }]))
  const spec = {
    model: { kind: 'lenet-mnist', outputs: 10, ...(dropout > 0 && { dropout }) },
    seed,
    rounds,
    rule: { algorithm: 'fedavg', learningRate, batchSize, ...(localSteps > 0 ? { localSteps } : { localEpochs }) },
    sampling,
    weights: 'equal',
    failProb,
    ...(bad && { misbehaving }),
  }
  const heard = []
  let theta
  for await (const round of federate(spec, { population: population({ kind: 'held', clients }), defences })) {
    const sum = round.aggregate ?? round.next.map((x, j) => (x - round.global[j]) * round.participants.length)
    heard.push({
      round: round.round,
      theta: round.global,
      sum,
      participants: round.participants,
      dropped: round.dropped,
    })
    theta = round.next
    onRound?.(round)
  }
  return { ...dealt, spec, clients, theta, view: viewOf(heard, { spec, dealt, encode, dropout, property }), encode }
}

function viewOf(heard, { spec, dealt, encode, dropout, property }) {
  const by = new Map(heard.map((one) => [one.round, one]))
  const numbers = heard.map(({ round }) => round)
  const { algorithm, learningRate, localEpochs = null, localSteps = null, batchSize } = spec.rule
  const table = (rows) => {
    const { records, columns } = encode(rows)
    return { encoded: { columns: columns.map(({ name }) => name), features: records.features }, labels: records.labels }
  }
  const [auxiliary, candidate] = [table(dealt.auxiliary), table([dealt.target])]
  return {
    model: { kind: 'lenet-mnist', outputs: 10 },
    loss: 'cross-entropy',
    protocol: {
      ...{ algorithm, learningRate, localEpochs, localSteps, batchSize, momentum: 0, proxMu: 0, dropout },
      ...{ lossScale: 1, share: 'parameters', aggregateWeights: 'one', aggregation: 'weighted-mean' },
      ...{ secureAggregation: true, differentialPrivacy: null },
    },
    globals: { rounds: numbers, read: async (round) => by.get(round).theta },
    aggregates: {
      rounds: numbers,
      read: async (round) => ({ round, dThetaSum: by.get(round).sum, derived: false }),
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

/** F1 of a decision and AUC of probabilities, for clients by id. */
export function scoresOf({ ids, positive, probability }, guilty) {
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
      wins += probability[i] > probability[j] ? 1 : probability[i] === probability[j] ? 0.5 : 0
    }
  }
  return { f1: tp === 0 ? 0 : (2 * tp) / (2 * tp + fp + fn), auc: wins / pairs }
}

export const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length
export const std = (values) => {
  const m = mean(values)
  return values.length < 2 ? 0 : Math.sqrt(values.reduce((sum, x) => sum + (x - m) ** 2, 0) / (values.length - 1))
}
