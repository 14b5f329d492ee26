/** What is matched: a message, and the cosine that guessed records have with it. */
import type { ModelFunctions } from '../../../models/functions.js'
import type { Precision } from '../../../numeric/engine/kernels.js'
import type { Matrix } from '../../../numeric/linalg/matrix.js'
import type { View } from '../../../threat/granted-keys.js'

/** One message: where the gradient is taken, and what it is compared with. */
export interface Message {
  readonly theta: Float64Array
  /** theta - theta_c. */
  readonly descent: Float64Array
}

export interface Cosine {
  readonly value: number
  /** Its derivative in each sensitive column of each record: [n, places]. */
  readonly slope: Float64Array
}

/** Evaluates at records whose sensitive columns are filled; their other columns are the same at every call. */
export type CosineFunction = (records: Matrix, message: Message) => Cosine

export interface CosineInput {
  readonly functions: ModelFunctions
  readonly view: View<'model' | 'loss' | 'protocol'>
  readonly labels: Float64Array
  /** The sensitive columns. */
  readonly places: readonly number[]
  readonly records: number
  /** float64 unless told. */
  readonly precision?: Precision
}
