/** Training on data that stays in kernel memory: theta, the records and every batch size's program share one engine. */
import { OverhearError } from '../errors.js'
import { gradient } from '../numeric/engine/derive.js'
import { type Buffer, bytesPer, type Engine, engine as sharedEngine } from '../numeric/engine/engine.js'
import { clippedGradient } from '../numeric/engine/ghost.js'
import type { Node } from '../numeric/engine/graph.js'
import type { Precision } from '../numeric/engine/kernels.js'
import { compile, type Program } from '../numeric/engine/program.js'
import * as t from '../numeric/engine/trace.js'
import type { Rng } from '../numeric/random/rng.js'
import { type DescentOptions, descent, drawn } from './descent.js'
import { type Batch, checkBatch } from './functions.js'
import { checkLoss, type Loss, labelColumns, type Model, parameterCount, traceLoss } from './model.js'
import { type Resident, resident } from './resident.js'

export interface TrainerOptions extends DescentOptions {
  /** The records to train on; without them, `use` comes first. */
  readonly data?: Batch
  readonly precision?: Precision
  readonly loss?: Loss
  readonly lossScale?: number
  /** Whether the first layer reads the features as compressed rows; `auto` decides by their share of zeros. */
  readonly sparse?: boolean | 'auto'
  readonly engine?: Engine
}

/** Records that a trainer can be set to: many clients, one trainer. `release` gives their memory back. */
export type Held = Pick<Resident, 'n' | 'sparse' | 'bytes' | 'release'>

export interface Trainer {
  readonly records: number
  /** Whether the features are kept as compressed rows. */
  readonly sparse: boolean
  /** Checks records and puts them into kernel memory, for `use`. */
  hold(data: Batch): Held
  /** From now on steps and losses are on these records; theta stays as it is. */
  use(held: Held): void
  load(theta: Float64Array | Float32Array): void
  theta(): Float64Array
  /** to = theta - from. */
  movedInto(to: Float64Array, from: Float64Array | Float32Array): void
  /**
   * One step of theta -= learningRate * gradient on the given records (mean over them), in the order given. Dropout
   * and noise are drawn from what `rng` gives, which is then needed.
   */
  step(rows: Int32Array, learningRate: number, rng?: () => Rng): void
  /** As `step`, but the first value that is not finite is an error naming the operation and the step. */
  stepChecked(rows: Int32Array, learningRate: number, rng?: () => Rng): void
  /** The mean gradient on the given records at the present theta, clipped and noised as a step's would be. */
  gradient(rows: Int32Array, rng?: () => Rng): Float64Array
  /** Mean loss over all records at the present theta. */
  loss(): number
  /** Gives its kernel memory back at once, the records it was made with included; it may not be used any more. */
  release(): void
}

/** Programs that are kept, one a batch size; those used longest ago go first. */
const mostPrograms = 64

export function trainer(model: Model, options: TrainerOptions): Trainer {
  const { data, precision = 'f32', loss = model.defaultLoss, lossScale = 1, engine: host = sharedEngine() } = options
  const { privacy, sparse = 'auto' } = options
  checkLoss(model, loss)
  const single = readsOnce(model)
  const kept = { precision, engine: host, sparse: fits(model, sparse), single }
  const hold = (batch: Batch): Resident => resident({ ...checkBatch(model, loss, batch), n: batch.features.rows }, kept)
  const [k, c, d] = [model.inputs, labelColumns(model), parameterCount(model)]
  const size = bytesPer(precision)
  const theta = host.allocate(d * size)
  const maxNorm = host.allocate(size)
  const down = descent(options, { engine: host, precision, theta, d })
  if (privacy !== undefined) host.writeOne(precision, maxNorm.address, privacy.maxNorm)
  const first = data === undefined ? undefined : hold(data)
  let records = first
  const { dropout } = model
  let steps = 0

  const trace = (rows: number, compressed: boolean, training: boolean) => {
    const nodes = {
      theta: t.input('theta', { rows: 1, cols: d }),
      X: t.input('X', { rows, cols: k }, { sparse: compressed, picked: training && single && !compressed }),
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
  interface Compiled {
    readonly program: Program
    /** Room for the numbers of the batch's records. */
    readonly table: Buffer
  }
  const programs = new Map<number, Compiled>()
  const drop = (key: number, { program, table }: Compiled): void => {
    programs.delete(key)
    program.release()
    host.release(table)
  }
  /** The program of a batch; with `fused` it makes the step itself, else it writes the gradient down. */
  const programFor = (rows: number, fused: boolean): Compiled => {
    const compressed = current().sparse
    const key = 4 * rows + (compressed ? 2 : 0) + (fused ? 1 : 0)
    let found = programs.get(key)
    if (found === undefined) {
      const traced = trace(rows, compressed, true)
      const addend = gradientOf(traced, rows)
      const shared = { theta, times: down.settings, maxNorm }
      const update = { input: traced.theta, addend, times: t.input('times', { rows: 1, cols: 1 }) }
      const goal = fused ? { outputs: [], updates: [update] } : { outputs: [addend] }
      found = { program: compile({ ...goal, precision, shared, engine: host }), table: host.allocate(4 * rows) }
    } else if (programs.size > mostPrograms / 2) {
      programs.delete(key) // comes last again
    } else return found
    programs.set(key, found)
    if (programs.size > mostPrograms) drop(...programs.entries().next().value!)
    return found
  }
  const current = (): Resident => {
    if (records !== undefined) return records
    throw new OverhearError('E_INPUT', 'the trainer has no records', 'give it data, or call use first')
  }
  const prepare = (rows: Int32Array, rng: (() => Rng) | undefined, fused: boolean): Program => {
    const { n } = current()
    if (rows.length === 0)
      throw new OverhearError('E_VALUE', `step ${steps}: an empty batch`, 'give at least one record')
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      if (row < 0 || row >= n) {
        throw new OverhearError('E_VALUE', `step ${steps}: record ${row} was asked for`, `records are 0 to ${n - 1}`)
      }
    }
    const { program, table } = programFor(rows.length, fused)
    current().select(program, rows, table)
    if (dropout !== undefined) program.set('mask', dropoutMask(rows.length, dropout, drawn(rng).fork('dropout')))
    return program
  }
  const stepBy = (work: (program: Program) => void, rows: Int32Array, learningRate: number, rng?: () => Rng): void => {
    if (!Number.isFinite(learningRate)) throw new OverhearError('E_VALUE', `the learning rate is ${learningRate}`)
    if (down.direct) {
      const program = prepare(rows, rng, true)
      host.writeOne(precision, down.settings.address, -learningRate)
      work(program)
      steps++
      return
    }
    const grad = gradientAt(work, rows, rng)
    steps++
    down.step(grad, { rows: rows.length, records: current().n, learningRate, count: steps, rng })
  }
  /** Where the gradient of a batch lies once it is computed, clipped and noised. */
  const gradientAt = (work: (program: Program) => void, rows: Int32Array, rng?: () => Rng): number => {
    const { n } = current()
    const batch = { rows: rows.length, records: n, rng }
    if (rows.length === 0 && down.zeros !== undefined) {
      host[precision].fill(down.zeros.address, d, 0)
      down.privatise(down.zeros.address, batch)
      return down.zeros.address
    }
    const program = prepare(rows, rng, false)
    work(program)
    down.privatise(program.address(0), batch)
    return program.address(0)
  }
  const run = (program: Program): void => program.run()
  const runChecked = (program: Program): void => program.runChecked(steps)
  const evaluations = new WeakMap<Resident, Program>()
  return {
    get records() {
      return records?.n ?? 0
    },
    get sparse() {
      return records?.sparse ?? false
    },
    hold,
    use: (held) => {
      records = held as Resident
    },
    load(values) {
      if (values.length !== d) {
        throw new OverhearError(
          'E_SHAPE',
          `theta has ${values.length} values`,
          `a ${model.kind} model like this needs ${d}`,
        )
      }
      host.view(precision, theta.address, d).set(values)
      down.begin()
    },
    theta: () => Float64Array.from(host.view(precision, theta.address, d)),
    movedInto(to, from) {
      const now = host.view(precision, theta.address, d)
      for (let j = 0; j < d; j++) to[j] = now[j]! - from[j]!
    },
    step: (rows, learningRate, rng) => stepBy(run, rows, learningRate, rng),
    stepChecked: (rows, learningRate, rng) => stepBy(runChecked, rows, learningRate, rng),
    gradient: (rows, rng) => Float64Array.from(host.view(precision, gradientAt(run, rows, rng), d)),
    loss() {
      const { n, sparse: compressed, all } = current()
      let program = evaluations.get(current())
      if (program === undefined) {
        const outputs = [trace(n, compressed, false).loss]
        program = compile({ outputs, precision, shared: { theta, ...all() }, engine: host })
        evaluations.set(current(), program)
      }
      program.run()
      return program.readScalar(0)
    },
    release() {
      for (const [key, compiled] of programs) drop(key, compiled)
      down.release()
      first?.release()
      host.release(theta)
      host.release(maxNorm)
      records = undefined
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

/** 0 with probability `rate`, else 1 / (1 - rate). */
function dropoutMask(rows: number, { rate, units }: NonNullable<Model['dropout']>, rng: Rng): Float64Array {
  return rng.uniforms(rows * units).map((u) => (u < rate ? 0 : 1 / (1 - rate)))
}
