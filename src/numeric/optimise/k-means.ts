/** k-means: seeds by k-means++ (Arthur and Vassilvitskii 2007), then Lloyd's steps. */
import { OverhearError } from '../../errors.js'
import { requireFinite } from '../linalg/linalg-input.js'
import { type Matrix, matrix, rowOf } from '../linalg/matrix.js'
import { type Rng, rng as streamOf } from '../random/rng.js'
import { totalOf } from '../special/summaries.js'

export interface KMeansOptions {
  readonly k: number // clusters
  /** Where the first centres are drawn from; one fixed stream unless told, so that equal points give equal clusters. */
  readonly rng?: Rng
  readonly maxIterations?: number // 300 unless told
  readonly restarts?: number // seedings, of which the best is kept; 1 unless told
  readonly start?: Matrix // [k, d] centres to begin with, in place of seeds
}

export interface Clustering {
  readonly centres: Matrix // [k, d]
  readonly labels: Int32Array // cluster of each point
  readonly sizes: Int32Array // points in each cluster, all at least 1
  readonly inertia: number // sum of squared distances to the centres
  readonly iterations: number
  readonly converged: boolean // false: stopped at maxIterations
}

/** Clusters the rows of `points` [n, d]. The same stream gives the same clusters; ties go to the lower index. */
export function kMeans(points: Matrix, options: KMeansOptions): Clustering {
  const { k, rng = streamOf('k-means'), maxIterations = 300, restarts = 1, start } = options
  requireFinite(points, 'points')
  for (const [name, value] of Object.entries({ k, maxIterations, restarts })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new OverhearError('E_VALUE', `k-means with ${name} ${value}`, 'it must be an integer, 1 or above')
    }
  }
  if (start !== undefined) {
    if (start.rows !== k || start.cols !== points.cols) {
      throw new OverhearError('E_SHAPE', `start is ${start.rows} x ${start.cols}`, `it must be ${k} x ${points.cols}`)
    }
    requireFinite(start, 'start')
    return lloyd(points, matrix(k, start.cols, start.data.slice()), maxIterations)
  }
  let best = lloyd(points, seeds(points, k, rng.fork('restart', 0)), maxIterations)
  for (let restart = 1; restart < restarts; restart++) {
    const next = lloyd(points, seeds(points, k, rng.fork('restart', restart)), maxIterations)
    if (next.inertia < best.inertia) best = next
  }
  return best
}

/** k distinct points, each drawn in proportion to its squared distance from those before. */
function seeds(points: Matrix, k: number, rng: Rng): Matrix {
  const { rows: n, cols: d } = points
  const centres = matrix(k, d)
  const distanceSq = new Float64Array(n).fill(1) // the first is drawn uniformly
  for (let c = 0; c < k; c++) {
    if (distanceSq.every((value) => value === 0)) throw tooFew(points, { k, distinct: c })
    const chosen = rng.categorical(distanceSq)
    centres.data.set(rowOf(points, chosen), c * d)
    for (let i = 0; i < n; i++) {
      const distance = squaredDistance(points, i, { centres, c })
      distanceSq[i] = c === 0 ? distance : Math.min(distanceSq[i]!, distance)
    }
  }
  return centres
}

function tooFew(points: Matrix, { k, distinct }: { k: number; distinct: number }): OverhearError {
  return new OverhearError(
    'E_VALUE',
    `${k} clusters of ${points.rows} points, of which only ${distinct} are distinct`,
    `k must be at most ${distinct}`,
  )
}

function squaredDistance(points: Matrix, i: number, { centres, c }: { centres: Matrix; c: number }): number {
  const d = points.cols
  let sum = 0
  for (let j = 0; j < d; j++) {
    const miss = points.data[i * d + j]! - centres.data[c * d + j]!
    sum += miss * miss
  }
  return sum
}

function lloyd(points: Matrix, centres: Matrix, maxIterations: number): Clustering {
  const n = points.rows
  const labels = new Int32Array(n).fill(-1)
  const sizes = new Int32Array(centres.rows)
  const distanceSq = new Float64Array(n)
  for (let iterations = 1; ; iterations++) {
    const moved = assign(points, centres, { labels, distanceSq })
    const refilled = refill(points, centres, { labels, distanceSq, sizes })
    const converged = !moved && !refilled
    if (converged || iterations === maxIterations) {
      const inertia = totalOf(distanceSq)
      return { centres, labels, sizes, inertia, iterations, converged }
    }
    moveToMeans(points, centres, { labels, sizes })
  }
}

/** Each point to its nearest centre; true when a label changed. */
function assign(
  points: Matrix,
  centres: Matrix,
  { labels, distanceSq }: { labels: Int32Array; distanceSq: Float64Array },
): boolean {
  let moved = false
  for (let i = 0; i < points.rows; i++) {
    let nearest = 0
    let least = Number.POSITIVE_INFINITY
    for (let c = 0; c < centres.rows; c++) {
      const distance = squaredDistance(points, i, { centres, c })
      if (distance < least) [nearest, least] = [c, distance]
    }
    if (labels[i] !== nearest) moved = true
    labels[i] = nearest
    distanceSq[i] = least
  }
  return moved
}

interface State {
  readonly labels: Int32Array
  readonly distanceSq: Float64Array
  readonly sizes: Int32Array
}

/** An empty cluster takes the point farthest from its centre, if not alone there; true when that happened. */
function refill(points: Matrix, centres: Matrix, { labels, distanceSq, sizes }: State): boolean {
  sizes.fill(0)
  for (const label of labels) sizes[label]!++
  let refilled = false
  for (let c = 0; c < sizes.length; c++) {
    if (sizes[c]! > 0) continue
    let farthest = -1
    for (let i = 0; i < labels.length; i++) {
      if (sizes[labels[i]!]! > 1 && (farthest < 0 || distanceSq[i]! > distanceSq[farthest]!)) farthest = i
    }
    if (farthest < 0 || distanceSq[farthest] === 0) {
      throw tooFew(points, { k: sizes.length, distinct: sizes.filter((size) => size > 0).length })
    }
    sizes[labels[farthest]!]!--
    sizes[c] = 1
    labels[farthest] = c
    distanceSq[farthest] = 0
    const d = points.cols
    centres.data.set(rowOf(points, farthest), c * d)
    refilled = true
  }
  return refilled
}

function moveToMeans(
  points: Matrix,
  centres: Matrix,
  { labels, sizes }: { labels: Int32Array; sizes: Int32Array },
): void {
  const d = points.cols
  centres.data.fill(0)
  for (let i = 0; i < points.rows; i++) {
    for (let j = 0; j < d; j++) centres.data[labels[i]! * d + j]! += points.data[i * d + j]!
  }
  for (let c = 0; c < centres.rows; c++) for (let j = 0; j < d; j++) centres.data[c * d + j]! /= sizes[c]!
}
