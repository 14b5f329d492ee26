/** A training whose every bit is known: what two machines, engines or thread counts must agree on. */
import { matrix } from '../numeric/matrix.js'
import { type Rng, rng } from '../numeric/rng.js'
import { initialise } from './initialise.js'
import { mlp } from './mlp.js'
import { trainer } from './trainer.js'

export interface FingerprintOptions {
  readonly steps?: number
  readonly seed?: number
}

/** Trains an MLP 41-128-1 in single precision on made-up records, batches of 32, and returns its theta. */
export function fingerprintTraining({ steps = 1000, seed = 1 }: FingerprintOptions = {}): Float64Array {
  const [n, k, B] = [512, 41, 32]
  const root = rng(seed).fork('fingerprint')
  const features = matrix(n, k, root.fork('features').normals(n * k))
  const labels = root.fork('labels').normals(n)
  const model = mlp({ inputs: k, hidden: [128], outputs: 1 })
  const client = trainer(model, { data: { features, labels }, precision: 'f32' })
  client.load(initialise(model, root.fork('initial')))
  for (let s = 0; s < steps; s++) client.step(batch(root, s, { n, B }), 0.01)
  return client.theta()
}

const batch = (root: Rng, s: number, { n, B }: { n: number; B: number }): Int32Array =>
  root.fork('step', s).sample(n, B)

/** SHA-256 of the values' bytes, in hex. */
export async function digestOf(values: Float64Array): Promise<string> {
  const bytes = new Uint8Array(Float64Array.from(values).buffer)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...hash].map((b) => b.toString(16).padStart(2, '0')).join('')
}
