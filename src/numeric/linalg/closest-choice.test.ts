import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { closestChoice } from './closest-choice.js'

/** Every choice in turn. */
function plain(columns: readonly Float64Array[], target: Float64Array, perGroup: number): number {
  const groups = columns.length / perGroup
  let least = Number.POSITIVE_INFINITY
  for (let code = 0; code < (perGroup + 1) ** groups; code++) {
    const taken = Array.from({ length: groups }, (_, g) => Math.floor(code / (perGroup + 1) ** g) % (perGroup + 1))
    least = Math.min(least, squaresOf(columns, target, { taken, perGroup }))
  }
  return least
}

function squaresOf(
  columns: readonly Float64Array[],
  target: Float64Array,
  { taken, perGroup }: { taken: ArrayLike<number>; perGroup: number },
): number {
  const left = target.slice()
  for (let g = 0; g < taken.length; g++) {
    if (taken[g] === 0) continue
    const column = columns[g * perGroup + taken[g]! - 1]!
    for (let j = 0; j < left.length; j++) left[j]! -= column[j]!
  }
  return left.reduce((sum, x) => sum + x * x, 0)
}

test('no choice is nearer, for any shape, more groups than equations and columns that depend on others', () => {
  const size = (max: number) => fc.integer({ min: 1, max })
  fc.assert(
    fc.property(fc.integer(), size(6), size(6), size(3), fc.boolean(), (seed, rows, groups, perGroup, twins) => {
      const r = rng(seed).fork('choice')
      const columns = Array.from({ length: groups * perGroup }, () => r.normals(rows))
      if (twins && columns.length > 1) columns[0]!.set(columns.at(-1)!)
      const target = r.normals(rows)
      const { taken, squares, proven } = closestChoice(columns, target, { perGroup })
      expect(proven).toBe(true)
      expect(squaresOf(columns, target, { taken, perGroup })).toBeCloseTo(plain(columns, target, perGroup), 9)
      expect(squares).toBeCloseTo(squaresOf(columns, target, { taken, perGroup }), 6)
    }),
    { numRuns: 200 },
  )
})

test('thirty flips of forty are found again from noisy sums', () => {
  const r = rng(1).fork('many')
  const columns = Array.from({ length: 40 }, () => r.normals(60))
  const truth = Int32Array.from({ length: 40 }, (_, g) => (g % 4 === 0 ? 0 : 1))
  const target = new Float64Array(60)
  for (const [g, one] of truth.entries()) for (let j = 0; j < 60; j++) target[j]! += one * columns[g]![j]!
  for (let j = 0; j < 60; j++) target[j]! += 0.1 * r.normal()
  expect(closestChoice(columns, target, { perGroup: 1 }).taken).toEqual(truth)
})

test('nothing to choose from, columns of zeros, and a search that is cut short', () => {
  const target = Float64Array.of(3, 4)
  expect(closestChoice([], target, { perGroup: 1 })).toEqual({ taken: new Int32Array(0), squares: 25, proven: true })
  const zeros = [new Float64Array(2), new Float64Array(2)]
  expect(closestChoice(zeros, target, { perGroup: 1 })).toEqual({
    taken: Int32Array.of(0, 0),
    squares: 25,
    proven: true,
  })
  const columns = Array.from({ length: 12 }, (_, c) => rng(c).normals(2))
  const cut = closestChoice(columns, target, { perGroup: 1, mostBranches: 3 })
  expect(cut.proven).toBe(false)
  expect(cut.squares).toBeCloseTo(squaresOf(columns, target, { taken: cut.taken, perGroup: 1 }), 6)
  expect(() => closestChoice(columns, target, { perGroup: 5 })).toThrow('12 columns in groups of 5')
})

describe('edges', () => {
  const axis = (length: number, at: number, size = 1) => Float64Array.from({ length }, (_, i) => (i === at ? size : 0))
  test('without columns, or with columns of nothing, nothing is taken', () => {
    const target = Float64Array.of(3, 4)
    expect(closestChoice([], target, { perGroup: 1 })).toEqual({ taken: new Int32Array(0), squares: 25, proven: true })
    const nothing = [new Float64Array(2), new Float64Array(2)]
    expect(closestChoice(nothing, target, { perGroup: 1 })).toEqual({ taken: Int32Array.of(0, 0), squares: 25, proven: true }) // biome-ignore format: a line
  })
  test('columns of any size, and more of them than equations', () => {
    for (const size of [1, 1e-6, 1e6]) {
      const columns = [axis(2, 0, size), axis(2, 1, size), Float64Array.of(0.6 * size, 0.6 * size)]
      const found = closestChoice(columns, Float64Array.of(0.7 * size, 0.5 * size), { perGroup: 1 })
      expect([...found.taken]).toEqual([0, 0, 1])
      expect(found.squares / (size * size)).toBeCloseTo(0.02, 6)
    }
    // The same column twice is as good as half of it.
    const twins = closestChoice([axis(1, 0), axis(1, 0), axis(1, 0)], Float64Array.of(2.1), { perGroup: 1 })
    expect(twins.taken.reduce((a, b) => a + b)).toBe(2)
  })
  test('the best so far is given when branches run out, and said to be no proof', () => {
    const columns = [axis(3, 0), axis(3, 1), axis(3, 2)]
    const target = Float64Array.of(1, 1, 1)
    const within = (mostBranches: number) => closestChoice(columns, target, { perGroup: 1, mostBranches })
    expect([...within(0).taken]).toEqual([0, 0, 0])
    expect([within(0).proven, within(2).proven, within(3).proven, within(4).proven]).toEqual([
      false,
      false,
      false,
      true,
    ])
    // Each of the three is looked at once, the nearest choice first.
    expect([...within(2).taken]).toEqual([0, 0, 0])
    expect([...within(3).taken]).toEqual([1, 1, 1])
    expect(() => closestChoice(columns, target, { perGroup: 0 })).toThrow('3 columns in groups of 0')
  })
  test('of choices that are as near nothing or the first is taken', () => {
    expect([...closestChoice([axis(1, 0)], Float64Array.of(0.25), { perGroup: 1 }).taken]).toEqual([0])
    expect([...closestChoice([axis(1, 0, 2), axis(1, 0, 2)], Float64Array.of(2), { perGroup: 2 }).taken]).toEqual([1])
  })
})
