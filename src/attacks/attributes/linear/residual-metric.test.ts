import { describe, expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { rng } from '../../../numeric/random/rng.js'
import { applyMetric, inMetric, metricOf, plainMetric, squaresIn, weightsIn } from './residual-metric.js'

const of = (...x: number[]): Float64Array => Float64Array.from(x)
const silent = (P: number): Float64Array => new Float64Array(P)

// Damped along (3, 4) / 5 and along the third axis.
const metric = { directions: [of(0.6, 0.8, 0), of(0, 0, 1)], damping: [0.5, 0.75] }

test('a metric takes off what lies along its directions, as far as each is damped', () => {
  const rows = [of(3, 4, 0), of(4, -3, 8), of(0, 5, 4)]
  const wanted = [
    [1.5, 2, 0],
    [4, -3, 2],
    [-1.2, 3.4, 1],
  ]
  for (const some of [rows, rows.slice(0, 1)]) {
    const [found, squares] = [inMetric(metric, some), squaresIn(metric, some)]
    expect(found).toHaveLength(some.length)
    for (const [t, r] of some.entries()) {
      for (const [j, x] of wanted[t]!.entries()) expect(found[t]![j]).toBeCloseTo(x, 14)
      expect(squares[t]).toBeCloseTo(
        r.reduce((sum, x, j) => sum + x * wanted[t]![j]!, 0),
        13,
      )
      for (const [j, x] of applyMetric(metric, r).entries()) expect(x).toBe(found[t]![j])
    }
  }
  expect([inMetric(metric, []), squaresIn(metric, [])]).toEqual([[], []])
  expect(inMetric(plainMetric, rows)).toEqual(rows)
  expect(inMetric(plainMetric, rows)[0]).not.toBe(rows[0])
  expect(squaresIn(plainMetric, rows)).toEqual([25, 89, 41])
})

test('kernel memory is given back', () => {
  const before = engine().inUse()
  applyMetric(metric, of(1, 2, 3))
  expect(engine().inUse()).toBe(before)
})

test('what is damped away nearly whole is known to its own precision', () => {
  const whole = { directions: [of(0.6, 0.8)], damping: [1] }
  const [square] = squaresIn(whole, [of(3e8 + 4, 4e8 - 3)])
  expect(square! / 25).toBeCloseTo(1, 6)
})

describe('weights', () => {
  const rounds = (...rounding: number[]) => rounding.map((x) => ({ rounding: of(x, x, x) })) as never
  test('are one over the mean square of what is left, in the metric', () => {
    expect(weightsIn({ rounds: rounds(0), samples: 2 }, plainMetric, [of(1, 2, 1)])).toEqual([0.5])
    expect(weightsIn({ rounds: rounds(0), samples: 2 }, metric, [of(0, 0, 4)])[0]).toBeCloseTo(3 / 4, 14)
  })
  test('stay below what rounding leaves of the records together, and finite', () => {
    // Errors up to 2 x 3 have a variance of 36 / 3 in each coordinate.
    expect(weightsIn({ rounds: rounds(3, 0.25), samples: 2 }, plainMetric, [of(1, 1, 1), of(1, 1, 1)])).toEqual([1 / 12, 1]) // biome-ignore format: a line
    expect(weightsIn({ rounds: rounds(0), samples: 2 }, plainMetric, [silent(3)])).toEqual([3e300])
  })
})

describe('the metric of residuals', () => {
  test('is plain where there are fewer than three for each direction, or nothing to tell', () => {
    const two = [of(1, 2, 3), of(3, 2, 1)]
    expect(metricOf(two, 5)).toBe(plainMetric)
    expect(metricOf([...two, silent(3), silent(3)], 5)).toBe(plainMetric)
    expect(metricOf([silent(3), silent(3), silent(3)], 5)).toBe(plainMetric)
    expect(metricOf([of(1), of(2), of(3)], 5)).toBe(plainMetric) // one parameter: no direction beside others
    expect(metricOf([of(1, 0), of(2, 0), of(3, 1)], 0)).toBe(plainMetric)
    expect(metricOf([of(1, 0), of(2, 0), of(3, 1)], 5).directions).toHaveLength(1)
  })

  test.each([
    ['fewer than parameters', 12, 20],
    ['as many', 12, 12],
    ['more', 12, 5],
  ])('has no direction beyond those that residuals have: %s', (_, T, P) => {
    const shared = rng(1).normals(P)
    const size = Math.sqrt(shared.reduce((sum, x) => sum + x * x, 0))
    const all = Array.from({ length: T }, (_, t) => shared.map((x) => (t - 20) * x))
    const { directions, damping } = metricOf(all, 4)
    expect(directions).toHaveLength(1)
    const sign = Math.sign(directions[0]![0]! * shared[0]!)
    for (const [j, x] of shared.entries()) expect(sign * directions[0]![j]!).toBeCloseTo(x / size, 10)
    expect(damping[0]! < 1 && damping[0]! > 1 - 1e-12).toBe(true)
  })

  test('weighs a direction by what each of the others holds, a residual of nothing counting for all alike', () => {
    // Of lengths that do not matter: three along the first axis, one along each other; nothing twice.
    const all = [of(5, 0, 0, 0), of(-1, 0, 0, 0), of(2, 0, 0, 0), of(0, 7, 0, 0), of(0, 0, 1, 0), of(0, 0, 0, -3)]
    const plain = metricOf(all, 1)
    expect(plain.damping).toHaveLength(1)
    expect(Math.abs(plain.directions[0]![0]!)).toBeCloseTo(1, 12)
    const rest = 3 / 6 / 3
    expect(plain.damping[0]).toBeCloseTo(1 - rest / (3 / 6 + rest), 12)
    const quiet = metricOf([...all, silent(4), silent(4)], 1)
    const more = 2 / (8 * 4) + 3 / 8 / 3
    expect(quiet.damping[0]).toBeCloseTo(1 - more / (3 / 8 + more), 12)
  })
})
