// @ts-nocheck: a script by itself, of no library
/**
 * Writes the transcripts of the blind half of the lint's corpus: `node make-transcripts.mjs FOLDER`. Each example becomes
 * FOLDER/<path of expected.json without /transcript>/{transcript,truth}. Plain Node, nothing of src: the clients really train, the
 * noise is really drawn, and the same bytes come out every time.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Draws

function draws(seed) {
  let state = seed >>> 0
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  const shuffled = (n) => {
    const order = Array.from({ length: n }, (_, i) => i)
    for (let i = n - 1; i > 0; i--) {
      const j = Math.floor(uniform() * (i + 1))
      ;[order[i], order[j]] = [order[j], order[i]]
    }
    return order
  }
  return { uniform, normal, shuffled }
}

/** One seed from several numbers. */
const mixed = (...parts) => parts.reduce((h, p) => Math.imul(h ^ (p + 0x9e3779b9), 0x85ebca6b) ^ (h >>> 13), 0x1234567)

// Vectors

const add = (a, b, factor = 1) => a.map((v, i) => v + factor * b[i])
const scaled = (a, factor) => a.map((v) => v * factor)
const norm = (a) => Math.sqrt(a.reduce((s, v) => s + v * v, 0))
const clipped = (a, most) => scaled(a, Math.min(1, most / norm(a)))
const zeros = (n) => new Array(n).fill(0)
const noise = (n, { deviation, rng }) => Array.from({ length: n }, () => deviation * rng.normal())

// Models: one affine map, or one hidden layer of tanh; squared error

const parametersOf = ({ kind, inputs, hidden }) =>
  kind === 'linear'
    ? [
        { name: 'weight', shape: [1, inputs] },
        { name: 'bias', shape: [1] },
      ]
    : [
        { name: 'layers.0.weight', shape: [hidden[0], inputs] },
        { name: 'layers.0.bias', shape: [hidden[0]] },
        { name: 'layers.1.weight', shape: [1, hidden[0]] },
        { name: 'layers.1.bias', shape: [1] },
      ]
const size = ({ shape }) => shape.reduce((n, s) => n * s, 1)
const dimension = (model) => parametersOf(model).reduce((d, p) => d + size(p), 0)

/** Gradient of (z - y)^2 at one record. */
function gradientOf({ kind, inputs, hidden }, theta, { x, y }) {
  if (kind === 'linear') {
    const z = x.reduce((s, v, j) => s + v * theta[j], theta[inputs])
    return [...x, 1].map((v) => 2 * (z - y) * v)
  }
  const h = hidden[0]
  const [bias, out] = [h * inputs, h * inputs + h]
  const gradient = zeros(out + h + 1)
  const active = zeros(h)
  let z = theta[out + h]
  for (let k = 0; k < h; k++) {
    let s = theta[bias + k]
    for (let j = 0; j < inputs; j++) s += x[j] * theta[k * inputs + j]
    active[k] = Math.tanh(s)
    z += active[k] * theta[out + k]
  }
  const error = 2 * (z - y)
  for (let k = 0; k < h; k++) {
    const back = error * theta[out + k] * (1 - active[k] * active[k])
    for (let j = 0; j < inputs; j++) gradient[k * inputs + j] = back * x[j]
    gradient[bias + k] = back
    gradient[out + k] = error * active[k]
  }
  gradient[out + h] = error
  return gradient
}

// Clients

function worldOf({ model, clients, samples, seed, offset = 0.5 }) {
  const rng = draws(mixed(seed, 1))
  const law = Array.from({ length: model.inputs }, () => rng.normal())
  const record = (shift) => {
    const x = Array.from({ length: model.inputs }, () => rng.normal())
    const y = offset + shift + x.reduce((s, v, j) => s + v * law[j], 0) / Math.sqrt(model.inputs) + 0.3 * rng.normal()
    return { x, y }
  }
  return clients.map((id) => {
    const shift = 0.3 * rng.normal()
    const rows = Array.from({ length: 2 * samples }, () => record(shift))
    // Who is trained on is drawn at random: rows are alike and independent, so the first half will do.
    return { id, trained: rows.slice(0, samples), heldBack: rows.slice(samples) }
  })
}

function sumOf(list, d) {
  const sum = zeros(d)
  for (const v of list) for (let i = 0; i < d; i++) sum[i] += v[i]
  return sum
}

/** Mean gradient of a batch, or what DP-SGD makes of it. */
function stepGradient(spec, theta, { rows, rng, expected }) {
  const d = theta.length
  const each = rows.map((row) => gradientOf(spec.model, theta, row))
  const { privacy } = spec
  if (privacy === undefined || privacy.unit === 'client') return scaled(sumOf(each, d), 1 / rows.length)
  const sum = sumOf(
    each.map((g) => clipped(g, privacy.maxNorm)),
    d,
  )
  const drawn = noise(d, { deviation: privacy.noiseMultiplier * privacy.maxNorm, rng })
  return scaled(add(sum, drawn), 1 / expected)
}

/** The batches of one turn, by what the protocol says. */
function batchesOf({ protocol, privacy }, rows, rng) {
  const n = rows.length
  const { batchSize, localSteps, localEpochs } = protocol
  if (privacy?.sampling === 'poisson')
    return Array.from({ length: localSteps }, () => rows.filter(() => rng.uniform() < privacy.sampleRate))
  if (privacy?.sampling === 'fixed')
    return Array.from({ length: localSteps }, () =>
      rng
        .shuffled(n)
        .slice(0, batchSize)
        .map((i) => rows[i]),
    )
  if (batchSize === null) return Array.from({ length: localEpochs }, () => rows)
  return Array.from({ length: localEpochs }, () => rng.shuffled(n)).flatMap((order) =>
    Array.from({ length: Math.floor(n / batchSize) }, (_, b) =>
      order.slice(b * batchSize, (b + 1) * batchSize).map((i) => rows[i]),
    ),
  )
}

/** The change that a client makes in its turn. */
function turn(spec, theta, { client, rng }) {
  const { learningRate, batchSize } = spec.protocol
  let local = theta
  for (const rows of batchesOf(spec, client.trained, rng)) {
    const gradient = stepGradient(spec, local, { rows, rng, expected: batchSize })
    local = add(local, gradient, -learningRate)
  }
  return add(local, theta, -1)
}

// Federation

const everybody = (clients, rounds) => Array.from({ length: rounds }, () => clients)
const ids = (n) => Array.from({ length: n }, (_, i) => String(i))

function train(spec) {
  const { model, seed, cohorts } = spec
  const world = worldOf(spec)
  const d = dimension(model)
  const first = draws(mixed(seed, 2))
  let theta = Array.from({ length: d }, () => 0.3 * first.normal())
  const rounds = cohorts.map((cohort, round) => {
    const members = world.filter(({ id }) => cohort.includes(id))
    const deltas = members.map((client) => {
      // The fault of one example: every client draws from the same seed.
      const rng = draws(spec.oneSeed ? mixed(42, round) : mixed(seed, 3, round, Number(client.id)))
      const delta = turn(spec, theta, { client, rng })
      return { id: client.id, delta, rng }
    })
    const { sent, told, serverNoise = zeros(d) } = (spec.send ?? plainly)(deltas, { ...spec, round, d })
    const global = theta
    const sum = sumOf(
      sent.map(({ delta }) => delta),
      d,
    )
    theta = add(theta, add(sum, serverNoise), 1 / sent.length)
    return { round, cohort, global, sent, sum, told }
  })
  return { world, rounds }
}

// What clients do with their change before they send it

const plainly = (deltas) => ({ sent: deltas })

/** Each client clips all of its change and adds noise of its own. */
const withOwnNoise = (deltas, { privacy: { maxNorm, noiseMultiplier }, d }) => ({
  sent: deltas.map(({ id, delta, rng }) => ({
    id,
    delta: add(clipped(delta, maxNorm), noise(d, { deviation: noiseMultiplier * maxNorm, rng })),
  })),
})

const noiseOfServer = ({ privacy, seed, round, d }, maxNorm) =>
  noise(d, { deviation: privacy.noiseMultiplier * maxNorm, rng: draws(mixed(seed, 4, round)) })

/** Fault: the bound is the median of the norms of this round's private updates. */
const clippedToMedian = (deltas, spec) => {
  const norms = deltas.map(({ delta }) => norm(delta)).sort((a, b) => a - b)
  const maxNorm = norms[Math.floor(norms.length / 2)]
  const sent = deltas.map(({ id, delta }) => ({ id, delta: clipped(delta, maxNorm) }))
  return { sent, told: { maxNorm }, serverNoise: noiseOfServer(spec, maxNorm) }
}

/** Fault: weights are clipped together, biases are left as they are. */
const clippedWithoutBiases = (deltas, spec) => {
  const { maxNorm } = spec.privacy
  const isBias = parametersOf(spec.model).flatMap((p) => new Array(size(p)).fill(p.name.endsWith('bias')))
  const sent = deltas.map(({ id, delta }) => {
    const short = clipped(
      delta.map((v, i) => (isBias[i] ? 0 : v)),
      maxNorm,
    )
    return { id, delta: short.map((v, i) => (isBias[i] ? delta[i] : v)) }
  })
  return { sent, serverNoise: noiseOfServer(spec, maxNorm) }
}

// Files

function safetensors(tensors) {
  const header = {}
  let offset = 0
  for (const { name, shape, data } of tensors) {
    header[name] = { dtype: 'F64', shape, data_offsets: [offset, offset + 8 * data.length] }
    offset += 8 * data.length
  }
  const text = JSON.stringify(header)
  const padded = Buffer.from(text + ' '.repeat((8 - (text.length % 8)) % 8), 'utf8')
  const bytes = Buffer.alloc(8 + padded.length + offset)
  bytes.writeBigUInt64LE(BigInt(padded.length), 0)
  padded.copy(bytes, 8)
  let at = 8 + padded.length
  for (const { data } of tensors) for (const v of data) at = bytes.writeDoubleLE(v, at)
  return bytes
}

function tensorsOf(owner, theta, { model, flat }) {
  if (flat) return [{ name: `${owner}/*`, shape: [theta.length], data: theta }]
  let at = 0
  return parametersOf(model).map((p) => {
    const data = theta.slice(at, at + size(p))
    at += size(p)
    return { name: `${owner}/${p.name}`, shape: p.shape, data }
  })
}

function csv(rows) {
  const columns = rows[0].x.map((_, j) => `x${j}`)
  return `${[...columns, 'y'].join()}\n${rows.map(({ x, y }) => [...x, y].join()).join('\n')}\n`
}

function write(folder, path, content) {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`

function writeExample(folder, spec) {
  const { model, protocol, privacy, recordedFor = 'server', lines = false } = spec
  const { world, rounds } = train(spec)
  const [, listened] = recordedFor.split(':')
  const secure = recordedFor === 'secagg-server'
  const entries = rounds.map(({ round, cohort, told }) => ({
    round,
    file: `rounds/${String(round).padStart(6, '0')}.safetensors`,
    // Who listens on one line does not hear who else took part.
    ...(listened === undefined && { participants: cohort }),
    dropped: [],
    tampered: [],
    ...told,
  }))
  const manifest = {
    format: 'overhear-transcript/1',
    source: { tool: 'corpus', version: '1' },
    recordedFor,
    model: { ...model, outputs: 1, ...(model.kind === 'mlp' && { activation: 'tanh', outputActivation: 'identity' }) },
    loss: 'mse',
    parameters: parametersOf(model),
    protocol: {
      algorithm: 'fedavg',
      share: 'delta',
      ...protocol,
      optimizer: { name: 'sgd' },
      momentum: 0,
      weightDecay: 0,
      clipNorm: null,
      compression: null,
      schedule: null,
      proxMu: 0,
      dropout: 0,
      dropLast: true,
      lossScale: 1,
      aggregateWeights: 'one',
      aggregation: 'weighted-mean',
      secureAggregation: secure,
      differentialPrivacy: privacy === undefined ? null : { maxNorm: rounds[0].told?.maxNorm, ...privacy },
    },
    clients: world.map(({ id, trained }) => ({
      id,
      samples: listened === undefined || id === listened ? trained.length : null,
    })),
    rounds: lines ? 'rounds.jsonl' : entries,
  }
  write(folder, 'transcript/transcript.json', json(manifest))
  if (lines) write(folder, 'transcript/rounds.jsonl', entries.map((e) => `${JSON.stringify(e)}\n`).join(''))
  const { share } = manifest.protocol
  for (const { round, global, sent, sum } of rounds) {
    const heard = sent.filter(({ id }) => listened === undefined || id === listened)
    const returned = heard.flatMap(({ id, delta }) =>
      tensorsOf(`client/${id}`, share === 'parameters' ? add(global, delta) : delta, spec),
    )
    const tensors = [...tensorsOf('global', global, spec), ...(secure ? tensorsOf('aggregate', sum, spec) : returned)]
    write(folder, `transcript/${entries[round].file}`, safetensors(tensors))
  }
  const truth = { format: 'overhear-truth/1', clients: {} }
  for (const { id, trained, heldBack } of world) {
    if (listened !== undefined && id !== listened) continue
    truth.clients[id] = { file: `${id}.csv`, label: 'y', heldBack: `${id}-held-back.csv` }
    write(folder, `truth/${id}.csv`, csv(trained))
    write(folder, `truth/${id}-held-back.csv`, csv(heldBack))
  }
  write(folder, 'truth/truth.json', json(truth))
}

// The examples

const network = { kind: 'mlp', inputs: 4, hidden: [5] }

/** Records under DP-SGD on Poisson batches, everybody in every round. */
const poisson = ({ seed, clients = 4, rounds, localSteps, samples = 200, ...privacy }) => ({
  seed,
  model: network,
  clients: ids(clients),
  samples,
  cohorts: everybody(ids(clients), rounds),
  protocol: {
    localEpochs: null,
    localSteps,
    batchSize: Math.round(samples * privacy.sampleRate),
    learningRate: 0.05,
  },
  privacy: {
    mechanism: 'dp-sgd',
    unit: 'record',
    maxNorm: 1,
    sampling: 'poisson',
    neighbours: 'add-remove',
    ...privacy,
  },
})

/** The same on batches of one size, drawn anew without replacement for each step. */
const fixed = ({ privacy, ...settings }) => {
  const spec = poisson(settings)
  return { ...spec, privacy: { ...spec.privacy, sampling: 'fixed', neighbours: 'replace', ...privacy } }
}

/** Whole clients under clipping and noise. */
const ofClients = ({ seed, clients, rounds, send, ...privacy }) => ({
  seed,
  model: network,
  clients: ids(clients),
  samples: 40,
  offset: 2,
  cohorts: everybody(ids(clients), rounds),
  protocol: { localEpochs: 3, localSteps: null, batchSize: 10, learningRate: 0.02 },
  send,
  privacy: {
    mechanism: 'dp-fedavg',
    unit: 'client',
    sampling: 'none',
    neighbours: 'add-remove',
    ...privacy,
  },
})

const trios = ['0,1', '2,3', '0,2', '1,3', '0,3', '1,2', '0,1,2', '1,2,3', '0,2,3', '0,1,3']

export const examples = {
  // Epsilon 1.7804 is right for the five steps of one round; for all fifty it is 4.2646 at least.
  'faulty/09-epsilon-of-one-round': poisson({
    seed: 109,
    rounds: 10,
    localSteps: 5,
    noiseMultiplier: 1,
    sampleRate: 0.1,
    accountant: 'pld',
    epsilon: 1.7804,
    delta: 1e-4,
  }),
  // Epsilon 1.0772 is right for a noise multiplier of 4, the square of the one in use; for 2 it is 2.6254 at least.
  'faulty/10-variance-for-deviation': poisson({
    seed: 110,
    rounds: 8,
    localSteps: 5,
    noiseMultiplier: 2,
    sampleRate: 0.2,
    accountant: 'pld',
    epsilon: 1.0772,
    delta: 1e-4,
  }),
  'faulty/11-clip-at-private-median': ofClients({
    seed: 111,
    clients: 9,
    rounds: 8,
    send: clippedToMedian,
    maxNormFrom: "median of the norms of the participants' updates, anew in each round",
    noiseMultiplier: 1.5,
    noiseBy: 'server',
    delta: 1e-4,
  }),
  'faulty/12-biases-not-clipped': ofClients({
    seed: 112,
    clients: 8,
    rounds: 8,
    send: clippedWithoutBiases,
    maxNorm: 0.2,
    clippedParameters: ['layers.0.weight', 'layers.1.weight'],
    noiseMultiplier: 1.5,
    noiseBy: 'server',
    delta: 1e-4,
  }),
  // 2.934 is what Poisson batches would come to; for batches of fixed size it is 11.3348 at least.
  'faulty/13-poisson-accountant-fixed-batches': fixed({
    seed: 113,
    rounds: 10,
    localSteps: 6,
    samples: 128,
    noiseMultiplier: 1.5,
    sampleRate: 0.125,
    delta: 1e-4,
    privacy: { neighbours: 'add-remove', accountant: 'pld of the Poisson-subsampled Gaussian', epsilon: 2.934 },
  }),
  'faulty/14-one-seed-for-all': {
    ...poisson({
      seed: 114,
      clients: 6,
      rounds: 8,
      localSteps: 3,
      samples: 100,
      noiseMultiplier: 8,
      sampleRate: 0.1,
      noiseSeed: 42,
      delta: 1e-4,
    }),
    oneSeed: true,
  },
  // Four parameters: five messages of a client determine what it does to any model; there are ten.
  'faulty/15-linear-ten-messages': {
    seed: 115,
    model: { kind: 'linear', inputs: 3 },
    clients: ids(3),
    samples: 50,
    cohorts: everybody(ids(3), 10),
    protocol: { share: 'parameters', localEpochs: 2, localSteps: null, batchSize: null, learningRate: 0.05 },
  },
  'sound/09-plain-network': {
    seed: 209,
    model: network,
    clients: ids(5),
    samples: 40,
    cohorts: everybody(ids(5), 6),
    protocol: { share: 'parameters', localEpochs: 5, localSteps: null, batchSize: 10, learningRate: 0.02 },
    lines: true,
  },
  // 2.3815 to 2.3816 for forty steps.
  'sound/10-poisson-epsilon-just-above': poisson({
    seed: 210,
    rounds: 10,
    localSteps: 4,
    noiseMultiplier: 1.3,
    sampleRate: 0.1,
    accountant: 'pld',
    epsilon: 2.4,
    delta: 1e-4,
  }),
  // Three always come and go together: no client can be told from its two companions, in however many rounds.
  'sound/11-secure-sums-of-trios': {
    seed: 211,
    recordedFor: 'secagg-server',
    model: network,
    clients: ids(12),
    samples: 40,
    cohorts: trios.map((who) => who.split(',').flatMap((t) => [0, 1, 2].map((k) => String(3 * Number(t) + k)))),
    protocol: { localEpochs: 4, localSteps: null, batchSize: 8, learningRate: 0.02 },
    flat: true,
    lines: true,
  },
  // Nine parameters, eight inputs, seven messages a client.
  'sound/12-linear-seven-messages': {
    seed: 212,
    model: { kind: 'linear', inputs: 8 },
    clients: ids(4),
    samples: 60,
    cohorts: everybody(ids(4), 7),
    protocol: { share: 'parameters', localEpochs: 2, localSteps: null, batchSize: null, learningRate: 0.03 },
  },
  // 2.4405 to 2.4407 for 24 steps on fixed batches, one record replaced; 800 records in all, and delta below 1/800.
  'sound/13-fixed-batches-accounted-as-such': fixed({
    seed: 213,
    rounds: 6,
    localSteps: 4,
    noiseMultiplier: 2,
    sampleRate: 0.1,
    delta: 0.0012,
    privacy: { accountant: 'pld of batches of fixed size without replacement', epsilon: 2.5 },
  }),
  // 1.5874 to 1.5875 for eight turns of every client; messages are longer than the bound because of their noise.
  'sound/14-client-level-noise': ofClients({
    seed: 214,
    clients: 10,
    rounds: 8,
    send: withOwnNoise,
    maxNorm: 0.2,
    noiseMultiplier: 6,
    accountant: 'gaussian, composed over rounds',
    epsilon: 1.6,
    delta: 1e-4,
  }),
  'sound/15-batches-of-two-many-steps': {
    seed: 215,
    recordedFor: 'eavesdropper:0',
    model: network,
    clients: ids(4),
    samples: 60,
    cohorts: everybody(ids(4), 6),
    protocol: { localEpochs: 10, localSteps: null, batchSize: 2, learningRate: 0.01 },
  },
}

export function writeTranscripts(folder) {
  for (const [path, spec] of Object.entries(examples)) writeExample(join(folder, path), spec)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv
  if (folder === undefined) throw new Error('usage: node make-transcripts.mjs FOLDER')
  writeTranscripts(folder)
}
