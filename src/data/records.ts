/** Records as numbers: what a dataset gives and a client holds. */
import type { Matrix } from '../numeric/linalg/matrix.js'

export interface Records {
  readonly features: Matrix
  readonly labels: Float64Array
}
