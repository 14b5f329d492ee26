/** The label of the only record in a turn of several steps: the turn is done again until it ends where the client's did. */
import type { ModelFunctions } from '../../../models/functions.js'
import { leastSquares } from '../../../numeric/linalg/least-squares.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import type { Fit } from '../../claim.js'
import { explains, fitOf, onAll, replayedDescent, type StepRule } from '../../shared/replayed-descent.js'
import type { RegressionUpdate } from './mean-gradient.js'

export interface SingleTurn {
  readonly functions: ModelFunctions
  readonly update: RegressionUpdate
  readonly rule: StepRule
  /** The record's input. */
  readonly x: Float64Array
  /** Where to begin: labels that were guessed some other way. */
  readonly guesses: readonly Float64Array[]
}

export interface ReplayedLabel {
  readonly labels: Float64Array
  /** Standard errors. */
  readonly errors: Float64Array
  readonly predictions: Float64Array
  readonly fit: Fit
}

/** Of the distance between the first and the last prediction: where labels may lie when every guess fails. */
const reaches = [1, 1.02, 1.1, 1.3, 1.7, 2.5, 5, 12, 40, 200, 1000, 0.8, 0.5, 0.2, -0.2, -1, -5, -40]

/** The labels under which the turn ends where the client's did, as nearly as any do; undefined where it never ends. */
export function replayedLabel(turn: SingleTurn): ReplayedLabel | undefined {
  const { functions, update, x, guesses } = turn
  const descentOf = replayOf(turn)
  const row = matrix(1, x.length, x)
  const predictions = functions.predict(update.theta, row).data
  const { steps, grad } = update
  const eta = rateOf(update)
  const end = update.theta.map((v, j) => v - eta * steps * grad[j]!)
  const moved = functions.predict(end, row).data.map((z, o) => z - predictions[o]!)
  let best: Solved | undefined
  const starts = [...guesses, ...reaches.map((by) => predictions.map((z, o) => z + by * moved[o]!))]
  for (const start of starts) {
    const found = solved(descentOf, start, update)
    if (found !== undefined && !(best !== undefined && best.fit.misfit <= found.fit.misfit)) best = found
    if (best !== undefined && explains(best.fit)) break
  }
  if (best === undefined) return undefined
  const { labels, fit } = best
  return { labels, fit, predictions, errors: errorsOf(best, turn) }
}

/** Of a shared gradient any rate will do. */
const rateOf = ({ learningRate, steps }: RegressionUpdate): number => (steps === 1 ? 1 : learningRate!)

type Replay = (y: Float64Array, x?: Float64Array) => Float64Array

/** The turn as the mean gradient that it is heard as. */
function replayOf({ functions, update, rule, x }: SingleTurn): Replay {
  const { theta, steps } = update
  const learningRate = rateOf(update)
  return (labels, input = x) => {
    const gradient = onAll(functions, { features: matrix(1, input.length, input), labels })
    const descent = replayedDescent({ ...rule, theta, steps, learningRate, gradient })
    return descent.map((v) => v / (learningRate * steps))
  }
}

interface Solved {
  readonly labels: Float64Array
  /** d replay / d label, one a label. */
  readonly slopes: readonly Float64Array[]
  readonly replayed: Float64Array
  readonly fit: Fit
}

const mostIterations = 30

/** Gauss-Newton from one start, its slopes by differences: at no residual they need not be exact. */
function solved(replay: Replay, start: Float64Array, update: RegressionUpdate): Solved | undefined {
  const heard = { ...roundedHeard(update), fitted: start.length }
  const missOf = (y: Float64Array): Float64Array => replay(y).map((v, j) => v - update.grad[j]!)
  let y: Float64Array = start.slice()
  let miss = missOf(y)
  let slopes: Float64Array[] = []
  if (!Number.isFinite(norm(miss))) return undefined
  for (let i = 0; i < mostIterations; i++) {
    slopes = slopesAt(missOf, y, miss)
    const step = stepOf(slopes, miss)
    let share = 1
    let next = y.map((v, o) => v - step[o]!)
    let nextMiss = missOf(next)
    // A kink or a bend may throw a full step too far.
    while (!(norm(nextMiss) <= norm(miss)) && share > 1e-3) {
      share /= 4
      next = y.map((v, o) => v - share * step[o]!)
      nextMiss = missOf(next)
    }
    if (!(norm(nextMiss) < norm(miss))) break
    const settled = norm(step) <= 1e-15 * (norm(y) + norm(step))
    y = next
    miss = nextMiss
    if (settled) break
  }
  const replayed = miss.map((v, j) => v + update.grad[j]!)
  return { labels: y, slopes, replayed, fit: fitOf(replayed, heard) }
}

/** Every step of a short-numbered client is rounded, not only the last. */
function roundedHeard({ grad, errorAt, noisy, steps }: RegressionUpdate) {
  return { heard: grad, noisy, errorAt: (j: number) => errorAt(j) * Math.sqrt(steps) }
}

function slopesAt(missOf: (y: Float64Array) => Float64Array, y: Float64Array, miss: Float64Array): Float64Array[] {
  return Array.from(y, (value, o) => {
    const h = 1e-6 * (1 + Math.abs(value))
    const beside = missOf(y.map((v, p) => (p === o ? v + h : v)))
    return beside.map((v, j) => (v - miss[j]!) / h)
  })
}

function stepOf(slopes: readonly Float64Array[], miss: Float64Array): Float64Array {
  if (slopes.length === 1) {
    const [s] = slopes as [Float64Array]
    const size = dot(s, s)
    return Float64Array.of(size === 0 ? 0 : dot(s, miss) / size)
  }
  const A = matrix(miss.length, slopes.length)
  for (const [o, s] of slopes.entries()) for (const [j, v] of s.entries()) A.data[j * A.cols + o] = v
  return leastSquares(A, matrix(miss.length, 1, miss)).X.data
}

/** First order: the message's rounding, and through the input what the first layer's rounding leaves of it. */
function errorsOf({ labels, slopes, replayed }: Solved, turn: SingleTurn): Float64Array {
  const { update, x } = turn
  const { grad, errorAt, steps } = update
  const replay = replayOf(turn)
  const missed = norm(replayed.map((v, j) => v - grad[j]!))
  const d = x.length
  const units = biasesOf(turn)
  const sumSq = units.reduce((sum, { b }) => sum + b * b, 0)
  const deviation = (j: number): number => {
    let variance = 0
    for (const { b, i, at } of units) {
      variance += square((b * errorAt(i * d + j)) / sumSq) + square((b * errorAt(at) * x[j]!) / sumSq)
    }
    return Math.sqrt(variance * steps)
  }
  const along = Array.from(x, (value, j) => {
    const h = 1e-7 * (1 + Math.abs(value))
    const beside = replay(
      labels,
      x.map((v, p) => (p === j ? v + h : v)),
    )
    return { by: deviation(j), slope: beside.map((v, k) => (v - replayed[k]!) / h) }
  })
  return labels.map((label, o) => {
    const s = slopes[o]!
    const size = dot(s, s)
    if (size === 0) return Number.POSITIVE_INFINITY
    let variance = square(missed / Math.sqrt(size)) + square(label * update.precision.rounding)
    for (let j = 0; j < grad.length; j++) variance += square((errorAt(j) * s[j]!) / size) * steps
    for (const { by, slope } of along) variance += square((by * dot(s, slope)) / size)
    return Math.sqrt(variance)
  })
}

/** The units of the first layer whose biases moved. */
function biasesOf({ functions, update, x }: SingleTurn): { b: number; i: number; at: number }[] {
  const first = functions.model.parameters[1]!.shape[0]!
  const biasAt = first * x.length
  return Array.from({ length: first }, (_, i) => ({ b: update.grad[biasAt + i]!, i, at: biasAt + i }))
}

const square = (v: number): number => v * v
