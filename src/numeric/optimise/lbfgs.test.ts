import { describe, expect, test } from 'vitest'
import { lbfgs } from './lbfgs.js'
import { emptyPoint, evaluateInto, minimise, type Objective } from './optimiser.js'
import type { Memory } from './plain-pairs.js'

const rosenbrock: Objective = (x) => {
  const gradient = new Float64Array(x.length)
  let value = 0
  for (let i = 0; i + 1 < x.length; i++) {
    const a = x[i + 1]! - x[i]! * x[i]!
    const b = 1 - x[i]!
    value += 100 * a * a + b * b
    gradient[i]! += -400 * x[i]! * a - 2 * b
    gradient[i + 1]! += 200 * a
  }
  return { value, gradient }
}

/** ½ (x − 1)ᵀ Q D Q (x − 1), Q a reflection, D from `least` to `most` in equal ratios. */
function quadratic(n: number, least: number, most: number): Objective {
  const w = Float64Array.from({ length: n }, (_, i) => Math.sin(i + 1))
  const ww = w.reduce((sum, a) => sum + a * a, 0)
  const reflect = (v: Float64Array) => {
    const d = v.reduce((sum, a, i) => sum + a * w[i]!, 0)
    return v.map((a, i) => a - ((2 * d) / ww) * w[i]!)
  }
  const D = Float64Array.from({ length: n }, (_, i) => least * (most / least) ** (i / (n - 1)))
  return (x) => {
    const q = reflect(x.map((a) => a - 1))
    return {
      value: q.reduce((sum, a, i) => sum + 0.5 * D[i]! * a * a, 0),
      gradient: reflect(q.map((a, i) => D[i]! * a)),
    }
  }
}

/** Mean log-loss on n points of two overlapping clouds, some features on scales of 1e3 and 1e-3; no ridge. */
function logistic(n: number, d: number): Objective {
  let seed = 12345
  const uniform = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 32 - 0.5
  }
  const rows = Array.from({ length: n }, (_, i) => {
    const y = i % 2 === 0 ? 1 : -1
    return {
      y,
      x: Float64Array.from({ length: d }, (_, j) => (j === 0 ? 1 : (uniform() + 0.1 * y) * 10 ** ((j % 7) - 3))),
    }
  })
  return (theta) => {
    const gradient = new Float64Array(d)
    let value = 0
    for (const { y, x } of rows) {
      const margin = y * x.reduce((sum, a, j) => sum + a * theta[j]!, 0)
      value += (Math.max(-margin, 0) + Math.log1p(Math.exp(-Math.abs(margin)))) / n
      const p = 1 / (1 + Math.exp(margin))
      for (let j = 0; j < d; j++) gradient[j]! -= (y * p * x[j]!) / n
    }
    return { value, gradient }
  }
}

const tight = { maxIterations: 2000, gradientTolerance: 1e-10 }

describe('reaches a gradient norm of 1e-10', () => {
  test.each([2, 10])('on Rosenbrock in %i dimensions', (n) => {
    const x0 = Float64Array.from({ length: n }, (_, i) => (i % 2 === 0 ? -1.2 : 1))
    const found = minimise(lbfgs(), rosenbrock, x0, tight)
    expect(found.reason).toBe('gradient')
    expect(found.iterations).toBeLessThan(150)
    for (const xj of found.x) expect(Math.abs(xj - 1)).toBeLessThan(1e-10)
  })

  test('on a quadratic in 100 dimensions with condition number 1e8', () => {
    const x0 = Float64Array.from({ length: 100 }, (_, i) => 3 + Math.cos(3 * i))
    // With a memory as long as the space and a nearly exact line search BFGS is conjugate gradients: about 100 steps.
    const method = lbfgs({ memory: 100, lineSearch: { curvature: 0.01 } })
    const found = minimise(method, quadratic(100, 1e-4, 1e4), x0, tight)
    expect(found.reason).toBe('gradient')
    expect(found.iterations).toBeLessThan(150)
    for (const xj of found.x) expect(Math.abs(xj - 1)).toBeLessThan(1e-6) // gradient / least curvature
  })

  test('on logistic regression with badly scaled features', () => {
    const found = minimise(lbfgs({ memory: 20 }), logistic(200, 8), new Float64Array(8), tight)
    expect(found).toMatchObject({ reason: 'gradient' })
    expect(found.value).toBeLessThan(Math.log(2))
  })
})

test('a memory of 0 is steepest descent with a line search', () => {
  const found = minimise(lbfgs({ memory: 0 }), quadratic(5, 1, 10), new Float64Array(5), tight)
  expect(found.reason).toBe('gradient')
  expect(found.iterations).toBeGreaterThan(20)
})

test('every accepted step lowers the value', () => {
  const { history } = minimise(lbfgs(), rosenbrock, Float64Array.of(-1.2, 1, -1.2, 1), { ...tight, history: true })
  for (const [k, value] of history!.entries()) if (k > 0) expect(value).toBeLessThan(history![k - 1]!)
})

test('skips a pair without positive curvature and carries on', () => {
  // Fixed steps on a hilltop: gradients shrink along the step, so sᵀy < 0 there.
  const hill: Objective = ([a]) => ({ value: Math.cos(a!), gradient: Float64Array.of(-Math.sin(a!)) })
  const found = minimise(lbfgs({ fixedStep: 0.3 }), hill, Float64Array.of(0.2), tight)
  expect(found.reason).toBe('gradient')
  expect(found.value).toBeCloseTo(-1, 12)
})

test('does not remember such a pair', () => {
  const method = lbfgs({ fixedStep: 0.3 })
  const [from, to, state] = [emptyPoint(1), emptyPoint(1), method.init(1)]
  const objective: Objective = ([a]) => ({ value: Math.cos(a!), gradient: Float64Array.of(-Math.sin(a!)) })
  const advance = (a: number) => {
    from.x[0] = a
    evaluateInto(from, objective)
    expect(method.advanceInto(to, from, { state, objective })).toBeUndefined()
    return state.memory.count()
  }
  expect(advance(0.2)).toBe(0)
  expect(advance(2)).toBe(1)
})

describe('a pair is remembered', () => {
  /** The pairs after one step of length 1 from a point where the gradient is `-s`, to one where it has changed by y. */
  const remembered = (s: readonly number[], y: readonly number[]) => {
    const size = s.length
    const method = lbfgs({ fixedStep: 1 })
    const [from, to, empty] = [emptyPoint(size), emptyPoint(size), method.init(size)]
    const kept: number[] = []
    const keep: Memory['keep'] = (_, __, { sy }) => kept.push(1 / sy)
    const state = { ...empty, memory: { ...empty.memory, keep } }
    const at = (x: Float64Array) => (x.some((v) => v !== 0) ? s.map((v, j) => y[j]! - v) : s.map((v) => -v))
    const objective: Objective = (x) => ({ value: 0, gradient: Float64Array.from(at(x)) })
    evaluateInto(from, objective)
    expect(method.advanceInto(to, from, { state, objective })).toBeUndefined()
    expect([...to.x]).toEqual(s)
    return kept
  }
  test('by the angle between step and change, however short both are', () => {
    expect(remembered([2 ** -60, 0], [1e-14, 1])).toEqual([]) // a cosine of 1e-14 is not above it
    expect(remembered([2 ** -60, 0], [2 ** -46, 1])).toEqual([2 ** 106]) // 1.4e-14 is
    expect(remembered([1e-12], [1e-12])).toEqual([1 / 1e-24])
    expect(remembered([-0.5], [2 ** 40])).toEqual([])
  })
  test('unless its product is too small to divide by', () => {
    expect(remembered([2 ** -512], [2 ** -511])).toEqual([2 ** 1023])
    expect(remembered([2 ** -512], [2 ** -513])).toEqual([])
  })
})

test.each([
  [{}, 3],
  [{ fixedStep: 0.5 }, 3],
  [{ fixedStep: 0.5 }, 0.25],
])('a direction that would climb is dropped for the gradient: %j at %d', (options, start) => {
  const method = lbfgs(options)
  const [from, to, state] = [emptyPoint(1), emptyPoint(1), method.init(1)]
  const objective: Objective = ([a]) => ({ value: a! * a!, gradient: Float64Array.of(2 * a!) })
  from.x[0] = start
  evaluateInto(from, objective)
  state.memory.keep(Float64Array.of(1), Float64Array.of(-1), { sy: -1, yy: 1 }) // H = −1: d = +∇f
  expect(method.advanceInto(to, from, { state, objective })).toBeUndefined()
  expect(to.value).toBeLessThan(start * start)
})

test('a gradient that points the wrong way stalls and says so', () => {
  const wrong: Objective = ([a]) => ({ value: a! * a!, gradient: Float64Array.of(-2 * a!) })
  const found = minimise(lbfgs(), wrong, Float64Array.of(1), tight)
  expect(found).toMatchObject({ reason: 'stalled', iterations: 0, value: 1 })
})

test('backs off from where the objective has no value', () => {
  const barrier: Objective = ([a]) => ({ value: a! - Math.log(a!), gradient: Float64Array.of(1 - 1 / a!) })
  const found = minimise(lbfgs(), barrier, Float64Array.of(1e-3), tight)
  expect(found.reason).toBe('gradient')
  expect(found.x[0]).toBeCloseTo(1, 9)
})

test('what cannot be meant is refused', () => {
  expect(() => lbfgs({ memory: -1 })).toThrow('memory is -1')
  expect(() => lbfgs({ fixedStep: 0 })).toThrow('fixedStep is 0')
})

test('a search that fails along a remembered direction is made once more along the gradient', () => {
  let bad = 0
  const lossy: Objective = ([a, b]) => {
    if (bad-- > 0) return { value: Number.NaN, gradient: new Float64Array(2) }
    return { value: 0.5 * a! * a! + 2 * b! * b!, gradient: Float64Array.of(a!, 4 * b!) }
  }
  const run = (memory: number) => {
    bad = 0
    return minimise(lbfgs({ memory, lineSearch: { maxEvaluations: 3 } }), lossy, Float64Array.of(5, 1), {
      maxIterations: 4,
      aborted({ iteration }) {
        if (iteration === 2) bad = 3
        return false
      },
    })
  }
  expect(run(5)).toMatchObject({ reason: 'iterations', iterations: 4 })
  // Without memory there is no other direction.
  expect(run(0)).toMatchObject({ reason: 'non-finite', iterations: 2 })
})

test('that second search starts from the gradient, with nothing remembered', () => {
  const method = lbfgs({ lineSearch: { maxEvaluations: 3 } })
  const [from, to, state] = [emptyPoint(2), emptyPoint(2), method.init(2)]
  let bad = 0
  const bowl: Objective = ([a, b]) => ({
    value: bad-- > 0 ? Number.NaN : 0.5 * a! * a! + 2 * b! * b!,
    gradient: Float64Array.of(a!, 4 * b!),
  })
  from.x.set([5, 1])
  evaluateInto(from, bowl)
  // s = y along one axis: H leaves the direction as it is; a third of it along the other.
  state.memory.keep(Float64Array.of(0, 1), Float64Array.of(0, 3), { sy: 3, yy: 9 })
  bad = 3
  expect(method.advanceInto(to, from, { state, objective: bowl })).toBeUndefined()
  const [s, t] = [to.x[0]! - 5, to.x[1]! - 1]
  expect(s).toBeLessThan(0)
  expect(5 * t - 4 * s).toBeCloseTo(0, 12) // along (5, 4)
  expect([state.memory.count(), ...state.s]).toEqual([1, s, t])
})

test('a step that fails is not remembered', () => {
  const method = lbfgs({ lineSearch: { maxEvaluations: 3 } })
  const [from, to, state] = [emptyPoint(1), emptyPoint(1), method.init(1)]
  from.x[0] = 2
  evaluateInto(from, ([a]) => ({ value: a! * a!, gradient: Float64Array.of(2 * a!) }))
  const nowhere: Objective = () => ({ value: Number.NaN, gradient: Float64Array.of(0) })
  expect(method.advanceInto(to, from, { state, objective: nowhere })).toBe('non-finite')
  expect(state.memory.count()).toBe(0)
})
