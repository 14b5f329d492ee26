/** The stage of a rehearsal: auxiliary inputs, errors by a law of a few numbers, and the turn that they make. */
import type { Batch, ModelFunctions } from '../../../../models/functions.js'
import type { Loss } from '../../../../models/model.js'
import { trainer } from '../../../../models/trainer.js'
import { solve } from '../../../../numeric/linalg/lu.js'
import { type Matrix, matrix, rowsOf } from '../../../../numeric/linalg/matrix.js'
import { dot, firstNonFinite, norm } from '../../../../numeric/linalg/vector.js'
import type { Rng } from '../../../../numeric/random/rng.js'
import { meanOf } from '../../../../numeric/special/summaries.js'
import type { StepRule } from '../../../shared/replayed-descent.js'
import type { RegressionUpdate } from '../mean-gradient.js'
import { logitsOf } from '../record-scores.js'
import { flatOutput, gainOf, type RegressionHead } from '../regression-head.js'
import { type ErrorLaw, errorLaw } from './error-law.js'

const rowSteps = 3000 // auxiliary records of a rehearsal times its steps, about
const mostIterations = 15
const directions = { one: 12, several: 3 } // along which errors may differ, in a turn of so many steps
/** How near to the solution the search ends, of its length. */
const settledAt = { roughly: 1e-3, finely: 1e-5 }

export interface Rehearsing {
  readonly functions: ModelFunctions
  readonly head: RegressionHead
  readonly update: RegressionUpdate
  readonly rule: StepRule
  readonly trained: { readonly loss: Loss; readonly lossScale: number }
  readonly features: Matrix
  /** Of the auxiliary records, where they are known. */
  readonly labels?: Float64Array | undefined
  readonly recordsPerStep: number
  readonly rng: Rng
}

/** What stays the same for every message that is rehearsed. */
export interface Stage {
  readonly law: ErrorLaw
  /** Errors as the auxiliary labels have them; zero, nearly, where there are none. */
  readonly start: Float64Array
  readonly labelled: boolean
  /** The size of these. */
  readonly size: number
  readonly predictions: Float64Array
  readonly features: Matrix
  readonly records: number
  readonly steps: number
  /** The mean error that a bias's gradient shows, for a plain output. */
  errorIn(grad: Float64Array): number
  /** The mean gradient of a turn on these records; which of them a step reads, all unless told. NaN where it runs away. */
  turn(records: Batch, batchOf?: (step: number) => Int32Array): Float64Array
  /** The same of the auxiliary records with errors by the law. */
  rehearse(c: Float64Array): Float64Array
  /** The gradient of these at the model that was sent, and of any records. */
  first(c: Float64Array): Float64Array
  gradientOf(records: Batch): Float64Array
  /** Of turns that are affine in the labels: one step, or any number of a linear model. */
  readonly affine: Affine | undefined
  /** What was found out about laws that searches start from. */
  readonly starts: Map<Float64Array, Around>
  /** Gives its kernel memory back. */
  release(): void
}

/** A gradient as a sum: that of no errors, and what each number of the law adds. */
interface Affine {
  readonly none: Float64Array
  readonly slopes: readonly Float64Array[]
}

function affineOf(size: number, gradient: (c: Float64Array) => Float64Array): Affine {
  const none = gradient(new Float64Array(size))
  const slopes = Array.from({ length: size }, (_, k) => {
    const unit = new Float64Array(size)
    unit[k] = 1
    return gradient(unit).map((g, j) => g - none[j]!)
  })
  return { none, slopes }
}

export function stageOf(asked: Rehearsing): Stage {
  const { functions, head, update, labels, features: all } = asked
  const { theta, steps } = update
  const features = thinned(all, Math.min(128, Math.max(48, Math.round(rowSteps / steps))))
  const embeddings = functions.penultimate(theta, features)
  const u = logitsOf(embeddings, update)
  const predictions = u.map((x) => head.output.value(x))
  const gain = meanOf(u.map((x) => gainOf(head, x)))
  if (gain === 0) throw flatOutput('auxiliary records')
  const known = labels && thinnedNumbers(labels, features.rows).map((y, i) => predictions[i]! - y)
  const law = errorLaw(embeddings, { most: steps === 1 ? directions.one : directions.several, known })
  const { turn, release } = playerOf(asked)
  const batchOf = (c: Float64Array): Batch => {
    const e = law.errors(c)
    return { features, labels: predictions.map((z, i) => z - e[i]!) }
  }
  const rehearse = (c: Float64Array): Float64Array => turn(batchOf(c))
  const gradientOf = (records: Batch): Float64Array => functions.gradient(theta, records).grad
  const straight = steps === 1 || (head.plain && asked.trained.loss === 'mse' && isLinear(functions))
  return {
    ...{ law, predictions, features, steps, turn, rehearse, release },
    ...{ gradientOf, first: (c) => gradientOf(batchOf(c)) },
    start: law.start,
    starts: new Map(),
    labelled: known !== undefined,
    size: norm(law.start),
    affine: straight ? affineOf(law.size, rehearse) : undefined,
    records: update.records ?? features.rows,
    errorIn: (grad) => (head.biasAt === undefined ? Number.NaN : grad[head.biasAt]! / (head.factor * gain)),
  }
}

const isLinear = ({ model }: ModelFunctions): boolean => model.dense?.hidden.length === 0

/** Whoever takes the client's steps, on whatever records. */
function playerOf({ functions, update, rule, trained }: Rehearsing): Pick<Stage, 'turn' | 'release'> {
  const { theta, steps } = update
  const eta = update.learningRate ?? 1
  const client = trainer(functions.model, { precision: 'f64', ...trained, ...rule })
  return {
    turn(batch, batchOf) {
      const records = client.hold(batch)
      const everybody = Int32Array.from({ length: batch.features.rows }, (_, i) => i)
      client.use(records)
      client.load(theta)
      const mean = new Float64Array(theta.length)
      if (steps === 1) mean.set(client.gradient(batchOf?.(0) ?? everybody))
      else {
        if (batchOf === undefined) client.repeat(everybody, eta, steps)
        else for (let s = 0; s < steps; s++) client.step(batchOf(s), eta)
        client.movedInto(mean, theta)
        for (let j = 0; j < mean.length; j++) mean[j]! /= -eta * steps
      }
      records.release()
      return firstNonFinite(mean) < 0 ? mean : mean.fill(Number.NaN)
    },
    release: () => client.release(),
  }
}

export interface Solution {
  readonly c: Float64Array
  /** What was heard, moved to the model that was sent. */
  readonly grad: Float64Array
  readonly misfit: number
  readonly settled: boolean
}

export interface SolveOptions {
  readonly start: Float64Array
  /** `finely` unless told. */
  readonly to?: keyof typeof settledAt
}

/** The law under which the turn comes nearest to what was heard: least squares by damped steps (Levenberg, Marquardt). */
export function solved(stage: Stage, heard: Float64Array, { start, to = 'finely' }: SolveOptions): Solution {
  const size = norm(heard)
  if (stage.affine !== undefined) return solvedAtOnce(stage, stage.affine, heard)
  const missIn = (played: Float64Array): Float64Array => played.map((g, j) => (g - heard[j]!) / size)
  let near = nearStart(stage, start)
  let c = start
  let miss = missIn(near.played)
  let damping = 1e-3
  let settled = false
  for (let i = 0; i < mostIterations && !settled && Number.isFinite(norm(miss)); i++) {
    const slopes = near.slopes().map((one) => one.map((v) => v / size))
    let next = c
    for (let tries = 0; tries < 8; tries++) {
      const step = dampedStep(slopes, miss, damping)
      next = c.map((v, k) => v - step[k]!)
      const played = stage.rehearse(next)
      const nextMiss = missIn(played)
      if (norm(nextMiss) < norm(miss)) {
        settled =
          norm(step) <= settledAt[to] * (norm(next) + stage.size) || norm(miss) - norm(nextMiss) < 1e-7 * norm(miss)
        near = around(stage, next, played)
        ;[c, miss, damping] = [next, nextMiss, damping / 10]
        break
      }
      settled = norm(step) <= settledAt[to] * (norm(c) + stage.size) || tries === 7
      damping = Math.min(1e8, damping * 10)
    }
  }
  stage.starts.set(c, near) // whoever goes on from here
  return { c, grad: movedBy(stage, { c, heard, miss, size }), misfit: norm(miss), settled }
}

/** A played turn, and how it changes with each number of the law. */
interface Around {
  readonly played: Float64Array
  slopes(): readonly Float64Array[]
}

function around(stage: Stage, c: Float64Array, played: Float64Array): Around {
  const h = 1e-5 * (norm(c) + stage.size)
  let kept: readonly Float64Array[] | undefined
  const slope = (k: number): Float64Array =>
    stage.rehearse(c.map((v, p) => (p === k ? v + h : v))).map((v, j) => (v - played[j]!) / h)
  return { played, slopes: () => (kept ??= Array.from(c, (_, k) => slope(k))) }
}

/** The same for the law that a search starts from: several messages are sought from one start. */
function nearStart(stage: Stage, start: Float64Array): Around {
  const kept = stage.starts.get(start) ?? around(stage, start, stage.rehearse(start))
  stage.starts.set(start, kept)
  return kept
}

/** What is affine in the labels needs no steps towards them. */
function solvedAtOnce(stage: Stage, { none, slopes }: Affine, heard: Float64Array): Solution {
  const miss = none.map((g, j) => g - heard[j]!)
  const c = dampedStep(slopes, miss, 0).map((v) => -v)
  const left = miss.map((v, j) => slopes.reduce((sum, one, k) => sum + c[k]! * one[j]!, v))
  const size = norm(heard)
  const grad = stage.steps === 1 ? heard : movedBy(stage, { c, heard, miss: left.map((v) => v / size), size })
  return { c, grad, misfit: norm(left) / size, settled: true }
}

interface Ended {
  readonly c: Float64Array
  readonly heard: Float64Array
  readonly miss: Float64Array
  readonly size: number
}

/** heard + (the first rehearsed gradient - the mean of all). */
function movedBy(stage: Stage, { c, heard, miss, size }: Ended): Float64Array {
  const first = stage.first(c)
  return heard.map((_, j) => first[j]! - miss[j]! * size)
}

function dampedStep(slopes: readonly Float64Array[], miss: Float64Array, damping: number): Float64Array {
  const p = slopes.length
  const A = matrix(p, p)
  const b = matrix(p, 1)
  for (let k = 0; k < p; k++) {
    b.data[k] = dot(slopes[k]!, miss)
    for (let l = 0; l < p; l++) A.data[k * p + l] = dot(slopes[k]!, slopes[l]!)
  }
  const largest = Array.from({ length: p }, (_, k) => A.data[k * p + k]!).reduce((most, v) => Math.max(most, v), 0)
  for (let k = 0; k < p; k++) A.data[k * p + k]! += damping * A.data[k * p + k]! + 1e-12 * largest
  return largest > 0 && Number.isFinite(largest) ? solve(A, b).data : new Float64Array(p)
}

/** Evenly spaced rows, at most so many. */
const thinned = (X: Matrix, most: number): Matrix => (X.rows <= most ? X : rowsOf(X, evenly(X.rows, most)))

const evenly = (n: number, k: number): Int32Array => Int32Array.from({ length: k }, (_, i) => Math.floor((i * n) / k))

const thinnedNumbers = (values: Float64Array, k: number): Float64Array =>
  values.length <= k ? values : Float64Array.from(evenly(values.length, k), (i) => values[i]!)
