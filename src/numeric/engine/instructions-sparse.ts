/** Kernel calls on inputs that are kept sparse: what a first layer and its gradient need, with the bits of gemm. */
import { OverhearError } from '../../errors.js'
import { type Node, shapeText } from './graph.js'
import type { Finish, Instruction } from './instruction.js'
import { gemmMode, gemmModeTitles } from './kernels.js'

export const isSparse = (n: Node): boolean => n.op === 'input' && n.attrs.sparse === true
export const isPicked = (n: Node): boolean => n.op === 'input' && n.attrs.picked === true

/** X Wᵀ and Dᵀ X; undefined where no operand is sparse. */
export function sparseMatmul(n: Node<'matmul'>, { mode, extra, out, update }: Finish): Instruction | undefined {
  const { form } = n.attrs
  const [a, b] = n.inputs as readonly [Node, Node]
  if (!isSparse(a) && !isSparse(b)) return undefined
  const common = {
    out,
    inPlace: [],
    title: `sparse matmul${gemmModeTitles[mode]}`,
    ...(update === undefined ? {} : { update }),
  }
  const reads = extra === undefined ? [a, b] : [a, b, extra]
  const rounded = (length: number): number => length + 4
  if (form === 'nt' && isSparse(a) && !isSparse(b) && mode !== gemmMode.gate && update === undefined) {
    const [m, k, cols] = [a.rows, a.cols, b.rows]
    return {
      ...common,
      reads,
      scratch: k * rounded(cols),
      bind: ({ kernels, at, scratch }) => {
        const [c, x, w, side] = [at(out), at(a), at(b), extra === undefined ? 0 : at(extra)]
        return () => kernels.sparseNt(c, x, w, m, cols, k, side, mode, scratch)
      },
    }
  }
  if (form === 'tn' && isSparse(b) && !isSparse(a) && (mode === gemmMode.store || mode === gemmMode.add)) {
    const [p, m, cols] = [a.rows, a.cols, b.cols]
    return {
      ...common,
      reads,
      scratch: cols * rounded(m),
      bind: ({ kernels, at, scratch, bytesPerElement }) => {
        const c = update === undefined ? at(out) : at(update.input) + update.offset * bytesPerElement
        const [d, x, alpha] = [at(a), at(b), extra === undefined ? 0 : at(extra)]
        return () => kernels.sparseTn(c, d, x, m, cols, p, alpha, mode, scratch)
      },
    }
  }
  throw cannotRead(n)
}

/** Squared norms of the rows of a sparse input; undefined for anything dense. */
export function sparseRowDot(n: Node<'rowDot'>): Instruction | undefined {
  const [a, b] = n.inputs as readonly [Node, Node]
  if (!isSparse(a) || a !== b) return undefined
  return {
    title: 'sparse rowDot',
    out: n,
    reads: [a],
    inPlace: [],
    bind: ({ kernels, at }) => {
      const [to, x, m] = [at(n), at(a), a.rows]
      return () => kernels.sparseRowSquares(to, x, m)
    },
  }
}

export function cannotRead(n: Node): OverhearError {
  const described = n.inputs.filter((i) => isSparse(i) || isPicked(i))
  const names = described.map((i) => `${isSparse(i) ? 'sparse' : 'picked'} input "${i.label}"`)
  const message = `${n.op} ${shapeText(n)} cannot read the ${names.join(', ')}`
  return new OverhearError('E_INPUT', message, 'keep the input dense, or use it only as the left side of X W^T')
}
