/**
 * What every operation means, in plain loops: slow, obvious, and the definition that the kernels are tested against.
 * `round` is Math.fround for single precision, the identity for double.
 */
import { internal } from '../../errors.js'
import * as scalar from '../special/elementary-functions.js'
import { type Node, type Op, schedule, sizeOf } from './graph.js'
import { imageMeanings } from './reference-image.js'

type Round = (x: number) => number
export type Values = Float64Array
type Meaning<K extends Op> = (n: Node<K>, operands: readonly Values[], round: Round) => Values

const pointwise =
  (f: (x: number, y: number) => number) =>
  (_: Node, [a, b]: readonly Values[], round: Round): Values =>
    a!.map((x, i) => round(f(x, b === undefined ? 0 : b[i]!)))

const sign = (x: number): number => (x > 0 ? 1 : x < 0 ? -1 : x)

const meanings: { readonly [K in Op]: Meaning<K> } = {
  input: () => {
    throw internal('an input has no value of its own')
  },
  fill: (n, _, round) => new Float64Array(sizeOf(n)).fill(round(n.attrs.value)),
  matmul: (n, [a, b], round) => {
    const { form } = n.attrs
    const [left, right] = n.inputs
    const k = form === 'tn' ? left!.rows : left!.cols
    const out = new Float64Array(sizeOf(n))
    for (let i = 0; i < n.rows; i++) {
      for (let j = 0; j < n.cols; j++) {
        let sum = 0
        for (let p = 0; p < k; p++) {
          const x = form === 'tn' ? a![p * left!.cols + i]! : a![i * left!.cols + p]!
          const y = form === 'nt' ? b![j * right!.cols + p]! : b![p * right!.cols + j]!
          sum = round(sum + round(x * y))
        }
        out[i * n.cols + j] = sum
      }
    }
    return out
  },
  add: pointwise((x, y) => x + y),
  sub: pointwise((x, y) => x - y),
  mul: pointwise((x, y) => x * y),
  div: pointwise((x, y) => x / y),
  gate: pointwise((x, y) => (y <= 0 ? 0 : x)),
  signed: pointwise((x, y) => x * sign(y)),
  scale: (n, [a], round) => a!.map((x) => round(x * round(n.attrs.by))),
  offset: (n, [a], round) => a!.map((x) => round(x + round(n.attrs.by))),
  relu: pointwise((x) => Math.max(x, 0)),
  abs: pointwise((x) => Math.abs(x)),
  sqrt: pointwise((x) => Math.sqrt(x)),
  exp: pointwise(scalar.exp),
  log: pointwise(scalar.log),
  sigmoid: pointwise(scalar.sigmoid),
  tanh: pointwise(scalar.tanh),
  softplus: pointwise(scalar.softplus),
  sumAll: (_, [a], round) => Float64Array.of(total(a!, round)),
  sumRows: (n, [a], round) => {
    const out = new Float64Array(n.cols)
    for (let i = 0; i < a!.length; i++) out[i % n.cols] = round(out[i % n.cols]! + a![i]!)
    return out
  },
  sumCols: (n, [a], round) => perRow(n.inputs[0]!, a!, (row) => [total(row, round)]),
  dot: (_, [a, b], round) =>
    Float64Array.of(
      total(
        a!.map((x, i) => round(x * b![i]!)),
        round,
      ),
    ),
  rowDot: (n, [a, b], round) => {
    const { cols } = n.inputs[0]!
    const products = a!.map((x, i) => round(x * b![i]!))
    return Float64Array.from({ length: n.rows }, (_, i) => total(products.subarray(i * cols, (i + 1) * cols), round))
  },
  broadcast: (n, [a]) => {
    const from = n.inputs[0]!
    const out = new Float64Array(sizeOf(n))
    for (let i = 0; i < n.rows; i++) {
      for (let j = 0; j < n.cols; j++) {
        out[i * n.cols + j] = a![(from.rows === 1 ? 0 : i) * from.cols + (from.cols === 1 ? 0 : j)]!
      }
    }
    return out
  },
  softmax: (n, [a], round) =>
    perRow(n, a!, (row) => {
      const e = row.map((x) => scalar.exp(x - largest(row)))
      const sum = total(e, (x) => x)
      return e.map((x) => round(x / sum))
    }),
  logSumExp: (n, [a], round) =>
    perRow(n.inputs[0]!, a!, (row) => {
      const e = row.map((x) => scalar.exp(x - largest(row)))
      return [round(largest(row) + scalar.log(total(e, (x) => x)))]
    }),
  slice: (n, [a]) => a!.slice(n.attrs.offset, n.attrs.offset + sizeOf(n)),
  concat: (_, parts) => Float64Array.from(parts.flatMap((p) => [...p])),
  gatherCols: (n, [a]) => perRow(n.inputs[0]!, a!, (row) => n.attrs.index.map((j) => row[j]!)),
  scatterCols: (n, [a], round) =>
    perRow(n.inputs[0]!, a!, (row) => {
      const out = new Float64Array(n.cols)
      for (const [j, to] of n.attrs.index.entries()) out[to] = round(out[to]! + row[j]!)
      return out
    }),
  ...imageMeanings,
}

function total(values: Values, round: Round): number {
  let sum = 0
  for (const x of values) sum = round(sum + x)
  return sum
}

const largest = (row: Values): number => row.reduce((top, x) => Math.max(top, x), Number.NEGATIVE_INFINITY)

function perRow({ rows, cols }: Node, a: Values, f: (row: Values) => Iterable<number>): Values {
  const out: number[] = []
  for (let i = 0; i < rows; i++) out.push(...f(a.subarray(i * cols, (i + 1) * cols)))
  return Float64Array.from(out)
}

/** Evaluates outputs of a graph from the values of its inputs, by the definitions above. */
export function interpret(
  outputs: readonly Node[],
  inputs: Readonly<Record<string, Values>>,
  options: { readonly round?: Round } = {},
): Values[] {
  const round = options.round ?? ((x: number) => x)
  const values = new Map<Node, Values>()
  for (const n of schedule(outputs)) {
    const operands = n.inputs.map((i) => values.get(i)!)
    const meaning = meanings[n.op] as Meaning<Op>
    values.set(n, n.op === 'input' ? inputs[n.attrs.name]!.map(round) : meaning(n, operands, round))
  }
  return outputs.map((o) => values.get(o)!)
}
