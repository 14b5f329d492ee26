/** What the evidence would be for batches of one class: from inputs the attacker has or makes up, through the model. */
import type { ModelFunctions } from '../../models/functions.js'
import { logSumExp } from '../../numeric/log-sum-exp.js'
import { type Matrix, matrix, multiply, transpose } from '../../numeric/matrix.js'
import { exp } from '../../numeric/scalar.js'
import { Inapplicable } from '../attack.js'
import type { ClassHead, Layer } from './class-head.js'
import type { Affine } from './draw-labels.js'
import type { Evidence } from './evidence.js'

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
export function probabilities(embeddings: Matrix, { W, b }: Layer): Matrix {
  const z = multiply(embeddings, transpose(W))
  const n = z.cols
  for (let r = 0; r < z.rows; r++) {
    const row = z.data.subarray(r * n, (r + 1) * n)
    if (b !== undefined) for (let i = 0; i < n; i++) row[i]! += b[i]!
    const log = logSumExp(row)
    for (let i = 0; i < n; i++) row[i] = exp(row[i]! - log)
  }
  return z
}

/** The reference of some rows of embeddings. */
export function referenceOf(embeddings: Matrix, layer: Layer, evidence: Evidence): Reference {
  const { rows, cols, data } = embeddings
  const p = probabilities(embeddings, layer)
  const n = p.cols
  const products = new Float64Array(n)
  let weight = 0
  for (let r = 0; r < rows; r++) {
    const S = evidence.weigh(data.subarray(r * cols, (r + 1) * cols)) / rows
    weight += S
    for (let j = 0; j < n; j++) products[j]! += S * p.data[r * n + j]!
  }
  return { weight, products }
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
