/** Small federations of least squares in closed form, as views and truths made by hand. */
import { leastSquares } from '../src/numeric/linalg/least-squares.js'
import { type Matrix, matrix } from '../src/numeric/linalg/matrix.js'
import { type Rng, rng } from '../src/numeric/random/rng.js'
import type { Channel, Exchange, Series, View } from '../src/threat/granted-keys.js'
import type { Protocol } from '../src/transcript/manifest.js'
import type { Truth } from '../src/transcript/truth-file.js'

export interface Client {
  readonly X: Matrix // [m, d], the last column ones
  readonly y: Float64Array
}

export interface LinearWorld {
  readonly d: number
  readonly clients: readonly Client[]
  readonly optimum: Float64Array // of client 0
  readonly exchanges: readonly Exchange[] // of client 0
  readonly global: Float64Array // after the last round
  readonly protocol: Protocol
}

export interface LinearOptions {
  readonly seed?: number
  /** Parameters, the bias included. */
  readonly d?: number
  readonly clients?: number
  readonly records?: number
  readonly rounds?: number
  /** How many take part in a round; all unless told. */
  readonly taking?: number
  readonly learningRate?: number
  readonly localSteps?: number
  /** Null: full batch. With a number, one epoch of reshuffled batches instead of localSteps. */
  readonly batchSize?: number | null
  readonly noiseStd?: number
  /** How far the clients' laws lie apart. */
  readonly apart?: number
  /** Deviation of what is added to each model that the server sends. */
  readonly perturb?: number
  /** Uniform features as in aia B.2 (nine and a coin), instead of normal ones. */
  readonly toy?: boolean
  /** Everything that crosses the wire is rounded to single precision, and so is the local training. */
  readonly single?: boolean
}

export const protocolOf = (given: Partial<Protocol> = {}): Protocol => ({
  algorithm: 'fedavg',
  share: 'parameters',
  localEpochs: 1,
  localSteps: null,
  batchSize: null,
  learningRate: 0.1,
  momentum: 0,
  proxMu: 0,
  dropout: 0,
  optimizer: { name: 'sgd' },
  weightDecay: 0,
  lossScale: 1,
  aggregateWeights: 'one' as const,
  aggregation: 'weighted-mean',
  secureAggregation: false,
  differentialPrivacy: null,
  ...given,
})

export function linearClients(stream: Rng, options: LinearOptions): Client[] {
  const { d = 6, clients: count = 2, records: m = 200, noiseStd = 0.1, apart = 1, toy = false } = options
  const law = stream.fork('law').normals(d)
  return Array.from({ length: count }, (_, c) => {
    const own = stream.fork('client', c)
    const shift = own.fork('law').normals(d)
    const draws = toy ? own.fork('X').uniforms(m * d) : own.fork('X').normals(m * d)
    const noise = own.fork('noise').normals(m, { std: noiseStd })
    const X = matrix(m, d)
    const y = new Float64Array(m)
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < d; j++) {
        const x = draws[i * d + j]!
        X.data[i * d + j] = j === d - 1 ? 1 : toy && j === d - 2 ? Math.round(x) : x
        y[i]! += X.data[i * d + j]! * (law[j]! + apart * shift[j]!)
      }
      y[i]! += noise[i]!
    }
    return { X, y }
  })
}

/** theta -= eta (2 / rows) X^T (X theta - y) over the given rows. */
function step(theta: Float64Array, { X, y }: Client, { rows, eta, single }: Step): void {
  const d = theta.length
  const grad = new Float64Array(d)
  for (const i of rows) {
    let e = -y[i]!
    for (let j = 0; j < d; j++) e += X.data[i * d + j]! * theta[j]!
    for (let j = 0; j < d; j++) grad[j]! += (2 * e * X.data[i * d + j]!) / rows.length
  }
  for (let j = 0; j < d; j++) theta[j] = rounded(theta[j]! - eta * grad[j]!, single)
}
interface FullStep {
  readonly eta: number
  readonly single: boolean
}
interface Step extends FullStep {
  readonly rows: Int32Array
}
const rounded = (x: number, single: boolean): number => (single ? Math.fround(x) : x)

const quadratics = new WeakMap<Client, { G: Float64Array; b: Float64Array }>()

/** G = (2 / m) X^T X and b = (2 / m) X^T y: the gradient is G theta - b. */
function quadraticOf(client: Client): { G: Float64Array; b: Float64Array } {
  const known = quadratics.get(client)
  if (known !== undefined) return known
  const { X, y } = client
  const d = X.cols
  const [G, b] = [new Float64Array(d * d), new Float64Array(d)]
  for (let i = 0; i < X.rows; i++) {
    for (let j = 0; j < d; j++) {
      const x = (2 * X.data[i * d + j]!) / X.rows
      b[j]! += x * y[i]!
      for (let k = 0; k < d; k++) G[j * d + k]! += x * X.data[i * d + k]!
    }
  }
  quadratics.set(client, { G, b })
  return { G, b }
}

function fullStep(theta: Float64Array, client: Client, { eta, single }: FullStep): void {
  const { G, b } = quadraticOf(client)
  const d = theta.length
  const grad = b.map((v, j) => {
    let sum = -v
    for (let k = 0; k < d; k++) sum += G[j * d + k]! * theta[k]!
    return sum
  })
  for (let j = 0; j < d; j++) theta[j] = rounded(theta[j]! - eta * grad[j]!, single)
}

/** One turn of a client. */
export function localTurn(theta: Float64Array, client: Client, options: LinearOptions & { order: Rng }): Float64Array {
  const { learningRate: eta = 0.1, localSteps = 1, batchSize = null, single = false, order } = options
  const after = theta.slice()
  const m = client.y.length
  if (batchSize === null) {
    for (let s = 0; s < localSteps; s++) fullStep(after, client, { eta, single })
    return after
  }
  const shuffled = order.permutation(m)
  for (let s = 0; s < m; s += batchSize) {
    step(after, client, { rows: shuffled.subarray(s, s + batchSize), eta, single })
  }
  return after
}

export function linearFederation(options: LinearOptions = {}): LinearWorld {
  const { seed = 1, d = 6, rounds = 2 * d, learningRate = 0.1, batchSize = null, localSteps = 1 } = options
  const { perturb = 0, single = false } = options
  const stream = rng(seed).fork('linear world')
  const clients = linearClients(stream, options)
  const { taking = clients.length } = options
  const exchanges: Exchange[] = []
  let global = stream.fork('start').normals(d, { std: 0.3 })
  for (let t = 0; t < rounds; t++) {
    const at = stream.fork('round', t)
    const part = at.fork('who').sample(clients.length, taking)
    const noise = at.fork('perturb').normals(d, { std: perturb })
    const sent = global.map((v, j) => rounded(v + noise[j]!, single))
    const returned = [...part].map((c) => localTurn(sent, clients[c]!, { ...options, order: at.fork('order', c) }))
    part.forEach((c, i) => {
      if (c !== 0) return
      exchanges.push({ round: t, received: sent, update: { kind: 'parameters', theta: returned[i]! }, learningRate })
    })
    global = sent.map((_, j) => returned.reduce((sum, one) => sum + one[j]! / taking, 0))
  }
  const protocol = protocolOf({ learningRate, batchSize, ...(batchSize === null && { localSteps, localEpochs: null }) })
  return { d, clients, optimum: optimumOf(clients[0]!), exchanges, global, protocol }
}

export const optimumOf = ({ X, y }: Client): Float64Array => leastSquares(X, matrix(y.length, 1, y)).X.data

export function seriesOf(exchanges: readonly Exchange[]): Series<Exchange> {
  const byRound = new Map(exchanges.map((one) => [one.round, one]))
  return { rounds: [...byRound.keys()], read: async (round) => byRound.get(round)! }
}

type LinearView = View<'exchanges' | 'target' | 'model' | 'loss' | 'protocol' | 'samples'>

export function viewOf({ d, exchanges, protocol, clients }: LinearWorld, rounds = exchanges.length): LinearView {
  return {
    exchanges: seriesOf(exchanges.slice(0, rounds)),
    target: '0',
    model: { kind: 'linear', inputs: d - 1, outputs: 1, bias: true },
    loss: 'mse',
    protocol,
    samples: clients[0]!.y.length,
  }
}

/** A line to client 0 of the world. */
export function channelTo(world: LinearWorld, options: LinearOptions = {}): Channel & { sent: Float64Array[] } {
  const open = (): Channel & { sent: Float64Array[] } => {
    const sent: Float64Array[] = []
    const line = async (_: string, theta: Float64Array): Promise<Float64Array> => {
      sent.push(theta.slice())
      const order = rng(options.seed ?? 1).fork('channel', sent.length)
      return localTurn(theta, world.clients[0]!, { ...options, order })
    }
    return Object.assign(line, { sent, restart: open })
  }
  return open()
}

export function truthOf({ optimum, clients: [client], d }: Pick<LinearWorld, 'optimum' | 'clients' | 'd'>): Truth {
  return {
    warnings: [],
    async client() {
      const { X, y } = client!
      const features = matrix(X.rows, d - 1)
      for (let i = 0; i < X.rows; i++) features.data.set(X.data.subarray(i * d, i * d + d - 1), i * (d - 1))
      return { columns: Array.from({ length: d - 1 }, (_, j) => String(j)), features, labels: y }
    },
    batch: () => undefined,
    optimum: async () => optimum,
    property: () => undefined,
  }
}

export function relativeError(found: ArrayLike<number>, truth: ArrayLike<number>): number {
  let [miss, size] = [0, 0]
  for (let j = 0; j < truth.length; j++) {
    miss += (found[j]! - truth[j]!) ** 2
    size += truth[j]! ** 2
  }
  return Math.sqrt(miss / size)
}
