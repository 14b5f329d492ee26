/** Training on data that stays in kernel memory: theta, the records and every batch size's program share one engine. */
import { OverhearError } from '../errors.js'
import { gradient } from '../numeric/derive.js'
import { bytesPer, type Engine, engine as sharedEngine } from '../numeric/engine.js'
import { clippedGradient } from '../numeric/ghost.js'
import type { Node } from '../numeric/graph.js'
import type { Precision } from '../numeric/kernels.js'
import { compile, type Program } from '../numeric/program.js'
import type { Rng } from '../numeric/rng.js'
import * as t from '../numeric/trace.js'
import { type Batch, checkBatch } from './functions.js'
import { checkLoss, type Loss, labelColumns, type Model, parameterCount, traceLoss } from './model.js'
import { resident } from './resident.js'

export interface TrainerOptions {
  readonly data: Batch
  readonly precision?: Precision
  readonly loss?: Loss
  readonly lossScale?: number
  /** Whether the first layer reads the features as compressed rows; `auto` decides by their share of zeros. */
  readonly sparse?: boolean | 'auto'
  /** Adam ([kingma2015] Alg. 1) instead of plain SGD; its moments start at zero and outlive `load`. */
  readonly adam?: { readonly beta1?: number; readonly beta2?: number; readonly tiny?: number }
  /** DP-SGD ([abadi2016] Alg. 1): each record's gradient clipped, noise of noiseMultiplier * maxNorm on their sum. */
  readonly privacy?: { readonly maxNorm: number; readonly noiseMultiplier: number }
  readonly engine?: Engine
}

export interface Trainer {
  readonly records: number
  /** Whether the features are kept as compressed rows. */
  readonly sparse: boolean
  load(theta: Float64Array): void
  theta(): Float64Array
  /**
   * One step of theta -= learningRate * gradient on the given records (mean over them), in the order given. Dropout
   * and noise are drawn from what `rng` gives, which is then needed.
   */
  step(rows: Int32Array, learningRate: number, rng?: () => Rng): void
  /** As `step`, but the first value that is not finite is an error naming the operation and the step. */
  stepChecked(rows: Int32Array, learningRate: number, rng?: () => Rng): void
  /** Mean loss over all records at the present theta. */
  loss(): number
}

export function trainer(model: Model, options: TrainerOptions): Trainer {
  const { data, precision = 'f32', loss = model.defaultLoss, lossScale = 1, engine: host = sharedEngine() } = options
  const { adam, privacy, sparse = 'auto' } = options
  checkLoss(model, loss)
  checkPrivacy(privacy)
  const n = data.features.rows
  const records = resident(
    { ...checkBatch(model, loss, data), n },
    { precision, engine: host, sparse: fits(model, sparse), single: readsOnce(model) },
  )
  const [k, c, d] = [model.inputs, labelColumns(model), parameterCount(model)]
  const size = bytesPer(precision)
  const kernels = host[precision]
  const theta = host.allocate(d * size)
  const settings = host.allocate(6 * size) // what scales the step: -rate, or Adam's six
  const maxNorm = host.allocate(size)
  if (privacy !== undefined) host.writeOne(precision, maxNorm.address, privacy.maxNorm)
  const moments = adam === undefined ? undefined : host.allocate(2 * d * size)
  if (moments !== undefined) kernels.fill(moments.address, 2 * d, 0)
  const direct = adam === undefined && !((privacy?.noiseMultiplier ?? 0) > 0) // the gradient need never be written down
  const { dropout } = model
  let steps = 0

  const trace = (rows: number, training: boolean) => {
    const nodes = {
      theta: t.input('theta', { rows: 1, cols: d }),
      X: t.input('X', { rows, cols: k }, { sparse: records.sparse, picked: training && records.picked }),
      y: t.input('y', { rows, cols: c }),
    }
    const options = training && dropout !== undefined ? { mask: t.input('mask', { rows, cols: dropout.units }) } : {}
    return { ...nodes, loss: traceLoss(model.trace(nodes.theta, nodes.X, options), nodes.y, { loss, lossScale }) }
  }
  const gradientOf = (traced: { loss: Node; theta: Node }, rows: number): Node => {
    if (privacy === undefined) return gradient(traced.loss, [traced.theta])[0]!
    const bound = t.input('maxNorm', { rows: 1, cols: 1 })
    return clippedGradient(traced.loss, traced.theta, { maxNorm: bound, records: rows }).grad
  }
  const programs = new Map<number, Program>()
  const programFor = (rows: number): Program => {
    let program = programs.get(rows)
    if (program === undefined) {
      const traced = trace(rows, true)
      const addend = gradientOf(traced, rows)
      const shared = { theta, times: settings, maxNorm, ...records.shared(rows) }
      const update = { input: traced.theta, addend, times: t.input('times', { rows: 1, cols: 1 }) }
      const goal = direct ? { outputs: [], updates: [update] } : { outputs: [addend] }
      program = compile({ ...goal, precision, shared, engine: host })
      programs.set(rows, program)
    }
    return program
  }
  const prepare = (rows: Int32Array, learningRate: number, rng: (() => Rng) | undefined): Program => {
    if (rows.length === 0)
      throw new OverhearError('E_VALUE', `step ${steps}: an empty batch`, 'give at least one record')
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      if (row < 0 || row >= n) {
        throw new OverhearError('E_VALUE', `step ${steps}: record ${row} was asked for`, `records are 0 to ${n - 1}`)
      }
    }
    if (!Number.isFinite(learningRate)) throw new OverhearError('E_VALUE', `the learning rate is ${learningRate}`)
    const program = programFor(rows.length)
    records.select(program, rows)
    host.writeOne(precision, settings.address, -learningRate)
    if (dropout !== undefined) program.set('mask', dropoutMask(rows.length, dropout, drawn(rng).fork('dropout')))
    steps++
    return program
  }
  /** What is left when the gradient was written down: noise, then the step itself. */
  const finish = (program: Program, rows: number, learningRate: number, rng: (() => Rng) | undefined): void => {
    if (direct) return
    const grad = program.address(0)
    if (privacy !== undefined && privacy.noiseMultiplier > 0) {
      const std = (privacy.noiseMultiplier * privacy.maxNorm) / rows
      const noise = drawn(rng).fork('noise').normals(d, { mean: 0, std })
      const g = host.view(precision, grad, d)
      for (let j = 0; j < d; j++) g[j]! += noise[j]!
    }
    if (adam === undefined || moments === undefined) {
      kernels.addScaled(theta.address, grad, d, settings.address)
      return
    }
    const { beta1 = 0.9, beta2 = 0.999, tiny = 1e-8 } = adam
    host
      .view(precision, settings.address, 6)
      .set([learningRate, beta1, beta2, 1 - raised(beta1, steps), 1 - raised(beta2, steps), tiny])
    kernels.adam(theta.address, grad, moments.address, moments.address + d * size, d, settings.address)
  }
  let evaluate: Program | undefined
  return {
    records: n,
    sparse: records.sparse,
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
    step(rows, learningRate, rng) {
      const program = prepare(rows, learningRate, rng)
      program.run()
      finish(program, rows.length, learningRate, rng)
    },
    stepChecked(rows, learningRate, rng) {
      const program = prepare(rows, learningRate, rng)
      program.runChecked(steps - 1)
      finish(program, rows.length, learningRate, rng)
    },
    loss() {
      evaluate ??= compile({
        outputs: [trace(n, false).loss],
        precision,
        shared: { theta, ...records.all },
        engine: host,
      })
      evaluate.run()
      return evaluate.readScalar(0)
    },
  }
}

/** Only a model whose first operation is a product can read compressed rows. */
function fits(model: Model, sparse: boolean | 'auto'): boolean | 'auto' {
  const dense = model.parameters[0]?.shape.length === 2
  if (!dense && sparse === true)
    throw new OverhearError('E_VALUE', `a ${model.kind} model cannot read sparse features`, 'set sparse to false')
  return dense ? sparse : false
}

/** Whether the model's first operation is a product with a single output, which can read records where they lie. */
function readsOnce({ inputs, parameters: [first] }: Model): boolean {
  return first?.shape.length === 2 && first.shape[0] === 1 && inputs > 1 // a single column is traced as elements
}

function checkPrivacy(privacy: TrainerOptions['privacy']): void {
  if (privacy === undefined) return
  const { maxNorm, noiseMultiplier } = privacy
  if (!(maxNorm > 0 && maxNorm < Number.POSITIVE_INFINITY))
    throw new OverhearError('E_VALUE', `maxNorm is ${maxNorm}`, 'a positive number is needed')
  if (!(noiseMultiplier >= 0 && noiseMultiplier < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `noiseMultiplier is ${noiseMultiplier}`, 'a number from 0 is needed')
  }
}

function drawn(rng: (() => Rng) | undefined): Rng {
  if (rng === undefined)
    throw new OverhearError('E_INPUT', 'dropout or noise was asked for without randomness', 'give step an rng')
  return rng()
}

/** 0 with probability `rate`, else 1 / (1 - rate). */
function dropoutMask(rows: number, { rate, units }: NonNullable<Model['dropout']>, rng: Rng): Float64Array {
  return rng.uniforms(rows * units).map((u) => (u < rate ? 0 : 1 / (1 - rate)))
}

/** beta^t by repeated squaring. */
function raised(beta: number, t: number): number {
  let [result, base] = [1, beta]
  for (let left = t; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= base
    base *= base
  }
  return result
}
