/** One kernel call per operation: what it reads, what it writes, and the call itself once addresses are known. */
import { internal } from '../../errors.js'
import { type Node, type Op, sizeOf } from './graph.js'
import type { Finish, Instruction, Link, Target } from './instruction.js'
import { imageInstructions } from './instructions-image.js'
import { pickedMatmul, pickedRowDot } from './instructions-picked.js'
import { cannotRead, isPicked, isSparse, sparseMatmul, sparseRowDot } from './instructions-sparse.js'
import { binaryOp, gemmMode, gemmModeTitles, transcendOp, unaryOp } from './kernels.js'

type Call = (n: Node, link: Link) => () => void

function instruction(
  n: Node,
  call: Call,
  options: { reads?: readonly Node[]; inPlace?: readonly Node[] } = {},
): Instruction {
  const { reads = n.inputs, inPlace = [] } = options
  return { title: n.op, out: n, reads, inPlace, bind: (link) => call(n, link) }
}

/** An operand and how far it moves per row and per column: stretched values are read where they are. */
function operand(n: Node): { from: Node; row: number; col: number } {
  if (n.op !== 'broadcast') return { from: n, row: n.cols, col: 1 }
  const from = n.inputs[0]!
  return { from, row: from.rows === 1 ? 0 : from.cols, col: from.cols === 1 ? 0 : 1 }
}

function binary(op: keyof typeof binaryOp): (n: Node) => Instruction {
  return (n) => {
    const [a, b] = [operand(n.inputs[0]!), operand(n.inputs[1]!)]
    const whole = [a, b].filter(({ row, col }) => row === n.cols && col === 1).map(({ from }) => from)
    const call: Call = ({ rows, cols }, { kernels, at }) => {
      const [code, to, x, y] = [binaryOp[op], at(n), at(a.from), at(b.from)]
      return () => kernels.binary(code, to, x, y, rows, cols, a.row, a.col, b.row, b.col)
    }
    return instruction(n, call, { reads: [a.from, b.from], inPlace: whole })
  }
}

function unary(op: keyof typeof unaryOp): (n: Node) => Instruction {
  return (n) => {
    const by = n.op === 'scale' || n.op === 'offset' ? n.attrs.by : 0
    const call: Call = (_, { kernels, at }) => {
      const [code, to, from, size] = [unaryOp[op], at(n), at(n.inputs[0]!), sizeOf(n)]
      return () => kernels.unary(code, to, from, size, by)
    }
    return instruction(n, call, { inPlace: n.inputs })
  }
}

function transcend(op: keyof typeof transcendOp): (n: Node) => Instruction {
  return (n) => {
    const call: Call = (_, { kernels, at }) => {
      const [code, to, from, size] = [transcendOp[op], at(n), at(n.inputs[0]!), sizeOf(n)]
      return () => kernels.transcend(code, to, from, size)
    }
    return instruction(n, call, { inPlace: n.inputs })
  }
}

function rowwise(name: 'sumRows' | 'sumCols' | 'softmax' | 'logSumExp'): (n: Node) => Instruction {
  return (n) =>
    instruction(n, (_, { kernels, at }) => {
      const kernel = kernels[name]
      const { rows, cols } = n.inputs[0]!
      const [to, from] = [at(n), at(n.inputs[0]!)]
      return () => kernel(to, from, rows, cols)
    })
}

const none = (): undefined => undefined

/** undefined: the operation is a view, a constant or an input, and costs nothing. */
const instructions: { readonly [K in Op]: (n: Node<K>) => Instruction | undefined } = {
  input: none,
  fill: none,
  slice: none,
  concat: none,
  matmul: (n) => matmulInstruction(n, { mode: gemmMode.store, out: n }) ?? gemvInstruction(n),
  add: binary('add'),
  sub: binary('sub'),
  mul: binary('mul'),
  div: binary('div'),
  gate: binary('gate'),
  signed: binary('signed'),
  scale: unary('scale'),
  offset: unary('offset'),
  relu: unary('relu'),
  abs: unary('abs'),
  sqrt: unary('sqrt'),
  exp: transcend('exp'),
  log: transcend('log'),
  sigmoid: transcend('sigmoid'),
  tanh: transcend('tanh'),
  softplus: transcend('softplus'),
  sumAll: (n) =>
    instruction(n, (_, { kernels, at }) => {
      const [to, from, size] = [at(n), at(n.inputs[0]!), sizeOf(n.inputs[0]!)]
      return () => kernels.sumAll(to, from, size)
    }),
  sumRows: rowwise('sumRows'),
  sumCols: rowwise('sumCols'),
  softmax: rowwise('softmax'),
  logSumExp: rowwise('logSumExp'),
  dot: (n) =>
    instruction(n, (_, { kernels, at }) => {
      const [to, a, b, size] = [at(n), at(n.inputs[0]!), at(n.inputs[1]!), sizeOf(n.inputs[0]!)]
      return () => kernels.dot(to, a, b, size)
    }),
  rowDot: (n) =>
    sparseRowDot(n) ??
    pickedRowDot(n) ??
    instruction(n, (_, { kernels, at }) => {
      const [to, a, b] = [at(n), at(n.inputs[0]!), at(n.inputs[1]!)]
      const { rows, cols } = n.inputs[0]!
      return () => kernels.rowDot(to, a, b, rows, cols)
    }),
  broadcast: (n) =>
    instruction(n, ({ rows, cols }, { kernels, at }) => {
      const { from, row, col } = operand(n)
      const [to, source] = [at(n), at(from)]
      return () => kernels.broadcast(to, source, rows, cols, row, col)
    }),
  gatherCols: (n) =>
    instruction(n, ({ rows, cols }, { kernels, at, table }) => {
      const [to, from, index] = [at(n), at(n.inputs[0]!), table(n.attrs.index)]
      const fromCols = n.inputs[0]!.cols
      return () => kernels.gatherCols(to, from, rows, fromCols, index, cols)
    }),
  scatterCols: (n) =>
    instruction(n, ({ rows, cols: toCols }, { kernels, at, table }) => {
      const [to, from, index] = [at(n), at(n.inputs[0]!), table(n.attrs.index)]
      const cols = n.inputs[0]!.cols
      return () => kernels.scatterCols(to, from, rows, toCols, index, cols)
    }),
  ...imageInstructions,
}

export function instructionFor(n: Node): Instruction | undefined {
  const described = n.inputs.some((i) => isSparse(i) || isPicked(i))
  const reads = n.op === 'matmul' || (n.op === 'rowDot' && (sparseRowDot(n) ?? pickedRowDot(n)) !== undefined)
  if (described && !reads) throw cannotRead(n)
  return (instructions[n.op] as (n: Node) => Instruction | undefined)(n)
}

/** A product by the blocked kernel; undefined for the shapes of a matrix times a vector, where rows are summed instead. */
export function matmulInstruction(n: Node<'matmul'>, { mode, extra, out, update }: Finish): Instruction | undefined {
  const { form } = n.attrs
  const sparse = sparseMatmul(n, { mode, out, ...(extra && { extra }), ...(update && { update }) })
  if (sparse !== undefined) return sparse
  const [a, b] = n.inputs as readonly [Node, Node]
  if (isPicked(a) || isPicked(b))
    return pickedMatmul(n, { mode, out, ...(extra && { extra }), ...(update && { update }) })
  if ((form !== 'tn' && n.cols === 1) || (form === 'nt' && n.rows === 1)) return undefined
  // Aᵀ b with one column is the row bᵀ A, value for value; a bias row would not be.
  const turned = form === 'tn' && n.cols === 1
  if (turned && mode >= gemmMode.bias) return undefined
  const k = form === 'tn' ? a.rows : a.cols
  const reads = extra === undefined ? [a, b] : [a, b, extra]
  return {
    title: `matmul${gemmModeTitles[mode]}`,
    out,
    reads,
    inPlace: [],
    ...(update === undefined ? {} : { update }),
    bind: ({ kernels, at, bytesPerElement }) => {
      const c = update === undefined ? at(out) : at(update.input) + update.offset * bytesPerElement
      const side = extra === undefined ? 0 : at(extra)
      const [beside, alpha] = mode === gemmMode.add ? [0, side] : [side, 0]
      const [x, y] = [at(a), at(b)]
      if (turned) {
        const cols = n.rows
        return () => kernels.gemm(c, y, x, 1, cols, k, 0, 1, cols, 1, beside, alpha, mode)
      }
      const { rows, cols } = n
      const [aRow, aCol] = form === 'tn' ? [1, rows] : [k, 1]
      const [bRow, bCol] = form === 'nt' ? [1, k] : [cols, 1]
      return () => kernels.gemm(c, x, y, rows, cols, k, aRow, aCol, bRow, bCol, beside, alpha, mode)
    },
  }
}

function gemvInstruction(n: Node<'matmul'>): Instruction {
  const [a, b] = n.inputs as readonly [Node, Node]
  const [long, vector] = n.cols === 1 ? [a, b] : [b, a]
  if (sizeOf(vector) !== long.cols) throw internal(`gemv: ${sizeOf(vector)} values for ${long.cols} columns`)
  return instruction(n, (_, { kernels, at }) => {
    const [to, from, x] = [at(n), at(long), at(vector)]
    const { rows, cols } = long
    return () => kernels.gemv(to, from, x, rows, cols)
  })
}

/** input[offset ..] += times * value */
export function updateInstruction(value: Node, times: Node, update: Target): Instruction {
  return {
    title: 'update',
    out: value,
    reads: [value, times],
    inPlace: [],
    update,
    bind: ({ kernels, at, bytesPerElement }) => {
      const [to, from, alpha, size] = [
        at(update.input) + update.offset * bytesPerElement,
        at(value),
        at(times),
        sizeOf(value),
      ]
      return () => kernels.addScaled(to, from, size, alpha)
    },
  }
}

/** Puts a value that stands elsewhere into its place in a concatenation. */
export function moveInstruction(part: Node, whole: Node, offset: number): Instruction {
  return {
    title: 'concat',
    out: whole,
    reads: part.op === 'fill' ? [] : [part],
    inPlace: [],
    bind: ({ kernels, at, bytesPerElement }) => {
      const [to, size] = [at(whole) + offset * bytesPerElement, sizeOf(part)]
      if (part.op === 'fill') {
        const { value } = part.attrs
        return () => kernels.fill(to, size, value)
      }
      const from = at(part)
      return () => kernels.unary(unaryOp.scale, to, from, size, 1)
    },
  }
}
