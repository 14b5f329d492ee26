import { describe, expect, test } from 'vitest'
import { type GridLoss, onGrid, reversed } from './loss-grid.js'
import type { LossPair, Masses } from './loss-pair.js'

const h = Math.LN2 // ratios are powers of two
const pairOf = (masses: { P: number[]; Q: number[]; atZero: number }, seen: Float64Array[] = []): LossPair => ({
  symmetric: false,
  range: () => ({ low: -1, high: 1 }),
  massesBetween(knots): Masses {
    seen.push(knots)
    return { P: Float64Array.from(masses.P), Q: Float64Array.from(masses.Q), atZero: masses.atZero }
  },
})
const near = (found: ArrayLike<number>, wanted: readonly number[], digits = 8): void => {
  expect(found).toHaveLength(wanted.length)
  for (const [i, x] of wanted.entries()) expect(found[i]).toBeCloseTo(x, digits)
}
/** E_Q[(P / Q - t)+] of losses on a grid. */
const curve = ({ index, mass, infinite }: GridLoss, t: number): number =>
  infinite + index.reduce((sum, k, i) => sum + Math.max(0, mass[i]! - t * mass[i]! * 2 ** -k), 0)

describe('three knots by hand', () => {
  // Ratios of 1/3 below all knots, 3/4 and 3/2 between them, 5/2 above; and a fifth of either at 1.
  const masses = { P: [0.1, 0.15, 0.3, 0.25], Q: [0.3, 0.2, 0.2, 0.1], atZero: 0.2 }
  const seen: Float64Array[] = []
  const { upper, lower } = onGrid(pairOf(masses, seen), Int32Array.of(-1, 0, 1), h)

  test('masses are asked for between the losses', () => near(seen[0]!, [-Math.LN2, 0, Math.LN2], 15))

  test('above: every stretch is split to its ends, so that both masses are kept', () => {
    // Half of each stretch goes to either end. Beyond the last knot what is left over it is infinite.
    near(upper.mass, [0.05 + 0.1, 0.1 + 0.1 + 0.2, 0.2 + 0.2], 14)
    expect(upper.infinite).toBeCloseTo(0.25 - 2 * 0.1, 14)
    expect(upper.missing).toBeCloseTo(0.3 - 0.1 / 0.5, 14)
    expect([...upper.index]).toEqual([-1, 0, 1])
  })

  test('below: the curve is lowered to nothing at both ends, and by what its tangents are off in the middle', () => {
    // Room of 0.05, 0.25, 0.05; lowered by 0.05 in the middle: slopes of 0.4 and -0.2.
    near(lower.mass, [0.5 * 0.4, 1 * (1 - 0.4 - 0.2), 2 * 0.2])
    expect([lower.infinite, lower.missing]).toEqual([0, 0])
  })

  test('turned round, losses are negated and masses those of the other', () => {
    const back = reversed(upper, h)
    expect([...back.index]).toEqual([-1, 0, 1])
    near(back.mass, [0.2, 0.4, 0.3], 14)
    expect([back.infinite, back.missing]).toEqual([upper.missing, upper.infinite])
    const again = reversed(back, h)
    near(again.mass, [...upper.mass], 14)
  })
})

describe('stretches that lie at one end, or hold nothing', () => {
  test('what is all at an end goes there', () => {
    const masses = { P: [0, 0.1, 0.4, 0, 0.5], Q: [0, 0.2, 0.4, 0, 0.4], atZero: 0 }
    const { upper, lower } = onGrid(pairOf(masses), Int32Array.of(-1, 0, 1, 2), h)
    // A ratio of 1/2 at the left end of its stretch, of 1 at the left end of the next; 0.5 beyond 4 with 0.4 of Q.
    near(upper.mass, [0.1, 0.4, 0, 1.6], 14)
    expect(upper.infinite).toBe(0)
    expect(lower.mass.every((p) => p >= 0)).toBe(true)
  })
})

describe('both sides', () => {
  /** Ratios within each stretch, from 2^-3 to 2^3, of many draws by a rule. */
  const knots = Int32Array.of(-3, -2, -1, 0, 1, 2, 3)
  const cases = [0, 1, 2, 3, 4, 5].map((salt) => {
    const share = (i: number) => 0.05 + 0.9 * ((Math.sin(12.9898 * (i + 8 * salt)) * 43758.5453) % 1) ** 2
    const weights = Array.from({ length: 8 }, (_, i) => share(i + 20))
    const ratios = weights.map((_, i) => 2 ** (i - 4 + share(i)))
    const atZero = salt % 2 === 0 ? 0 : 0.5
    const q = weights.map((w) => (w / weights.reduce((a, b) => a + b)) * (1 - atZero))
    const p = q.map((x, i) => x * ratios[i]!)
    // Made a distribution again by an atom of P's first or last stretch.
    const total = p.reduce((a, b) => a + b)
    const scaled = total > 1 - atZero ? p.map((x) => (x * (1 - atZero)) / total) : p.map((x, i) => (i === 7 ? x + 1 - atZero - total : x)) // biome-ignore format: a line
    return { P: scaled, Q: q, atZero }
  })
  test.each(cases.map((one, i) => [i, one] as const))('are distributions, one above the other: %d', (_, masses) => {
    const inside = masses.P.every((p, i) => i === 0 || i === 7 || (p >= masses.Q[i]! * 2 ** (i - 4) - 1e-12 && p <= masses.Q[i]! * 2 ** (i - 3) + 1e-12)) // biome-ignore format: a line
    const { upper, lower } = onGrid(pairOf(masses), knots, h)
    for (const side of [upper, lower]) {
      expect(Math.min(...side.mass)).toBeGreaterThanOrEqual(0)
      const P = side.mass.reduce((a, b) => a + b, side.infinite)
      const Q = side.index.reduce((sum, k, i) => sum + side.mass[i]! * 2 ** -k, side.missing)
      if (inside) expect([P, Q].map((x) => Math.abs(x - 1) < 1e-8)).toEqual([true, true])
    }
    for (let t = 0.05; t < 12; t *= 1.3) expect(curve(lower, t)).toBeLessThanOrEqual(curve(upper, t) + 1e-12)
  })
})
