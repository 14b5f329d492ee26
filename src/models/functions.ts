/** A model's functions, compiled once per batch size: predictions, loss, derivatives of every order that attacks ask for. */
import { OverhearError } from '../errors.js'
import { gradient, pushforward } from '../numeric/engine/derive.js'
import type { Engine } from '../numeric/engine/engine.js'
import type { Node } from '../numeric/engine/graph.js'
import type { Precision } from '../numeric/engine/kernels.js'
import { compile, type Program } from '../numeric/engine/program.js'
import * as t from '../numeric/engine/trace.js'
import { type Matrix, matrix } from '../numeric/linalg/matrix.js'
import { checkLoss, type Layers, type Loss, labelColumns, type Model, parameterCount, traceLoss } from './model.js'

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
  gradient(theta: Float64Array, batch: Batch): { readonly loss: number; readonly grad: Float64Array }
  /** One gradient a record: [n, d]. */
  gradPerExample(theta: Float64Array, batch: Batch): Matrix
  /** The Hessian of the loss times v. */
  hessianVector(theta: Float64Array, batch: Batch, v: Float64Array): Float64Array
  /** The gradient of the loss with respect to the features: [n, inputs]. */
  inputGradient(theta: Float64Array, batch: Batch): Matrix
  /** Any function of a traced batch of n records, compiled: give its inputs by name (theta, X, y and your own). */
  derive(n: number, build: (traced: Traced) => readonly Node[]): (inputs: Inputs) => Float64Array[]
}
export type Inputs = Readonly<Record<string, Float64Array>>

export function functionsOf(model: Model, options: FunctionsOptions = {}): ModelFunctions {
  const { precision = 'f64', loss = model.defaultLoss, lossScale = 1, engine } = options
  checkLoss(model, loss)
  const d = parameterCount(model)
  const programs = new Map<string, Program>()

  const trace = (n: number): Traced => {
    const theta = t.input('theta', { rows: 1, cols: d })
    const X = t.input('X', { rows: n, cols: model.inputs })
    const y = t.input('y', { rows: n, cols: labelColumns(model) })
    const layers = model.trace(theta, X)
    return { theta, X, y, ...layers, loss: t.named('loss', traceLoss(layers, y, { loss, lossScale })) }
  }
  const make = (n: number, build: (traced: Traced) => readonly Node[]): Program =>
    compile({ outputs: build(trace(n)), precision, ...(engine === undefined ? {} : { engine }) })
  const run = (program: Program, inputs: Inputs): Program => {
    for (const name of program.inputNames) program.set(name, inputs[name]!)
    program.run()
    return program
  }
  const call = (what: keyof typeof builds, n: number, inputs: Inputs): Program => {
    const key = `${what} ${n}`
    let program = programs.get(key)
    if (program === undefined) {
      program = make(n, builds[what])
      programs.set(key, program)
    }
    return run(program, inputs)
  }
  const builds = {
    predict: ({ output }: Traced) => [output],
    penultimate: ({ penultimate }: Traced) => [penultimate],
    loss: ({ loss }: Traced) => [loss],
    gradient: ({ loss, theta }: Traced) => [loss, ...gradient(loss, [theta])],
    inputGradient: ({ loss, X }: Traced) => gradient(loss, [X]),
    hessianVector: ({ loss, theta }: Traced) => {
      const v = t.input('v', theta)
      return [pushforward(gradient(loss, [theta])[0]!, theta, v)]
    },
  }
  const checkTheta = (theta: Float64Array, name = 'theta'): void => {
    if (theta.length !== d) {
      const found = `${name} has ${theta.length} values`
      throw new OverhearError('E_SHAPE', found, `a ${model.kind} model with ${model.inputs} inputs needs ${d}`)
    }
    const at = theta.findIndex((x) => !Number.isFinite(x))
    if (at >= 0) throw new OverhearError('E_NON_FINITE', `${name}[${at}] (${parameterAt(model, at)}) is ${theta[at]}`)
  }
  const labelled = (theta: Float64Array, batch: Batch): Inputs => {
    checkTheta(theta)
    const { X, y } = checkBatch(model, loss, batch)
    if (batch.features.rows === 0)
      throw new OverhearError('E_SHAPE', 'a batch of 0 records has no loss', 'give at least one record')
    return { theta, X, y }
  }
  const rowsOf = ({ features }: Batch): number => features.rows

  return {
    model,
    size: d,
    predict(theta, features) {
      checkTheta(theta)
      const X = checkFeatures(model, features)
      return matrix(features.rows, model.outputs, call('predict', features.rows, { theta, X }).read(0))
    },
    penultimate(theta, features) {
      checkTheta(theta)
      const a = call('penultimate', features.rows, { theta, X: checkFeatures(model, features) }).read(0)
      return matrix(features.rows, features.rows === 0 ? 0 : a.length / features.rows, a)
    },
    loss: (theta, batch) => call('loss', rowsOf(batch), labelled(theta, batch)).readScalar(0),
    gradient(theta, batch) {
      const program = call('gradient', rowsOf(batch), labelled(theta, batch))
      return { loss: program.readScalar(0), grad: program.read(1) }
    },
    gradPerExample(theta, batch) {
      const { X, y } = labelled(theta, batch)
      const [n, k, c] = [rowsOf(batch), model.inputs, labelColumns(model)]
      const G = matrix(n, d)
      for (let i = 0; i < n; i++) {
        const one = { theta, X: X!.subarray(i * k, (i + 1) * k), y: y!.subarray(i * c, (i + 1) * c) }
        G.data.set(call('gradient', 1, one).read(1), i * d)
      }
      return G
    },
    hessianVector(theta, batch, v) {
      checkTheta(v, 'v')
      return call('hessianVector', rowsOf(batch), { ...labelled(theta, batch), v }).read(0)
    },
    inputGradient(theta, batch) {
      const g = call('inputGradient', rowsOf(batch), labelled(theta, batch)).read(0)
      return matrix(rowsOf(batch), model.inputs, g)
    },
    derive(n, build) {
      let count = 0
      const program = make(n, (traced) => {
        const outputs = build(traced)
        count = outputs.length
        return outputs
      })
      return (inputs) => {
        const missing = program.inputNames.filter((name) => inputs[name] === undefined)
        if (missing.length > 0) {
          throw new OverhearError(
            'E_INPUT',
            `missing inputs: ${missing.join(', ')}`,
            `needed: ${program.inputNames.join(', ')}`,
          )
        }
        run(program, inputs)
        return Array.from({ length: count }, (_, i) => program.read(i))
      }
    },
  }
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
  const at = data.findIndex((x) => !Number.isFinite(x))
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
  const bad = labels.findIndex((v) => !Number.isFinite(v))
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
