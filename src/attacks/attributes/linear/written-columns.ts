/** The columns of D written down, for models that have no factors of layers and few enough parameters. */
import type { ModelFunctions } from '../../../models/functions.js'
import { compile, type Program } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import type { Factors } from './column-factors.js'
import type { Differences } from './gradient-differences.js'
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
export function explicitFactors(input: ExplicitInput): Factors {
  const { records: n, features } = input.candidates
  const P = input.functions.size
  const N = n * (features.length - 1)
  const programs = new Map<number, Program>()
  return {
    normSq: new Float64Array(n),
    differences(theta): Differences {
      const one = gradientOf(input, theta)
      const rest = new Float64Array(N * P)
      for (let i = 0; i < n; i++) {
        const zero = one(0, i)
        for (let v = 1; v < features.length; v++) {
          const [own, from] = [one(v, i), ((v - 1) * n + i) * P]
          for (let j = 0; j < P; j++) rest[from + j] = own[j]! - zero[j]!
        }
      }
      return { first: new Float64Array(N), rest, h: 1, e: P }
    },
    project({ rest }, directions) {
      const K = directions.length
      let program = programs.get(K)
      if (program === undefined) {
        const [U, D] = [t.input('U', { rows: K, cols: P }), t.input('D', { rows: N, cols: P })]
        program = compile({ outputs: [t.matmul(U, D, 'nt')], precision: 'f64' })
        programs.set(K, program)
      }
      const stacked = new Float64Array(K * P)
      for (const [k, u] of directions.entries()) stacked.set(u, k * P)
      program.set('U', stacked)
      program.set('D', rest)
      program.run()
      const out = program.read(0)
      return directions.map((_, k) => out.slice(k * N, (k + 1) * N))
    },
  }
}
