/** Derivatives as graph-to-graph transforms: reverse mode from one rule per operation, forward mode from it twice. */
import { internal, OverhearError } from '../../errors.js'
import { type Node, type Op, sameShape, schedule, shapeText, sizeOf } from './graph.js'
import * as t from './trace.js'
import * as image from './trace-image.js'

/** Given a node and the cotangent of its value, the cotangent of each operand (undefined: none flows there). */
type Rule<K extends Op> = (n: Node<K>, c: Node) => readonly (Node | undefined)[]

const rules: { readonly [K in Op]: Rule<K> } = {
  input: () => [],
  fill: () => [],
  matmul: ({ attrs: { form }, inputs: [a, b] }, c) => {
    if (form === 'nn') return [t.matmul(c, b!, 'nt'), t.matmul(a!, c, 'tn')]
    if (form === 'nt') return [t.matmul(c, b!, 'nn'), t.matmul(c, a!, 'tn')]
    return [t.matmul(b!, c, 'nt'), t.matmul(a!, c, 'nn')]
  },
  add: (_, c) => [c, c],
  sub: (_, c) => [c, t.scale(c, -1)],
  mul: ({ inputs: [a, b] }, c) => {
    if (a === b) return [t.scale(t.mul(c, a!), 2), undefined]
    return [t.mul(c, b!), t.mul(c, a!)]
  },
  div: (y, c) => [t.div(c, y.inputs[1]!), t.scale(t.div(t.mul(c, y), y.inputs[1]!), -1)],
  gate: ({ inputs: [, b] }, c) => [t.gate(c, b!), undefined],
  signed: ({ inputs: [, b] }, c) => [t.signed(c, b!), undefined],
  scale: ({ attrs }, c) => [t.scale(c, attrs.by)],
  offset: (_, c) => [c],
  relu: (y, c) => [t.gate(c, y)],
  abs: ({ inputs: [a] }, c) => [t.signed(c, a!)],
  sqrt: (y, c) => [t.scale(t.div(c, y), 0.5)],
  exp: (y, c) => [t.mul(c, y)],
  log: ({ inputs: [a] }, c) => [t.div(c, a!)],
  sigmoid: (y, c) => [t.mul(c, t.sub(y, t.mul(y, y)))],
  tanh: (y, c) => [t.sub(c, t.mul(c, t.mul(y, y)))],
  softplus: ({ inputs: [a] }, c) => [t.mul(c, t.sigmoid(a!))],
  sumAll: ({ inputs: [a] }, c) => [t.broadcast(c, a!)],
  sumRows: ({ inputs: [a] }, c) => [t.broadcast(c, a!)],
  sumCols: ({ inputs: [a] }, c) => [t.broadcast(c, a!)],
  dot: ({ inputs: [a, b] }, c) => {
    const stretched = t.broadcast(c, a!)
    if (a === b) return [t.scale(t.mul(stretched, a!), 2), undefined]
    return [t.mul(stretched, b!), t.mul(stretched, a!)]
  },
  rowDot: ({ inputs: [a, b] }, c) => {
    if (a === b) return [t.scale(t.mul(a!, c), 2), undefined]
    return [t.mul(b!, c), t.mul(a!, c)]
  },
  broadcast: ({ inputs: [a] }, c) => {
    if (sizeOf(a!) === 1) return [t.sumAll(c)]
    return [a!.rows === 1 ? t.sumRows(c) : t.sumCols(c)]
  },
  softmax: (y, c) => [t.mul(y, t.sub(c, t.sumCols(t.mul(c, y))))],
  logSumExp: ({ inputs: [a] }, c) => [t.mul(t.softmax(a!), c)],
  slice: () => {
    throw internal('slices are gathered by pullback itself')
  },
  concat: ({ inputs }, c) => {
    let start = 0
    return inputs.map((part) => {
      const piece = t.slice(c, start, part)
      start += sizeOf(part)
      return piece
    })
  },
  gatherCols: ({ attrs, inputs: [a] }, c) => [t.scatterCols(c, attrs.index, a!.cols)],
  scatterCols: ({ attrs }, c) => [t.gatherCols(c, attrs.index)],
  // The three are one trilinear form <conv(x, w), c> seen from its three sides.
  conv: ({ attrs, inputs: [x, w] }, c) => [image.convInput(c, w!, attrs), image.convWeight(x!, c, attrs)],
  convInput: ({ attrs, inputs: [c, w] }, u) => [image.conv(u, w!, attrs), image.convWeight(u, c!, attrs)],
  convWeight: ({ attrs, inputs: [x, c] }, u) => [image.convInput(c!, u, attrs), image.conv(x!, u, attrs)],
  poolIndex: () => [undefined],
  pick: ({ inputs: [a, index] }, c) => [image.place(c, index!, a!.cols), undefined],
  place: ({ inputs: [, index] }, c) => [image.pick(c, index!), undefined],
  repeatCols: ({ attrs }, c) => [image.sumGroups(c, attrs.times)],
  sumGroups: ({ attrs }, c) => [image.repeatCols(c, attrs.size)],
}

interface Piece {
  readonly from: number
  readonly value: Node
}

/** The cotangents of `wrt` that follow from the cotangent of y: vᵀ J, without forming J. */
export function pullback(y: Node, cotangent: Node, wrt: readonly Node[]): Node[] {
  if (!sameShape(y, cotangent)) {
    throw new OverhearError('E_SHAPE', `pullback: a cotangent ${shapeText(cotangent)} for a value ${shapeText(y)}`)
  }
  const order = schedule([y])
  const wanted = new Set(wrt)
  const live = new Set<Node>() // nodes through which some of wrt is reached
  for (const n of order) if (wanted.has(n) || n.inputs.some((i) => live.has(i))) live.add(n)

  const whole = new Map<Node, Node>([[y, cotangent]])
  const pieces = new Map<Node, Piece[]>()
  const collect = (n: Node): Node | undefined => {
    const parts = pieces.get(n)
    if (parts !== undefined) {
      pieces.delete(n)
      for (const assembled of assemble(n, parts)) accumulate(n, assembled)
    }
    return whole.get(n)
  }
  const accumulate = (n: Node, c: Node): void => {
    const before = whole.get(n)
    whole.set(n, before === undefined ? c : t.add(before, c))
  }
  for (const n of order.reverse()) {
    if (!live.has(n)) continue
    const c = collect(n)
    if (c === undefined || (c.op === 'fill' && c.attrs.value === 0)) continue
    if (n.op === 'slice') {
      const parent = n.inputs[0]!
      pieces.set(parent, [...(pieces.get(parent) ?? []), { from: n.attrs.offset, value: c }])
      continue
    }
    const rule = rules[n.op] as Rule<Op>
    const flows = rule(n, c)
    for (const [i, operand] of n.inputs.entries()) {
      const flow = flows[i]
      if (flow !== undefined && live.has(operand)) accumulate(operand, flow)
    }
  }
  return wrt.map((n) => whole.get(n) ?? t.fill(0, n))
}

/** Cotangents of slices, put back in place: as few concatenations as their overlaps allow (usually one). */
function assemble(parent: Node, parts: readonly Piece[]): Node[] {
  const byPlace = new Map<string, Piece>()
  for (const { from, value } of parts) {
    const key = `${from}+${sizeOf(value)}`
    const same = byPlace.get(key)
    byPlace.set(key, { from, value: same === undefined ? value : t.add(same.value, t.reshape(value, same.value)) })
  }
  let left = [...byPlace.values()].sort((p, q) => p.from - q.from)
  const layers: Node[] = []
  while (left.length > 0) {
    const row: Node[] = []
    const overlapping: Piece[] = []
    let end = 0
    for (const piece of left) {
      if (piece.from < end) {
        overlapping.push(piece)
        continue
      }
      if (piece.from > end) row.push(t.fill(0, { rows: 1, cols: piece.from - end }))
      row.push(piece.value)
      end = piece.from + sizeOf(piece.value)
    }
    if (end < sizeOf(parent)) row.push(t.fill(0, { rows: 1, cols: sizeOf(parent) - end }))
    layers.push(t.reshape(t.concat(row), parent))
    left = overlapping
  }
  return layers
}

/** The gradient of a scalar with respect to each of `wrt`. */
export function gradient(y: Node, wrt: readonly Node[]): Node[] {
  if (sizeOf(y) !== 1) {
    throw new OverhearError(
      'E_SHAPE',
      `gradient of a ${shapeText(y)} value`,
      'only a scalar [1 x 1] has a gradient; sum first',
    )
  }
  return pullback(y, t.fill(1), wrt)
}

/**
 * Forward mode, J v: the pullback is linear in its cotangent u, so its own pullback with respect to u is J v and no
 * longer contains u. What is left after dead code is dropped is the forward-mode graph, with no second table of rules.
 */
export function pushforward(y: Node, x: Node, tangent: Node): Node {
  if (!sameShape(x, tangent)) {
    throw new OverhearError('E_SHAPE', `pushforward: a tangent ${shapeText(tangent)} for a value ${shapeText(x)}`)
  }
  const u = t.input('cotangent', y)
  const [pulled] = pullback(y, u, [x])
  return pullback(pulled!, tangent, [u])[0]!
}
