import fc from 'fast-check'
import { expect, test } from 'vitest'
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
