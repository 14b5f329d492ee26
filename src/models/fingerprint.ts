/** Trainings whose every bit is known: what two machines, engines or thread counts must agree on. */
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { initialise } from './initialise.js'
import { lenetMnist } from './lenet-mnist.js'
import { mlp } from './mlp.js'
import { trainer } from './trainer.js'

const networks = {
  mlp: { make: () => mlp({ inputs: 41, hidden: [128], outputs: 1 }), records: 512, batchSize: 32, steps: 1000 },
  lenet: { make: () => lenetMnist({ dropout: 0.5 }), records: 40, batchSize: 10, steps: 100 },
} as const

export interface FingerprintOptions {
  readonly network?: keyof typeof networks
  readonly steps?: number
  readonly seed?: number
}

/**
 * Trains in single precision on made-up records and returns theta: an MLP 41-128-1 for 1,000 steps of 32 records, or a
 * LeNet with dropout for 100 steps of 10 images.
 */
export function fingerprintTraining({ network = 'mlp', steps, seed = 1 }: FingerprintOptions = {}): Float64Array {
  const { make, records: n, batchSize, steps: usual } = networks[network]
  const model = make()
  const root = rng(seed).fork('fingerprint')
  const features = matrix(n, model.inputs, root.fork('features').normals(n * model.inputs))
  const draws = root.fork('labels')
  const labels = network === 'mlp' ? draws.normals(n) : Float64Array.from({ length: n }, () => draws.integer(10))
  const client = trainer(model, { data: { features, labels }, precision: 'f32' })
  client.load(initialise(model, root.fork('initial')))
  for (let s = 0; s < (steps ?? usual); s++) {
    const step = root.fork('step', s)
    client.step(step.sample(n, batchSize), 0.01, () => step)
  }
  return client.theta()
}

/** SHA-256 of the values' bytes, in hex. */
export async function digestOf(values: Float64Array): Promise<string> {
  const bytes = new Uint8Array(Float64Array.from(values).buffer)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...hash].map((b) => b.toString(16).padStart(2, '0')).join('')
}
