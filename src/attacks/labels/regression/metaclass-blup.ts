/**
 * Best linear prediction from labelled auxiliary records: each record is a score s = (z - y) (1, a), the gradient is
 * the mean score of the batch, and numbers of records or mean labels are read off what varies with it.
 */
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { dot } from '../../../numeric/linalg/vector.js'
import { log } from '../../../numeric/special/elementary-functions.js'
import { totalOf, varianceOf } from '../../../numeric/special/summaries.js'
import { addMatrixInto, addOuterInto, averaged, conditioned, type Hypothesis, traceOf } from './gaussian-steps.js'
import { meanAmong, meanRow, scatterOf } from './metaclass-groups.js'
import { type SeenRound, scoresOf } from './record-scores.js'
import { reduced } from './shortened-embeddings.js'

/** Labelled records by metaclass, all of whom have at least one. Rounds of one batch stand beside each other. */
export interface ScoredGroups {
  readonly grad: Float64Array // [m], rounds one after the other
  readonly groups: readonly ScoredGroup[]
  /** Covariance of a score inside a metaclass, pooled. */
  readonly within: Matrix
  readonly withLabel: Float64Array
  readonly records: number
  readonly labelStd: number
}

interface ScoredGroup {
  readonly n: number
  readonly share: number
  readonly score: Float64Array
  readonly label: number
  readonly labelScatter: number
  readonly scatter: Matrix
  readonly scatterWithLabel: Float64Array
  /** What a label that is higher by 1 takes from the mean score. */
  readonly pull: Float64Array
}

/** Numbers that a covariance is made of, at most. */
export const widest = 64

export function scoredGroups(
  heard: readonly SeenRound[],
  { labels, rows, width = widest }: { labels: Float64Array; rows: readonly (readonly number[])[]; width?: number },
): ScoredGroups {
  const rounds = heard.map((seen) => reduced(seen, Math.ceil(width / heard.length)))
  const scores = beside(rounds.map((seen) => scoresOf(seen, labels)))
  const pulls = beside(rounds.map(({ embeddings }) => embeddings))
  const m = scores.cols
  const records = rows.reduce((sum, own) => sum + own.length, 0)
  const within = matrix(m, m)
  const withLabel = new Float64Array(m)
  const left = Math.max(1, records - rows.length)
  const groups = rows.map((own): ScoredGroup => {
    const score = meanRow(scores, own)
    const label = meanAmong(labels, own)
    const scatter = scatterOf(scores, own, score)
    const scatterWithLabel = new Float64Array(m)
    let labelScatter = 0
    for (const i of own) {
      const y = labels[i]! - label
      labelScatter += y * y
      for (let j = 0; j < m; j++) scatterWithLabel[j]! += y * scores.data[i * m + j]!
    }
    addMatrixInto(within, scatter, 1 / left)
    for (let j = 0; j < m; j++) withLabel[j]! += scatterWithLabel[j]! / left
    const pull = meanRow(pulls, own)
    return { n: own.length, share: own.length / records, score, label, labelScatter, scatter, scatterWithLabel, pull }
  })
  const all = rows.flat()
  const labelStd = Math.sqrt(varianceOf(all.map((i) => labels[i]!)))
  const grad = Float64Array.from(rounds.flatMap((seen) => [...seen.grad]))
  return { grad, groups, within, withLabel, records, labelStd }
}

function beside(parts: readonly Matrix[]): Matrix {
  const [rows, cols] = [parts[0]!.rows, parts.reduce((sum, part) => sum + part.cols, 0)]
  const all = matrix(rows, cols)
  for (let i = 0, at = 0; i < parts.length; at += parts[i++]!.cols) {
    const { cols: m, data } = parts[i]!
    for (let row = 0; row < rows; row++) all.data.set(data.subarray(row * m, (row + 1) * m), row * cols + at)
  }
  return all
}

export interface BlupOptions {
  /** Labels of the batch may be shifted against the auxiliary ones, all alike and by metaclass: sizes by evidence. */
  readonly shift: boolean
  /** Added to the diagonal of the noise, as a share of its mean. */
  readonly ridge: number
}

export interface BlupFit {
  readonly means: Float64Array
  readonly variances: Float64Array
  /** Directions of the gradient told apart from noise. */
  readonly freedom: number
  /** Likeliest deviations of a shift of all labels and of those of one metaclass. */
  readonly shift: { readonly common: number; readonly own: number }
}

const shiftSizes = [0, 0.02, 0.06, 0.2, 0.6] // of the labels' deviation
const logOddsOfNone = log(24) // as likely beforehand as all the others together

interface Problem {
  readonly residual: Float64Array
  readonly noise: Matrix
  readonly signal: Matrix
  /** cov(gradient, what is asked for), one column each, before shifts. */
  readonly cross: readonly Float64Array[]
  readonly centres: readonly number[]
  readonly before: readonly number[]
  /** What a shift of one metaclass's labels does to the gradient. */
  readonly pulls: readonly Float64Array[]
  /** How a shift moves what is asked for: 1 for a label, 0 for a number of records. */
  readonly moved: 0 | 1
  readonly unit: number
}

/** Numbers of records: k = K pi + C A^T (A C A^T + R)^-1 (b - A K pi), C = K (diag pi - pi pi^T). */
export function blupCounts(scored: ScoredGroups, K: number, options: BlupOptions): BlupFit {
  const { grad, groups, within, records } = scored
  const m = grad.length
  const mean = new Float64Array(m)
  for (const { share, score } of groups) for (let a = 0; a < m; a++) mean[a]! += share * score[a]!
  const offsets = groups.map(({ score }) => score.map((x, a) => x - mean[a]!))
  const signal = matrix(m, m)
  for (const [c, { share }] of groups.entries()) addOuterInto(signal, offsets[c]!, share / K)
  const noise = matrix(m, m)
  addMatrixInto(noise, within, 1 / K + 1 / records)
  return fitted(
    {
      noise,
      signal,
      moved: 0,
      unit: scored.labelStd,
      residual: grad.map((g, a) => g - mean[a]!),
      cross: groups.map(({ share }, c) => offsets[c]!.map((x) => share * x)),
      centres: groups.map(({ share }) => K * share),
      before: groups.map(({ share }) => K * share * (1 - share)),
      pulls: groups.map(({ share, pull }) => pull.map((x) => share * x)),
    },
    options,
  )
}

const poolWeight = 5 // records' worth of the pooled covariance in each metaclass's own

/** Mean labels, numbers of records given: the auxiliary means, moved by what their labels share with the scores. */
export function blupMeans(scored: ScoredGroups, counts: readonly number[], options: BlupOptions): BlupFit {
  const { grad, groups, within, withLabel } = scored
  const m = grad.length
  const K = totalOf(counts)
  const residual = grad.slice()
  const noise = matrix(m, m)
  const cross: Float64Array[] = []
  const before: number[] = []
  const pooledVariance =
    groups.reduce((sum, { labelScatter }) => sum + labelScatter, 0) / Math.max(1, scored.records - groups.length)
  for (const [c, { n, score, scatter, scatterWithLabel, labelScatter }] of groups.entries()) {
    const p = counts[c]! / K
    const weight = p / K + (p * p) / n
    const left = n - 1 + poolWeight
    addMatrixInto(noise, scatter, weight / left)
    addMatrixInto(noise, within, (weight * poolWeight) / left)
    for (let a = 0; a < m; a++) residual[a]! -= p * score[a]!
    cross.push(scatterWithLabel.map((x, a) => (x + poolWeight * withLabel[a]!) / left / K))
    before.push(((labelScatter + poolWeight * pooledVariance) / left) * (1 / counts[c]! + 1 / n))
  }
  const pulls = groups.map(({ pull }, c) => pull.map((x) => (counts[c]! / K) * x))
  const centres = groups.map(({ label }) => label)
  return fitted(
    { residual, noise, cross, centres, before, pulls, signal: matrix(m, m), moved: 1, unit: scored.labelStd },
    options,
  )
}

function fitted(problem: Problem, { shift, ridge }: BlupOptions): BlupFit {
  const { residual, noise, signal, cross, centres, before, pulls, moved, unit } = problem
  const m = residual.length
  const together = new Float64Array(m)
  for (const pull of pulls) for (let a = 0; a < m; a++) together[a]! += pull[a]!
  const grain = (ridge * traceOf(noise)) / m
  const sizes = shift ? shiftSizes : [0]
  const points = sizes.flatMap((common) => sizes.map((own) => [common * unit, own * unit] as const))
  const N = centres.length
  const fits = points.map(([common, own]): Hypothesis & { S: Matrix } => {
    const S = matrix(m, m, noise.data.slice())
    for (let a = 0; a < m; a++) S.data[a * m + a]! += grain
    addMatrixInto(S, signal, 1)
    addOuterInto(S, together, common * common)
    for (const pull of pulls) addOuterInto(S, pull, own * own)
    const none = common === 0 && own === 0 ? logOddsOfNone : 0
    const { weights, logEvidence, solve } = conditioned(S, residual)
    // A shift raises labels and lowers the gradient.
    const shared = cross.map((column, c) =>
      column.map((x, a) => x - moved * (common * common * together[a]! + own * own * pulls[c]![a]!)),
    )
    const B = matrix(m, N)
    for (const [c, column] of shared.entries()) for (let a = 0; a < m; a++) B.data[a * N + c] = column[a]!
    const solved = solve(B)
    const variances = Float64Array.from(shared, (column, c) => {
      const explained = column.reduce((sum, x, a) => sum + x * solved.data[a * N + c]!, 0)
      return Math.max(0, before[c]! + moved * (common * common + own * own) - explained)
    })
    return {
      means: Float64Array.from(shared, (column, c) => centres[c]! + dot(column, weights)),
      variances,
      logEvidence: logEvidence + none,
      S,
    }
  })
  const { means, variances, best } = averaged(fits)
  const S = fits[best]!.S
  const freedom = m - traceOf(conditioned(S, residual).solve(noise))
  return { means, variances, freedom, shift: { common: points[best]![0], own: points[best]![1] } }
}
