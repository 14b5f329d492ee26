import { describe, expect, test } from 'vitest'
import { relativeError } from '../../../test/linear-federation.js'
import { describeWithShared, vector } from '../../../test/shared.js'
import { conditionNumber } from '../../numeric/linalg/condition.js'
import { matrix, matrixOf, multiply, transpose } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { designOf, type Form, fitAffine, type Pairs } from './affine-fit.js'
import { trustOf } from './optimum-error.js'

interface VectorD {
  cases: {
    name: string
    theta_in: number[][]
    theta_out: number[][]
    theta_hat_alg3: number[]
    theta_hat_seed000_Wv: number[]
    cond_Theta_out: number
  }[]
}

describeWithShared('vector d: both papers’ estimators, with and without noise', () => {
  test.each(vector<VectorD>('d').cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const theta = matrixOf(one.theta_in)
    const descent = matrixOf(one.theta_in.map((row, i) => row.map((x, j) => x - one.theta_out[i]![j]!)))
    const found = (form: Form) => fitAffine({ theta, descent }, { form }).optimum
    expect(relativeError(found('inverse'), one.theta_hat_alg3)).toBeLessThan(1e-11)
    // The vector's own digits end here: its W^-1 v was formed without centring.
    expect(relativeError(found('direct'), one.theta_hat_seed000_Wv)).toBeLessThan(1e-11)
    expect(conditionNumber(designOf({ theta, descent }, 'inverse'))).toBeCloseTo(one.cond_Theta_out, 4)
  })
})

/** n messages on the map Delta = W (theta - theta*), with noise. */
function messages({ d = 4, n = 40, noise = 0, seed = 1, spread = 1 } = {}): Pairs & { optimum: Float64Array } {
  const stream = rng(seed)
  const optimum = stream.fork('optimum').normals(d, { mean: 2, std: 1 })
  const root = matrix(d, d, stream.fork('W').normals(d * d, { std: 0.3 }))
  const W = multiply(root, transpose(root))
  for (let j = 0; j < d; j++) W.data[j * d + j]! += 0.3
  const theta = matrix(n, d, stream.fork('theta').normals(n * d, { std: spread }))
  const away = matrix(
    n,
    d,
    theta.data.map((x, i) => x - optimum[i % d]!),
  )
  const descent = multiply(away, transpose(W))
  const errors = stream.fork('noise').normals(n * d, { std: noise })
  descent.data.forEach((x, i) => {
    descent.data[i] = x + errors[i]!
  })
  return { theta, descent, optimum }
}

const forms = ['direct', 'inverse', 'tls'] as const

describe.each(forms)('%s', (form) => {
  test.each([
    [1, 2],
    [1, 9],
    [4, 5],
    [4, 40],
    [33, 34],
    [33, 120],
  ])('without noise the optimum is exact: d = %d, n = %d', (d, n) => {
    const world = messages({ d, n, seed: d + n })
    const fit = fitAffine(world, { form })
    expect(relativeError(fit.optimum, world.optimum)).toBeLessThan(1e-10)
    expect(fit.rank).toBe(d)
  })

  test('units do not matter', () => {
    const world = messages()
    const units = [1e-6, 1, 1e3, 1e5]
    const scaled = {
      theta: matrix(
        40,
        4,
        world.theta.data.map((x, i) => x * units[i % 4]!),
      ),
      descent: matrix(
        40,
        4,
        world.descent.data.map((x, i) => x * units[i % 4]!),
      ),
    }
    const { optimum } = fitAffine(scaled, { form })
    expect(
      relativeError(
        Array.from(optimum, (x, j) => x / units[j]!),
        world.optimum,
      ),
    ).toBeLessThan(1e-9)
  })

  test('weights that are equal change nothing, and a message of tiny weight counts no more', () => {
    const world = messages({ noise: 0.05 })
    const plain = fitAffine(world, { form })
    const weighted = fitAffine(world, { form, weights: new Float64Array(40).fill(3) })
    expect(relativeError(weighted.optimum, plain.optimum)).toBeLessThan(1e-12)
    expect(weighted.amplification).toBeCloseTo(plain.amplification, 10)
    const wrong = { theta: world.theta, descent: matrix(40, 4, world.descent.data.slice()) }
    wrong.descent.data.fill(1e3, 0, 4)
    const weights = new Float64Array(40).fill(1)
    weights[0] = 1e-14
    expect(relativeError(fitAffine(wrong, { form, weights }).optimum, plain.optimum)).toBeLessThan(0.02)
  })
})

test('with exactly d + 1 messages all forms are the one interpolant, noise or not', () => {
  const world = messages({ n: 5, noise: 0.3 })
  const [direct, inverse, tls] = forms.map((form) => fitAffine(world, { form }).optimum)
  expect(relativeError(inverse!, direct!)).toBeLessThan(1e-10)
  expect(relativeError(tls!, direct!)).toBeLessThan(1e-10)
})

test('with noise the direct form is consistent, the inverse form is not', () => {
  const errors = (form: Form, n: number) =>
    [1, 2, 3, 4, 5].reduce((sum, seed) => {
      const world = messages({ n, noise: 0.5, seed })
      return sum + relativeError(fitAffine(world, { form }).optimum, world.optimum) / 5
    }, 0)
  expect(errors('direct', 8000)).toBeLessThan(0.4 * errors('direct', 500))
  expect(errors('inverse', 8000)).toBeGreaterThan(0.7 * errors('inverse', 500))
  expect(errors('direct', 8000)).toBeLessThan(0.3 * errors('inverse', 8000))
})

test('the estimated error is of the size of the true one', () => {
  const ratios = Array.from({ length: 60 }, (_, seed) => {
    const world = messages({ n: 60, noise: 0.05, seed })
    const fit = fitAffine(world, { form: 'direct' })
    return relativeError(fit.optimum, world.optimum) / trustOf(fit, { rounding: 0 }).relativeError!
  }).sort((a, b) => a - b)
  expect(ratios[30]).toBeGreaterThan(0.5)
  expect(ratios[30]).toBeLessThan(1.5)
  expect(ratios.at(-1)).toBeLessThan(4)
})

test('directions that the messages do not show are left at their mean, and counted', () => {
  const world = messages({ n: 40 })
  for (let i = 0; i < 40; i++) world.theta.data[4 * i + 2] = 7
  const fit = fitAffine(world, { form: 'direct' })
  expect(fit.rank).toBe(3)
  expect(fit.optimum[2]).toBeCloseTo(7, 12)
  expect([...fit.optimum].every(Number.isFinite)).toBe(true)
})

test('identical messages show no direction at all', () => {
  const theta = matrix(
    6,
    2,
    Float64Array.from({ length: 12 }, (_, i) => 1 + (i % 2)),
  )
  const descent = matrix(6, 2, new Float64Array(12).fill(0.1))
  const fit = fitAffine({ theta, descent }, { form: 'direct' })
  expect(fit.rank).toBe(0)
  expect(relativeError(fit.optimum, [1, 2])).toBeLessThan(1e-15)
})
