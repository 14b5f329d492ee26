// biome-ignore-all format: lists of cases
import { OverhearError } from '../src/errors.js'
import { gradient, pushforward } from '../src/numeric/engine/derive.js'
import type { Node, Shape } from '../src/numeric/engine/graph.js'
import { compile } from '../src/numeric/engine/program.js'
import * as t from '../src/numeric/engine/trace.js'
import * as image from '../src/numeric/engine/trace-image.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

/** A graph as text: operations, attributes, shapes. */
const inText = ({ op, attrs, inputs, rows, cols }: Node): string =>
  `${op}${JSON.stringify(attrs)}${rows}x${cols}(${inputs.map(inText).join()})`
const drawn = (build: () => Node) => () => inText(build())

const shape: Shape = { rows: 2, cols: 3 }
const square: Shape = { rows: 3, cols: 3 }
const wide = t.input('wide', { rows: 2, cols: 5 })
/** Whatever the obvious algebra may know of an operand, in one shape. */
const operandsOf = (as: Shape): readonly Node[] => [
  t.input('a', as), t.input('b', as), t.fill(0, as), t.fill(1, as), t.fill(2.5, as), t.fill(-1, as),
  t.scale(t.input('a', as), 3), t.offset(t.input('a', as), 2), t.mul(t.input('a', as), t.input('b', as)),
  t.mul(t.input('a', as), t.broadcast(t.input('row', { rows: 1, cols: as.cols }), as)),
  t.scatterCols(t.input('narrow', { rows: as.rows, cols: 2 }), [2, 0], as.cols),
  t.add(t.scatterCols(t.input('n1', { rows: as.rows, cols: 2 }), [2, 0], as.cols), t.scatterCols(t.input('n2', { rows: as.rows, cols: 1 }), [1], as.cols)),
  t.add(t.scatterCols(t.input('n1', { rows: as.rows, cols: 2 }), [2, 0], as.cols), t.input('b', as)),
  t.broadcast(t.input('row', { rows: 1, cols: as.cols }), as), t.broadcast(t.scale(t.input('s', { rows: 1, cols: 1 }), 4), as),
  t.matmul(t.input('l', { rows: as.rows, cols: 4 }), t.input('r', { rows: 4, cols: as.cols })), t.matmul(t.input('l', { rows: as.rows, cols: 4 }), t.input('r', { rows: as.cols, cols: 4 }), 'nt'),
  t.slice(wide, 1, as.rows === 2 ? as : { rows: 1, cols: 3 }), t.concat([t.input('a', as), t.input('p', { rows: 1, cols: 4 })]),
  image.place(t.input('c', { rows: as.rows, cols: 2 }), t.input('index', { rows: as.rows, cols: 2 }), as.cols),
]
const operands = operandsOf(shape)
const small: readonly Node[] = [t.input('row', { rows: 1, cols: 3 }), t.input('column', { rows: 2, cols: 1 }), t.input('one', { rows: 1, cols: 1 }), t.fill(0), t.fill(2), t.fill(3, { rows: 1, cols: 3 }), t.input('odd', { rows: 3, cols: 2 }), t.input('other', { rows: 2, cols: 2 }), t.input('rows', { rows: 4, cols: 3 }), t.scale(t.input('column', { rows: 2, cols: 1 }), 2)]
const pairs = [...operands, ...small].flatMap((a) => [...operands.slice(0, 8), ...operands.slice(10, 14), ...small].map((b) => [a, b] as const))
const two = (f: (a: Node, b: Node) => Node) => pairs.map(([a, b]) => drawn(() => f(a, b)))
const one = (f: (a: Node) => Node) => [...operands, ...small].map((a) => drawn(() => f(a)))
const forms = ['nn', 'nt', 'tn'] as const

const g = { channels: 2, height: 5, width: 4, filters: 3, kernel: 2, stride: 1, padding: 0 }
const made = (rows: number, cols: number) => [t.input('x', { rows, cols }), t.fill(0, { rows, cols }), t.fill(2, { rows, cols })]
const [cols, weights, outs] = [40, 8, 3 * 4 * 3]
const conv = (geometry: typeof g, x: number, w: number, c: number) => made(2, x).flatMap((X) => made(3, w).flatMap((W) => made(2, c).flatMap((C) => [drawn(() => image.conv(X, W, geometry)), drawn(() => image.convInput(C, W, geometry)), drawn(() => image.convWeight(X, C, geometry))])))
const pooling = { channels: 2, height: 4, width: 5, size: 2, stride: 2 }
const index = t.input('index', { rows: 2, cols: 3 })

/** Compiled and run: what reaches kernels by another way. */
const ran = (outputs: readonly Node[], precision: 'f32' | 'f64' = 'f64') => () => {
  const program = compile({ outputs, precision })
  const seen = new Map<string, Node>()
  const visit = (n: Node): void => { if (n.op === 'input') seen.set((n.attrs as { name: string }).name, n); for (const i of n.inputs) visit(i) }
  for (const n of outputs) visit(n)
  for (const name of program.inputNames) { const n = seen.get(name)!; program.set(name, rng(name).normals(n.rows * n.cols)) }
  program.run()
  return [program.calls, outputs.map((_, i) => program.read(i))]
}
const tall = t.input('tall', { rows: 6, cols: 4 })
const column = t.input('column', { rows: 6, cols: 1 })
const bias = t.input('bias', { rows: 1, cols: 1 })
const x3 = t.input('x3', { rows: 3, cols: 4 })
const w5 = t.input('w5', { rows: 5, cols: 4 })
const theta = t.input('theta', { rows: 1, cols: 29 })
const W = t.slice(theta, 0, { rows: 5, cols: 4 })
const b5 = t.slice(theta, 20, { rows: 1, cols: 5 })
const hidden = t.relu(t.add(t.matmul(x3, W, 'nt'), b5))
const out4 = t.slice(theta, 25, { rows: 1, cols: 4 })
const loss = t.add(t.dot(hidden, hidden), t.dot(out4, out4))

/** Few digests of many small cases: of every twenty together. */
const together = (runs: readonly (() => unknown)[]): (() => unknown)[] =>
  Array.from({ length: Math.ceil(runs.length / 20) }, (_, i) => () => runs.slice(20 * i, 20 * i + 20).map((run) => {
    try {
      return run()
    } catch (error) {
      if (error instanceof OverhearError) return error.code
      throw error
    }
  }))
const cases: Readonly<Record<string, readonly (() => unknown)[]>> = {
  'products of traces': forms.flatMap((form) => [...two((a, b) => t.matmul(a, b, form)), ...operandsOf(square).flatMap((a) => operandsOf(square).map((b) => drawn(() => t.matmul(a, b, form))))]),
  ...Object.fromEntries(Object.entries({ add: t.add, sub: t.sub, mul: t.mul, div: t.div, gate: t.gate, signed: t.signed, rowDot: t.rowDot, dot: t.dot }).map(([name, f]) => [`traces of ${name}`, two(f)])),
  'one operand': [
    ...one(t.sumAll), ...one(t.sumRows), ...one(t.sumCols), ...one(t.mean), ...one(t.norm), ...one(t.softmax), ...one(t.logSumExp),
    ...[0, 1, 2, -1].flatMap((by) => [...one((a) => t.scale(a, by)), ...one((a) => t.offset(a, by))]),
    ...[shape, { rows: 4, cols: 3 }, { rows: 2, cols: 7 }, { rows: 1, cols: 1 }, { rows: 3, cols: 3 }].flatMap((to) => one((a) => t.broadcast(a, to))),
    ...[[0, 2, 3], [0, 3, 2], [1, 1, 3], [3, 1, 3], [4, 1, 3], [-1, 1, 1], [0, 1, 6], [2, 2, 2], [3, 2, 2]].flatMap(([from, rows, cols]) => one((a) => t.slice(a, from!, { rows: rows!, cols: cols! }))),
    ...[[0], [2, 2], [0, 1, 2], [3], [-1], [0.5], []].flatMap((at) => [...one((a) => t.gatherCols(a, at)), ...one((a) => t.scatterCols(a, at, 4)), ...one((a) => t.scatterCols(a, at, 3))]),
    ...[1, 2, 3].flatMap((n) => [...one((a) => image.repeatCols(a, n)), ...one((a) => image.sumGroups(a, n))]),
    ...one((a) => t.concat([a])), ...one((a) => t.concat([a, t.fill(0, shape)])), ...one((a) => t.concat([t.fill(0), a, t.input('q', { rows: 1, cols: 2 })])),
    ...one((a) => t.slice(t.concat([t.input('p', { rows: 1, cols: 4 }), a]), 4, { rows: 1, cols: 1 })), ...one((a) => t.slice(t.concat([a, a]), 5, { rows: 1, cols: 2 })),
    ...one((a) => image.pick(a, index)), ...one((a) => image.place(a, index, 9)), ...one((a) => image.pick(a, t.input('index', { rows: 3, cols: 2 }))),
    drawn(() => t.named('first', t.named('second', t.input('z', shape)))), () => t.named('word', t.fill(3)).label,
  ],
  convolutions: [
    ...conv(g, cols, weights, outs), ...conv(g, cols + 1, weights, outs), ...conv(g, cols, weights - 1, outs), ...conv(g, cols, weights, outs + 2),
    ...[{ ...g, kernel: 6 }, { ...g, kernel: 5 }, { ...g, kernel: 4 }, { ...g, stride: 0 }, { ...g, stride: 2 }, { ...g, padding: -1 }, { ...g, padding: 1 }, { ...g, height: 1, width: 20 }, { ...g, height: 20, width: 1 }].flatMap((one) => [
      () => image.outputSize(one), drawn(() => image.conv(t.input('x', { rows: 2, cols }), t.input('w', { rows: 3, cols: 2 * one.kernel * one.kernel }), one)),
    ]),
    drawn(() => image.addChannelBias(t.input('z', { rows: 2, cols: 6 }), t.input('c', { rows: 1, cols: 2 }))), drawn(() => image.addChannelBias(t.input('z', { rows: 2, cols: 6 }), t.fill(0, { rows: 1, cols: 2 }))),
    ...[pooling, { ...pooling, size: 5 }, { ...pooling, size: 4 }, { ...pooling, width: 3 }, { ...pooling, stride: 1, size: 3 }, { channels: 2, height: 10, width: 2, size: 3, stride: 1 }, { channels: 2, height: 2, width: 10, size: 3, stride: 1 }].flatMap((p) => [
      () => image.poolSize(p), drawn(() => image.maxPool(t.input('x', { rows: 2, cols: 40 }), p)), drawn(() => image.maxPool(t.fill(4, { rows: 2, cols: 40 }), p)), drawn(() => image.averagePool(t.input('x', { rows: 2, cols: 40 }), p)),
    ]),
  ],
  derivatives: [
    ...[t.sumAll, t.mean, t.norm, (a: Node) => t.dot(a, a), (a: Node) => t.sumAll(t.softmax(a)), (a: Node) => t.sumAll(t.logSumExp(a)), (a: Node) => t.sumAll(t.matmul(a, a, 'tn')), (a: Node) => t.sumAll(t.scatterCols(t.gatherCols(a, [0, 2, 2]), [1, 1, 4], 6)), (a: Node) => t.dot(t.slice(a, 1, { rows: 1, cols: 4 }), t.slice(a, 2, { rows: 1, cols: 4 })), (a: Node) => t.sumAll(t.concat([t.tanh(a), a, t.fill(2)])), () => t.fill(3), () => t.sumAll(t.input('y', shape))].flatMap((f) => {
      const a = t.input('a', shape)
      return [() => gradient(f(a), [a]).map(inText), () => inText(pushforward(gradient(f(a), [a])[0]!, a, t.input('v', shape))), () => inText(pushforward(f(a), a, t.fill(0, shape))), () => inText(pushforward(f(a), a, t.input('v', { rows: 3, cols: 2 })))]
    }),
    () => gradient(t.input('a', shape), [t.input('b', shape)]).length,
  ],
  'programs of small graphs': (['f32', 'f64'] as const).flatMap((precision) => [
    ran([t.add(t.matmul(tall, column, 'tn'), bias)], precision),
    ran([t.add(t.matmul(tall, column, 'tn'), t.input('long', { rows: 4, cols: 1 }))], precision),
    ran([t.add(t.matmul(x3, w5, 'nt'), t.input('row', { rows: 1, cols: 5 })), t.relu(t.add(t.matmul(x3, w5, 'nt'), t.input('row', { rows: 1, cols: 5 })))], precision),
    ran([t.gate(t.matmul(x3, w5, 'nt'), t.input('h', { rows: 3, cols: 5 }))], precision),
    ran([t.mul(t.matmul(x3, w5, 'nt'), t.broadcast(t.input('s', { rows: 3, cols: 1 }), { rows: 3, cols: 5 })), t.mul(t.matmul(x3, w5, 'nt'), t.input('h', { rows: 3, cols: 5 }))], precision),
    ran([t.add(t.matmul(x3, w5, 'nt'), t.input('h', { rows: 3, cols: 5 })), t.matmul(x3, w5, 'nt')], precision),
    ran([loss, ...gradient(loss, [theta])], precision), ran([...gradient(loss, [theta]), hidden, hidden], precision),
    ran([t.add(theta, t.scale(gradient(loss, [theta])[0]!, -0.1))], precision), ran([t.add(theta, t.mul(gradient(loss, [theta])[0]!, t.input('rate', { rows: 1, cols: 1 })))], precision),
    ran([t.matmul(t.input('r1', { rows: 1, cols: 7 }), t.input('r2', { rows: 1, cols: 7 }), 'nt'), t.matmul(t.input('r1', { rows: 1, cols: 7 }), t.input('m7', { rows: 7, cols: 3 }))], precision),
    ran([t.slice(t.tanh(x3), 2, { rows: 2, cols: 3 }), t.tanh(x3), t.concat([t.tanh(x3), t.slice(t.tanh(x3), 2, { rows: 1, cols: 3 })])], precision),
    ran([t.fill(3, shape), t.input('a', shape), t.input('a', shape)], precision), ran([t.input('a', shape), t.tanh(t.input('a', { rows: 3, cols: 2 }))], precision),
  ]),
}

pinResults('graphs', Object.fromEntries(Object.entries(cases).map(([name, runs]) => [name, together(runs)])))
