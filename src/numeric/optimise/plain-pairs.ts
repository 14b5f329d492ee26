/** The steps that L-BFGS remembers, and the two-loop recursion over them. [nocedal2006] Alg. 7.4 */
import { addScaledInto, dot } from '../linalg/vector.js'

/** The last steps of a search, from which it reads the curvature. */
export interface Memory {
  count(): number
  /** d = −H ∇f by the two-loop recursion, H₀ = (sᵀy / yᵀy) I of the latest pair. */
  directionInto(d: Float64Array, gradient: Float64Array): void
  /** s = x_{k+1} − x_k and y = ∇f_{k+1} − ∇f_k, which are copied; the oldest pair goes. */
  keep(s: Float64Array, y: Float64Array, products: { readonly sy: number; readonly yy: number }): void
  forget(): void
  release(): void
}

interface Pair {
  readonly s: Float64Array
  readonly y: Float64Array
  rho: number // 1 / sᵀy
}

/** In plain code, which defines what kernels do (kernel-pairs.ts). */
export function plainPairs(size: number, most: number): Memory {
  const pairs: Pair[] = [] // oldest first
  const spare: Pair[] = []
  return {
    count: () => pairs.length,
    directionInto: (d, gradient) => directionInto(d, gradient, pairs),
    forget: () => void spare.push(...pairs.splice(0)),
    keep(s, y, { sy }) {
      const pair = spare.pop() ?? { s: new Float64Array(size), y: new Float64Array(size), rho: 0 }
      pair.s.set(s)
      pair.y.set(y)
      pair.rho = 1 / sy
      pairs.push(pair)
      if (pairs.length > most) spare.push(pairs.shift()!)
    },
    release() {},
  }
}

function directionInto(d: Float64Array, gradient: Float64Array, pairs: readonly Pair[]): void {
  for (let j = 0; j < d.length; j++) d[j] = -gradient[j]!
  const latest = pairs.at(-1)
  if (latest === undefined) return
  const alpha = new Float64Array(pairs.length)
  let along = dot(latest.s, d)
  for (let i = pairs.length - 1; i > 0; i--) {
    alpha[i] = pairs[i]!.rho * along
    along = addedDot(d, -alpha[i]!, pairs[i]!.y, pairs[i - 1]!.s)
  }
  const first = pairs[0]!
  alpha[0] = first.rho * along
  addScaledInto(d, first.y, -alpha[0]!)
  const gamma = 1 / (latest.rho * dot(latest.y, latest.y))
  along = 0
  for (let j = 0; j < d.length; j++) {
    d[j]! *= gamma
    along += first.y[j]! * d[j]!
  }
  for (let i = 0; i + 1 < pairs.length; i++) {
    along = addedDot(d, alpha[i]! - pairs[i]!.rho * along, pairs[i]!.s, pairs[i + 1]!.y)
  }
  addScaledInto(d, latest.s, alpha[pairs.length - 1]! - latest.rho * along)
}

/** Adds `by` times `from` to d, and returns the product of `along` and the new d: one pass, as fast as the sum alone. */
function addedDot(d: Float64Array, by: number, from: Float64Array, along: Float64Array): number {
  let sum = 0
  for (let j = 0; j < d.length; j++) {
    const moved = d[j]! + by * from[j]!
    d[j] = moved
    sum += along[j]! * moved
  }
  return sum
}
