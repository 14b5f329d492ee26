/** The static graph: two-dimensional operations, each a plain node. Building is `trace.ts`, deriving `derive.ts`. */

/** What each operation carries besides its operands and its shape. The set is closed under differentiation. */
export interface Attributes {
  /**
   * Given as a descriptor instead of its values: sparse, of compressed rows (wasm/sparse.ts); picked, of rows of a table
   * (wasm/picked.ts).
   */
  input: { readonly name: string; readonly sparse: boolean; readonly picked: boolean }
  fill: { readonly value: number }
  matmul: { readonly form: MatmulForm }
  add: Nothing
  sub: Nothing
  mul: Nothing
  div: Nothing
  /** b <= 0 ? 0 : a. The derivative of relu, as a choice rather than a product with 0 or 1. */
  gate: Nothing
  /** a * sign(b) */
  signed: Nothing
  scale: { readonly by: number }
  offset: { readonly by: number }
  relu: Nothing
  abs: Nothing
  sqrt: Nothing
  exp: Nothing
  log: Nothing
  sigmoid: Nothing
  tanh: Nothing
  softplus: Nothing
  /** [r, c] -> [1, 1] */
  sumAll: Nothing
  /** [r, c] -> [1, c] */
  sumRows: Nothing
  /** [r, c] -> [r, 1] */
  sumCols: Nothing
  /** sum of a * b -> [1, 1] */
  dot: Nothing
  /** sum of a * b over each row -> [r, 1] */
  rowDot: Nothing
  /** [1, 1], [1, c] or [r, 1] -> [r, c] */
  broadcast: Nothing
  /** of each row */
  softmax: Nothing
  /** of each row -> [r, 1] */
  logSumExp: Nothing
  /** rows * cols values from `offset` of the flattened operand, as [rows, cols]: a view, no copy */
  slice: { readonly offset: number }
  /** all operands flattened, one after the other -> [1, n] */
  concat: Nothing
  /** out[i, j] = a[i, index[j]] */
  gatherCols: { readonly index: readonly number[] }
  /** out[i, index[j]] += a[i, j] */
  scatterCols: { readonly index: readonly number[] }
  /** Images [n, channels * height * width] with filters [filters, channels * kernel * kernel]; see trace-image.ts. */
  conv: Convolution
  /** What a convolution's output sends back to its images: (c, filters) -> images. */
  convInput: Convolution
  /** What a convolution's output sends back to its filters: (images, c) -> filters. */
  convWeight: Convolution
  /** Column of the largest value of each window, as a number; the first of equals. No derivative. */
  poolIndex: Pooling
  /** out[i, j] = a[i, index[i, j]] */
  pick: Nothing
  /** out[i, index[i, j]] += a[i, j] */
  place: Nothing
  /** [r, c] -> [r, c * times], each column `times` times in a row */
  repeatCols: { readonly times: number }
  /** [r, c * size] -> [r, c], neighbouring columns added */
  sumGroups: { readonly size: number }
}
export interface Convolution {
  readonly channels: number
  readonly height: number
  readonly width: number
  readonly filters: number
  readonly kernel: number
  readonly stride: number
  readonly padding: number
}
export interface Pooling {
  readonly channels: number
  readonly height: number
  readonly width: number
  readonly size: number
  readonly stride: number
}
type Nothing = Readonly<Record<never, never>>

/** nn: A B; nt: A Bᵀ; tn: Aᵀ B. */
export type MatmulForm = 'nn' | 'nt' | 'tn'
export type Op = keyof Attributes

interface NodeOf<K extends Op> {
  readonly op: K
  readonly attrs: Attributes[K]
  readonly inputs: readonly Node[]
  readonly rows: number
  readonly cols: number
  /** A word for error messages, such as a parameter's name. */
  label?: string
}
export type Node<K extends Op = Op> = { [P in K]: NodeOf<P> }[K]

export interface Shape {
  readonly rows: number
  readonly cols: number
}

export function node<K extends Op>(op: K, attrs: Attributes[K], inputs: readonly Node[], shape: Shape): Node {
  return { op, attrs, inputs, rows: shape.rows, cols: shape.cols } as Node
}

export const sizeOf = ({ rows, cols }: Shape): number => rows * cols
export const sameShape = (a: Shape, b: Shape): boolean => a.rows === b.rows && a.cols === b.cols
export const shapeText = ({ rows, cols }: Shape): string => `[${rows} x ${cols}]`

/** Every node that the outputs need, operands before users, in an order that depends on the graph alone. */
export function schedule(outputs: readonly Node[]): Node[] {
  const order: Node[] = []
  const seen = new Set<Node>()
  const stack: { node: Node; next: number }[] = []
  for (const output of outputs) {
    if (!seen.has(output)) {
      seen.add(output)
      stack.push({ node: output, next: 0 })
    }
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!
      const operand = top.node.inputs[top.next++]
      if (operand === undefined) {
        order.push(top.node)
        stack.pop()
      } else if (!seen.has(operand)) {
        seen.add(operand)
        stack.push({ node: operand, next: 0 })
      }
    }
  }
  return order
}

/** The same graph with equal nodes made one, so that nothing is computed twice. Returns the outputs' stand-ins. */
export function unify(outputs: readonly Node[]): Node[] {
  const ids = new Map<Node, number>()
  const byKey = new Map<string, Node>()
  const standIn = new Map<Node, Node>()
  for (const n of schedule(outputs)) {
    const inputs = n.inputs.map((i) => standIn.get(i)!)
    const operands = inputs.map((i) => ids.get(i)!).join(',')
    const key = `${n.op} ${Object.values(n.attrs).map(String).join(';')} ${n.rows}x${n.cols} ${operands}`
    let same = byKey.get(key)
    if (same === undefined) {
      same = inputs.every((x, i) => x === n.inputs[i]) ? n : ({ ...n, inputs } as Node)
      byKey.set(key, same)
      ids.set(same, ids.size)
    }
    standIn.set(n, same)
  }
  return outputs.map((o) => standIn.get(o)!)
}
