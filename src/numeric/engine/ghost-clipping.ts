/**
 * Per-example clipping without per-example gradients: the norm of each record's gradient follows from what its layers
 * read and what flows back to them, and so does the sum of the clipped gradients. Works on any graph in which every
 * slice of theta is used once, as the weight of a product or a convolution or as a bias.
 */
import { OverhearError } from '../../errors.js'
import { pullback } from './derive.js'
import { type Node, schedule, sizeOf } from './graph.js'
import * as t from './trace.js'
import * as image from './trace-image.js'

export interface Clipped {
  /** Norm of the gradient of each record's own loss: [n, 1]. */
  readonly norms: Node
  /** (1 / n) times the sum of the records' gradients, each scaled down to `maxNorm` where it is longer: [1, d]. */
  readonly grad: Node
}

/** Where a slice of theta enters: how a record's squared norm and the weighted sum over records follow from it. */
interface Use {
  readonly offset: number
  /** The node whose cotangent is needed. */
  readonly at: Node
  normSq(c: Node): Node // [n, 1], of this slice's part of the gradient of the mean loss
  weighted(c: Node): Node
}

/** [abadi2016] Alg. 1, lines 5 to 8, for a loss that is the mean over `records` rows. */
export function clippedGradient(
  loss: Node,
  theta: Node,
  options: {
    readonly maxNorm: Node
    readonly records: number
    /** What each record's clipped gradient counts: [n, 1]; 1 unless told. */
    readonly weights?: Node | undefined
  },
): Clipped {
  const { maxNorm: C, records: n, weights } = options
  const uses = usesOf(loss, theta, n)
  const cotangents = pullback(
    loss,
    t.fill(1),
    uses.map((u) => u.at),
  )
  let total = uses[0]!.normSq(cotangents[0]!)
  for (const [i, u] of uses.entries()) if (i > 0) total = t.add(total, u.normSq(cotangents[i]!))
  const norms = t.named('gradient norms', t.scale(t.sqrt(total), n)) // the mean loss divides each record's gradient by n
  // min(1, C / norm) as C / max(C, norm), which is exact for a zero gradient too
  const shortened = t.div(t.broadcast(C, norms), t.add(t.relu(t.sub(norms, C)), C))
  const factor = weights === undefined ? shortened : t.mul(shortened, weights)
  const parts = uses.map((u, i) => ({ offset: u.offset, value: u.weighted(t.mul(cotangents[i]!, factor)) }))
  parts.sort((a, b) => a.offset - b.offset)
  return { norms, grad: t.concat(parts.map((p) => p.value)) }
}

function usesOf(loss: Node, theta: Node, n: number): Use[] {
  const users = new Map<Node, Node[]>()
  for (const user of schedule([loss])) for (const i of user.inputs) users.set(i, [...(users.get(i) ?? []), user])
  const uses = (users.get(theta) ?? []).map((slice): Use => {
    const readers = users.get(slice) ?? []
    const [reader] = readers
    if (slice.op !== 'slice' || reader === undefined || readers.length !== 1) {
      throw unsupported(slice, `it is used ${readers.length} times`)
    }
    const use = useOf(slice, reader, { users, n })
    if (use === undefined) throw unsupported(slice, `it enters through ${reader.op}`)
    return { offset: slice.attrs.offset, ...use }
  })
  const covered = uses.reduce((sum, u) => sum + sizeOf(u.weighted(t.fill(0, u.at))), 0)
  if (covered !== sizeOf(theta)) throw unsupported(theta, `its slices cover ${covered} of ${sizeOf(theta)} values`)
  return uses
}

interface Around {
  readonly users: ReadonlyMap<Node, readonly Node[]>
  readonly n: number
}

function useOf(slice: Node, reader: Node, { users, n }: Around): Omit<Use, 'offset'> | undefined {
  const squares = (a: Node): Node => t.rowDot(a, a)
  if (reader.op === 'matmul' && reader.attrs.form === 'nt' && reader.inputs[1] === slice) {
    const a = reader.inputs[0]!
    return { at: reader, normSq: (c) => t.mul(squares(c), squares(a)), weighted: (c) => t.matmul(c, a, 'tn') }
  }
  if (reader.op === 'conv' && reader.inputs[1] === slice) {
    const [x, g] = [reader.inputs[0]!, reader.attrs]
    const row = (a: Node, i: number): Node => t.slice(a, i * a.cols, { rows: 1, cols: a.cols })
    const one = (c: Node, i: number): Node => image.convWeight(row(x, i), row(c, i), g)
    return {
      at: reader,
      normSq: (c) =>
        t.reshape(t.concat(Array.from({ length: n }, (_, i) => t.dot(one(c, i), one(c, i)))), { rows: n, cols: 1 }),
      weighted: (c) => image.convWeight(x, c, g),
    }
  }
  if (reader.op === 'broadcast' && slice.rows === 1) {
    return { at: reader, normSq: squares, weighted: t.sumRows }
  }
  if (reader.op === 'add' && n === 1 && slice.rows === 1) {
    return { at: slice, normSq: squares, weighted: t.sumRows } // a batch of one needs no broadcast
  }
  if (reader.op === 'repeatCols') {
    const { times } = reader.attrs
    const [stretched] = users.get(reader) ?? []
    const at = stretched?.op === 'broadcast' ? stretched : reader
    const perRecord = (c: Node): Node => image.sumGroups(c, times)
    return { at, normSq: (c) => squares(perRecord(c)), weighted: (c) => t.sumRows(perRecord(c)) }
  }
  return undefined
}

function unsupported(n: Node, why: string): OverhearError {
  const name = n.label === undefined ? '' : ` "${n.label}"`
  const message = `per-example norms: parameter${name} cannot be handled, ${why}`
  return new OverhearError('E_INPUT', message, 'each parameter must be used once, as a weight or a bias')
}
