/** What a model offers about the columns of D, however it comes by them. */

import type { Projection } from './column-products.js'
import type { Differences } from './gradient-differences.js'

export interface Factors {
  readonly differences: (theta: Float64Array) => Differences
  readonly project: Projection
  /** |x|^2 over the public columns of each record, plus one for the bias. */
  readonly normSq: Float64Array
}
