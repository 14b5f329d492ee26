/** What the evidence would be for batches of one class: from inputs the attacker has or makes up, through the model. */
import type { ModelFunctions } from '../../../models/functions.js'
import { compile, type Program } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import { type Matrix, matrix, rowOf } from '../../../numeric/linalg/matrix.js'
import { Inapplicable } from '../../attack.js'
import type { Evidence } from './class-evidence.js'
import type { ClassHead, Layer } from './class-head.js'
import type { Affine } from './draw-labels.js'

/** Means over the inputs: of S, what a record adds to its class, and of S p_j. A class i then has g_j = S p_j - [i = j] S. */
export interface Reference {
  readonly weight: number
  readonly products: Float64Array // [n]
}

export interface KnownModel {
  readonly functions: ModelFunctions
  readonly theta: Float64Array
  readonly layer: Layer
}

/** The model that was sent, with its last layer. */
export function knownModel(functions: ModelFunctions, { update, layer }: ClassHead): KnownModel {
  if (update.theta === undefined || layer === undefined) {
    throw new Inapplicable(['globals'], `round ${update.round} lacks the model that was sent`)
  }
  return { functions, theta: update.theta, layer }
}

/** Rows that go through at a time. */
const chunk = 64

/** What the last layer reads for these inputs; in chunks, so that many inputs need no more memory than few. */
export function embeddingsOf({ functions, theta }: KnownModel, features: Matrix): Matrix {
  const { rows, cols, data } = features
  const parts: Float64Array[] = []
  for (let start = 0; start < rows; start += chunk) {
    const end = Math.min(rows, start + chunk)
    const part = matrix(end - start, cols, data.slice(start * cols, end * cols))
    parts.push(functions.penultimate(theta, part).data)
  }
  const width = parts.length === 0 ? 0 : parts.reduce((sum, part) => sum + part.length, 0) / rows
  const all = matrix(rows, width)
  let at = 0
  for (const part of parts) {
    all.data.set(part, at)
    at += part.length
  }
  return all
}

/** softmax(W a + b) of each row a. */
export function probabilities(embeddings: Matrix, layer: Layer): Matrix {
  return softmaxOf(layer)(embeddings)
}

/** The same as a function that keeps the layer and one program for each number of rows. */
function softmaxOf({ W, b }: Layer): (embeddings: Matrix) => Matrix {
  const programs = new Map<number, Program>()
  const make = (rows: number): Program => {
    const z = t.matmul(t.input('A', { rows, cols: W.cols }), t.input('W', W), 'nt')
    const logit = b === undefined ? z : t.add(z, t.input('b', { rows: 1, cols: W.rows }))
    const program = compile({ outputs: [t.softmax(logit)], precision: 'f64' })
    program.set('W', W.data)
    if (b !== undefined) program.set('b', b)
    programs.set(rows, program)
    return program
  }
  return ({ rows, data }) => {
    const program = programs.get(rows) ?? make(rows)
    program.set('A', data)
    program.run()
    return matrix(rows, W.rows, program.read(0))
  }
}

/** The references of groups of rows of embeddings; undefined for a group without any. */
export function referencesOf(
  embeddings: Matrix,
  { groupOf, groups }: { readonly groupOf: ArrayLike<number>; readonly groups: number },
  { layer, evidence }: { readonly layer: Layer; readonly evidence: Evidence },
): (Reference | undefined)[] {
  const { rows, cols, data } = embeddings
  const n = layer.W.rows
  const softmax = softmaxOf(layer)
  const found = Array.from({ length: groups }, () => ({ size: 0, weight: 0, products: new Float64Array(n) }))
  for (let start = 0; start < rows; start += chunk) {
    const end = Math.min(rows, start + chunk)
    const part = matrix(end - start, cols, data.slice(start * cols, end * cols))
    const p = softmax(part).data
    for (let r = start; r < end; r++) {
      const S = evidence.weigh(rowOf(embeddings, r))
      const group = found[groupOf[r]!]!
      group.size += 1
      group.weight += S
      for (let j = 0; j < n; j++) group.products[j]! += S * p[(r - start) * n + j]!
    }
  }
  return found.map(({ size, weight, products }) =>
    size === 0 ? undefined : { weight: weight / size, products: products.map((v) => v / size) },
  )
}

/** The reference of all rows together. */
export function referenceOf(embeddings: Matrix, layer: Layer, evidence: Evidence): Reference {
  const all = { groupOf: new Uint8Array(embeddings.rows), groups: 1 }
  return referencesOf(embeddings, all, { layer, evidence })[0]!
}

/** The mean of several references. */
export function meanReference(references: readonly Reference[]): Reference {
  const share = 1 / references.length
  const products = new Float64Array(references[0]!.products.length)
  let weight = 0
  for (const one of references) {
    weight += share * one.weight
    for (const [j, v] of one.products.entries()) products[j]! += share * v
  }
  return { weight, products }
}

/**
 * Slope and offsets from one reference a class (undefined where the attacker has none): m = mean of g_i (1 + 1/n) / K over
 * classes i alone, s_j = mean of g_j over the classes other than j. [labels] 3.2.3, LLG*
 * departs: K is the client's batch, whatever the size of the made-up ones.
 */
export function affineOf(references: readonly (Reference | undefined)[], recordCount: number): Affine {
  const n = references.length
  const known = references.filter((one) => one !== undefined).length
  const offsets = new Float64Array(n)
  let own = 0
  for (const [i, one] of references.entries()) {
    if (one === undefined) continue
    own += one.products[i]! - one.weight
    for (let j = 0; j < n; j++) if (j !== i) offsets[j]! += one.products[j]!
  }
  for (let j = 0; j < n; j++) offsets[j]! /= Math.max(1, references[j] === undefined ? known : known - 1)
  const slope = ((1 + 1 / n) * own) / (known * recordCount)
  if (!(slope < 0)) {
    const found = `inputs of a class do not lower its evidence (slope ${slope})`
    throw new Inapplicable(['a layer below the last that answers'], found)
  }
  return { slope, offsets }
}
