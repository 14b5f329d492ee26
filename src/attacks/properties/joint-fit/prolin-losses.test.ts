import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../../test/property-world.js'
import { describeWithShared, vector } from '../../../../test/shared.js'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import { sparseFromDense } from '../../../numeric/linalg/sparse.js'
import { expectedFeatures } from '../expected-features.js'
import { type ProlinGradients, prolinLosses, prolinProblem } from './prolin-losses.js'

interface LossVector {
  readonly A: readonly (readonly number[])[]
  readonly X: readonly (readonly number[])[]
  readonly [key: string]: unknown
}
const none = (entries: number, clients: number): ProlinGradients => ({
  mlX: new Float64Array(entries),
  regX: new Float64Array(entries),
  lstsqX: new Float64Array(entries),
  mlTau: new Float64Array(clients),
})

describeWithShared('vector k', () => {
  const all = vector<LossVector>('k')
  const list = (key: string) => Float64Array.from(all[key] as number[])
  const shapes = Array.from(list('mu_plus'), (plusMean, r) => ({
    plusMean,
    plusStd: list('sd_plus')[r]!,
    minusMean: list('mu_minus')[r]!,
    minusStd: list('sd_minus')[r]!,
    v: list('v')[r]!,
    measured: 1,
  }))
  const problem = prolinProblem({ A: sparseFromDense(matrixOf(all.A)), G: list('G'), shapes }, list('Gtilde'))
  const entries = Array.from(problem.round, (r, p) => {
    const i = Array.from({ length: problem.clients }, (_, k) => k).find((k) => p < problem.start[k + 1]!)!
    return [r, i] as const
  })
  const X = Float64Array.from(entries, ([r, i]) => all.X[r]![i]!)
  const losses = all.losses as Record<string, number>

  test('the three losses, corrected', () => {
    const { ml, reg, lstsq } = prolinLosses(problem, { X, tau: list('tau') })
    expect(ml).toBeCloseTo(losses.L_ml_participating!, 10)
    expect(reg).toBeCloseTo(losses.L_reg_corrected!, 12)
    expect(lstsq).toBeCloseTo(losses.L_lstsq_corrected!, 10)
    expect(ml + reg + lstsq).toBeCloseTo(all.total as number, 9)
  })

  test('and as they are printed', () => {
    const { reg, lstsq } = prolinLosses(problem, { X, tau: list('tau') }, { printing: 'printed' })
    expect(reg).toBeCloseTo(losses.L_reg_as_printed!, 12)
    expect(lstsq).toBeCloseTo(losses.L_lstsq_as_printed!, 10)
  })

  test('their gradients', () => {
    const gradients = none(X.length, 4)
    prolinLosses(problem, { X, tau: list('tau') }, { gradients })
    const expected = all.grad_X as number[][]
    for (const [p, [r, i]] of entries.entries()) {
      const { mlX, regX, lstsqX } = gradients
      expect(mlX[p]! + regX[p]! + lstsqX[p]!).toBeCloseTo(expected[r]![i]!, 9)
    }
    for (const [i, g] of (all.grad_tau as number[]).entries()) expect(gradients.mlTau[i]).toBeCloseTo(g, 9)
  })
})

describe('both likelihoods', () => {
  const { features, X } = featureWorld({ seed: 2, N: 6, n: 8, perRound: 3 })
  const problem = prolinProblem(features, expectedFeatures(features, { lambda: 5 }))
  const tau = Float64Array.of(0.1, 0.9, 0.5, 0.3, 0.7, 0.2)
  const at = Float64Array.from(X)

  test.each(['paper', 'code'] as const)('the gradient of "%s" is that of differences', (likelihood) => {
    const gradients = none(at.length, 6)
    prolinLosses(problem, { X: at, tau }, { likelihood, gradients })
    const h = 1e-5
    const slopeAt = (which: 'X' | 'tau', k: number): number => {
      const value = (by: number): number => {
        const moved = { X: at.slice(), tau: tau.slice() }
        moved[which][k]! += by
        return prolinLosses(problem, moved, { likelihood }).ml
      }
      return (value(h) - value(-h)) / (2 * h)
    }
    for (const p of [0, 7, 23]) expect(gradients.mlX[p]).toBeCloseTo(slopeAt('X', p), 6)
    for (const i of [0, 1, 5]) expect(gradients.mlTau[i]).toBeCloseTo(slopeAt('tau', i), 5)
  })

  test.each(['corrected', 'printed'] as const)('the gradients of squares, %s, are those of differences', (printing) => {
    const gradients = none(at.length, 6)
    prolinLosses(problem, { X: at, tau }, { printing, gradients })
    const h = 1e-4
    for (const p of [0, 7, 23]) {
      const value = (which: 'reg' | 'lstsq', by: number): number => {
        const moved = at.slice()
        moved[p]! += by
        return prolinLosses(problem, { X: moved, tau }, { printing })[which]
      }
      for (const [which, found] of [
        ['reg', gradients.regX],
        ['lstsq', gradients.lstsqX],
      ] as const) {
        expect(found[p]).toBeCloseTo((value(which, h) - value(which, -h)) / (2 * h), 6)
      }
    }
  })

  test('certainty is no NaN', () => {
    const sure = Float64Array.of(0, 1, 0, 1, 0, 1)
    const gradients = none(at.length, 6)
    const { ml } = prolinLosses(problem, { X: at, tau: sure }, { gradients })
    expect(Number.isFinite(ml)).toBe(true)
    expect(gradients.mlX.every(Number.isFinite)).toBe(true)
    expect(gradients.mlTau.some(Number.isNaN)).toBe(false)
  })
})
