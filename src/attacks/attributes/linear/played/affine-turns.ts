/** Turns of models that are one affine map, on all records in every step: what they end at follows from two moments of the records. */
import type { Matrix } from '../../../../numeric/linalg/matrix.js'

export interface AffineRecords {
  readonly features: readonly Matrix[]
  readonly labels: Float64Array
  readonly records: number
  /** Whether a constant follows the weights. */
  readonly bias: boolean
  readonly lossScale: number
}

/** Beyond so many parameters a step on moments costs more than one on records. */
const mostParameters = 48

/** Whether a step by moments is cheaper than one on so many records. */
export const cheapByMoments = (parameters: number, records: number): boolean =>
  parameters <= Math.min(mostParameters, records)

export interface Moments {
  /** What steps at this rate add to theta. */
  moved(theta: Float64Array, rate: number, steps: number): Float64Array
}

/** Of the records with these values: with H = X^T X / n and b = X^T y / n a step is theta -= 2 s rate (H theta - b). */
export function momentsOf(
  { features, labels, records: n, bias, lossScale }: AffineRecords,
  guesses: Int32Array,
): Moments {
  const k = features[0]!.cols
  const P = bias ? k + 1 : k
  const [H, b] = [new Float64Array(P * P), new Float64Array(P)]
  const x = new Float64Array(P).fill(1)
  for (let i = 0; i < n; i++) {
    const from = features[guesses[i]!]!.data
    for (let j = 0; j < k; j++) x[j] = from[i * k + j]!
    const y = labels[i]!
    for (let a = 0; a < P; a++) {
      const own = x[a]! / n
      b[a]! += own * y
      if (own !== 0) for (let c = 0; c <= a; c++) H[a * P + c]! += own * x[c]!
    }
  }
  for (let a = 0; a < P; a++) for (let c = 0; c < a; c++) H[c * P + a] = H[a * P + c]!
  return {
    moved(theta, rate, steps) {
      const by = 2 * lossScale * rate
      const start = b.map((mean, a) => {
        let sum = -mean
        for (let c = 0; c < P; c++) sum += H[a * P + c]! * theta[c]!
        return sum
      })
      let [moved, next] = [new Float64Array(P), new Float64Array(P)]
      for (let s = 0; s < steps; s++) {
        for (let a = 0, at = 0; a < P; a++) {
          let sum = start[a]!
          for (let c = 0; c < P; c++, at++) sum += H[at]! * moved[c]!
          next[a] = moved[a]! - by * sum
        }
        ;[moved, next] = [next, moved]
      }
      return moved
    },
  }
}
