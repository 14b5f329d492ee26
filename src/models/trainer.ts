/** Training on data that stays in kernel memory: theta, the records and every batch size's program share one engine. */
import { OverhearError } from '../errors.js'
import { drawMask } from '../numeric/engine/added-noise.js'
import { type Buffer, bytesPer, type Engine, engine as sharedEngine } from '../numeric/engine/engine.js'
import type { Precision } from '../numeric/engine/kernels.js'
import type { Program } from '../numeric/engine/program.js'
import type { Rng } from '../numeric/random/rng.js'
import { type BatchPrograms, dropAll, lossProgram, programFor } from './batch-programs.js'
import { begin, type Descent, type DescentOptions, descend, descent, releaseDescent, shorten } from './descent.js'
import { readsByProduct } from './first-product.js'
import { type Batch, checkBatch } from './functions.js'
import { checkLoss, type Loss, type Model, parameterCount } from './model.js'
import { addStepNoise, checkPrivacy, noisyMean, type Privacy, privatise } from './private-step.js'
import { type Resident, type ResidentOptions, resident } from './resident.js'
import { isRoomy, placesIn, seated } from './roomy-batches.js'
import { drawn } from './step-draws.js'

export interface TrainerOptions extends DescentOptions {
  /** The records to train on; without them, `use` comes first. */
  readonly data?: Batch
  readonly precision?: Precision
  readonly loss?: Loss
  readonly lossScale?: number
  /** Whether the first layer reads the features as compressed rows; `auto` decides by their share of zeros. */
  readonly sparse?: boolean | 'auto'
  readonly engine?: Engine
  /** DP-SGD in every step. */
  readonly privacy?: Privacy
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
  /** So many steps on the same records: as `step` over and over, but they are put in place once. */
  repeat(rows: Int32Array, learningRate: number, times: number, rng?: () => Rng): void
  /** As `step`, but the first value that is not finite is an error naming the operation and the step. */
  stepChecked(rows: Int32Array, learningRate: number, rng?: () => Rng): void
  /** The mean gradient on the given records at the present theta, clipped and noised as a step's would be. */
  gradient(rows: Int32Array, rng?: () => Rng): Float64Array
  /** Mean loss over all records at the present theta. */
  loss(): number
  /** Gives its kernel memory back at once, the records it was made with included; it may not be used any more. */
  release(): void
}

interface State {
  readonly model: Model
  readonly d: number
  readonly programs: BatchPrograms
  readonly down: Descent
  readonly keeping: ResidentOptions
  readonly privacy: Privacy | undefined
  /** Whether a program makes the step itself: its gradient is never written down. */
  readonly fused: boolean
  /** The gradient of an empty batch, where one is allowed. */
  readonly zeros: Buffer | undefined
  readonly losses: WeakMap<Resident, Program>
  /** The records that it was made with, and those it is set to. */
  readonly first: Resident | undefined
  records: Resident | undefined
  steps: number
}

export function trainer(model: Model, options: TrainerOptions): Trainer {
  const state = startOf(model, options)
  const { programs, down, d } = state
  const { engine, precision, shared } = programs
  const { theta } = shared
  return {
    get records() {
      return state.records?.n ?? 0
    },
    get sparse() {
      return state.records?.sparse ?? false
    },
    hold: (data) => held(state, data),
    use: (records) => {
      state.records = records as Resident
    },
    load(values) {
      checkLength(values, state)
      engine.view(precision, theta.address, d).set(values)
      begin(down)
    },
    theta: () => new Float64Array(engine.view(precision, theta.address, d)),
    movedInto(to, from) {
      const now = engine.view(precision, theta.address, d)
      for (let j = 0; j < d; j++) to[j] = now[j]! - from[j]!
    },
    step: (rows, learningRate, rng) => step(state, run, rows, learningRate, rng),
    repeat(rows, learningRate, times, rng) {
      if (times < 1) return
      step(state, run, rows, learningRate, rng)
      if (model.dropout === undefined && state.privacy === undefined) again(state, rows, times - 1, learningRate)
      else for (let s = 1; s < times; s++) step(state, run, rows, learningRate, rng)
    },
    stepChecked: (rows, learningRate, rng) => step(state, runChecked, rows, learningRate, rng),
    gradient(rows, rng) {
      const grad = gradientAt(state, run, rows, rng)
      shorten(down, grad)
      return new Float64Array(engine.view(precision, grad, d))
    },
    loss: () => lossOf(state),
    release: () => release(state),
  }
}

function startOf(model: Model, options: TrainerOptions): State {
  const { data, precision = 'f32', loss = model.defaultLoss, lossScale = 1, engine = sharedEngine() } = options
  const { privacy, sparse = 'auto' } = options
  checkLoss(model, loss)
  const single = readsOnce(model)
  const keeping = { precision, engine, sparse: fits(model, sparse), single }
  const d = parameterCount(model)
  const size = bytesPer(precision)
  const theta = engine.allocate(d * size)
  const maxNorm = engine.allocate(size)
  const down = descent(options, { engine, precision, theta, d })
  if (privacy !== undefined) {
    checkPrivacy(privacy)
    engine.writeOne(precision, maxNorm.address, privacy.maxNorm)
  }
  const shared = { theta, times: down.settings, maxNorm }
  const [clipped, roomy] = [privacy !== undefined, isRoomy(privacy)]
  const programs = { model, loss, lossScale, precision, engine, single, clipped, roomy, shared, kept: new Map() }
  const first = data === undefined ? undefined : held({ model, programs, keeping }, data)
  return {
    model,
    d,
    programs,
    down,
    keeping,
    privacy,
    fused: down.direct,
    zeros: privacy?.sampleRate === undefined ? undefined : engine.allocate(d * size),
    losses: new WeakMap(),
    first,
    records: first,
    steps: 0,
  }
}

function held({ model, programs, keeping }: Pick<State, 'model' | 'programs' | 'keeping'>, batch: Batch): Resident {
  return resident({ ...checkBatch(model, programs.loss, batch), n: batch.features.rows }, keeping)
}

function checkLength(values: Float64Array | Float32Array, { model, d }: State): void {
  if (values.length === d) return
  throw new OverhearError('E_SHAPE', `theta has ${values.length} values`, `a ${model.kind} model like this needs ${d}`)
}

type Run = (program: Program, step: number) => void
type Draws = (() => Rng) | undefined

const run: Run = (program) => program.run()
const runChecked: Run = (program, step) => program.runChecked(step)

// Steps of small models take about a microsecond: arguments here stand in a row, not in an object made for each step.
function step(state: State, run: Run, rows: Int32Array, learningRate: number, rng: Draws): void {
  if (!Number.isFinite(learningRate)) throw new OverhearError('E_VALUE', `the learning rate is ${learningRate}`)
  const { down, fused } = state
  if (fused) {
    stepDirectly(state, run, rows, learningRate, rng)
    state.steps++
    return
  }
  const grad = gradientAt(state, run, rows, rng)
  state.steps++
  descend(down, grad, { learningRate, count: state.steps })
}

/** A program moves theta itself; noise is taken after it, as the sum of both is the noisy step. */
function stepDirectly(state: State, run: Run, rows: Int32Array, learningRate: number, rng: Draws): void {
  const { programs, down, privacy, zeros, d } = state
  const { engine, precision, shared } = programs
  const places = placesIn(programs, rows)
  const batch = privacy === undefined ? undefined : { rows: places, records: current(state).n, rng, learningRate }
  if (rows.length > 0 || zeros === undefined) {
    const program = prepared(state, rows, rng, true)
    const share = batch === undefined ? 1 : noisyMean(privacy!, batch).share
    engine.writeOne(precision, down.settings.address, -learningRate * share)
    run(program, state.steps)
  }
  if (batch !== undefined) addStepNoise(privacy!, { engine, precision, address: shared.theta.address, d }, batch)
}

/** The step that was just taken, so many times more: the records are where it left them, and of a fused one the rate too. */
function again(state: State, rows: Int32Array, times: number, learningRate: number): void {
  const { programs, down, fused } = state
  const { program } = programFor(programs, rows.length, { compressed: current(state).sparse, fused })
  for (let s = 0; s < times; s++) {
    program.run()
    state.steps++
    if (!fused) descend(down, program.address(0), { learningRate, count: state.steps })
  }
}

/** Where the gradient of a batch lies once it is computed, clipped and noised. */
function gradientAt(state: State, run: Run, rows: Int32Array, rng: Draws): number {
  const { programs, privacy, zeros, d } = state
  const { engine, precision } = programs
  const { n } = current(state)
  let address = zeros?.address
  if (rows.length === 0 && address !== undefined) engine[precision].fill(address, d, 0)
  else {
    const program = prepared(state, rows, rng, false)
    run(program, state.steps)
    address = program.address(0)
  }
  if (privacy !== undefined)
    privatise(privacy, { engine, precision, address, d }, { rows: placesIn(programs, rows), records: n, rng })
  return address
}

/** The program of a batch with its records in place. */
function prepared(state: State, rows: Int32Array, rng: Draws, fused: boolean): Program {
  const records = current(state)
  checkRows(rows, records.n, state.steps)
  const places = placesIn(state.programs, rows)
  const { program, table } = programFor(state.programs, places, { compressed: records.sparse, fused })
  records.select(program, seated(rows, { program, places, ...state.programs }), table)
  const { dropout } = state.model
  if (dropout !== undefined) {
    const { engine, precision } = state.programs
    const values = { precision, address: program.buffer('mask').address, d: places * dropout.units }
    drawMask(engine, values, { stream: drawn(rng).fork('dropout'), rate: dropout.rate })
  }
  return program
}

function current({ records }: State): Resident {
  if (records !== undefined) return records
  throw new OverhearError('E_INPUT', 'the trainer has no records', 'give it data, or call use first')
}

function checkRows(rows: Int32Array, n: number, steps: number): void {
  if (rows.length === 0) throw new OverhearError('E_VALUE', `step ${steps}: an empty batch`, 'give at least one record')
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if (row < 0 || row >= n) {
      throw new OverhearError('E_VALUE', `step ${steps}: record ${row} was asked for`, `records are 0 to ${n - 1}`)
    }
  }
}

function lossOf(state: State): number {
  const records = current(state)
  let program = state.losses.get(records)
  if (program === undefined) {
    program = lossProgram(state.programs, records)
    state.losses.set(records, program)
  }
  program.run()
  return program.readScalar(0)
}

function release(state: State): void {
  const { programs, down, zeros, first } = state
  const { engine, shared } = programs
  dropAll(programs)
  releaseDescent(down)
  if (zeros !== undefined) engine.release(zeros)
  first?.release()
  engine.release(shared.theta)
  engine.release(shared.maxNorm)
  state.records = undefined
}

/** Only a model whose first operation is a product can read compressed rows. */
function fits(model: Model, sparse: boolean | 'auto'): boolean | 'auto' {
  const dense = readsByProduct(model)
  if (!dense && sparse === true)
    throw new OverhearError('E_VALUE', `a ${model.kind} model cannot read sparse features`, 'set sparse to false')
  return dense ? sparse : false
}

/** Whether the model's first operation is a product with a single output, which can read records where they lie. */
function readsOnce(model: Model): boolean {
  return model.parameters[0]?.shape[0] === 1 && model.inputs > 1 && readsByProduct(model)
}
