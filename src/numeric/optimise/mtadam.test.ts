import { describe, expect, test } from 'vitest'
import { OverhearError } from '../../errors.js'
import { adam } from './adam.js'
import { minimiseTerms, mtAdam, type TermsObjective } from './mtadam.js'
import { minimise } from './optimiser.js'

/** Uniform on [-1/2, 1/2), from a plain congruence. */
function uniforms(seed: number): () => number {
  let word = seed
  return () => {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0
    return word / 2 ** 32 - 0.5
  }
}

/** Two losses ‖A x − 1‖² and ‖B x − 1‖² (means over rows) of 8 rows each in 20 unknowns, times their scales. */
function twoLosses(seed: number, scales: readonly [number, number]): TermsObjective {
  const n = 20
  const uniform = uniforms(seed)
  const parts = scales.map((scale) => ({
    scale,
    rows: Array.from({ length: 8 }, () => Float64Array.from({ length: n }, uniform)),
  }))
  return (x) => {
    const values = [0, 0]
    const gradients = [new Float64Array(n), new Float64Array(n)]
    for (const [i, { scale, rows }] of parts.entries()) {
      for (const row of rows) {
        const miss = row.reduce((sum, a, j) => sum + a * x[j]!, -1)
        values[i]! += (scale * miss * miss) / rows.length
        for (let j = 0; j < n; j++) gradients[i]![j]! += (2 * scale * miss * row[j]!) / rows.length
      }
    }
    return { values, gradients }
  }
}

const x0 = new Float64Array(20)
const stop = { maxIterations: 1000 }

describe.each([
  [1, 1e6],
  [1e6, 1],
] as const)('losses on scales %d and %d', (a, b) => {
  test.each([1, 2, 3])('both fall below a fifth, where Adam on the sum forsakes the small one (data %i)', (seed) => {
    const losses = twoLosses(seed, [a, b])
    const start = losses(x0).values
    const balanced = minimiseTerms(mtAdam({ terms: 2, learningRate: 0.01 }), losses, x0, stop)
    const fallen = Array.from(balanced.termValues, (value, i) => value / start[i]!)
    expect(Math.max(...fallen)).toBeLessThan(0.2)

    const sum = (x: Float64Array) => {
      const { values, gradients } = losses(x)
      return { value: values[0]! + values[1]!, gradient: gradients[0]!.map((g, j) => g + gradients[1]![j]!) }
    }
    const { x } = minimise(adam({ learningRate: 0.01 }), sum, x0, stop)
    const small = a < b ? 0 : 1
    expect(losses(x).values[small]! / start[small]!).toBeGreaterThan(0.5)
  })
})

test('the path depends on scales only through the anchor, so a loss may be stated in any unit', () => {
  const run = (scale: number) =>
    minimiseTerms(mtAdam({ terms: 2, learningRate: 0.01 }), twoLosses(4, [1, scale]), x0, stop).x
  // powers of two scale without rounding
  expect(run(2 ** 20)).toEqual(run(1))
  expect(run(2 ** -10)).toEqual(run(1))
})

test('one loss alone is Adam', () => {
  const losses = twoLosses(5, [3, 1])
  const one: TermsObjective = (x) => ({ values: [losses(x).values[0]!], gradients: [losses(x).gradients[0]!] })
  const single = (x: Float64Array) => ({ value: losses(x).values[0]!, gradient: losses(x).gradients[0]! })
  const { x } = minimiseTerms(mtAdam({ terms: 1, learningRate: 0.05 }), one, x0, { maxIterations: 50 })
  // the anchor is scaled by n / n = 1 exactly, and η m̂ / (√v̂ + tiny) is then the same expression
  expect(x).toEqual(minimise(adam({ learningRate: 0.05 }), single, x0, { maxIterations: 50 }).x)
})

test('two steps by hand', () => {
  const method = mtAdam({ terms: 2, learningRate: 0.1, beta1: 0.5, beta2: 0.5, beta3: 0.5, anchor: 1 })
  const x = Float64Array.of(0, 0)
  const state = method.init(2)
  method.stepInto(x, [Float64Array.of(3, 4), Float64Array.of(0, 10)], state)
  // norms 5, 10; g0 = (6, 8), g1 = (0, 10): the steps add up, over the larger of the two
  expect([...state.norms]).toEqual([5, 10])
  expect([...x]).toEqual([expect.closeTo(-0.1, 8), expect.closeTo(-0.1 * (18 / 10), 8)])
  method.stepInto(x, [Float64Array.of(0, 15), Float64Array.of(0, 0)], state)
  // norms (5 + 15) / 2 = 10 and (10 + 0) / 2 = 5; g0 = (0, 7.5), g1 = 0; corrections 3/4
  // m0 = (1.5, 5.75), m1 = (0, 2.5); v0 = (9, 44.125), v1 = (0, 25)
  expect([...state.norms]).toEqual([10, 5])
  expect(x[0]).toBeCloseTo(-0.1 - (0.1 * (1.5 / 0.75)) / Math.sqrt(9 / 0.75), 8)
  expect(x[1]).toBeCloseTo(-0.18 - (0.1 * (8.25 / 0.75)) / Math.sqrt(44.125 / 0.75), 8)
})

test('groups are balanced apart from each other', () => {
  const groups = [
    { start: 0, end: 1 },
    { start: 1, end: 3 },
  ]
  const method = mtAdam({ terms: 2, groups, learningRate: 1 })
  const state = method.init(3)
  method.stepInto(new Float64Array(3), [Float64Array.of(1, 0, 3), Float64Array.of(-1e5, 1e-4, 0)], state)
  expect([...state.norms]).toEqual([1, 1e5, 3, 1e-4])
  // first group: −1e5 becomes −1; second: 1e-4 becomes 3 (first moments are a tenth of that)
  expect([...state.m[1]!]).toEqual([expect.closeTo(-0.1, 12), expect.closeTo(0.3, 12), 0])
})

test('a loss that says nothing in a group is not blown up, and the next one is the anchor', () => {
  const method = mtAdam({ terms: 3, learningRate: 1 })
  const state = method.init(1)
  const x = Float64Array.of(0)
  method.stepInto(x, [Float64Array.of(1e-12), Float64Array.of(4), Float64Array.of(-400)], state)
  expect(state.m[0]![0]).toBeCloseTo(1e-13, 20)
  expect([state.m[1]![0], state.m[2]![0]]).toEqual([expect.closeTo(0.4, 12), expect.closeTo(-0.4, 12)])
  expect(Math.abs(x[0]!)).toBeLessThan(1e-8)
})

test('all losses at rest leave x where it is, and so does a vector of nothing', () => {
  const method = mtAdam({ terms: 2 })
  const x = Float64Array.of(1, 2)
  method.stepInto(x, [new Float64Array(2), new Float64Array(2)], method.init(2))
  expect([...x]).toEqual([1, 2])
  method.stepInto(new Float64Array(0), [new Float64Array(0), new Float64Array(0)], method.init(0))
})

test('weights set the share of each loss', () => {
  // opposed gradients: the second is brought to the norm of the first, then halved
  const method = mtAdam({ terms: 2, weights: [1, 0.5], learningRate: 1 })
  const x = Float64Array.of(0)
  method.stepInto(x, [Float64Array.of(2), Float64Array.of(-700)], method.init(1))
  expect(x[0]).toBeCloseTo(-0.5, 8)
})

test('steps can be brought back into a box', () => {
  const losses: TermsObjective = ([t]) => ({
    values: [(t! - 3) ** 2, 1e6 * (t! - 2) ** 2],
    gradients: [Float64Array.of(2 * (t! - 3)), Float64Array.of(2e6 * (t! - 2))],
  })
  const projectInto = (x: Float64Array) => {
    x[0] = Math.min(Math.max(x[0]!, 0), 1)
  }
  const found = minimiseTerms(mtAdam({ terms: 2, learningRate: 0.1 }), losses, Float64Array.of(0.5), {
    ...stop,
    projectInto,
  })
  expect([...found.x]).toEqual([1])
  expect([...found.termValues]).toEqual([4, 1e6])
})

test('a loss that loses its value stops the run at the last point that had one', () => {
  const losses: TermsObjective = ([t]) => ({
    values: [t!, t! < 0.75 ? Number.NaN : t!],
    gradients: [Float64Array.of(1), Float64Array.of(1)],
  })
  const found = minimiseTerms(mtAdam({ terms: 2, learningRate: 0.1 }), losses, Float64Array.of(1), stop)
  expect(found).toMatchObject({ reason: 'non-finite', iterations: 1 })
  expect(found.x[0]).toBeCloseTo(0.8, 8) // two steps' worth, each loss adding the rate
})

test('what cannot be meant is refused', () => {
  expect(() => mtAdam({ terms: 0 })).toThrow('terms is 0')
  expect(() => mtAdam({ terms: 2, anchor: 2 })).toThrow('anchor is 2; there are 2 losses, counted from 0')
  expect(() => mtAdam({ terms: 2, weights: [1] })).toThrow('weights has 1 entries')
  expect(() => mtAdam({ terms: 2, beta3: 1 })).toThrow('beta3 is 1')
  const groups = (...ends: [number, number][]) =>
    mtAdam({ terms: 1, groups: ends.map(([start, end]) => ({ start, end })) })
  expect(() => groups([0, 2], [3, 4]).init(4)).toThrow('the next group starts at 2')
  expect(() => groups([0, 2], [1, 4]).init(4)).toThrow('the next group starts at 2')
  expect(() => groups([0, 2]).init(4)).toThrow('the groups end at 2; they must cover all 4 entries')
  const method = mtAdam({ terms: 2 })
  expect(() => method.stepInto(new Float64Array(1), [new Float64Array(1)], method.init(1))).toThrow(
    'it needs 2 gradients',
  )
  const [one, two] = [new Float64Array(1), new Float64Array(2)]
  expect(() => method.stepInto(one, [two, one], method.init(1))).toThrow('a point of 1 and gradients of 2, 1')
  expect(() => method.stepInto(one, [one, two], method.init(1))).toThrow('a point of 1 and gradients of 1, 2')
  expect(() => method.stepInto(two, [one, one], method.init(1))).toThrow('a point of 2 and gradients of 1, 1')
  const odd =
    (values: number, gradients: number): TermsObjective =>
    () => ({ values: new Float64Array(values), gradients: Array.from({ length: gradients }, () => one) })
  for (const [values, gradients] of [
    [3, 2],
    [2, 3],
    [1, 1],
  ] as const) {
    expect(() => minimiseTerms(method, odd(values, gradients), one, { maxIterations: 0 })).toThrow(
      `the objective gave ${values} values and ${gradients} gradients; the method was made for 2 losses`,
    )
  }
})

test.each([-1, 1.5, Number.NaN])('%s losses are refused in words', (terms) => {
  expect(() => mtAdam({ terms })).toThrow(OverhearError)
})
