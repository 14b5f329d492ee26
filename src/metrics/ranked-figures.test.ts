import { describe, expect, test } from 'vitest'
import { aucInterval } from './auc.js'
import { perfectOrder, rankedFigures } from './ranked-figures.js'

/** The chance that all m of one kind lie above all n of the other, by counting on from the lowest (Lehmann 1953). */
function chanceOf(area: number, few: number, many: number): number {
  const theta = area / (1 - area)
  return Array.from({ length: many }, (_, i) => ((i + 1) * theta) / ((i + 1) * theta + few)).reduce((p, q) => p * q, 1)
}

describe('the least AUC at which a perfect order is likelier than 1 in 40', () => {
  test('of one and one is that chance itself', () => expect(perfectOrder(1, 1)).toBeCloseTo(0.025, 12))

  test.each([
    [1, 2],
    [2, 1],
    [3, 3],
    [2, 9],
    [40, 60],
  ])('of %i and %i is where one of the two chances is 1 in 40 and the other no less', (m, n) => {
    const area = perfectOrder(m, n)
    const [one, other] = [chanceOf(area, m, n), chanceOf(area, n, m)].toSorted((a, b) => a - b)
    expect(other).toBeCloseTo(0.025, 10)
    expect(one).toBeLessThanOrEqual(other!)
    expect(perfectOrder(n, m)).toBe(area)
  })

  test('grows with the number of either', () => {
    expect(perfectOrder(5, 5)).toBeGreaterThan(perfectOrder(5, 4))
    expect(perfectOrder(200, 200)).toBeGreaterThan(0.97)
  })
})

describe('the macro AUC with its interval', () => {
  const task = (truth: readonly number[], levels: number, score: (level: number) => readonly number[]) => ({
    claimed: new Int32Array(truth.length),
    truth: Int32Array.from(truth),
    levels,
    sure: new Float64Array(truth.length),
    score: (level: number) => Float64Array.from(score(level)),
  })

  test('of a perfect order is exact, by the rarest value that occurs', () => {
    const right = rankedFigures(task([0, 1, 0, 0], 2, () => [0.1, 0.9, 0.2, 0.3]))
    expect(right).toEqual({ value: 1, interval: [perfectOrder(1, 3), 1], intervalKind: 'exact' })
    const wrong = rankedFigures(task([0, 1, 0, 0], 2, () => [0.4, 0.1, 0.2, 0.3]))
    expect(wrong).toEqual({ value: 0, interval: [0, 1 - perfectOrder(1, 3)], intervalKind: 'exact' })
    const truth = [0, 2, 2, 0, 0, 3, 3, 3]
    const four = rankedFigures(task(truth, 4, (level) => truth.map((own) => Number(own === level))))
    expect(four).toEqual({ value: 1, interval: [perfectOrder(2, 6), 1], intervalKind: 'exact' })
  })

  test("of two values is DeLong's, and none where there are too few", () => {
    const truth = [0, 1, 0, 1, 1]
    const scores = [0.1, 0.9, 0.5, 0.3, 0.8]
    const interval = aucInterval({ scores, positive: truth })
    expect(rankedFigures(task(truth, 2, () => scores))).toEqual({ value: 5 / 6, interval, intervalKind: 'DeLong' })
    const few = rankedFigures(task([0, 1, 0], 2, () => [0.1, 0.2, 0.3]))
    expect(few).toEqual({ value: 0.5, interval: null, intervalKind: 'DeLong' })
  })

  test('of more values is a bootstrap that does not depend on the order of the records', () => {
    const truth = [0, 1, 2, 0, 1, 2, 2, 1]
    const scores = truth.map((own, i) =>
      [0, 1, 2].map((level) => (own === level ? 0.6 : 0.2) - ((i * 7 + level) % 5) / 9),
    )
    const found = rankedFigures(task(truth, 3, (level) => scores.map((of) => of[level]!)))
    expect(found.intervalKind).toBe('bootstrap')
    const order = [5, 2, 7, 0, 1, 6, 3, 4]
    const shuffled = rankedFigures(
      task(
        order.map((i) => truth[i]!),
        3,
        (level) => order.map((i) => scores[i]![level]!),
      ),
    )
    expect(shuffled).toEqual(found)
    const [low, high] = found.interval!
    expect(low).toBeLessThan(found.value)
    expect(high).toBeGreaterThan(found.value)
  })
})

test('an interval by drawing again does not depend on the order of the records', () => {
  const truth = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]
  const scores = [0.9, 0.3, 0.2, 0.4, 0.5, 0.6, 0.8, 0.1, 0.7, 0.35, 0.45, 0.15]
  const figures = (order: readonly number[]) => {
    const score = (level: number) =>
      Float64Array.from(order, (i) => (level === truth[i] ? scores[i]! : 1 - scores[i]! / (level + 2)))
    const claimed = Int32Array.from(order, (i) => (scores[i]! > 0.5 ? truth[i]! : 0))
    return rankedFigures({ claimed, truth: Int32Array.from(order, (i) => truth[i]!), levels: 3, sure: score(0), score })
  }
  const places = truth.map((_, i) => i)
  const found = figures(places)
  expect(found.intervalKind).toBe('bootstrap')
  expect(found.interval![0]).toBeLessThan(found.interval![1])
  expect(figures(places.toReversed())).toEqual(found)
  expect(figures(places.map((i) => (5 * i) % 12))).toEqual(found)
})
