import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeWithShared, vector } from '../../../test/shared.js'
import { adam } from './adam.js'
import { minimise } from './optimiser.js'

interface Settings {
  eta: number
  beta1: number
  beta2: number
  tiny: number
  decay: number
}

/** [kingma2015] Alg. 1 written out for one number at a time, with β^t as a running product. */
function plain(x0: number, gradients: readonly number[], { eta, beta1, beta2, tiny, decay }: Settings): number {
  let [x, m, v, power1, power2] = [x0, 0, 0, 1, 1]
  for (const gradient of gradients) {
    const g = decay === 0 ? gradient : gradient + decay * x
    power1 = power1 * beta1
    power2 = power2 * beta2
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    const mHat = m / (1 - power1)
    const vHat = v / (1 - power2)
    x = x - (eta * mHat) / (Math.sqrt(vHat) + tiny)
  }
  return x
}

test('every coordinate is the plain reference to the bit', () => {
  const beta = fc.double({ min: 0, max: 0.9999, noNaN: true })
  const settings = fc.record({
    eta: fc.double({ min: 1e-6, max: 50, noNaN: true }),
    beta1: beta,
    beta2: beta,
    tiny: fc.constantFrom(1e-8, 1e-3),
    decay: fc.constantFrom(0, 0.5),
  })
  const real = fc.double({ min: -1e6, max: 1e6, noNaN: true })
  const rows = fc
    .integer({ min: 0, max: 5 })
    .chain((n) => fc.array(fc.array(real, { minLength: n, maxLength: n }), { minLength: 1, maxLength: 20 }))
  fc.assert(
    fc.property(rows, settings, ([start, ...steps], s) => {
      const method = adam({ learningRate: s.eta, beta1: s.beta1, beta2: s.beta2, tiny: s.tiny, weightDecay: s.decay })
      const x = Float64Array.from(start!)
      const state = method.init(x.length)
      for (const gradient of steps) method.stepInto(x, Float64Array.from(gradient), state)
      expect([...x]).toEqual(
        start!.map((x0, j) =>
          plain(
            x0,
            steps.map((g) => g[j]!),
            s,
          ),
        ),
      )
    }),
    { numRuns: 500 },
  )
})

test('the first step is the rate in the direction of the sign', () => {
  const method = adam({ learningRate: 0.05 })
  const x = Float64Array.of(1, 1, 1)
  method.stepInto(x, Float64Array.of(1e-3, -40, 0), method.init(3))
  // η g / (|g| + 1e-8)
  expect([...x]).toEqual([expect.closeTo(1 - 0.05 * (1e-3 / (1e-3 + 1e-8)), 15), expect.closeTo(1.05, 9), 1])
})

test('minimises Rosenbrock, if slowly', () => {
  const rosenbrock = ([a, b]: Float64Array) => ({
    value: 100 * (b! - a! * a!) ** 2 + (1 - a!) ** 2,
    gradient: Float64Array.of(-400 * a! * (b! - a! * a!) - 2 * (1 - a!), 200 * (b! - a! * a!)),
  })
  const found = minimise(adam({ learningRate: 0.02 }), rosenbrock, Float64Array.of(-1.2, 1), {
    maxIterations: 10_000,
    gradientTolerance: 1e-6,
  })
  expect(found.reason).toBe('gradient')
  expect(found.x[0]).toBeCloseTo(1, 5)
})

// [aia] Alg. 4 in a numpy reference, eta 0.05, beta1 0.8, beta2 0.95; here its first round
describeWithShared('shared vector m', () => {
  test('drives the active attack by its pseudo-gradient', () => {
    interface Emulation {
      theta0: number[]
      theta_after_epoch: number[]
      adam_trajectory: number[][]
    }
    const { theta0, theta_after_epoch: returned, adam_trajectory } = vector<Emulation>('m')
    const method = adam({ learningRate: 0.05, beta1: 0.8, beta2: 0.95 })
    const theta = Float64Array.from(theta0)
    method.stepInto(
      theta,
      Float64Array.from(theta0, (sent, j) => sent - returned[j]!),
      method.init(theta.length),
    )
    for (const [j, expected] of adam_trajectory[0]!.entries()) expect(theta[j]).toBeCloseTo(expected, 12)
  })
})

test('what cannot be meant is refused', () => {
  expect(() => adam({ beta1: 1 })).toThrow('beta1 is 1; it must be finite, at least 0, below 1')
  expect(() => adam({ learningRate: -1 })).toThrow('learningRate is -1')
  expect(() => adam({ tiny: 0 })).toThrow('tiny is 0')
  const method = adam()
  expect(() => method.stepInto(new Float64Array(2), new Float64Array(3), method.init(3))).toThrow('a point of 2')
})

test('a weight decay of 1 adds the point itself to the gradient', () => {
  const decayed = adam({ learningRate: 0.5, weightDecay: 1 })
  const plain = adam({ learningRate: 0.5 })
  const [x, y] = [Float64Array.of(3, -2), Float64Array.of(3, -2)]
  decayed.stepInto(x, Float64Array.of(-4, 5), decayed.init(2))
  plain.stepInto(y, Float64Array.of(-1, 3), plain.init(2))
  expect(x).toEqual(y)
  // -4 + 3 leads up; 5 - 2 down, each by the rate.
  expect([...x].map((v) => Number(v.toFixed(6)))).toEqual([3.5, -2.5])
})
