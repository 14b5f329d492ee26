/** What auxiliary records would add to the gradient of the last layer, record by record. */
import type { Matrix } from '../../numeric/matrix.js'

/** u = w . a + b for every embedding. */
export function logitsOf(embeddings: Matrix, { w, b }: { w: Float64Array; b: number }): Float64Array {
  const { rows, cols, data } = embeddings
  return Float64Array.from({ length: rows }, (_, i) => {
    let u = b
    for (let j = 0; j < cols; j++) u += w[j]! * data[i * cols + j]!
    return u
  })
}
