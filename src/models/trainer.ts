/** Plain SGD on data that stays in kernel memory: theta, the records and every batch size's program share one engine. */
import { OverhearError } from '../errors.js'
import { gradient } from '../numeric/derive.js'
import { type Buffer, bytesPer, type Engine, engine as sharedEngine } from '../numeric/engine.js'
import type { Precision } from '../numeric/kernels.js'
import { compile, type Program } from '../numeric/program.js'
import * as t from '../numeric/trace.js'
import { type Batch, checkBatch } from './functions.js'
import { checkLoss, type Loss, labelColumns, type Model, parameterCount, traceLoss } from './model.js'

export interface TrainerOptions {
  readonly data: Batch
  readonly precision?: Precision
  readonly loss?: Loss
  readonly lossScale?: number
  readonly engine?: Engine
}

export interface Trainer {
  readonly records: number
  load(theta: Float64Array): void
  theta(): Float64Array
  /** One step of theta -= learningRate * gradient on the given records (mean over them), in the order given. */
  step(rows: Int32Array, learningRate: number): void
  /** As `step`, but the first value that is not finite is an error naming the operation and the step. */
  stepChecked(rows: Int32Array, learningRate: number): void
  /** Mean loss over all records at the present theta. */
  loss(): number
}

export function trainer(model: Model, options: TrainerOptions): Trainer {
  const { data, precision = 'f32', loss = model.defaultLoss, lossScale = 1, engine: host = sharedEngine() } = options
  checkLoss(model, loss)
  const { X, y } = checkBatch(model, loss, data)
  const n = data.features.rows
  const [k, c, d] = [model.inputs, labelColumns(model), parameterCount(model)]
  const size = bytesPer(precision)
  const kernels = host[precision]
  const theta = host.allocate(d * size)
  const times = host.allocate(size)
  const allX = host.allocate(X.length * size)
  const allY = host.allocate(y.length * size)
  host.view(precision, allX.address, X.length).set(X)
  host.view(precision, allY.address, y.length).set(y)
  let steps = 0

  const trace = (rows: number) => {
    const nodes = {
      theta: t.input('theta', { rows: 1, cols: d }),
      X: t.input('X', { rows, cols: k }),
      y: t.input('y', { rows, cols: c }),
    }
    return { ...nodes, loss: traceLoss(model.trace(nodes.theta, nodes.X), nodes.y, { loss, lossScale }) }
  }
  const programs = new Map<number, { program: Program; table: Buffer }>()
  const programFor = (rows: number) => {
    let made = programs.get(rows)
    if (made === undefined) {
      const traced = trace(rows)
      const [grad] = gradient(traced.loss, [traced.theta])
      const update = { input: traced.theta, addend: grad!, times: t.input('times', { rows: 1, cols: 1 }) }
      const program = compile({ outputs: [], updates: [update], precision, shared: { theta, times }, engine: host })
      made = { program, table: host.allocate(rows * 4) }
      programs.set(rows, made)
    }
    return made
  }
  const prepare = (rows: Int32Array, learningRate: number): Program => {
    if (rows.length === 0)
      throw new OverhearError('E_VALUE', `step ${steps}: an empty batch`, 'give at least one record')
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      if (row < 0 || row >= n) {
        throw new OverhearError('E_VALUE', `step ${steps}: record ${row} was asked for`, `records are 0 to ${n - 1}`)
      }
    }
    if (!Number.isFinite(learningRate)) throw new OverhearError('E_VALUE', `the learning rate is ${learningRate}`)
    const { program, table } = programFor(rows.length)
    host.viewInts(table.address, rows.length).set(rows)
    host.view(precision, times.address, 1)[0] = -learningRate
    kernels.gatherRows(program.buffer('X').address, allX.address, table.address, rows.length, k)
    kernels.gatherRows(program.buffer('y').address, allY.address, table.address, rows.length, c)
    steps++
    return program
  }
  let evaluate: Program | undefined
  return {
    records: n,
    load(values) {
      if (values.length !== d) {
        throw new OverhearError(
          'E_SHAPE',
          `theta has ${values.length} values`,
          `a ${model.kind} model like this needs ${d}`,
        )
      }
      host.view(precision, theta.address, d).set(values)
    },
    theta: () => Float64Array.from(host.view(precision, theta.address, d)),
    step: (rows, learningRate) => prepare(rows, learningRate).run(),
    stepChecked: (rows, learningRate) => prepare(rows, learningRate).runChecked(steps - 1),
    loss() {
      evaluate ??= compile({ outputs: [trace(n).loss], precision, shared: { theta, X: allX, y: allY }, engine: host })
      evaluate.run()
      return evaluate.readScalar(0)
    },
  }
}
