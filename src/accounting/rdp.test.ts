import { describe, expect, test } from 'vitest'
import { fixedSizeRdp, sampledGaussianRdp } from './rdp.js'

/** Deviations that nothing was computed for yet, so that what is kept of earlier ones hides nothing. */
let fresh = 0
const unusual = (sigma: number): number => sigma + ++fresh * 2 ** -30

const relative = (found: number, wanted: number): number => Math.abs(found / wanted - 1)

describe('sampled Gaussian noise', () => {
  test('of order two: log(1 + q^2 (e^(1 / sigma^2) - 1)), however little is lost', () => {
    for (const sigma of [0.5, 3, 300, 1e4, 1e6]) {
      const wanted = Math.log1p(0.25 * Math.expm1(1 / (sigma * sigma)))
      expect(relative(sampledGaussianRdp({ sigma, q: 0.5, alpha: 2 }), wanted)).toBeLessThan(3e-11)
    }
  })

  test('of order three, with all three terms', () => {
    for (const sigma of [0.8, 40, 2000]) {
      const [two, three] = [Math.expm1(1 / (sigma * sigma)), Math.expm1(3 / (sigma * sigma))]
      const wanted = Math.log1p(3 * 0.7 * 0.09 * two + 0.027 * three) / 2
      expect(relative(sampledGaussianRdp({ sigma, q: 0.3, alpha: 3 }), wanted)).toBeLessThan(3e-11)
    }
  })

  // Noise so small that both centres lie apart: E[(P / Q)^alpha] is a sum of two, whatever the order.
  test.each([1.001, 1.01, 1.5, 2.5, 6.25])('next to no noise, order %d', (alpha) => {
    const [sigma, q] = [0.02, 0.3]
    const [none, one] = [alpha * Math.log(1 - q), alpha * Math.log(q) + (alpha * (alpha - 1)) / (2 * sigma * sigma)]
    const most = Math.max(none, one)
    const wanted = (most + Math.log(Math.exp(none - most) + Math.exp(one - most))) / (alpha - 1)
    expect(relative(sampledGaussianRdp({ sigma, q, alpha }), wanted)).toBeLessThan(1e-11)
  })

  test('all records in every step is Gaussian noise', () => {
    expect(sampledGaussianRdp({ sigma: 2, q: 1, alpha: 3.5 })).toBe(3.5 / 8)
    expect(fixedSizeRdp({ sigma: 2, q: 1, alpha: 3.5 })).toBe(3.5 / 8)
  })
})

describe('batches of fixed size', () => {
  /** Moments of the ratio less 1, by their alternating sum. */
  const second = (sigma: number): number => Math.expm1(1 / (sigma * sigma))
  const fourth = (sigma: number): number => {
    const e = (k: number): number => Math.exp((k * (k - 1)) / (2 * sigma * sigma))
    return e(4) - 4 * e(3) + 6 * e(2) - 3
  }
  const least = (sigma: number, j: number, moments: number): number =>
    Math.min(4 * moments, 2 * Math.exp((j * (j - 1)) / (2 * sigma * sigma)))
  const two = (sigma: number, q: number): number => Math.log1p(q * q * least(sigma, 2, second(sigma)))
  const three = (sigma: number, q: number): number => {
    const odd = Math.sqrt(second(sigma) * fourth(sigma))
    return Math.log1p(3 * q * q * least(sigma, 2, second(sigma)) + q ** 3 * least(sigma, 3, odd))
  }

  test.each([0.4, 0.9, 1.1, 1.7, 3])('of orders two and three by the closed forms, sigma about %d', (about) => {
    for (const q of [0.05, 0.6]) {
      const sigma = unusual(about)
      expect(relative(fixedSizeRdp({ sigma, q, alpha: 2 }), two(sigma, q))).toBeLessThan(1e-10)
      expect(relative(fixedSizeRdp({ sigma, q, alpha: 3 }), three(sigma, q) / 2)).toBeLessThan(1e-10)
    }
  })

  test('of order four with the fourth moment', () => {
    const [sigma, q] = [unusual(2), 0.3]
    const odd = Math.sqrt(second(sigma) * fourth(sigma))
    const sum = 6 * q * q * least(sigma, 2, second(sigma)) + 4 * q ** 3 * least(sigma, 3, odd) + q ** 4 * least(sigma, 4, fourth(sigma)) // biome-ignore format: a line
    expect(relative(fixedSizeRdp({ sigma, q, alpha: 4 }), Math.log1p(sum) / 3)).toBeLessThan(1e-10)
  })

  test('between whole orders by the chord, from nothing at one', () => {
    const [sigma, q] = [unusual(1.3), 0.4]
    expect(relative(fixedSizeRdp({ sigma, q, alpha: 1.25 }), two(sigma, q))).toBeLessThan(1e-10)
    const between = (0.75 * two(sigma, q) + 0.25 * three(sigma, q)) / 1.25
    expect(relative(fixedSizeRdp({ sigma, q, alpha: 2.25 }), between)).toBeLessThan(1e-10)
  })

  test('the same question has the same answer twice', () => {
    const asked = { sigma: unusual(2), q: 0.1, alpha: 7 }
    expect(fixedSizeRdp(asked)).toBe(fixedSizeRdp(asked))
  })
})
