import { describe, expect, test } from 'vitest'
import { type Rng, rng } from '../../numeric/random/rng.js'
import { clippedChange, discreteGaussian, withSharedNoise } from './shared-noise.js'

type Draw = number | readonly [number, number]

/** Hands out these draws, in this order: [bound, whole number] or a uniform one. */
function scripted(...draws: readonly Draw[]) {
  let next = 0
  const drawn = {
    integer(bound: number) {
      const [asked, value] = draws[next++] as readonly [number, number]
      expect(bound).toBe(asked)
      return value
    },
    uniform: () => draws[next++] as number,
  }
  return { rng: drawn as unknown as Rng, left: () => draws.length - next }
}

describe('a change', () => {
  const noise = (maxNorm: number) => ({ maxNorm, noiseMultiplier: 1, sharers: 1 })
  test('that is too long is shortened, another one stays as it is', () => {
    const change = Float64Array.of(3, -4)
    expect([...clippedChange(change, noise(2.5))]).toEqual([1.5, -2])
    expect(clippedChange(change, noise(5))).toBe(change)
    expect(clippedChange(change, noise(9))).toBe(change)
    const none = new Float64Array(2)
    expect(clippedChange(none, noise(1))).toBe(none)
  })
})

describe('a whole number of noise', () => {
  // Deviation 2.5: steps of 3, variance 6.25; a third of it is 25/12.
  const draw = (...draws: readonly Draw[]) => {
    const { rng: own, left } = scripted(...draws)
    const found = discreteGaussian(own, 2.5)
    expect(left()).toBe(0)
    return found
  }
  const stop = 0.37 // above 1 / e
  const turn = 0.36

  test('is a rest, some turns of three, and a sign', () => {
    // e^(-1/3) = 0.7165; (4 - 25/12)^2 / 12.5 = 0.2939, and e^-0.2939 = 0.7454.
    expect(draw([3, 1], 0.71, turn, stop, [2, 1], 0.745)).toBe(-4)
    expect(draw([3, 1], 0.71, turn, stop, [2, 0], 0.745)).toBe(4)
    expect(draw([3, 2], 0.1, turn, turn, stop, [2, 0], 0.001)).toBe(8)
  })

  test('is drawn anew where a coin falls the other way', () => {
    const fine = [[3, 2], 0.5, stop, [2, 0], 0.9] as const // (2 - 25/12)^2 / 12.5 is next to nothing
    expect(draw(...fine)).toBe(2)
    expect(draw([3, 1], 0.72, ...fine)).toBe(2)
    expect(draw([3, 1], 0.71, turn, stop, [2, 1], 0.746, ...fine)).toBe(2)
    // 0 has one sign only: e^(-(25/12)^2 / 12.5) = 0.7066.
    expect(draw([3, 0], 0.99, stop, [2, 1], ...fine)).toBe(2)
    expect(draw([3, 0], 0.99, stop, [2, 0], 0.706)).toBe(0)
    expect(draw([3, 0], 0.99, stop, [2, 0], 0.7069, ...fine)).toBe(2)
  })

  test('has steps of one more than the deviation, whole or not', () => {
    const { rng: own } = scripted([5, 0], 0.5, stop, [2, 0], 0)
    expect(discreteGaussian(own, 4)).toBe(0)
  })

  test.each([0.7, 3, 9.5])('of deviation %f has that deviation, and no mean', (deviation) => {
    const [draws, n] = [rng('noise'), 4000]
    let [sum, squares] = [0, 0]
    for (let k = 0; k < n; k++) {
      const x = discreteGaussian(draws, deviation)
      expect(Number.isInteger(x)).toBe(true)
      sum += x
      squares += x * x
    }
    expect(Math.abs(sum / n)).toBeLessThan((5 * deviation) / Math.sqrt(n))
    expect(Math.abs(squares / n / deviation ** 2 - 1)).toBeLessThan(0.1)
  })
})

describe('a client’s part', () => {
  const rounded = (...values: number[]) => ({ values: Uint32Array.from(values), clipped: 3 })
  /** Steps of 2 / 1024; four clients: the deviation is 256 sigma. */
  const part = (change: object = {}, given = { clip: 1, levels: 1025 }, values = rounded(1, 5)) =>
    withSharedNoise(values, given, {
      noise: { maxNorm: 1, noiseMultiplier: 1 / 64, sharers: 4, ...change },
      rng: rng('part'),
    })

  test('is added modulo 2^32, to each number its own', () => {
    // Deviation 4: steps of 5.
    const { rng: own } = scripted([5, 4], 0, 0.9, [2, 1], 0, [5, 2], 0, 0.9, [2, 0], 0)
    const noise = { maxNorm: 1, noiseMultiplier: 1 / 64, sharers: 4 }
    const found = withSharedNoise(rounded(1, 5), { clip: 1, levels: 1025 }, { noise, rng: own })
    expect([...found.values]).toEqual([4294967293, 7])
    expect(found.clipped).toBe(3)
  })

  test('is none where no noise was promised', () => {
    const values = rounded(1, 5)
    expect(part({ noiseMultiplier: 0 }, { clip: 1, levels: 2 }, values)).toBe(values)
  })

  test('of less than four steps is refused', () => {
    expect(() => part()).not.toThrow()
    expect(() => part({ noiseMultiplier: 0.999 / 64 })).toThrow(
      '1025 levels up to 1: too coarse for noise on changes of 1',
    )
    expect(() => part({ sharers: 5 })).toThrow('too coarse')
  })

  test('is refused where rounding may lengthen a change by more than a hundredth', () => {
    // A step of 1/512 in each of d places: sqrt(d) may be 5.12.
    expect(() => part({}, undefined, rounded(...new Array(26).fill(0)))).not.toThrow()
    expect(() => part({}, undefined, rounded(...new Array(27).fill(0)))).toThrow('too coarse')
    const half = { maxNorm: 0.5, noiseMultiplier: 1 / 32 }
    expect(() => part(half, undefined, rounded(...new Array(6).fill(0)))).not.toThrow()
    expect(() => part(half, undefined, rounded(...new Array(7).fill(0)))).toThrow('too coarse')
    // 0.01 exactly is no more.
    expect(() => part({ noiseMultiplier: 1 }, { clip: 1, levels: 201 }, rounded(1))).not.toThrow()
  })

  test('is refused where changes may be longer than the clip', () => {
    expect(() => part({ maxNorm: 1.001 })).toThrow('1025 levels up to 1: too coarse for noise on changes of 1.001')
  })
})
