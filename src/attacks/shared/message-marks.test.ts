import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { marksOf } from './message-marks.js'

const heard = (...changes: readonly (readonly number[])[]) =>
  changes.map((change) => ({ change: Float64Array.from(change), from: undefined }))
const noise = (seed: number, n = 40) => Array.from(rng(seed).normals(n))

describe('what values betray by themselves', () => {
  test('nothing, where they lie anywhere', () => {
    expect(marksOf(heard(noise(1), noise(2), noise(3)))).toEqual({ sparse: undefined, lattice: undefined })
    expect(marksOf([])).toEqual({ sparse: undefined, lattice: undefined })
  })
})

describe('that only the largest were sent:', () => {
  const kept = (seed: number, k: number) => {
    const all = noise(seed)
    const least = all.map(Math.abs).sort((a, b) => b - a)[k - 1]!
    return all.map((v) => (Math.abs(v) >= least ? v : 0))
  }

  test('equally many in every message, in differing places', () => {
    expect(marksOf(heard(kept(1, 4), kept(2, 4), kept(3, 4))).sparse).toEqual({ share: 4 / 40 })
    expect(marksOf(heard(kept(1, 4), kept(2, 4), kept(3, 5))).sparse).toBeUndefined()
    expect(marksOf(heard(kept(1, 40), kept(2, 40), kept(3, 40))).sparse).toBeUndefined()
  })

  test('in few messages or always the same places, where none of many is small', () => {
    expect(marksOf(heard(kept(1, 10))).sparse).toEqual({ share: 10 / 40 })
    expect(marksOf(heard(kept(1, 10), kept(2, 10))).sparse).toEqual({ share: 10 / 40 })
    expect(marksOf(heard(kept(1, 7))).sparse).toBeUndefined()
    const same = kept(1, 4)
    expect(marksOf(heard(same, same, same)).sparse).toBeUndefined()
    const dead = noise(4).map((v, j) => (j < 12 ? v : 0)) // a unit that is off leaves values of all sizes
    dead[0] = 1e-6
    expect(marksOf(heard(dead)).sparse).toBeUndefined()
    expect(marksOf(heard(new Array(40).fill(0))).sparse).toBeUndefined()
  })
})

describe('that they were rounded to a lattice:', () => {
  /** Whole multiples of the largest over 2^(bits - 1) - 1. */
  const rounded = (seed: number, bits: number, n = 40) => {
    const all = noise(seed, n)
    const levels = 2 ** (bits - 1) - 1
    const step = Math.max(...all.map(Math.abs)) / levels
    return all.map((v) => Math.round(v / step) * step)
  }

  test.each([3, 4, 8, 12])('%i bits', (bits) => {
    expect(marksOf(heard(rounded(1, bits), rounded(2, bits))).lattice).toEqual({ bits })
  })

  test('not finer than what single precision leaves of it', () => {
    const change = Float64Array.from(rounded(1, 8))
    const near = change.map(() => 3)
    expect(marksOf([{ change, from: near }]).lattice).toEqual({ bits: 8 })
    const far = change.map(() => 3e4) // 2e-7 of it is more than an eighth of a step
    expect(marksOf([{ change, from: far }]).lattice).toBeUndefined()
    const tiny = change.map((v) => v * 1e-7) // steps below the rounding of a model near 1, and not of one near 0
    expect(marksOf([{ change: tiny, from: undefined }]).lattice).toEqual({ bits: 8 })
    expect(marksOf([{ change: tiny, from: tiny.map(() => 1) }]).lattice).toBeUndefined()
    expect(marksOf([{ change: tiny, from: tiny.map(() => 0) }]).lattice).toEqual({ bits: 8 })
  })

  test('of few values only where they fit exactly', () => {
    expect(marksOf(heard([7, 1, 2, 5, -3])).lattice).toEqual({ bits: 4 })
    expect(marksOf(heard([7, 1.001, 2, 5, -3])).lattice?.bits).not.toBe(4)
    expect(marksOf(heard([7, 1])).lattice).toBeUndefined()
  })
})
