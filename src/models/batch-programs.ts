/** A trainer's programs, one per batch size: traced and compiled when first asked for, with theta shared among them. */
import { gradient } from '../numeric/engine/derive.js'
import type { Buffer, Engine } from '../numeric/engine/engine.js'
import type { Precision } from '../numeric/engine/kernels.js'
import { compile, type Program } from '../numeric/engine/program.js'
import * as t from '../numeric/engine/trace.js'
import { type Loss, labelColumns, type Model, parameterCount, traceLoss } from './model.js'
import { clippedMean } from './private-step.js'
import type { Resident } from './resident.js'

export interface BatchProgram {
  readonly program: Program
  /** Room for the numbers of the batch's records. */
  readonly table: Buffer
}

export interface BatchPrograms {
  readonly model: Model
  readonly loss: Loss
  readonly lossScale: number
  readonly precision: Precision
  readonly engine: Engine
  /** Whether dense batches are read where the records lie. */
  readonly single: boolean
  /** Whether each record's gradient is clipped. */
  readonly clipped: boolean
  /** Whether some places of a batch may be empty: the input "taken" says which. */
  readonly roomy: boolean
  /** Inputs that all programs share: the model, what a gradient is multiplied by, the longest that a record's may be. */
  readonly shared: { readonly theta: Buffer; readonly times: Buffer; readonly maxNorm: Buffer }
  /** By size and form of the batch; the one used last stands last. */
  readonly kept: Map<number, BatchProgram>
}

/** Programs that are kept; those used longest ago go first. */
const mostPrograms = 64

interface Form {
  /** Whether the features come as compressed rows. */
  readonly compressed: boolean
  /** Whether the program makes the step itself, else it writes the gradient down. */
  readonly fused: boolean
}

/** The program of a batch. */
export function programFor(programs: BatchPrograms, rows: number, form: Form): BatchProgram {
  const { kept } = programs
  const key = 4 * rows + (form.compressed ? 2 : 0) + (form.fused ? 1 : 0)
  let found = kept.get(key)
  if (found === undefined) {
    found = compiled(programs, rows, form)
  } else if (kept.size > mostPrograms / 2) {
    kept.delete(key) // comes last again
  } else return found
  kept.set(key, found)
  if (kept.size > mostPrograms) drop(programs, ...kept.entries().next().value!)
  return found
}

function compiled(programs: BatchPrograms, rows: number, { compressed, fused }: Form): BatchProgram {
  const { precision, engine, shared, clipped, roomy } = programs
  const { theta, loss } = traced(programs, rows, { compressed, training: true })
  const addend = clipped ? clippedMean(loss, theta, { records: rows, roomy }) : gradient(loss, [theta])[0]!
  const update = { input: theta, addend, times: t.input('times', { rows: 1, cols: 1 }) }
  const goal = fused ? { outputs: [], updates: [update] } : { outputs: [addend] }
  return { program: compile({ ...goal, precision, shared, engine }), table: engine.allocate(4 * rows) }
}

/** The mean loss over all of some records, compiled. */
export function lossProgram(programs: BatchPrograms, { n, sparse, all }: Resident): Program {
  const { precision, engine, shared } = programs
  const { loss } = traced(programs, n, { compressed: sparse, training: false })
  return compile({ outputs: [loss], precision, shared: { theta: shared.theta, ...all() }, engine })
}

function traced(programs: BatchPrograms, rows: number, form: { compressed: boolean; training: boolean }) {
  const { model, loss, lossScale, single } = programs
  const { compressed, training } = form
  const theta = t.input('theta', { rows: 1, cols: parameterCount(model) })
  const picked = training && single && !compressed
  const X = t.input('X', { rows, cols: model.inputs }, { sparse: compressed, picked })
  const y = t.input('y', { rows, cols: labelColumns(model) })
  const units = training ? model.dropout?.units : undefined
  const layers = model.trace(theta, X, units === undefined ? {} : { mask: t.input('mask', { rows, cols: units }) })
  return { theta, loss: traceLoss(layers, y, { loss, lossScale }) }
}

function drop({ kept, engine }: BatchPrograms, key: number, { program, table }: BatchProgram): void {
  kept.delete(key)
  program.release()
  engine.release(table)
}

export function dropAll(programs: BatchPrograms): void {
  for (const [key, one] of programs.kept) drop(programs, key, one)
}
