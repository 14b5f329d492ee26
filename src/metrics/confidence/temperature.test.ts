import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { sigmoid } from '../../numeric/special/elementary-functions.js'
import { calibrationErrorOf, reliabilityOf, type Sureness, surenessOf } from './sureness.js'
import { cooled, temperaturesFrom } from './temperature.js'

/** Claims of one training whose true log odds are those stated over a temperature. */
function drawn(n: number, temperature: number, seed: number): Sureness {
  const [odds, luck] = [rng(seed).fork('odds').uniforms(n), rng(seed).fork('luck').uniforms(n)]
  return surenessOf(
    Array.from({ length: n }, (_, i) => {
      const l = 6 * odds[i]!
      return { sure: sigmoid(l), right: luck[i]! < sigmoid(l / temperature) }
    }),
  )
}
const several = (count: number, temperature: number, n = 300): Sureness[] =>
  Array.from({ length: count }, (_, s) => drawn(n, temperature, 10 + s))

test('nothing known: about as sure as stated, and little to build a list on', () => {
  const { middle, high } = temperaturesFrom([])
  expect(Math.abs(middle - 1.1)).toBeLessThan(0.15)
  expect(high).toBeGreaterThan(3)
})

describe('a temperature', () => {
  test.each([0.5, 1, 2, 5])('of %d is found again, and mends the confidence', (temperature) => {
    const found = temperaturesFrom(several(8, temperature))
    expect(found.middle / temperature).toBeGreaterThan(0.85)
    expect(found.middle / temperature).toBeLessThan(1.18)
    const next = drawn(4000, temperature, 99).map(([l, r, n]) => [l / found.middle, r, n] as const)
    expect(calibrationErrorOf(reliabilityOf(next))).toBeLessThan(0.035)
  })

  test('is the surer the more trainings agree', () => {
    const widths = [2, 4, 16].map((count) => {
      const { high, middle } = temperaturesFrom(several(count, 2))
      return high / middle
    })
    expect(widths[0]).toBeGreaterThan(widths[1]!)
    expect(widths[1]).toBeGreaterThan(widths[2]!)
  })

  test('claims of trainings that go right or wrong together weigh less than as many that do not', () => {
    const apart = temperaturesFrom(Array(4).fill([[2, 30, 40]]))
    const together = temperaturesFrom([[[2, 40, 40]], [[2, 40, 40]], [[2, 40, 40]], [[2, 0, 40]]])
    expect(together.high / together.middle).toBeGreaterThan(1.5 * (apart.high / apart.middle))
  })
})

test('a few claims that were never wrong do not cost the sureness that they had', () => {
  const few = temperaturesFrom([[[7, 6, 6]], [[7, 6, 6]], [[7, 6, 6]]])
  expect(cooled(7, few.middle)).toBeGreaterThan(0.99)
  expect(cooled(7, few.high)).toBeGreaterThan(0.95)
  expect(cooled(7, temperaturesFrom([[[7, 3, 6]]]).high)).toBeLessThan(0.7)
})

test('who never says how sure it is, and is right by halves, ends near a coin', () => {
  const halves = (count: number) => temperaturesFrom(Array(count).fill([[14, 30, 60]]))
  expect(cooled(14, halves(2).middle)).toBeLessThan(0.6)
  expect(cooled(14, halves(9).middle)).toBeLessThan(0.55)
})

test('whoever is always wrong and never doubts it is as hot as temperatures go', () => {
  const { high } = temperaturesFrom(Array(9).fill([[1e6, 0, 50]]))
  expect(high).toBeCloseTo(Math.exp(5.4), 8)
  expect(temperaturesFrom(Array(9).fill([[0.01, 50, 50]])).middle).toBeGreaterThanOrEqual(Math.exp(-1.6) - 1e-12)
})
