/** The words a model is traced with: one function per operation, shapes checked, the obvious algebra done at once. */
import { OverhearError } from '../../errors.js'
import { type MatmulForm, type Node, node, type Op, type Shape, sameShape, shapeText, sizeOf } from './graph.js'

const SCALAR: Shape = { rows: 1, cols: 1 }

function wrongShape(op: string, found: string, wanted: string): OverhearError {
  return new OverhearError('E_SHAPE', `${op}: ${found}`, wanted)
}

/** How an input is kept, when not as its values. */
export interface InputOptions {
  readonly sparse?: boolean
  readonly picked?: boolean
}

export function input(name: string, shape: Shape, { sparse = false, picked = false }: InputOptions = {}): Node {
  const n = node('input', { name, sparse, picked }, [], shape)
  n.label = name
  return n
}

export function fill(value: number, shape: Shape = SCALAR): Node {
  return node('fill', { value }, [], shape)
}

/** Gives a node a word for error messages. */
export function named(label: string, n: Node): Node {
  n.label ??= label
  return n
}

export function matmul(a: Node, b: Node, form: MatmulForm = 'nn'): Node {
  const [m, k] = form === 'tn' ? [a.cols, a.rows] : [a.rows, a.cols]
  const [k2, n] = form === 'nt' ? [b.cols, b.rows] : [b.rows, b.cols]
  if (k !== k2) {
    throw wrongShape(`matmul ${form}`, `${shapeText(a)} does not fit ${shapeText(b)}`, `inner sizes are ${k} and ${k2}`)
  }
  if (isFill(a, 0) || isFill(b, 0)) return fill(0, { rows: m, cols: n })
  const pushed = pushColumns(a, b, form)
  if (pushed !== undefined) return pushed
  return node('matmul', { form }, [a, b], { rows: m, cols: n })
}

/** A product with columns that were put into a wider matrix needs only those columns of the other side. */
function pushColumns(a: Node, b: Node, form: MatmulForm): Node | undefined {
  const apart = (x: Node): boolean => x.op === 'add' && x.inputs.every((i) => i.op === 'scatterCols')
  if (form === 'nt') {
    if (apart(a)) return add(matmul(a.inputs[0]!, b, form), matmul(a.inputs[1]!, b, form))
    if (a.op === 'scatterCols') return matmul(a.inputs[0]!, gatherCols(b, a.attrs.index), form)
  }
  if (form === 'tn') {
    if (apart(b)) return add(matmul(a, b.inputs[0]!, form), matmul(a, b.inputs[1]!, form))
    if (b.op === 'scatterCols') return scatterCols(matmul(a, b.inputs[0]!, form), b.attrs.index, b.cols)
  }
  return undefined
}

const isFill = (n: Node, value: number): boolean => n.op === 'fill' && n.attrs.value === value

/** Both operands stretched to their common shape. */
function stretched(op: string, a: Node, b: Node): [Node, Node] {
  const rows = a.rows === 1 ? b.rows : a.rows
  const cols = a.cols === 1 ? b.cols : a.cols
  if ((b.rows !== rows && b.rows !== 1) || (b.cols !== cols && b.cols !== 1)) {
    throw wrongShape(op, `${shapeText(a)} against ${shapeText(b)}`, 'each size must be equal or 1')
  }
  const shape = { rows, cols }
  return [broadcast(a, shape), broadcast(b, shape)]
}

export function add(left: Node, right: Node): Node {
  const [a, b] = stretched('add', left, right)
  if (isFill(a, 0)) return b
  if (isFill(b, 0)) return a
  if (a === b) return scale(a, 2)
  if (b.op === 'fill') return offset(a, b.attrs.value)
  if (a.op === 'fill') return offset(b, a.attrs.value)
  return node('add', {}, [a, b], a)
}

export function sub(left: Node, right: Node): Node {
  const [a, b] = stretched('sub', left, right)
  if (isFill(b, 0)) return a
  if (isFill(a, 0)) return scale(b, -1)
  if (b.op === 'fill') return offset(a, -b.attrs.value)
  return node('sub', {}, [a, b], a)
}

export function mul(left: Node, right: Node): Node {
  const [a, b] = stretched('mul', left, right)
  if (b.op === 'fill') return scale(a, b.attrs.value)
  if (a.op === 'fill') return scale(b, a.attrs.value)
  if (a.op === 'scale') return scale(mul(a.inputs[0]!, b), a.attrs.by)
  if (b.op === 'scale') return scale(mul(a, b.inputs[0]!), b.attrs.by)
  return node('mul', {}, [a, b], a)
}

export function div(left: Node, right: Node): Node {
  const [a, b] = stretched('div', left, right)
  if (isFill(a, 0)) return a
  if (a.op === 'scale') return scale(div(a.inputs[0]!, b), a.attrs.by)
  return node('div', {}, [a, b], a)
}

/** a where b is positive (or NaN), 0 elsewhere. */
export function gate(a: Node, b: Node): Node {
  if (!sameShape(a, b)) throw wrongShape('gate', `${shapeText(a)} against ${shapeText(b)}`, 'shapes must be equal')
  if (isFill(a, 0)) return a
  // The gate of what is placed is what the gate lets through, placed: keeps a pool's cotangent sparse.
  if (a.op === 'place') {
    const [c, index] = a.inputs as readonly [Node, Node]
    return node('place', {}, [gate(c, node('pick', {}, [b, index], index)), index], a)
  }
  return node('gate', {}, [a, b], a)
}

/** a times the sign of b. */
export function signed(a: Node, b: Node): Node {
  if (!sameShape(a, b)) throw wrongShape('signed', `${shapeText(a)} against ${shapeText(b)}`, 'shapes must be equal')
  return isFill(a, 0) ? a : node('signed', {}, [a, b], a)
}

export function scale(a: Node, by: number): Node {
  if (by === 1) return a
  if (by === 0) return fill(0, a)
  if (a.op === 'fill') return fill(a.attrs.value * by, a)
  if (a.op === 'scale') return scale(a.inputs[0]!, a.attrs.by * by)
  return node('scale', { by }, [a], a)
}

export function offset(a: Node, by: number): Node {
  if (by === 0) return a
  if (a.op === 'fill') return fill(a.attrs.value + by, a)
  return node('offset', { by }, [a], a)
}

const elementwise =
  <K extends Op & ('relu' | 'abs' | 'sqrt' | 'exp' | 'log' | 'sigmoid' | 'tanh' | 'softplus')>(op: K) =>
  (a: Node): Node =>
    node(op, {}, [a], a)

export const relu = elementwise('relu')
export const abs = elementwise('abs')
export const sqrt = elementwise('sqrt')
export const exp = elementwise('exp')
export const log = elementwise('log')
export const sigmoid = elementwise('sigmoid')
export const tanh = elementwise('tanh')
export const softplus = elementwise('softplus')

export function sumAll(a: Node): Node {
  if (sizeOf(a) === 1) return reshape(a, SCALAR)
  if (a.op === 'fill') return fill(a.attrs.value * sizeOf(a))
  if (a.op === 'scale') return scale(sumAll(a.inputs[0]!), a.attrs.by)
  if (a.op === 'mul') return dot(a.inputs[0]!, a.inputs[1]!)
  return node('sumAll', {}, [a], SCALAR)
}

export function sumRows(a: Node): Node {
  const shape = { rows: 1, cols: a.cols }
  if (a.rows === 1) return a
  if (a.op === 'fill') return fill(a.attrs.value * a.rows, shape)
  if (a.op === 'scale') return scale(sumRows(a.inputs[0]!), a.attrs.by)
  return node('sumRows', {}, [a], shape)
}

export function sumCols(a: Node): Node {
  const shape = { rows: a.rows, cols: 1 }
  if (a.cols === 1) return a
  if (a.op === 'fill') return fill(a.attrs.value * a.cols, shape)
  if (a.op === 'scale') return scale(sumCols(a.inputs[0]!), a.attrs.by)
  if (a.op === 'mul' && a.inputs.every((i) => i.op !== 'broadcast')) return rowDot(a.inputs[0]!, a.inputs[1]!)
  return node('sumCols', {}, [a], shape)
}

/** Sum of a * b over each row: [r, c] -> [r, 1]. */
export function rowDot(a: Node, b: Node): Node {
  if (!sameShape(a, b)) throw wrongShape('rowDot', `${shapeText(a)} against ${shapeText(b)}`, 'shapes must be equal')
  if (a.cols === 1) return mul(a, b)
  return node('rowDot', {}, [a, b], { rows: a.rows, cols: 1 })
}

export const mean = (a: Node): Node => scale(sumAll(a), 1 / sizeOf(a))

/** Sum of a * b over everything. */
export function dot(a: Node, b: Node): Node {
  if (!sameShape(a, b)) throw wrongShape('dot', `${shapeText(a)} against ${shapeText(b)}`, 'shapes must be equal')
  if (a.op === 'fill') return scale(sumAll(b), a.attrs.value)
  if (b.op === 'fill') return scale(sumAll(a), b.attrs.value)
  if (a.op === 'scale') return scale(dot(a.inputs[0]!, b), a.attrs.by)
  if (b.op === 'scale') return scale(dot(a, b.inputs[0]!), b.attrs.by)
  return node('dot', {}, [a, b], SCALAR)
}

/** Euclidean norm of everything. */
export const norm = (a: Node): Node => sqrt(dot(a, a))

export function broadcast(a: Node, shape: Shape): Node {
  if (sameShape(a, shape)) return a
  if ((a.rows !== 1 && a.rows !== shape.rows) || (a.cols !== 1 && a.cols !== shape.cols)) {
    throw wrongShape('broadcast', `${shapeText(a)} to ${shapeText(shape)}`, 'each size must be equal or 1')
  }
  if (a.op === 'fill') return fill(a.attrs.value, shape)
  if (a.op === 'scale') return scale(broadcast(a.inputs[0]!, shape), a.attrs.by)
  if (a.op === 'broadcast') return broadcast(a.inputs[0]!, shape)
  return node('broadcast', {}, [a], shape)
}

/** Of each row. */
export const softmax = (a: Node): Node => node('softmax', {}, [a], a)

/** log(sum(exp)) of each row, without overflow. */
export const logSumExp = (a: Node): Node => node('logSumExp', {}, [a], { rows: a.rows, cols: 1 })

/** `rows * cols` values from `offset` of the flattened operand, as a matrix. */
export function slice(a: Node, from: number, shape: Shape): Node {
  if (from < 0 || from + sizeOf(shape) > sizeOf(a)) {
    throw wrongShape('slice', `${shapeText(shape)} from ${from} of ${shapeText(a)}`, `it holds ${sizeOf(a)} values`)
  }
  if (from === 0 && sameShape(a, shape)) return a
  if (a.op === 'fill') return fill(a.attrs.value, shape)
  if (a.op === 'slice') return slice(a.inputs[0]!, a.attrs.offset + from, shape)
  if (a.op === 'concat') {
    let start = 0
    for (const part of a.inputs) {
      if (from >= start && from + sizeOf(shape) <= start + sizeOf(part)) return slice(part, from - start, shape)
      start += sizeOf(part)
    }
  }
  return node('slice', { offset: from }, [a], shape)
}

export const reshape = (a: Node, shape: Shape): Node => slice(a, 0, shape)

/** Everything flattened into one row. */
export function concat(parts: readonly Node[]): Node {
  const full = parts.filter((p) => sizeOf(p) > 0)
  const shape = { rows: 1, cols: full.reduce((n, p) => n + sizeOf(p), 0) }
  if (full.length === 1) return reshape(full[0]!, shape)
  if (full.every((p) => isFill(p, 0))) return fill(0, shape)
  return node('concat', {}, full, shape)
}

function checkIndex(op: string, index: readonly number[], cols: number): void {
  const wrong = index.findIndex((j) => !Number.isInteger(j) || j < 0 || j >= cols)
  if (wrong >= 0) throw wrongShape(op, `index[${wrong}] is ${index[wrong]}`, `columns are 0 to ${cols - 1}`)
}

export function gatherCols(a: Node, index: readonly number[]): Node {
  checkIndex('gatherCols', index, a.cols)
  const shape = { rows: a.rows, cols: index.length }
  if (a.op === 'fill') return fill(a.attrs.value, shape)
  if (a.op === 'matmul' && a.attrs.form === 'nn') return matmul(a.inputs[0]!, gatherCols(a.inputs[1]!, index))
  return node('gatherCols', { index }, [a], shape)
}

/** A matrix of `cols` columns, zero but for column index[j], to which column j of a is added. */
export function scatterCols(a: Node, index: readonly number[], cols: number): Node {
  if (index.length !== a.cols) {
    throw wrongShape('scatterCols', `${index.length} indices for ${a.cols} columns`, 'one index a column')
  }
  checkIndex('scatterCols', index, cols)
  const shape = { rows: a.rows, cols }
  return isFill(a, 0) ? fill(0, shape) : node('scatterCols', { index }, [a], shape)
}
