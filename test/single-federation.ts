/** Another people's federation: clients that train least squares in single precision, and a server that averages in double. */

import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Exchange } from '../src/threat/granted-keys.js'
import { type Client, optimumOf } from './linear-federation.js'

const f = Math.fround

export interface SingleOptions {
  readonly seed?: number
  readonly d?: number
  readonly rounds?: number
  readonly clients?: number
  readonly records?: number
  readonly learningRate?: number
  readonly localSteps?: number
  /** What the recorder kept in doubles: the returned model, its change, the change over the rate, or a mean of three workers. */
  readonly kept?: 'parameters' | 'delta' | 'gradient' | 'three workers'
}

interface Turn {
  readonly eta: number
  readonly steps: number
  /** The record with which each sum begins. */
  readonly first?: number
}

/** Every sum, product and step in single precision, in the order of the records. */
function singleTurn(theta: Float64Array, { X, y }: Client, { eta, steps, first = 0 }: Turn): Float64Array {
  const d = theta.length
  const w = theta.map(f)
  for (let s = 0; s < steps; s++) {
    const grad = new Float64Array(d)
    for (let at = 0; at < X.rows; at++) {
      const i = (at + first) % X.rows
      let z = 0
      for (let j = 0; j < d; j++) z = f(z + f(f(X.data[i * d + j]!) * w[j]!))
      const e = f(f(2 / X.rows) * f(z - f(y[i]!)))
      for (let j = 0; j < d; j++) grad[j] = f(grad[j]! + f(e * f(X.data[i * d + j]!)))
    }
    for (let j = 0; j < d; j++) w[j] = f(w[j]! - f(f(eta) * grad[j]!))
  }
  return w
}

export interface SingleWorld {
  readonly exchanges: readonly Exchange[]
  readonly optimum: Float64Array
  readonly client: Client
}

/** Three of seven clients take part in a round; the last column is the bias. */
export function singleFederation(options: SingleOptions = {}): SingleWorld {
  const { seed = 1, d = 6, rounds = 40, clients: count = 7, records: m = 60, learningRate: eta = 0.05 } = options
  const { localSteps: steps = 3, kept = 'parameters' } = options
  const stream = rng(seed).fork('single world')
  const law = stream.fork('law').normals(d)
  const clients = Array.from({ length: count }, (_, c): Client => {
    const own = stream.fork('client', c)
    const X = matrix(m, d, own.fork('X').normals(m * d))
    const shift = own.fork('law').normals(d)
    const noise = own.fork('noise').normals(m, { std: 0.1 })
    for (let i = 0; i < m; i++) X.data[i * d + d - 1] = 1
    const y = noise.map((e, i) => law.reduce((sum, w, j) => sum + X.data[i * d + j]! * (w + shift[j]!), e))
    return { X, y }
  })
  let global = stream.fork('start').normals(d, { std: 0.3 })
  const exchanges: Exchange[] = []
  for (let round = 0; round < rounds; round++) {
    const part = stream.fork('who', round).sample(count, Math.floor(count / 2))
    const received = global
    const turn = { eta, steps }
    const trained = (c: number) => (kept === 'three workers' ? threeWorkers : singleTurn)(received, clients[c]!, turn)
    const returned = new Map(Array.from(part, (c) => [c, trained(c)]))
    const own = returned.get(0)
    const update = own && keptAs(kept, { received, returned: own, eta })
    if (update !== undefined) exchanges.push({ round, received, learningRate: eta, update })
    global = received.map((_, j) => [...returned.values()].reduce((sum, one) => sum + one[j]! / returned.size, 0))
  }
  return { exchanges, optimum: optimumOf(clients[0]!), client: clients[0]! }
}

/** Three machines of one client sum in another order each; their mean has all the bits of a double. */
function threeWorkers(theta: Float64Array, client: Client, turn: Turn): Float64Array {
  const third = Math.floor(client.X.rows / 3)
  const each = [0, third, 2 * third].map((first) => singleTurn(theta, client, { ...turn, first }))
  return theta.map((_, j) => (each[0]![j]! + each[1]![j]! + each[2]![j]!) / 3)
}

interface Kept {
  readonly received: Float64Array
  readonly returned: Float64Array
  readonly eta: number
}

function keptAs(kept: SingleOptions['kept'], { received, returned, eta }: Kept): Exchange['update'] {
  const change = returned.map((x, j) => x - received[j]!)
  if (kept === 'delta') return { kind: 'delta', dTheta: change }
  if (kept === 'gradient') return { kind: 'gradient', grad: change.map((x) => -x / eta) }
  return { kind: 'parameters', theta: returned }
}
