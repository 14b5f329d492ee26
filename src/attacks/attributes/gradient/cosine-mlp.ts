/** The same cosine for a network with one hidden layer and a squared loss, its derivative written out: no double backward. */
import type { Node } from '../../../numeric/engine/graph.js'
import { compile, type Program } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import { direction, parts, type Shape } from './cosine-network.js'
import { cosineOfSparse } from './cosine-sparse.js'
import type { CosineFunction, CosineInput, Message } from './matched-message.js'

/**
 * With v = (D/|D| - cos g/|g|)/|g| held fixed, d cos/d s_i is the derivative of record i's loss along v, derived by s_i:
 * (2/n)(z' zdot + e zdot'), where ' is d/ds and the dot the derivative along v. Undefined for other models.
 */
export function cosineOfMlp(input: CosineInput): CosineFunction | undefined {
  const { functions, view, labels, places, records: n, precision = 'f64' } = input
  const { dense: layers, inputs: k, outputs, outputActivation } = functions.model
  if (view.loss !== 'mse' || layers?.hidden.length !== 1 || outputs !== 1) return undefined
  if (outputActivation !== 'identity' || !layers.bias || labels.length !== n) return undefined
  const { activation } = layers
  const h = layers.hidden[0]!
  const shape = { n, k, h, d: functions.size, places, scale: view.protocol.lossScale, precision }
  if (activation === 'relu' && k >= manyColumns) {
    // Known from the first records on: their public columns stay as they are.
    let chosen: CosineFunction | undefined
    return (records, message) => {
      chosen ??= cosineOfSparse(shape, { labels, records }) ?? dense(shape, { labels, activation })
      return chosen(records, message)
    }
  }
  return dense(shape, { labels, activation })
}

function dense(
  shape: Shape,
  { labels, activation }: { readonly labels: Float64Array; readonly activation: 'relu' | 'tanh' | 'sigmoid' },
): CosineFunction {
  const program = activation === 'relu' ? traceRelu(shape) : traceSmooth({ ...shape, activation })
  program.set('y', labels)
  const publicPart = program.inputNames.includes('U') ? publicPartOf(shape) : undefined
  return ({ data }, message) => {
    const { theta, descent } = message
    if (publicPart !== undefined) program.set('U', publicPart(data, message))
    program.set('X', data)
    program.set('theta', theta)
    program.set('descent', descent)
    program.run()
    return { value: program.readScalar(0), slope: program.read(1) }
  }
}

/** Columns from which on it pays to keep the public part of the first layer for each message. */
const manyColumns = 24
/** Most numbers that are kept for it. */
const mostKept = 2.5e7

/** X W^T + b over the public columns, which stay as they are: computed once a message, as long as there is room. */
function publicPartOf({
  n,
  k,
  h,
  places,
  d,
  precision,
}: Shape): (data: Float64Array, message: Message) => Float64Array {
  const X = t.input('X', { rows: n, cols: k })
  const theta = t.input('theta', { rows: 1, cols: d })
  const { W, b } = parts(theta, { k, h })
  const program = compile({ outputs: [t.add(t.matmul(X, W, 'nt'), b)], precision })
  const kept = new Map<Message, Float64Array>()
  return (data, message) => {
    const known = kept.get(message)
    if (known !== undefined) return known
    const shown = data.slice()
    for (let i = 0; i < n; i++) for (const place of places) shown[i * k + place] = 0
    program.set('X', shown)
    program.set('theta', message.theta)
    program.run()
    const U = program.read(0)
    if ((kept.size + 1) * U.length <= mostKept) kept.set(message, U)
    return U
  }
}

/**
 * For relu every sum over hidden units is a product with the mask M of open ones: with x~ = (x, 1) and W~ = (W, b), what
 * flows back is w * (M^T (delta x~)), its second layer the row products of W~ with that, and z' and zdot' are columns of
 * M (w * W~) and M (vw * W~ + w * V~). Three products of records by units by columns, and little else;
 * two when the first layer's public part is kept.
 */
function traceRelu(shape: Shape): Program {
  const { n, k, h, d, places, scale, precision } = shape
  const theta = t.input('theta', { rows: 1, cols: d })
  const D = t.input('descent', { rows: 1, cols: d })
  const X = t.input('X', { rows: n, cols: k })
  const y = t.input('y', { rows: n, cols: 1 })
  const { W, b, w, c } = parts(theta, shape)
  const column = (row: Node): Node => t.reshape(row, { rows: h, cols: 1 })
  const [wc, bc] = [column(w), column(b)]
  const act =
    k < manyColumns
      ? t.relu(t.add(t.matmul(X, W, 'nt'), b))
      : t.relu(
          t.add(t.input('U', { rows: n, cols: h }), t.matmul(t.gatherCols(X, places), t.gatherCols(W, places), 'nt')),
        )
  const M = t.gate(t.fill(1, { rows: n, cols: h }), act)
  const e = t.sub(t.add(t.matmul(act, w, 'nt'), c), y)
  const delta = t.scale(e, (2 * scale) / n)
  const [back, backBias] = [t.matmul(M, t.mul(X, delta), 'tn'), t.matmul(M, delta, 'tn')]
  const g = {
    W: t.mul(back, wc),
    b: t.reshape(t.mul(backBias, wc), { rows: 1, cols: h }),
    w: t.reshape(t.add(t.rowDot(W, back), t.mul(bc, backBias)), { rows: 1, cols: h }),
    c: t.sumAll(delta),
  }
  const { cosine, V, vb, vw, vc } = direction(g, D, shape)
  const [vwc, vbc] = [column(vw), column(vb)]
  const R = t.add(t.mul(W, vwc), t.mul(V, wc))
  const forward = t.matmul(M, R)
  const zDot = t.add(t.add(t.rowDot(forward, X), t.matmul(M, t.add(t.mul(bc, vwc), t.mul(vbc, wc)))), vc)
  const zPrime = t.matmul(M, t.mul(t.gatherCols(W, places), wc))
  const zDotPrime = t.gatherCols(forward, places)
  const slope = t.scale(t.add(t.mul(zPrime, zDot), t.mul(zDotPrime, e)), (2 * scale) / n)
  return compile({ outputs: [cosine, slope], precision })
}

/** Smooth functions of the layer bring their second derivative along. */
function traceSmooth(shape: Shape & { readonly activation: 'tanh' | 'sigmoid' }): Program {
  const { n, k, h, d, activation, places, scale, precision } = shape
  const theta = t.input('theta', { rows: 1, cols: d })
  const D = t.input('descent', { rows: 1, cols: d })
  const X = t.input('X', { rows: n, cols: k })
  const y = t.input('y', { rows: n, cols: 1 })
  const { W, b, w, c } = parts(theta, shape)
  const before = t.add(t.matmul(X, W, 'nt'), b)
  const { act, through, bend } = activations[activation](before)
  const e = t.sub(t.add(t.matmul(act, w, 'nt'), c), y)
  const delta = t.scale(e, (2 * scale) / n)
  // The gradient, part by part in the order of theta.
  const inner = through(t.mul(delta, w))
  const g = { W: t.matmul(inner, X, 'tn'), b: t.sumRows(inner), w: t.matmul(delta, act, 'tn'), c: t.sumAll(delta) }
  const { cosine, V, vb, vw, vc } = direction(g, D, shape)
  const along = t.add(t.matmul(X, V, 'nt'), vb) // what v does to the layer before its function
  const zDot = t.add(t.add(t.matmul(act, vw, 'nt'), t.matmul(through(along), w, 'nt')), vc)
  const slopes = places.map((place) => {
    const own = t.reshape(t.gatherCols(W, [place]), { rows: 1, cols: h })
    const ownAlong = t.reshape(t.gatherCols(V, [place]), { rows: 1, cols: h })
    const open = through(t.fill(1, { rows: n, cols: h }))
    const zPrime = t.matmul(open, t.mul(w, own), 'nt')
    const straight = t.matmul(open, t.add(t.mul(vw, own), t.mul(w, ownAlong)), 'nt')
    const zDotPrime = t.add(straight, t.matmul(t.mul(bend, along), t.mul(w, own), 'nt'))
    return t.scale(t.add(t.mul(zPrime, zDot), t.mul(e, zDotPrime)), (2 * scale) / n)
  })
  return compile({ outputs: [cosine, interleaved(slopes)], precision })
}

/** Columns [n, 1] side by side. */
function interleaved(columns: readonly Node[]): Node {
  return columns
    .map((column, j) => t.scatterCols(column, [j], columns.length))
    .reduce((sum, column) => t.add(sum, column))
}

/** The layer's function, what multiplies by its derivative, and its second derivative where it has one. */
const activations = {
  tanh(a: Node) {
    const act = t.tanh(a)
    const first = t.offset(t.scale(t.mul(act, act), -1), 1)
    return { act, through: (x: Node) => t.mul(x, first), bend: t.scale(t.mul(act, first), -2) }
  },
  sigmoid(a: Node) {
    const act = t.sigmoid(a)
    const first = t.sub(act, t.mul(act, act))
    return { act, through: (x: Node) => t.mul(x, first), bend: t.mul(first, t.offset(t.scale(act, -2), 1)) }
  },
} as const
