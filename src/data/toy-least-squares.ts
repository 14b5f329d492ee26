/** The toy regression of [aia] B.2: nine uniform columns, one coin, an affine law and noise; one set of records a client. */
import { matrix } from '../numeric/linalg/matrix.js'
import type { Rng } from '../numeric/random/rng.js'
import type { Records } from './records.js'

export interface ToyOptions {
  readonly clients?: number
  readonly recordsPerClient?: number
  /** Numerical columns, uniform on (0, 1); one binary column follows them. */
  readonly numericColumns?: number
  readonly noiseStd?: number
  /** How far each client's own law stands from the common one, in standard deviations of its entries. */
  readonly heterogeneity?: number
}

export function toyLeastSquares(rng: Rng, options: ToyOptions = {}): Records[] {
  const recordsOf = toyClient(rng, options)
  return Array.from({ length: options.clients ?? 2 }, (_, c) => recordsOf(c))
}

/** The records of client c, made when they are asked for; no other client's draws move them. */
export function toyClient(rng: Rng, options: Omit<ToyOptions, 'clients'> = {}): (client: number) => Records {
  const { recordsPerClient: n = 1024, numericColumns = 9, noiseStd = 0.1, heterogeneity = 0 } = options
  const d = numericColumns + 2 // columns, the coin, the intercept
  const common = rng.fork('law').normals(d)
  return (c) => {
    const own = rng.fork('client', c)
    const shift = own.fork('law').normals(d)
    const theta = common.map((x, j) => x + heterogeneity * shift[j]!)
    const features = matrix(n, d - 1)
    const uniforms = own.fork('features').uniforms(n * (d - 1))
    const noise = own.fork('noise').normals(n, { mean: 0, std: noiseStd })
    const labels = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      let y = theta[d - 1]!
      for (let j = 0; j < d - 1; j++) {
        const u = uniforms[i * (d - 1) + j]!
        const x = j < numericColumns ? u : u < 0.5 ? 0 : 1
        features.data[i * (d - 1) + j] = x
        y += theta[j]! * x
      }
      labels[i] = y + noise[i]!
    }
    return { features, labels }
  }
}
