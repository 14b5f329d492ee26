/** The columns of D written down, for models that have no factors of layers and few enough parameters. */
import type { ModelFunctions } from '../../../models/functions.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import type { FillFactors } from './record-columns.js'
import type { Candidates, RecordGradients } from './record-gradients.js'

export interface ExplicitInput {
  readonly functions: ModelFunctions
  readonly candidates: Candidates
  readonly gradients: RecordGradients
}

/** The gradient of one record at one value, clipped as the client clips it. */
export function gradientOf({ functions, candidates, gradients }: ExplicitInput, theta: Float64Array) {
  const { records: n, features, labels } = candidates
  const k = functions.model.inputs
  const width = labels.length / n
  const clipping = gradients.clipping(theta)
  return (v: number, i: number): Float64Array => {
    const row = matrix(1, k, features[v]!.data.slice(i * k, (i + 1) * k))
    const { grad } = functions.gradient(theta, { features: row, labels: labels.slice(i * width, (i + 1) * width) })
    const by = clipping[v * n + i]!
    return by === 1 ? grad : grad.map((x) => x * by)
  }
}

/** Factors whose first layer is empty: everything stands in `rest`. */
export function writtenColumns(input: ExplicitInput): FillFactors {
  const { records: n, features } = input.candidates
  const P = input.functions.size
  const N = n * (features.length - 1)
  return (theta, { host, first, rest: to }) => {
    const one = gradientOf(input, theta)
    const rest = new Float64Array(N * P)
    const base = new Float64Array(P)
    for (let i = 0; i < n; i++) {
      const zero = one(0, i)
      for (let j = 0; j < P; j++) base[j]! += zero[j]!
      for (let v = 1; v < features.length; v++) {
        const [own, from] = [one(v, i), ((v - 1) * n + i) * P]
        for (let j = 0; j < P; j++) rest[from + j] = own[j]! - zero[j]!
      }
    }
    host.view('f64', first, N).fill(0)
    host.view('f64', to, N * P).set(rest)
    return base
  }
}
