import { describe, expect, test } from 'vitest'
import { outputs } from './regression-head.js'
import { alongOneRecord, recoverLabel, type SingleRecord } from './single-record-label.js'

const w = Float64Array.of(0.5, -1, 0.25)
const a = [0.8, -0.3, 1.2] // u = 0.4 + 0.3 + 0.3 + b
const y = 0.3

/** The gradient of one record with label y, under an output. */
function recordOf(
  output: SingleRecord['output'],
  { b = 0.1, factor = 0.8, sloped = true, ...more } = {},
): SingleRecord {
  const u = 1 + b
  const gradB = factor * (output.value(u) - y) * (sloped ? output.slope(u) : 1)
  return { w, b, gradW: Float64Array.from(a, (x) => x * gradB), gradB, output, factor, sloped, ...more }
}

describe.each(Object.entries(outputs))('one record under the output %s', (_, output) => {
  test.each([true, false])('gives its label and its embedding (through the slope: %s)', (sloped) => {
    const found = recoverLabel(recordOf(output, { sloped }))!
    expect(found.label).toBeCloseTo(y, 12)
    expect(found.logit).toBeCloseTo(1.1, 12)
    expect(found.residual).toBeCloseTo(output.value(1.1) - y, 12)
    for (const [j, x] of a.entries()) expect(found.embedding[j]!).toBeCloseTo(x, 12)
    expect(found.error).toBe(0)
  })

  test.each([true, false])(
    'states the error that follows from those of its gradient (through the slope: %s)',
    (sloped) => {
      const record = recordOf(output, { sloped, b: -0.2 })
      const h = 1e-6
      /** How the label moves with one of the numbers that it is found from. */
      const by = (change: (by: number) => Partial<SingleRecord>) =>
        (recoverLabel({ ...record, ...change(h) })!.label - recoverLabel({ ...record, ...change(-h) })!.label) / (2 * h)
      const [byBias, byLogit] = [by((d) => ({ gradB: record.gradB + d })), by((d) => ({ b: record.b + d }))]
      const byWeight = a.map((_, j) => by((d) => ({ gradW: record.gradW.map((g, k) => (k === j ? g + d : g)) })))
      expect(recoverLabel({ ...record, errorB: 0.01 })!.error).toBeCloseTo(0.01 * Math.abs(byBias), 7)
      const errorW = (j: number) => 0.01 * (j + 1)
      const weights = Math.sqrt(byWeight.reduce((sum, d, j) => sum + (errorW(j) * d) ** 2, 0))
      expect(recoverLabel({ ...record, errorW })!.error).toBeCloseTo(weights, 6)
      // Sums are rounded by the size of what they are of: 0.2 + 0.4 + 0.3 + 0.3.
      const rounding = 0.001 * Math.sqrt((byLogit * 1.2) ** 2 + y * y)
      expect(recoverLabel({ ...record, rounding: 0.001 })!.error).toBeCloseTo(rounding, 7)
      const all = Math.sqrt((0.01 * byBias) ** 2 + weights ** 2 + rounding ** 2)
      expect(recoverLabel({ ...record, errorB: 0.01, errorW, rounding: 0.001 })!.error).toBeCloseTo(all, 6)
    },
  )
})

test('nothing is found where no error comes back, or what comes is no number', () => {
  const record = recordOf(outputs.identity)
  expect(recoverLabel({ ...record, gradB: 0 })).toBeUndefined()
  expect(recoverLabel({ ...record, output: outputs.relu, b: -1.5 })).toBeUndefined()
  expect(recoverLabel({ ...record, output: outputs.relu, b: -1.5, sloped: false })).toBeDefined()
  expect(recoverLabel({ ...record, gradB: Number.POSITIVE_INFINITY })).toBeUndefined()
  expect(recoverLabel({ ...record, errorB: Number.NaN })).toBeUndefined()
})

describe('steps on one record', () => {
  const plain = { steps: 1, learningRate: 0.1, factor: 2, momentum: 0, proxMu: 0, sensitivity: 1.5 }

  test.each([1, 2, 5, 20])('%i plain ones leave the residual times the same share each', (steps) => {
    const { moved, left, drift } = alongOneRecord({ ...plain, steps })
    const residuals = Array.from({ length: steps }, (_, t) => 0.7 ** t)
    expect(left).toBeCloseTo(0.7 ** steps, 12)
    expect(moved).toBeCloseTo((0.7 ** steps - 1) / 1.5, 12)
    const sum = (values: readonly number[]) => values.reduce((all, v) => all + v, 0)
    expect(drift).toBeCloseTo(sum(residuals.map((r) => r * (r - 1))) / sum(residuals), 12)
  })

  test('with momentum and a proximal term, by hand', () => {
    const { moved, left, drift } = alongOneRecord({ ...plain, steps: 3, momentum: 0.5, proxMu: 0.3 })
    // Residuals 1, 0.7, 0.349; velocities 2, 2.34, 1.7378; of the weighted ones 0, -0.42, -0.651798.
    expect(moved).toBeCloseTo(-0.60778, 12)
    expect(left).toBeCloseTo(1 - 0.60778 * 1.5, 12)
    expect(drift).toBeCloseTo(0.1071798 / -0.60778, 12)
  })
})
