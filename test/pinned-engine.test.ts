import { gradient, pushforward } from '../src/numeric/engine/derive.js'
import type { Node } from '../src/numeric/engine/graph.js'
import { compile } from '../src/numeric/engine/program.js'
import { interpret } from '../src/numeric/engine/reference.js'
import * as t from '../src/numeric/engine/trace.js'
import * as image from '../src/numeric/engine/trace-image.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

type Build = (a: Node, b: Node, row: Node, column: Node) => Node

/** Every word of a trace, of matrices of several shapes. */
const words: Readonly<Record<string, Build>> = {
  products: (a, b) => t.add(t.matmul(a, b, 'nt'), t.matmul(b, a, 'nt')),
  'the other product': (a, b) => t.matmul(t.matmul(a, b, 'nt'), a),
  'the transposed product': (a, b) => t.matmul(a, b, 'tn'),
  sums: (a, b) => t.sub(t.add(a, b), t.scale(t.mul(a, b), 0.3)),
  quotients: (a, b) => t.div(a, t.offset(t.mul(b, b), 1.5)),
  gates: (a, b) => t.add(t.gate(a, b), t.signed(b, a)),
  elementwise: (a) => t.add(t.add(t.relu(a), t.abs(a)), t.add(t.sigmoid(a), t.add(t.tanh(a), t.softplus(a)))),
  exponentials: (a) => t.log(t.offset(t.sqrt(t.exp(a)), 0.5)),
  rows: (a, _, row) => t.mul(t.add(a, row), t.broadcast(row, a)),
  columns: (a, b, _, column) => t.add(t.mul(a, t.broadcast(column, a)), t.broadcast(t.rowDot(a, b), a)),
  totals: (a, b) => t.broadcast(t.add(t.add(t.sumAll(a), t.mean(b)), t.add(t.dot(a, b), t.norm(a))), a),
  'totals of rows and columns': (a) => t.add(t.broadcast(t.sumRows(a), a), t.broadcast(t.sumCols(a), a)),
  softmax: (a) => t.add(t.softmax(a), t.broadcast(t.logSumExp(a), a)),
  cuts: (a) => t.concat([t.reshape(t.slice(a, 1, { rows: 1, cols: 3 }), { rows: 1, cols: 3 }), t.reshape(a, { rows: 1, cols: a.rows * a.cols })]), // biome-ignore format: a line
  chosen: (a) => t.scatterCols(t.gatherCols(a, [a.cols - 1, 0]), [1, 2], a.cols + 2),
  groups: (a) => t.add(image.repeatCols(image.sumGroups(image.repeatCols(a, 3), 3), 1), a),
  layers: (a, b, row) => t.relu(t.add(t.matmul(t.relu(t.add(t.matmul(a, b, 'nt'), t.broadcast(t.sumAll(row), { rows: 1, cols: b.rows }))), b), row)), // biome-ignore format: a line
}
const shapes: readonly (readonly [number, number])[] = [[1, 4], [3, 4], [5, 7], [9, 33], [40, 5]] // biome-ignore format: a list
const values = (nodes: readonly Node[]) => (name: string) => {
  const own = nodes.find((one) => (one.attrs as { name?: string }).name === name)!
  return rng(name)
    .normals(own.rows * own.cols)
    .map(Math.fround)
}

/** What is built, its gradient and a product with its Hessian, compiled and in plain loops. */
function everyWay(out: Node, inputs: readonly Node[], precision: 'f32' | 'f64', plain: boolean) {
  const x = inputs[0]!
  const loss = t.dot(out, t.tanh(out))
  const grads = gradient(loss, inputs)
  const tangent = t.input('v', x)
  const outputs = [out, loss, ...grads, pushforward(grads[0]!, x, tangent)]
  const drawnFor = values([...inputs, tangent])
  const program = compile({ outputs, precision })
  for (const name of program.inputNames) program.set(name, drawnFor(name))
  program.run()
  const compiled = outputs.map((_, i) => program.read(i))
  const all = Object.fromEntries(program.inputNames.map((name) => [name, drawnFor(name)]))
  return [program.calls, compiled, plain ? interpret(outputs, all) : []]
}
const traced = (build: Build) =>
  shapes.flatMap(([rows, cols], k) =>
    (['f32', 'f64'] as const).map((precision) => () => {
      const a = t.input('a', { rows, cols })
      const b = t.input('b', { rows, cols })
      const row = t.input('row', { rows: 1, cols })
      const column = t.input('column', { rows, cols: 1 })
      return everyWay(build(a, b, row, column), [a, b, row, column], precision, k < 3)
    }),
  )
const geometries = [
  { channels: 1, height: 5, width: 6, filters: 2, kernel: 3, stride: 1, padding: 0 },
  { channels: 3, height: 8, width: 8, filters: 4, kernel: 5, stride: 2, padding: 2 },
  { channels: 2, height: 4, width: 9, filters: 9, kernel: 1, stride: 1, padding: 1 },
  { channels: 1, height: 3, width: 3, filters: 1, kernel: 3, stride: 3, padding: 0 },
  { channels: 1, height: 2, width: 2, filters: 1, kernel: 3, stride: 1, padding: 0 },
]
const pictured = geometries.flatMap((g) =>
  (['f32', 'f64'] as const).flatMap((precision) =>
    [1, 3].flatMap((n) =>
      [1, 2, 3].map((size) => () => {
        const { height, width } = image.outputSize(g)
        const x = t.input('x', { rows: n, cols: g.channels * g.height * g.width })
        const w = t.input('w', { rows: g.filters, cols: g.channels * g.kernel * g.kernel })
        const bias = t.input('bias', { rows: 1, cols: g.filters })
        const z = image.addChannelBias(image.conv(x, w, g), bias)
        const pooling = { channels: g.filters, height, width, size, stride: size === 3 ? 1 : size }
        const out = t.add(image.maxPool(t.relu(z), pooling), image.averagePool(t.sigmoid(z), pooling))
        return everyWay(out, [x, w, bias], precision, true)
      }),
    ),
  ),
)
const refused: readonly (() => unknown)[] = [
  ...[
    [2, 3],
    [3, 2],
    [1, 3],
    [2, 1],
    [0, 2],
  ].flatMap(([rows, cols]) => {
    const a = t.input('a', { rows: 2, cols: 3 })
    const b = t.input('b', { rows: rows!, cols: cols! })
    return [t.add, t.sub, t.mul, t.div, t.gate, t.signed, t.dot, t.rowDot].map((f) => () => { const { rows: r, cols: c, op } = f(a, b); return [r, c, op] }).concat((['nn', 'nt', 'tn'] as const).map((form) => () => { const { rows: r, cols: c, op } = t.matmul(a, b, form); return [r, c, op] }), [() => { const { rows: r, cols: c, op } = t.broadcast(b, a); return [r, c, op] }]) // biome-ignore format: a line
  }),
  ...[[0, 1, 3], [3, 1, 3], [4, 1, 3], [-1, 1, 1], [0, 2, 4], [0, 0, 1]].map(([from, rows, cols]) => () => t.slice(t.input('a', { rows: 2, cols: 3 }), from!, { rows: rows!, cols: cols! }).op), // biome-ignore format: a list
  ...[[0], [2], [3], [-1], [0, 0], []].flatMap((index) => [() => t.gatherCols(t.input('a', { rows: 2, cols: 3 }), index).cols, () => t.scatterCols(t.input('a', { rows: 2, cols: index.length }), index, 3).cols]), // biome-ignore format: a list
  () => t.concat([]).cols,
  () => image.sumGroups(t.input('a', { rows: 2, cols: 3 }), 2).cols,
  () => gradient(t.input('a', { rows: 2, cols: 3 }), []),
  ...[
    [0, 3],
    [3, 0],
    [1.5, 2],
  ].map(
    ([rows, cols]) =>
      () =>
        t.input('a', { rows: rows!, cols: cols! }).cols,
  ),
]

pinResults('engine', {
  ...Object.fromEntries(Object.entries(words).map(([name, build]) => [name, traced(build)])),
  pictures: pictured,
  'what a trace refuses': refused,
})
