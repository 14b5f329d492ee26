import { describe, expect, test } from 'vitest'
import type { GridLoss } from './loss-grid.js'
import { logPeak, momentsAt, shiftFor, tailBeyond } from './loss-moments.js'

const grid = (index: number[], mass: number[]): GridLoss => ({
  ...{ index: Int32Array.from(index), mass: Float64Array.from(mass), infinite: 0, missing: 0 },
})

describe('moments of a sum', () => {
  const one = grid([-1, 2, 3], [0.25, 0.5, 0.25])
  const other = grid([-4, 5], [0.6, 0.4])
  const h = 0.5
  /** By the definition, from the weights of one step. */
  const tilted = ({ index, mass }: GridLoss, theta: number) => {
    const weights = [...index].map((k, i) => mass[i]! * Math.exp(theta * k * h))
    const total = weights.reduce((a, b) => a + b, 0)
    const mean = weights.reduce((sum, w, i) => sum + w * index[i]! * h, 0) / total
    const variance = weights.reduce((sum, w, i) => sum + w * (index[i]! * h - mean) ** 2, 0) / total
    return { logMgf: Math.log(total), mean, variance }
  }

  test.each([0, 1.3, -0.7])('are those of each step, so many times: tilt %d', (theta) => {
    const found = momentsAt(
      [
        { loss: one, steps: 3 },
        { loss: other, steps: 2 },
      ],
      theta,
      h,
    )
    const [a, b] = [tilted(one, theta), tilted(other, theta)]
    for (const key of ['logMgf', 'mean', 'variance'] as const) {
      expect(found[key]).toBeCloseTo(3 * a[key] + 2 * b[key], 12)
    }
    expect(momentsAt([], theta, h)).toEqual({ logMgf: 0, mean: 0, variance: 0 })
  })

  test('one loss that is certain has no variance', () => {
    const found = momentsAt([{ loss: grid([6], [1]), steps: 4 }], 0.1, h)
    expect(found.logMgf).toBeCloseTo(4 * 0.3, 14)
    expect(found.mean).toBeCloseTo(12, 14)
    expect(found.variance).toBeCloseTo(0, 12)
  })

  test('tilts that no double could hold leave the outermost loss', () => {
    const up = momentsAt([{ loss: one, steps: 2 }], 4000, h)
    expect(up).toMatchObject({ mean: 3, variance: 0 })
    expect(up.logMgf).toBeCloseTo(2 * (Math.log(0.25) + 4000 * 1.5), 8)
    const down = momentsAt([{ loss: one, steps: 2 }], -4000, h)
    expect(down).toMatchObject({ mean: -1, variance: 0 })
    expect(down.logMgf).toBeCloseTo(2 * (Math.log(0.25) + 4000 * 0.5), 8)
  })

  test('the shift is what exceeds 600 at either end', () => {
    const at = (theta: number, step = h) => shiftFor(one, theta, step)
    expect([at(0), at(400), at(400.5), at(1000)]).toEqual([0, 0, 0.75, 900])
    expect([at(-1200), at(-1201), at(-3000)]).toEqual([0, 0.5, 900])
    expect(at(100, 4)).toBe(600)
  })
})

test('the peak of e^(-theta y) (1 - e^-y) is where a search finds it', () => {
  expect(logPeak(0)).toBe(0)
  expect(logPeak(1)).toBeCloseTo(-Math.log(4), 14)
  for (const theta of [0.05, 0.5, 3, 40]) {
    let most = 0
    for (let y = 0; y < 12; y += 1e-4) most = Math.max(most, Math.exp(-theta * y) * (1 - Math.exp(-y)))
    expect(logPeak(theta)).toBeCloseTo(Math.log(most), 6)
  }
})

describe('how much lies far from the centre', () => {
  /** Chernoff's bound at its best, by a fine search over s. */
  function best(
    loss: GridLoss,
    steps: number,
    { theta, centre, h }: { theta: number; centre: number; h: number },
    distance: number,
  ) {
    const logMgf = (s: number) => steps * Math.log([...loss.index].reduce((sum, k, i) => sum + loss.mass[i]! * Math.exp(s * k * h), 0)) // biome-ignore format: a line
    return [1, -1].map((sign) => {
      let least = 0
      for (let s = 0.02; s < 20; s *= 1.04) least = Math.min(least, logMgf(theta + sign * s) - logMgf(theta) - s * (sign * centre + distance)) // biome-ignore format: a line
      return least
    })
  }
  const steep = { theta: 0.4, centre: 3.1, h: 0.5 }
  const losses = {
    'two losses': grid([-1, 1], [0.5, 0.5]),
    'a rare one': grid([-2, 1, 9], [0.3, 0.69, 0.01]),
    'a thousand': grid(
      Array.from({ length: 1000 }, (_, i) => i - 450),
      Array.from({ length: 1000 }, (_, i) => (i < 100 || i > 700 ? 0 : (1 + (i % 7)) / 2399)),
    ),
  }
  test.each(Object.entries(losses))('%s: nearly the best bound of its kind, and none below it', (name, loss) => {
    const tail = name === 'a thousand' ? { theta: 0.4, centre: 3.1, h: 0.5 / 100 } : steep
    const beyond = tailBeyond([{ loss, steps: 30 }], tail)
    for (const distance of [10, 14, 18]) {
      const exponents = best(loss, 30, tail, distance)
      const found = beyond(distance)
      expect(found).toBeGreaterThanOrEqual(exponents.reduce((sum, x) => sum + Math.exp(1.005 * x), 0))
      expect(found).toBeLessThanOrEqual(exponents.reduce((sum, x) => sum + Math.exp(0.8 * x), 0))
    }
  })

  test('at no distance nothing is known on either side', () => {
    expect(tailBeyond([{ loss: losses['two losses'], steps: 3 }], { theta: 0, centre: 0, h: 1 })(0)).toBe(2)
  })

  test('what is impossible is bounded by as little as anybody asks for', () => {
    const beyond = tailBeyond([{ loss: losses['two losses'], steps: 10 }], { theta: 0, centre: 0, h: 1 })
    expect(beyond(10)).toBeGreaterThanOrEqual(2 * 0.5 ** 10)
    expect(beyond(30)).toBeLessThan(1e-20)
    expect(beyond(30)).toBeGreaterThan(0)
  })
})
