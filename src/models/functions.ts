/** A model's functions, compiled once per batch size: predictions, loss, derivatives of every order that attacks ask for. */
import { OverhearError } from '../errors.js'
import { gradient, pushforward } from '../numeric/engine/derive.js'
import type { Engine } from '../numeric/engine/engine.js'
import type { Node } from '../numeric/engine/graph.js'
import type { Precision } from '../numeric/engine/kernels.js'
import { compile, type Program } from '../numeric/engine/program.js'
import * as t from '../numeric/engine/trace.js'
import { type Matrix, matrix } from '../numeric/linalg/matrix.js'
import { firstNonFinite } from '../numeric/linalg/vector.js'
import {
  checkLoss,
  type Layers,
  type Loss,
  labelColumns,
  type Model,
  parameterCount,
  traceLoss,
  traceLosses,
} from './model.js'

/** Records. Labels: one value per output, or for cross-entropy one class index per record. */
export interface Batch {
  readonly features: Matrix
  readonly labels: Float64Array
}

/** The nodes of one traced batch, to build functions of them (and of gradients) from. */
export interface Traced extends Layers {
  readonly theta: Node // [1, d]
  readonly X: Node // [n, inputs]
  readonly y: Node // [n, outputs]
  readonly loss: Node // [1, 1]
  readonly losses: Node // [n, 1]: each record's, whose mean is the loss
}

export interface FunctionsOptions {
  readonly precision?: Precision
  readonly loss?: Loss
  readonly lossScale?: number
  readonly engine?: Engine
}

export interface ModelFunctions {
  readonly model: Model
  readonly size: number
  predict(theta: Float64Array, features: Matrix): Matrix
  penultimate(theta: Float64Array, features: Matrix): Matrix
  loss(theta: Float64Array, batch: Batch): number
  /** Each record's loss; their mean is the loss of the batch. */
  lossPerExample(theta: Float64Array, batch: Batch): Float64Array
  gradient(theta: Float64Array, batch: Batch): { readonly loss: number; readonly grad: Float64Array }
  /** One gradient a record: [n, d]. */
  gradPerExample(theta: Float64Array, batch: Batch): Matrix
  /** The Hessian of the loss times v. */
  hessianVector(theta: Float64Array, batch: Batch, v: Float64Array): Float64Array
  /** The gradient of the loss with respect to the features: [n, inputs]. */
  inputGradient(theta: Float64Array, batch: Batch): Matrix
  /** Any function of a traced batch of n records, compiled: give its inputs by name (theta, X, y and your own). */
  derive(n: number, build: (traced: Traced) => readonly Node[]): (inputs: Inputs) => Float64Array[]
  /** The same as the program itself, for those who read its outputs where they lie. */
  compile(n: number, build: (traced: Traced) => readonly Node[]): Program
}
export type Inputs = Readonly<Record<string, Float64Array>>

/** A model with its loss, and the programs made so far, by function and batch size. */
interface Compiler {
  readonly model: Model
  readonly loss: Loss
  readonly lossScale: number
  readonly target: { readonly precision: Precision; readonly engine?: Engine }
  readonly d: number
  readonly programs: Map<string, Program>
}

export function functionsOf(model: Model, options: FunctionsOptions = {}): ModelFunctions {
  const { precision = 'f64', loss = model.defaultLoss, lossScale = 1, engine } = options
  checkLoss(model, loss)
  const d = parameterCount(model)
  const target = { precision, ...(engine === undefined ? {} : { engine }) }
  const own: Compiler = { model, loss, lossScale, target, d, programs: new Map() }
  return {
    model,
    size: d,
    predict(theta, features) {
      const program = call(own, 'predict', { n: features.rows, inputs: unlabelled(own, theta, features) })
      return matrix(features.rows, model.outputs, program.read(0))
    },
    penultimate(theta, features) {
      const { rows } = features
      const a = call(own, 'penultimate', { n: rows, inputs: unlabelled(own, theta, features) }).read(0)
      return matrix(rows, rows === 0 ? 0 : a.length / rows, a)
    },
    loss: (theta, batch) => onBatch(own, 'loss', { theta, batch }).readScalar(0),
    lossPerExample: (theta, batch) => onBatch(own, 'losses', { theta, batch }).read(0),
    gradient(theta, batch) {
      const program = onBatch(own, 'gradient', { theta, batch })
      return { loss: program.readScalar(0), grad: program.read(1) }
    },
    gradPerExample: (theta, batch) => gradPerExample(own, theta, batch),
    hessianVector(theta, batch, v) {
      checkTheta(own, v, 'v')
      return onBatch(own, 'hessianVector', { theta, batch, v }).read(0)
    },
    inputGradient(theta, batch) {
      const g = onBatch(own, 'inputGradient', { theta, batch }).read(0)
      return matrix(batch.features.rows, model.inputs, g)
    },
    derive: (n, build) => derived(own, n, build),
    compile: (n, build) => make(own, n, build),
  }
}

/** The functions that are compiled once a batch size. */
const builds = {
  predict: ({ output }: Traced) => [output],
  penultimate: ({ penultimate }: Traced) => [penultimate],
  loss: ({ loss }: Traced) => [loss],
  losses: ({ losses }: Traced) => [losses],
  gradient: ({ loss, theta }: Traced) => [loss, ...gradient(loss, [theta])],
  inputGradient: ({ loss, X }: Traced) => gradient(loss, [X]),
  hessianVector: ({ loss, theta }: Traced) => {
    const v = t.input('v', theta)
    return [pushforward(gradient(loss, [theta])[0]!, theta, v)]
  },
} as const satisfies Record<string, (traced: Traced) => readonly Node[]>

function make(own: Compiler, n: number, build: (traced: Traced) => readonly Node[]): Program {
  const { model, loss, lossScale, target, d } = own
  const theta = t.input('theta', { rows: 1, cols: d })
  const X = t.input('X', { rows: n, cols: model.inputs })
  const y = t.input('y', { rows: n, cols: labelColumns(model) })
  const layers = model.trace(theta, X)
  const how = { loss, lossScale }
  const traced = {
    ...{ theta, X, y, ...layers },
    loss: t.named('loss', traceLoss(layers, y, how)),
    losses: traceLosses(layers, y, how),
  }
  return compile({ outputs: build(traced), ...target })
}

function run(program: Program, inputs: Inputs): Program {
  for (const name of program.inputNames) program.set(name, inputs[name]!)
  program.run()
  return program
}

/** Runs a function on n records, compiled if this is the first time. */
function call(own: Compiler, what: keyof typeof builds, { n, inputs }: { n: number; inputs: Inputs }): Program {
  const key = `${what} ${n}`
  let program = own.programs.get(key)
  if (program === undefined) {
    program = make(own, n, builds[what])
    own.programs.set(key, program)
  }
  return run(program, inputs)
}

interface At {
  readonly theta: Float64Array
  readonly batch: Batch
  readonly v?: Float64Array
}

function onBatch(own: Compiler, what: keyof typeof builds, { theta, batch, ...more }: At): Program {
  return call(own, what, { n: batch.features.rows, inputs: { ...labelled(own, theta, batch), ...more } })
}

function gradPerExample(own: Compiler, theta: Float64Array, batch: Batch): Matrix {
  const { model, d } = own
  const { X, y } = labelled(own, theta, batch)
  const [n, k, c] = [batch.features.rows, model.inputs, labelColumns(model)]
  const G = matrix(n, d)
  for (let i = 0; i < n; i++) {
    const inputs = { theta, X: X.subarray(i * k, (i + 1) * k), y: y.subarray(i * c, (i + 1) * c) }
    G.data.set(call(own, 'gradient', { n: 1, inputs }).read(1), i * d)
  }
  return G
}

function derived(own: Compiler, n: number, build: (traced: Traced) => readonly Node[]) {
  let count = 0
  const program = make(own, n, (traced) => {
    const outputs = build(traced)
    count = outputs.length
    return outputs
  })
  return (inputs: Inputs): Float64Array[] => {
    const missing = program.inputNames.filter((name) => inputs[name] === undefined)
    if (missing.length > 0) {
      const needed = `needed: ${program.inputNames.join(', ')}`
      throw new OverhearError('E_INPUT', `missing inputs: ${missing.join(', ')}`, needed)
    }
    run(program, inputs)
    return Array.from({ length: count }, (_, i) => program.read(i))
  }
}

function checkTheta({ model, d }: Compiler, theta: Float64Array, name = 'theta'): void {
  if (theta.length !== d) {
    const found = `${name} has ${theta.length} values`
    throw new OverhearError('E_SHAPE', found, `a ${model.kind} model with ${model.inputs} inputs needs ${d}`)
  }
  const at = firstNonFinite(theta)
  if (at >= 0) throw new OverhearError('E_NON_FINITE', `${name}[${at}] (${parameterAt(model, at)}) is ${theta[at]}`)
}

function unlabelled(own: Compiler, theta: Float64Array, features: Matrix) {
  checkTheta(own, theta)
  return { theta, X: checkFeatures(own.model, features) }
}

function labelled(own: Compiler, theta: Float64Array, batch: Batch) {
  checkTheta(own, theta)
  const { X, y } = checkBatch(own.model, own.loss, batch)
  if (batch.features.rows === 0)
    throw new OverhearError('E_SHAPE', 'a batch of 0 records has no loss', 'give at least one record')
  return { theta, X, y }
}

/** The name of the parameter that holds entry `at` of theta. */
function parameterAt(model: Model, at: number): string {
  let end = 0
  for (const { name, shape } of model.parameters) {
    end += shape.reduce((n, s) => n * s, 1)
    if (at < end) return name
  }
  return 'past the end'
}

function checkFeatures(model: Model, { rows, cols, data }: Matrix): Float64Array {
  if (cols !== model.inputs || data.length !== rows * cols) {
    const found = `features are ${rows} x ${cols} (${data.length} values)`
    throw new OverhearError('E_SHAPE', found, `the model reads ${model.inputs} columns`)
  }
  const at = firstNonFinite(data)
  if (at >= 0) {
    const where = `row ${Math.floor(at / cols)}, column ${at % cols}`
    throw new OverhearError('E_NON_FINITE', `features: ${where} is ${data[at]}`, 'fill or drop missing values first')
  }
  return data
}

/** Features and labels as the trace reads them: class indices become one-hot rows. */
export function checkBatch(
  model: Model,
  loss: Loss,
  { features, labels }: Batch,
): { X: Float64Array; y: Float64Array } {
  const X = checkFeatures(model, features)
  const [n, c] = [features.rows, labelColumns(model)]
  const bad = firstNonFinite(labels)
  if (bad >= 0)
    throw new OverhearError('E_NON_FINITE', `label ${bad} is ${labels[bad]}`, 'fill or drop missing values first')
  if (loss === 'cross-entropy' && c > 1 && labels.length === n) {
    const y = new Float64Array(n * c)
    for (const [i, k] of labels.entries()) {
      if (!Number.isInteger(k) || k < 0 || k >= c) {
        throw new OverhearError('E_VALUE', `label ${i} is ${k}`, `classes are whole numbers from 0 to ${c - 1}`)
      }
      y[i * c + k] = 1
    }
    return { X, y }
  }
  if (labels.length !== n * c) {
    const found = `${labels.length} labels for ${n} records`
    throw new OverhearError('E_SHAPE', found, `the model has ${c} outputs: ${n * c} values are needed`)
  }
  return { X, y: labels }
}
