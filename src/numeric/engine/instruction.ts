/** What a kernel call is before and after its addresses are known. */
import type { Node } from './graph.js'
import type { Kernels } from './kernels.js'

/** What a call needs to know of the memory it runs in. */
export interface Link {
  readonly kernels: Kernels
  readonly bytesPerElement: number
  /** Address of a node's value. */
  at(n: Node): number
  /** Working memory that no value outlives: one piece, as large as the largest `scratch` asked for. */
  readonly scratch: number
  /** Address of a table of integers, kept as long as the program. */
  table(values: readonly number[]): number
}

export interface Target {
  readonly input: Node
  readonly offset: number // elements
}

export interface Instruction {
  readonly title: string
  readonly out: Node
  readonly reads: readonly Node[]
  /** Operands of the same size read at the very index that is written: the result may take their place. */
  readonly inPlace: readonly Node[]
  /** Set when the result is added to an input instead of being stored under `out`. */
  readonly update?: Target
  /** Elements of working memory. */
  readonly scratch?: number
  bind(link: Link): () => void
}

/** How a product ends. */
export interface Finish {
  readonly mode: number
  /** The bias row, the gate, or (mode add) the scalar factor. */
  readonly extra?: Node
  readonly out: Node
  readonly update?: Target
}
