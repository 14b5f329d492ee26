import { describe, expect, test } from 'vitest'
import { madeBatch } from '../../../../test/regression-batch.js'
import { solve } from '../../../numeric/linalg/lu.js'
import { type Matrix, matrix, multiply, transpose } from '../../../numeric/linalg/matrix.js'
import { evaluable } from '../../shared/evaluable-model.js'
import { averaged, conditioned, geometric } from './gaussian-steps.js'
import { regressionUpdate } from './mean-gradient.js'
import { blupCounts, blupMeans, scoredGroups } from './metaclass-blup.js'
import { groupsOf } from './metaclass-groups.js'
import { scoresOf, seenWith } from './record-scores.js'
import { regressionHead } from './regression-head.js'

async function seenBatch() {
  const { view, aux, batch, functions, theta, counts } = await madeBatch({ data: { records: 800 } })
  const head = regressionHead(view)
  const update = await regressionUpdate(view, head, 0)
  const seen = seenWith(update, { head, functions: evaluable(view), features: view.auxiliary.features })
  const groups = groupsOf(view, { by: 'column', clusters: 4 })
  return { view, aux, batch, functions, theta, counts, seen, groups, rows: groups.rows, head, update }
}

test('the mean score of the batch is the gradient that it sends', async () => {
  const { seen, batch, head, update, view } = await seenBatch()
  const own = seenWith(update, { head, functions: evaluable(view), features: batch.features })
  const scores = scoresOf(own, batch.labels)
  for (let j = 0; j < scores.cols; j++) {
    let mean = 0
    for (let i = 0; i < scores.rows; i++) mean += scores.data[i * scores.cols + j]! / scores.rows
    expect(mean).toBeCloseTo(seen.grad[j]!, 10)
  }
})

/** methods.md 6.3, as it stands there: k = K pi + C A^T (A C A^T + R)^-1 (b - A K pi). */
function written(scores: Matrix, rows: readonly (readonly number[])[], { b, K }: { b: Float64Array; K: number }) {
  const [n, m, N] = [scores.rows, scores.cols, rows.length]
  const pi = rows.map((own) => own.length / n)
  const mean = (own: readonly number[]) =>
    Array.from({ length: m }, (_, j) => own.reduce((sum, i) => sum + scores.data[i * m + j]! / own.length, 0))
  const means = rows.map(mean)
  const A = matrix(m, N)
  for (let c = 0; c < N; c++) for (let j = 0; j < m; j++) A.data[j * N + c] = (2 / K) * means[c]![j]!
  const C = matrix(N, N)
  for (let c = 0; c < N; c++)
    for (let d = 0; d < N; d++) C.data[c * N + d] = K * ((c === d ? pi[c]! : 0) - pi[c]! * pi[d]!)
  const R = matrix(m, m)
  for (const [c, own] of rows.entries()) {
    for (const i of own) {
      for (let p = 0; p < m; p++) {
        for (let q = 0; q < m; q++) {
          const product = (scores.data[i * m + p]! - means[c]![p]!) * (scores.data[i * m + q]! - means[c]![q]!)
          R.data[p * m + q]! += (4 / K + 4 / n) * (product / (n - N)) // with the error of the means, which 6.3 leaves out
        }
      }
    }
  }
  const trace = Array.from({ length: m }, (_, p) => R.data[p * m + p]!).reduce((x, y) => x + y)
  for (let p = 0; p < m; p++) R.data[p * m + p]! += (1e-6 * trace) / m
  const S = multiply(multiply(A, C), transpose(A))
  for (let q = 0; q < S.data.length; q++) S.data[q]! += R.data[q]!
  const r = matrix(m, 1)
  for (let j = 0; j < m; j++)
    r.data[j] = 2 * b[j]! - pi.reduce((sum, share, c) => sum + A.data[j * N + c]! * K * share, 0)
  const gain = multiply(multiply(C, transpose(A)), solve(S, r))
  return pi.map((share, c) => K * share + gain.data[c]!)
}

test('counts are those of the formula as it is written', async () => {
  const { seen, rows, view } = await seenBatch()
  const labels = view['auxiliary.label']
  const fit = blupCounts(scoredGroups([seen], { labels, rows }), 40, { shift: false, ridge: 1e-6 })
  const expected = written(scoresOf(seen, labels), rows, { b: seen.grad, K: 40 })
  for (const [c, k] of expected.entries()) expect(fit.means[c]).toBeCloseTo(k, 6)
  expect(fit.means.reduce((sum, k) => sum + k, 0)).toBeCloseTo(40, 8)
  expect(fit.freedom).toBeGreaterThan(0)
  expect(fit.freedom).toBeLessThan(4)
})

test('a gradient that is just what the auxiliary data say moves nothing', async () => {
  const { seen, rows, view } = await seenBatch()
  const labels = view['auxiliary.label']
  const scored = scoredGroups([seen], { labels, rows })
  const mean = new Float64Array(seen.grad.length)
  for (const { share, score } of scored.groups) for (let j = 0; j < mean.length; j++) mean[j]! += share * score[j]!
  const shares = scored.groups.map(({ share }) => 40 * share)
  for (const shift of [false, true]) {
    const still = { ...scored, grad: mean }
    const counts = blupCounts(still, 40, { shift, ridge: 1e-6 })
    const means = blupMeans(still, shares, { shift, ridge: 1e-6 })
    for (const [c, k] of shares.entries()) {
      expect(counts.means[c]).toBeCloseTo(k, 6)
      expect(means.means[c]).toBeCloseTo(scored.groups[c]!.label, 6)
    }
  }
})

describe('Gaussian steps', () => {
  test('conditioned: weights, evidence and solves of a covariance, and one that is singular', () => {
    const S = matrix(2, 2, Float64Array.of(2, 0.5, 0.5, 1))
    const { weights, logEvidence } = conditioned(S, Float64Array.of(1, -1))
    // S^-1 (1, -1) = (1.5, -2.5) / 1.75
    expect(weights[0]).toBeCloseTo(1.5 / 1.75, 12)
    expect(weights[1]).toBeCloseTo(-2.5 / 1.75, 12)
    expect(logEvidence).toBeCloseTo(-0.5 * (4 / 1.75 + Math.log(1.75)), 12)
    const flat = conditioned(matrix(2, 2, Float64Array.of(1, 1, 1, 1)), Float64Array.of(2, 2))
    expect(flat.weights[0]! + flat.weights[1]!).toBeCloseTo(2, 3)
    expect([...conditioned(matrix(2, 2), new Float64Array(2)).weights]).toEqual([0, 0])
  })

  test('averaged: means and variances of a mixture', () => {
    const one = { means: Float64Array.of(0), variances: Float64Array.of(1), logEvidence: -1000 }
    const other = { means: Float64Array.of(4), variances: Float64Array.of(1), logEvidence: -1000 }
    const even = averaged([one, other])
    expect([even.means[0], even.variances[0], even.best]).toEqual([2, 5, 0])
    const sure = averaged([one, { ...other, logEvidence: -100 }])
    expect([sure.means[0], sure.variances[0], sure.best]).toEqual([4, 1, 1])
  })

  test('geometric', () => {
    const points = geometric(0.01, 100, 5)
    for (const [i, x] of [0.01, 0.1, 1, 10, 100].entries()) expect(points[i]).toBeCloseTo(x, 10)
  })
})
