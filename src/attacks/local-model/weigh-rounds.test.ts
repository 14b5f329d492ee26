import { describe, expect, test } from 'vitest'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Form, Pairs } from './affine-fit.js'
import { chooseForm, weightsByRound } from './weigh-rounds.js'

type Points = readonly (readonly [x: number, y: number])[]

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

/** Models of one parameter: descents 0.7 (theta - 3) and noise, of both. */
function drawn(seed: number, { n = 23, ofTheta = 0, ofDescent = 0.1, growth = 0 }): Points {
  const draws = rng(seed)
  return Array.from({ length: n }, (_, i) => {
    const theta = 3 + 2 * draws.normal()
    const noise = ofDescent * Math.exp((growth * i) / n) * draws.normal()
    return [theta + ofTheta * draws.normal(), 0.7 * (theta - 3) + noise]
  })
}

const pairsOf = (points: Points): Pairs => ({
  theta: matrix(
    points.length,
    1,
    Float64Array.from(points, ([x]) => x),
  ),
  descent: matrix(
    points.length,
    1,
    Float64Array.from(points, ([, y]) => y),
  ),
})

/** Weighted moments about the weighted means. */
function momentsOf(points: Points, weights: readonly number[]) {
  const all = sum(weights)
  const mx = sum(points.map(([x], i) => weights[i]! * x)) / all
  const my = sum(points.map(([, y], i) => weights[i]! * y)) / all
  const of = (f: (x: number, y: number) => number) => sum(points.map(([x, y], i) => weights[i]! * f(x - mx, y - my)))
  return { mx, my, xx: of((x) => x * x), xy: of((x, y) => x * y), yy: of((_, y) => y * y) }
}

/** The slope of each form for one parameter: of the regression of y on x, of x on y, and the ratio of the spreads. */
function slopeOf(form: Form, { xx, xy, yy }: ReturnType<typeof momentsOf>): number {
  return { direct: xy / xx, inverse: yy / xy, tls: Math.sign(xy) * Math.sqrt(yy / xx) }[form]
}

describe('weights by round', () => {
  /** exp of minus the slope of the log of the squared misfits on the round, twice, each within 9.2 of 0. */
  function bySlopes(points: Points, rounds: readonly number[]): number[] {
    const at = rounds.map((t) => (t - rounds[0]!) / (rounds.at(-1)! - rounds[0]!) - 0.5)
    let weights = points.map(() => 1)
    for (let pass = 0; pass < 2; pass++) {
      const moments = momentsOf(points, weights)
      const slope = slopeOf('direct', moments)
      const misses = points.map(([x, y]) => Math.log((y - moments.my - slope * (x - moments.mx)) ** 2))
      const { xx, xy } = momentsOf(
        at.map((x, i) => [x, misses[i]!]),
        at.map(() => 1),
      )
      const steep = Math.min(9.2, Math.max(-9.2, xy / xx))
      weights = at.map((x) => Math.exp(-steep * x))
    }
    return weights
  }

  test.each([-4, -1, 0, 2, 6])('noise that grows by exp(%d) from the first round to the last', (growth) => {
    const points = drawn(growth + 50, { growth })
    const rounds = points.map((_, i) => 4 + i + (i > 9 ? 7 : 0))
    const asked = bySlopes(points, rounds)
    const found = weightsByRound(pairsOf(points), rounds, 'direct')
    for (const [i, weight] of asked.entries()) expect(found[i]! / weight).toBeCloseTo(1, 6)
  })

  test.each([-20, -5, -4.5, 4.5, 5, 20])(
    'two messages a round, as far off to both sides: growth %d, as far as 9.2',
    (growth) => {
      const rounds = Array.from({ length: 20 }, (_, i) => i >> 1)
      const points = rounds.map((t, i) => {
        const x = t + (t % 3)
        return [x, 0.7 * (x - 3) + (i % 2 === 0 ? 1e-4 : -1e-4) * Math.exp((growth * t) / 9)] as const
      })
      const found = weightsByRound(pairsOf(points), rounds, 'direct')
      const slope = Math.max(-9.2, Math.min(9.2, 2 * growth))
      for (const [i, t] of rounds.entries()) expect(Math.log(found[i]!) + slope * (t / 9 - 0.5)).toBeCloseTo(0, 6)
    },
  )

  test('misfits of several parameters are added up', () => {
    const rounds = Array.from({ length: 24 }, (_, i) => i >> 1)
    const place = (t: number) => [t + (t % 3), 4 - (t % 5)] as const
    const off = (i: number) => (i % 2 === 0 ? 1e-4 : -1e-4) * Math.exp((2 * rounds[i]!) / 11)
    const theta = matrix(24, 2, Float64Array.from(rounds.flatMap(place)))
    const descent = matrix(
      24,
      2,
      theta.data.map((x, at) => 0.5 * (x - 1) + (at % 2 === 0 ? 3 : -4) * off(at >> 1)),
    )
    const found = weightsByRound({ theta, descent }, rounds, 'direct')
    for (const [i, t] of rounds.entries()) expect(Math.log(found[i]!) + 4 * (t / 11 - 0.5)).toBeCloseTo(0, 6)
  })

  test('are all alike in one round alone, and where nothing is missed', () => {
    const points = drawn(2, { growth: 3 })
    expect(
      new Set(
        weightsByRound(
          pairsOf(points),
          points.map(() => 5),
          'direct',
        ),
      ),
    ).toEqual(new Set([1]))
    const still = points.map(([x]) => [x, 0] as const)
    const rounds = points.map((_, i) => i)
    expect(new Set(weightsByRound(pairsOf(still), rounds, 'direct'))).toEqual(new Set([1]))
  })
})

describe('the form that explains what was held out', () => {
  const forms = ['direct', 'inverse', 'tls'] as const

  /** Every fifth message is held out in turn: the slope through each form's zero is fitted to the others. */
  function heldOut(points: Points): Record<Form, number> {
    const missed = { direct: 0, inverse: 0, tls: 0 }
    for (let fold = 0; fold < 5; fold++) {
      const train = points.filter((_, i) => i % 5 !== fold)
      const moments = momentsOf(
        train,
        train.map(() => 1),
      )
      for (const form of forms) {
        const zero = moments.mx - moments.my / slopeOf(form, moments)
        const slope = sum(train.map(([x, y]) => (x - zero) * y)) / sum(train.map(([x]) => (x - zero) ** 2))
        for (const [i, [x, y]] of points.entries()) if (i % 5 === fold) missed[form] += (y - slope * (x - zero)) ** 2
      }
    }
    const size = sum(points.map(([, y]) => y * y))
    return { direct: missed.direct / size, inverse: missed.inverse / size, tls: missed.tls / size }
  }

  test('has the least squares of all that is held out, over those of no model at all', () => {
    const won = new Set<Form>()
    for (let seed = 0; seed < 20; seed++) {
      const far = (points: Points) => points.map(([x, y]) => [x, y + 3] as const)
      const points = far(drawn(seed, { n: 5 + seed, ofTheta: seed % 2, ofDescent: 0.3 + (seed % 3) }))
      const asked = heldOut(points)
      const { form, heldOut: found } = chooseForm(pairsOf(points))
      for (const one of forms) expect(found![one] / asked[one]).toBeCloseTo(1, 7)
      expect(asked[form]).toBe(Math.min(...forms.map((one) => asked[one])))
      won.add(form)
    }
    expect(won.size).toBe(3)
  })

  test.each([
    [1, 3, false],
    [1, 4, true],
    [2, 4, false],
    [2, 5, true],
    [3, 6, false],
    [3, 7, true],
  ])('%d parameters, %d messages: tried is %s', (d, n, tried) => {
    const draws = rng(7)
    const pairs = { theta: matrix(n, d, draws.normals(n * d)), descent: matrix(n, d, draws.normals(n * d)) }
    const { form, heldOut: found } = chooseForm(pairs)
    expect(found !== null).toBe(tried)
    if (!tried) expect(form).toBe('direct')
  })

  test('is the first where all explain it alike', () => {
    const pairs = { theta: matrix(9, 1, rng(1).normals(9)), descent: matrix(9, 1) }
    expect(chooseForm(pairs)).toEqual({ form: 'direct', heldOut: { direct: 0, inverse: 0, tls: 0 } })
  })

  test('is not tried where the models leave a direction open', () => {
    const theta = matrix(20, 2, rng(1).normals(40))
    for (let i = 0; i < 20; i++) theta.data[2 * i] = 5
    expect(chooseForm({ theta, descent: theta })).toEqual({ form: 'direct', heldOut: null })
  })
})
