/** The papers' baseline: whole updates by least squares, every round's detector on each, the mean of their decisions. */
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import type { SparseMatrix } from '../../numeric/linalg/sparse.js'
import { sigmoid } from '../../numeric/special/elementary-functions.js'
import { defineAttack } from '../attack.js'
import type { Detector } from './detector/detector.js'
import { leastSquaresRows } from './expected-features.js'
import { attackProperty, type Estimate, propertyParams, rankParam } from './property-attack.js'
import { onProperty } from './property-controls.js'

export const disaggregation = defineAttack({
  ...onProperty,
  id: 'disaggregation',
  effort: 20,
  title: 'Properties of clients, by least squares on whole updates',
  where: 'Section 5.1, BASELINE',
  params: { ...propertyParams, decision: rankParam },
  run(view, context) {
    const detectors: Pick<Detector, 'a' | 'c'>[] = []
    let products = matrix(0, 0) // a_r . b_k
    return attackProperty(view, context, {
      ranksOnly: context.params.decision === 'rank',
      onDetector({ a, c }, { index }) {
        detectors[index] = { a, c }
      },
      async prepare({ rounds, unit }) {
        products = matrix(rounds.length, rounds.length)
        for (const [k, round] of rounds.entries()) {
          const { dThetaSum } = await view.aggregates.read(round)
          const sums = innerProducts(detectors.map(({ a }) => a), dThetaSum) // biome-ignore format: a line
          for (const [r, sum] of sums.entries()) products.data[r * rounds.length + k] = sum / unit
        }
      },
      estimate: ([features]) => byDisaggregation(features!.A, { products, offsets: detectors.map(({ c }) => c) }),
    })
  },
})

/**
 * M_r(W~_i) = sigmoid(a_r . W~_i + c_r) with W~ = A+ B. As a_r . (A+ B) = A+ (B a_r), the updates W~ (N times as long as
 * the model) are never formed: one least squares a detector does.
 */
export function byDisaggregation(
  A: SparseMatrix,
  { products, offsets }: { readonly products: Matrix; readonly offsets: readonly number[] },
): Estimate {
  const n = A.rows
  const seen = matrix(n, n)
  for (let r = 0; r < n; r++) seen.data.set(products.data.subarray(r * products.cols, r * products.cols + n), r * n)
  const features = leastSquaresRows(A, seen) // [n, N]
  const score = new Float64Array(A.cols)
  for (let r = 0; r < n; r++) {
    for (let i = 0; i < A.cols; i++) score[i]! += sigmoid(features.data[r * A.cols + i]! + offsets[r]!) / n
  }
  return { score, probability: null, positive: Array.from(score, (p) => p > 0.5) }
}

/** rows . x, four at a time, since a sum waits for each of its terms: every sum has its terms in their order. */
export function innerProducts(rows: readonly Float64Array[], x: Float64Array): Float64Array {
  const sums = new Float64Array(rows.length)
  for (let r = 0; r < rows.length; r += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((k) => rows[Math.min(r + k, rows.length - 1)]!) as [Float64Array, Float64Array, Float64Array, Float64Array] // biome-ignore format: a line
    let [s0, s1, s2, s3] = [0, 0, 0, 0]
    for (let j = 0; j < x.length; j++) {
      const by = x[j]!
      s0 += a[j]! * by
      s1 += b[j]! * by
      s2 += c[j]! * by
      s3 += d[j]! * by
    }
    for (const [k, sum] of [s0, s1, s2, s3].entries()) if (r + k < rows.length) sums[r + k] = sum
  }
  return sums
}
