import { describe, expect, test } from 'vitest'
import { adam } from './adam.js'
import { anderson } from './anderson.js'
import { lbfgs } from './lbfgs.js'
import { type Method, minimise, type Objective, projected, requireCount, requireNumber } from './optimiser.js'
import { sgd } from './sgd.js'

/** ½ Σ c_j (x_j − 1)² with curvatures 1, 2, 3, ... */
const bowl: Objective = (x) => ({
  value: x.reduce((sum, xj, j) => sum + 0.5 * (j + 1) * (xj - 1) ** 2, 0),
  gradient: x.map((xj, j) => (j + 1) * (xj - 1)),
})
const flat: Objective = (x) => ({ value: 7, gradient: new Float64Array(x.length) })

const methods: Record<string, Method<unknown>> = {
  sgd: sgd({ learningRate: 0.1 }),
  adam: adam({ learningRate: 0.1 }),
  lbfgs: lbfgs(),
  'lbfgs, fixed step': lbfgs({ fixedStep: 0.5 }),
}

describe.each(Object.entries(methods))('every method: %s', (_name, method) => {
  test.each([0, 1, 5])('finds the bottom of a bowl of %i dimensions and leaves the start alone', (n) => {
    const x0 = new Float64Array(n).fill(-2)
    const found = minimise(method, bowl, x0, { maxIterations: 2000, gradientTolerance: 1e-8 })
    expect(found.reason).toBe('gradient')
    expect(found.gradientNorm).toBeLessThanOrEqual(1e-8)
    for (const xj of found.x) expect(Math.abs(xj - 1)).toBeLessThan(1e-8)
    expect([...x0]).toEqual(new Array(n).fill(-2))
  })

  test('stops before the first step at the optimum', () => {
    const found = minimise(method, bowl, Float64Array.of(1, 1), { maxIterations: 10, gradientTolerance: 0 })
    expect(found).toMatchObject({ reason: 'gradient', iterations: 0, value: 0, gradientNorm: 0 })
  })

  test('stays put on a flat objective', () => {
    const found = minimise(method, flat, Float64Array.of(3, 4), { maxIterations: 20, patience: 4 })
    expect([...found.x]).toEqual([3, 4])
    expect(found.value).toBe(7)
    expect(['value', 'gradient']).toContain(found.reason) // L-BFGS has nowhere to go at once
    expect(found.iterations).toBeLessThanOrEqual(4)
  })

  test('a start without a value is said, not hidden', () => {
    const nowhere: Objective = (x) => ({ value: Number.NaN, gradient: x })
    const found = minimise(method, nowhere, Float64Array.of(1), { maxIterations: 5, keep: 'best' })
    expect(found).toMatchObject({ reason: 'non-finite', iterations: 0 })
    expect(found.value).toBeNaN()
    expect([...found.x]).toEqual([1])
  })

  test('the last finite point is returned when the next is not', () => {
    const cliff: Objective = (x) =>
      x[0]! === 5 ? { value: 5, gradient: Float64Array.of(1) } : { value: 4, gradient: Float64Array.of(Number.NaN) }
    const found = minimise(method, cliff, Float64Array.of(5), { maxIterations: 50, history: true })
    expect(found).toMatchObject({ reason: 'non-finite', iterations: 0, value: 5, gradientNorm: 1, history: [5] })
    expect(found.x[0]).toBe(5)
  })

  test('gives the same bits when run again', () => {
    const run = () => minimise(method, bowl, Float64Array.of(0.3, -4, 9), { maxIterations: 37, history: true })
    expect(run()).toEqual(run())
  })
})

test('a rate too large ends with the last finite point', () => {
  const found = minimise(sgd({ learningRate: 1e3 }), bowl, Float64Array.of(2), { maxIterations: 10_000, history: true })
  expect(found.reason).toBe('non-finite')
  expect(Number.isFinite(found.value) && Number.isFinite(found.x[0])).toBe(true)
  expect(found.value).toBeGreaterThan(1e300)
  expect(found.history).toHaveLength(found.iterations + 1)
})

test('iterations are counted and the history starts at the start', () => {
  const found = minimise(sgd({ learningRate: 0.5 }), bowl, Float64Array.of(3), { maxIterations: 3, history: true })
  expect(found).toMatchObject({ reason: 'iterations', iterations: 3, history: [2, 0.5, 0.125, 0.03125] })
  expect(minimise(sgd({ learningRate: 0.5 }), bowl, Float64Array.of(3), { maxIterations: 0 }).iterations).toBe(0)
})

test('patience counts iterations on end without a gain', () => {
  const values = [9, 5, 6, 4.99, 4, 4.5, 4.2, 3.95, 1]
  let call = 0
  const scripted: Objective = (x) => ({ value: values[call++]!, gradient: x.map(() => 1) })
  const stop = { maxIterations: 8, patience: 3, valueTolerance: 0.1 }
  const found = minimise(sgd({ learningRate: 1 }), scripted, Float64Array.of(0), { ...stop, keep: 'best' })
  // 4.99 is no gain over 5, being within a tenth of it; 4 is; 4.5, 4.2 and 3.95 are three on end without
  expect(found).toMatchObject({ reason: 'value', iterations: 7, value: 3.95 })
  expect(found.x[0]).toBe(-7)
})

test('aborted sees every iteration and stops at once', () => {
  const seen: number[] = []
  const aborted = ({ iteration, value }: { iteration: number; value: number }) => {
    seen.push(value)
    return iteration === 2
  }
  const found = minimise(sgd({ learningRate: 0.5 }), bowl, Float64Array.of(3), { maxIterations: 9, aborted })
  expect(found).toMatchObject({ reason: 'aborted', iterations: 2 })
  expect(seen).toEqual([2, 0.5, 0.125])
})

test('an objective may reuse its buffer', () => {
  const buffer = new Float64Array(3)
  const reusing: Objective = (x) => {
    const { value, gradient } = bowl(x)
    buffer.set(gradient)
    return { value, gradient: buffer }
  }
  const stop = { maxIterations: 30 }
  for (const method of Object.values(methods)) {
    const x0 = Float64Array.of(4, -3, 2)
    expect(minimise(method, reusing, x0, stop)).toEqual(minimise(method, bowl, x0, stop))
  }
})

test('projected keeps every step in the set', () => {
  const box = projected(adam({ learningRate: 0.3 }), (x) => {
    for (let j = 0; j < x.length; j++) x[j] = Math.min(Math.max(x[j]!, 0), 0.75)
  })
  const found = minimise(box, bowl, Float64Array.of(0.1, 0.2), { maxIterations: 200 })
  expect([...found.x]).toEqual([0.75, 0.75])
})

test('what cannot be meant is refused', () => {
  const x0 = Float64Array.of(1)
  const run = (stop: object) => minimise(sgd({ learningRate: 1 }), bowl, x0, { maxIterations: 1, ...stop })
  expect(() => run({ maxIterations: 1.5 })).toThrow('maxIterations is 1.5; it is a whole number of at least 0')
  expect(() => run({ patience: 0 })).toThrow('patience is 0')
  expect(() => run({ gradientTolerance: Number.NaN })).toThrow('gradientTolerance is NaN')
  expect(() => run({ valueTolerance: -1 })).toThrow('valueTolerance is -1; it must be finite, at least 0')
  expect(() => run({ leastGain: { over: 0, by: 1 } })).toThrow('leastGain.over is 0')
  expect(() => run({ leastGain: { over: 1, by: -1 } })).toThrow('leastGain.by is -1')
  expect(() => minimise(adam(), bowl, Float64Array.of(0, NaN), { maxIterations: 1 })).toThrow(
    'entry 1 of the start is NaN',
  )
  expect(() => minimise(adam(), bowl, Float64Array.of(Infinity, 0), { maxIterations: 1 })).toThrow(
    'entry 0 of the start is Infinity',
  )
  const short: Objective = () => ({ value: 0, gradient: new Float64Array(2) })
  expect(() => minimise(adam(), short, x0, { maxIterations: 1 })).toThrow('the gradient has 2 entries at a point of 1')
})

test('a bound belongs to what is allowed, unless it is named above or below', () => {
  const refused = (value: number, bounds: object) => {
    try {
      requireNumber('x', value, bounds)
      return false
    } catch (error) {
      return (error as Error).message
    }
  }
  expect([1, 2, 3].map((x) => refused(x, { min: 2 }))).toEqual(['x is 1; it must be finite, at least 2', false, false])
  expect([1, 2, 3].map((x) => refused(x, { max: 2 }))).toEqual([false, false, 'x is 3; it must be finite, at most 2'])
  expect([1, 2, 3].map((x) => refused(x, { above: 1, below: 3 }))).toEqual([
    'x is 1; it must be finite, above 1, below 3',
    false,
    'x is 3; it must be finite, above 1, below 3',
  ])
  expect(refused(Number.POSITIVE_INFINITY, {})).toBe('x is Infinity; it must be finite')
  expect(refused(5, {})).toBe(false)
  requireCount('n', 2, 2)
  for (const n of [1, 2.5])
    expect(() => requireCount('n', n, 2)).toThrow(`n is ${n}; it is a whole number of at least 2`)
})

test('a step over vectors of another length is refused', () => {
  for (const method of [sgd({ learningRate: 1 }), adam(), anderson()]) {
    const step = (x: number, gradient: number) => () =>
      method.stepInto(new Float64Array(x), new Float64Array(gradient), method.init(2) as never)
    expect(step(2, 2)).not.toThrow()
    expect(step(2, 1)).toThrow('a step over 2 entries was given a point of 2 and a gradient of 1')
    expect(step(3, 2)).toThrow('a step over 2 entries was given a point of 3 and a gradient of 2')
  }
})

test('the least gain is what so many iterations must lower the value by', () => {
  const values = [9, 5, 6, 4.5, 4, 4.25, 3.75, 3, 1]
  const run = (leastGain: { over: number; by: number }) => {
    let call = 0
    const scripted: Objective = (x) => ({ value: values[call++]!, gradient: x.map(() => 1) })
    return minimise(sgd({ learningRate: 1 }), scripted, Float64Array.of(0), { maxIterations: 8, leastGain })
  }
  // Least values so far: 9, 5, 5, 4.5, 4, 4, 3.75, 3, 1.
  expect(run({ over: 1, by: 0.5 })).toMatchObject({ reason: 'value', iterations: 2 })
  expect(run({ over: 2, by: 0.5 })).toMatchObject({ reason: 'value', iterations: 6 })
  expect(run({ over: 2, by: 0.75 })).toMatchObject({ reason: 'value', iterations: 3 })
  expect(run({ over: 3, by: 0.25 })).toMatchObject({ reason: 'iterations', iterations: 8 })
  expect(run({ over: 9, by: 100 })).toMatchObject({ reason: 'iterations', iterations: 8 })
})

test('patience of one stops at the first step that gains too little', () => {
  const run = (stop: object) =>
    minimise(sgd({ learningRate: 0.5 }), bowl, Float64Array.of(3), { maxIterations: 50, ...stop })
  // Values 2, 1/2, 1/8, 1/32: gains of 3/2, 3/8, 3/32, and the third is not above an eighth.
  expect(run({ valueTolerance: 0.125, patience: 1 })).toMatchObject({ reason: 'value', iterations: 3 })
  expect(run({ valueTolerance: 0.125 })).toMatchObject({ reason: 'value', iterations: 3 })
  expect(run({ valueTolerance: 0.125, patience: 2 })).toMatchObject({ reason: 'value', iterations: 4 })
  // Exactly the tolerance is no gain: 1.5 of a best of 2 is 3/4 of it.
  expect(run({ valueTolerance: 0.75 })).toMatchObject({ reason: 'value', iterations: 1 })
  expect(run({ gradientTolerance: 0.5 })).toMatchObject({ reason: 'gradient', iterations: 2, gradientNorm: 0.5 })
  expect(run({ patience: 1, maxIterations: 4 })).toMatchObject({ reason: 'iterations', iterations: 4 })
})

test('a gradient whose length is beyond all numbers is finite while its entries are', () => {
  const steep =
    (...gradient: number[]): Objective =>
    () => ({ value: 1, gradient: Float64Array.from(gradient) })
  const reason = (objective: Objective) => minimise(adam(), objective, new Float64Array(2), { maxIterations: 1 }).reason
  expect(reason(steep(1.7e308, -1.7e308))).toBe('iterations')
  expect(reason(steep(Number.POSITIVE_INFINITY, 1))).toBe('non-finite')
  expect(reason(steep(1, Number.NaN))).toBe('non-finite')
  // A place that is none, whatever is said of it.
  const leap = minimise(sgd({ learningRate: 1e300 }), steep(1e300, 0), new Float64Array(2), { maxIterations: 1 })
  expect(leap).toMatchObject({ reason: 'non-finite', iterations: 0, x: new Float64Array(2) })
})

test('without weight decay a step does not hang on where it begins, be it beyond all numbers', () => {
  for (const method of [sgd({ learningRate: 1 }), adam()]) {
    const x = Float64Array.of(Number.POSITIVE_INFINITY)
    method.stepInto(x, Float64Array.of(1), method.init(1) as never)
    expect(x[0]).toBe(Number.POSITIVE_INFINITY)
  }
})
