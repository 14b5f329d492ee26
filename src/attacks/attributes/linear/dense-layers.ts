/** Where a fully connected model multiplies by its weights: what a layer reads and where its gradient flows back. */
import { type Node, schedule } from '../../../numeric/engine/graph.js'

export interface Product {
  /** [n, in] */
  readonly reads: Node
  /** The product, [n, out]: its cotangent is delta, and a record's weight gradient delta reads^T. */
  readonly at: Node
}

/** The products with slices of theta, in the order of theta. */
export function productsOf(value: Node, theta: Node): Product[] {
  const found: { from: number; product: Product }[] = []
  for (const node of schedule([value])) {
    if (node.op !== 'matmul' || node.attrs.form !== 'nt') continue
    const [reads, weight] = node.inputs
    if (weight?.op !== 'slice' || weight.inputs[0] !== theta) continue
    found.push({ from: weight.attrs.offset, product: { reads: reads!, at: node } })
  }
  return found.sort((a, b) => a.from - b.from).map(({ product }) => product)
}
