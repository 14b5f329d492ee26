/** The same cosine for records that are mostly zeros (one-hot codes): products over the nonzeros of the public columns. */
import { resident, sparseBelow } from '../../../models/resident.js'
import { engine } from '../../../numeric/engine/engine.js'
import type { Node } from '../../../numeric/engine/graph.js'
import { compile } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import type { Matrix } from '../../../numeric/linalg/matrix.js'
import { direction, parts, type Shape } from './cosine-network.js'
import type { CosineFunction } from './matched-message.js'

/** For one hidden layer of relu and a squared loss; undefined when the records are not sparse enough to gain from it. */
export function cosineOfSparse(
  shape: Shape,
  { labels, records }: { readonly labels: Float64Array; readonly records: Matrix },
): CosineFunction | undefined {
  const { n, k, places, precision } = shape
  const open = records.data.slice()
  for (let i = 0; i < n; i++) for (const place of places) open[i * k + place] = 0
  if (open.reduce((count, x) => count + Number(x !== 0), 0) >= sparseBelow * open.length) return undefined
  const host = engine()
  const held = resident({ X: open, y: labels, n }, { precision, engine: host, sparse: true, single: false })
  const program = compile({ outputs: trace(shape), precision, shared: held.all(), engine: host })
  const own = new Float64Array(n * places.length)
  return ({ data }, { theta, descent }) => {
    for (let i = 0; i < n; i++) {
      for (let c = 0; c < places.length; c++) own[i * places.length + c] = data[i * k + places[c]!]!
    }
    program.set('S', own)
    program.set('theta', theta)
    program.set('descent', descent)
    program.run()
    return { value: program.readScalar(0), slope: program.read(1) }
  }
}

/**
 * X holds the public columns, S the sensitive ones. What needs X is X W^T, (delta M)^T X and X R^T with
 * R = vw * W + w * V: three products of nonzeros by units, where dense records need as many of columns by units.
 */
function trace({ n, k, h, d, places, scale }: Shape): [Node, Node] {
  const theta = t.input('theta', { rows: 1, cols: d })
  const D = t.input('descent', { rows: 1, cols: d })
  const X = t.input('X', { rows: n, cols: k }, { sparse: true })
  const S = t.input('S', { rows: n, cols: places.length })
  const y = t.input('y', { rows: n, cols: 1 })
  const { W, b, w, c } = parts(theta, { k, h })
  const column = (row: Node): Node => t.reshape(row, { rows: h, cols: 1 })
  const [wc, bc, Ws] = [column(w), column(b), t.gatherCols(W, places)]
  const act = t.relu(t.add(t.add(t.matmul(X, W, 'nt'), b), t.matmul(S, Ws, 'nt')))
  const M = t.gate(t.fill(1, { rows: n, cols: h }), act)
  const e = t.sub(t.add(t.matmul(act, w, 'nt'), c), y)
  const delta = t.scale(e, (2 * scale) / n)
  const back = t.add(t.matmul(t.mul(M, delta), X, 'tn'), t.scatterCols(t.matmul(M, t.mul(S, delta), 'tn'), places, k))
  const backBias = t.matmul(M, delta, 'tn')
  const g = {
    W: t.mul(back, wc),
    b: t.reshape(t.mul(backBias, wc), { rows: 1, cols: h }),
    w: t.reshape(t.add(t.rowDot(W, back), t.mul(bc, backBias)), { rows: 1, cols: h }),
    c: t.sumAll(delta),
  }
  const { cosine, V, vb, vw, vc } = direction(g, D, { k, h })
  const [vwc, vbc] = [column(vw), column(vb)]
  const R = t.add(t.mul(W, vwc), t.mul(V, wc))
  const zDotPrime = t.matmul(M, t.gatherCols(R, places))
  const layer = t.add(t.rowDot(M, t.matmul(X, R, 'nt')), t.rowDot(zDotPrime, S))
  const zDot = t.add(t.add(layer, t.matmul(M, t.add(t.mul(bc, vwc), t.mul(vbc, wc)))), vc)
  const zPrime = t.matmul(M, t.mul(Ws, wc))
  return [cosine, t.scale(t.add(t.mul(zPrime, zDot), t.mul(zDotPrime, e)), (2 * scale) / n)]
}
