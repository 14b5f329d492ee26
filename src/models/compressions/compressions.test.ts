import { expect, test } from 'vitest'
import { compressions, compressorOf } from './index.js'

const left = (spec: Parameters<typeof compressorOf>[0], change: readonly number[]): number[] => {
  const before = Float64Array.from(change)
  const after = compressorOf(spec)!(before)
  // What is sent is a copy: what was trained stays.
  expect([...before]).toEqual(change)
  expect(after).not.toBe(before)
  return [...after]
}

test('nothing is done where changes are sent as they are', () => {
  expect(compressorOf({ name: 'none' })).toBeUndefined()
  expect(Object.keys(compressions)).toEqual(['none', 'top-k', 'quantised', 'clipped'])
})

test('the largest values are kept, signs and all, and of equal ones the first', () => {
  expect(left({ name: 'top-k', share: 0.4 }, [1, -5, 2, 4, 0])).toEqual([0, -5, 0, 4, 0])
  expect(left({ name: 'top-k', share: 0.4 }, [2, -2, 2, 2, 1])).toEqual([2, -2, 0, 0, 0])
  expect(left({ name: 'top-k', share: 1 }, [3, 0, -1])).toEqual([3, 0, -1])
})

test('the number kept is rounded up, and at least one', () => {
  const count = (length: number, share?: number) =>
    left(
      { name: 'top-k', ...(share !== undefined && { share }) },
      Array.from({ length }, (_, i) => i + 1),
    ).filter((x) => x !== 0).length
  expect([count(10), count(11), count(3), count(4, 0.5), count(5, 0.5), count(9, 1e-6)]).toEqual([1, 2, 1, 2, 3, 1])
  expect(left({ name: 'top-k' }, [])).toEqual([])
  for (const share of [0, 1.01]) expect(() => compressorOf({ name: 'top-k', share })).toThrow('share')
})

test('rounding is to a lattice whose ends are the largest value', () => {
  // Three bits: 2^2 - 1 = 3 levels on either side.
  expect(left({ name: 'quantised', bits: 3 }, [6, -3.1, 0.9, 1.1, -6, 0])).toEqual([6, -4, 0, 2, -6, 0])
  expect(left({ name: 'quantised', bits: 3 }, [0.75, 0.2, -0.1])).toEqual([0.75, 0.25, -0])
  expect(left({ name: 'quantised', bits: 2 }, [-8, 3.9, 4.1])).toEqual([-8, 0, 8])
  expect(left({ name: 'quantised' }, [127, 1.4, -1.6, 0.4])).toEqual([127, 1, -2, 0])
  expect(left({ name: 'quantised', bits: 4 }, [0, 0])).toEqual([0, 0])
  expect(left({ name: 'quantised', bits: 32 }, [2147483647, 1])).toEqual([2147483647, 1])
  for (const bits of [1, 33, 2.5]) expect(() => compressorOf({ name: 'quantised', bits })).toThrow('bits')
})

test('a change is shortened to the norm only where it is longer', () => {
  expect(left({ name: 'clipped', maxNorm: 5 }, [3, 4])).toEqual([3, 4])
  expect(left({ name: 'clipped', maxNorm: 2.5 }, [3, -4])).toEqual([1.5, -2])
  expect(left({ name: 'clipped' }, [0, 4])).toEqual([0, 1])
  expect(left({ name: 'clipped' }, [0.6, 0.7])).toEqual([0.6, 0.7])
  expect(left({ name: 'clipped', maxNorm: 1e-12 }, [0])).toEqual([0])
  expect(() => compressorOf({ name: 'clipped', maxNorm: 0 })).toThrow('maxNorm')
})
