/** Kernel calls on inputs whose rows are read where they lie in a table: X w and dᵀ X, with the bits of gemv and gemm. */
import type { Node } from './graph.js'
import type { Finish, Instruction } from './instruction.js'
import { cannotRead, isPicked } from './instructions-sparse.js'
import { gemmMode, gemmModeTitles } from './kernels.js'

/** undefined: nothing was picked, or the product must be finished by another call. */
export function pickedMatmul(n: Node<'matmul'>, { mode, extra, out, update }: Finish): Instruction | undefined {
  const { form } = n.attrs
  const [a, b] = n.inputs as readonly [Node, Node]
  const common = { out, inPlace: [], title: `picked matmul${gemmModeTitles[mode]}` }
  if (form === 'nt' && isPicked(a) && !isPicked(b) && b.rows === 1) {
    if (mode !== gemmMode.store) return undefined
    const { rows, cols } = a
    return {
      ...common,
      reads: [a, b],
      bind: ({ kernels, at }) => {
        const [y, x, w] = [at(out), at(a), at(b)]
        return () => kernels.pickedNt(y, x, w, rows, cols)
      },
    }
  }
  if (form === 'tn' && isPicked(b) && !isPicked(a) && a.cols === 1) {
    if (mode !== gemmMode.store && mode !== gemmMode.add) return undefined
    const { rows, cols } = b
    return {
      ...common,
      ...(update === undefined ? {} : { update }),
      reads: extra === undefined ? [a, b] : [a, b, extra],
      bind: ({ kernels, at, bytesPerElement }) => {
        const c = update === undefined ? at(out) : at(update.input) + update.offset * bytesPerElement
        const [d, x, alpha] = [at(a), at(b), extra === undefined ? 0 : at(extra)]
        return () => kernels.pickedTn(c, d, x, rows, cols, alpha, mode)
      },
    }
  }
  throw cannotRead(n)
}

/** Squared norms of the rows; undefined where they are not picked. */
export function pickedRowDot(n: Node<'rowDot'>): Instruction | undefined {
  const [a, b] = n.inputs as readonly [Node, Node]
  if (!isPicked(a) || a !== b) return undefined
  return {
    title: 'picked rowDot',
    out: n,
    reads: [a],
    inPlace: [],
    bind: ({ kernels, at }) => {
      const [to, x, { rows, cols }] = [at(n), at(a), a]
      return () => kernels.pickedRowSquares(to, x, rows, cols)
    },
  }
}
