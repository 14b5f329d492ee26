/**
 * The same cosine where values are whole: each record has few gradients then, and all that the search asks of a message are their
 * products with each other and with what was descended. Formed once a message, from what each layer reads and what flows back to
 * it; afterwards the size of the model does not matter.
 */
import { checkBatch, type ModelFunctions, type Traced } from '../../../models/functions.js'
import { gradient, pullback, pushforward } from '../../../numeric/engine/derive.js'
import type { Node } from '../../../numeric/engine/graph.js'
import type { Program } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import type { Matrix } from '../../../numeric/linalg/matrix.js'
import { norm } from '../../../numeric/linalg/vector.js'
import { productsOf } from '../linear/dense-layers.js'
import { candidatesOf } from '../linear/linear-problem.js'
import { combinationsOf } from '../search-values.js'
import type { Unknowns } from '../unknown-columns.js'
import type { CosineFunction, CosineInput, Message } from './matched-message.js'

/** Parameters from which on it is worth while; most numbers that are kept; most combinations of values a record may have. */
const [leastSize, mostKept, mostCombinations] = [10_000, 2e7, 16]

export interface TableInput extends Pick<CosineInput, 'functions' | 'view'> {
  readonly unknowns: Unknowns
  /** How many will be asked about. */
  readonly messages: number
}

/** Undefined where values are not few, where the model is small or not fully connected, and where there is no room. */
export function tabledCosine(input: TableInput, least = leastSize): CosineFunction | undefined {
  const { functions, unknowns, messages } = input
  const { attributes, known } = unknowns
  if (functions.size < least || functions.model.dense === undefined) return undefined
  if (attributes.some(({ sensitive }) => sensitive.kind === 'continuous')) return undefined
  const count = attributes.reduce((product, { candidates }) => product * candidates.length, 1)
  const places = attributes.flatMap((one) => one.places)
  const rows = count * known.rows
  if (count > mostCombinations || messages * rows * rows * (1 + places.length) > mostKept) return undefined
  const program = programOf(input, rows, places)
  const kept = new Map<Message, Table>()
  const chosen = chooser(unknowns)
  return (records, message) => {
    const table = kept.get(message) ?? tableOf(program, message, places.length)
    kept.set(message, table)
    return cosineIn(table, chosen(records), rows)
  }
}

/** Of one message, over all records with all values: q is a record's gradient, h how it changes with a column. */
interface Table {
  /** <q, q'> */
  readonly among: Float64Array
  /** <h, q>, one a column. */
  readonly changes: readonly Float64Array[]
  /** <q, D> and, column by column, <h, D>. */
  readonly along: Float64Array
  readonly changesAlong: Float64Array
  /** |D| */
  readonly length: number
}

function programOf({ functions, view, unknowns }: TableInput, rows: number, places: readonly number[]): Program {
  const candidates = candidatesOf(unknowns, unknowns.attributes, combinationsOf(unknowns.attributes))
  const program = functions.compile(rows, (traced) => tabled(traced, functions, places))
  const [k, n] = [functions.model.inputs, candidates.records]
  const X = new Float64Array(rows * k)
  const y = new Float64Array((rows / n) * checkBatch(functions.model, view.loss, batchOf(candidates, 0)).y.length)
  for (const [v] of candidates.features.entries()) {
    const own = checkBatch(functions.model, view.loss, batchOf(candidates, v))
    X.set(own.X, v * n * k)
    y.set(own.y, v * own.y.length)
  }
  program.set('X', X)
  program.set('y', y)
  return program
}

const batchOf = ({ features, labels }: ReturnType<typeof candidatesOf>, v: number) => ({
  features: features[v]!,
  labels,
})

/** A record's gradient is, layer by layer, delta (reads, 1)^T: products of such are products of their factors. */
function tabled({ theta, X, losses }: Traced, { model }: ModelFunctions, places: readonly number[]): Node[] {
  const products = productsOf(losses, theta)
  const bias = products.length === model.parameters.length ? 0 : 1
  const deltas = pullback(
    losses,
    t.fill(1, losses),
    products.map(({ at }) => at),
  )
  const layers = products.map(({ reads }, l) => {
    const delta = deltas[l]!
    return { reads, delta, met: t.offset(t.matmul(reads, reads, 'nt'), bias), flown: t.matmul(delta, delta, 'nt') }
  })
  const sum = (parts: readonly Node[]): Node => parts.reduce((all, part) => t.add(all, part))
  const among = sum(layers.map(({ met, flown }) => t.mul(met, flown)))
  const changes = places.map((place) => {
    const moved = t.scatterCols(t.fill(1, { rows: X.rows, cols: 1 }), [place], X.cols)
    const change = (value: Node): Node => (value === X ? moved : pushforward(value, X, moved))
    return sum(
      layers.map(({ reads, delta, met, flown }) => {
        const [ofDelta, ofReads] = [t.matmul(change(delta), delta, 'nt'), t.matmul(change(reads), reads, 'nt')]
        return t.add(t.mul(ofDelta, met), t.mul(flown, ofReads))
      }),
    )
  })
  const along = pushforward(losses, theta, t.input('descent', theta))
  const [slope] = gradient(t.sumAll(along), [X])
  return [among, along, t.gatherCols(slope!, places), ...changes]
}

function tableOf(program: Program, { theta, descent }: Message, columns: number): Table {
  program.set('theta', theta)
  program.set('descent', descent)
  program.run()
  const changes = Array.from({ length: columns }, (_, c) => program.read(3 + c))
  const [among, along, changesAlong] = [program.read(0), program.read(1), program.read(2)]
  return { among, along, changesAlong, changes, length: norm(descent) }
}

/** With g the sum of the chosen q: cos = <g, D> / (|g| |D|), and by a column <h, D> / (|g| |D|) - cos <h, g> / |g|^2. */
function cosineIn(table: Table, rows: Int32Array, width: number): ReturnType<CosineFunction> {
  const { among, along, changes, changesAlong, length } = table
  const [n, columns] = [rows.length, changes.length]
  let [lengthSq, product] = [0, 0]
  for (let i = 0; i < n; i++) {
    const from = rows[i]! * width
    product += along[rows[i]!]!
    for (let j = 0; j < n; j++) lengthSq += among[from + rows[j]!]!
  }
  const size = Math.sqrt(lengthSq) * length
  const value = product / size
  const slope = new Float64Array(n * columns)
  for (const [c, change] of changes.entries()) {
    for (let i = 0; i < n; i++) {
      const from = rows[i]! * width
      let own = 0
      for (let j = 0; j < n; j++) own += change[from + rows[j]!]!
      slope[i * columns + c] = changesAlong[rows[i]! * columns + c]! / size - (value * own) / lengthSq
    }
  }
  return { value, slope }
}

/** Which row of the table each record is, by the values that are written into it. */
function chooser({ attributes, known: { rows: n, cols: k } }: Unknowns): (records: Matrix) => Int32Array {
  const columns = attributes.flatMap((one) => one.places)
  const values = combinationsOf(attributes).map((combination) =>
    attributes.flatMap(({ candidates }, a) => candidates[combination[a]!]!),
  )
  const out = new Int32Array(n)
  return ({ data }) => {
    for (let i = 0; i < n; i++) {
      let [best, least] = [0, Number.POSITIVE_INFINITY]
      for (const [v, value] of values.entries()) {
        let distance = 0
        for (let c = 0; c < columns.length; c++) distance += Math.abs(data[i * k + columns[c]!]! - value[c]!)
        if (distance < least) [best, least] = [v, distance]
      }
      out[i] = best * n + i
    }
    return out
  }
}
