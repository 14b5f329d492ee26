import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeLength, treeSensitivity } from './tree-sums.js'

test('nodes of the first rounds', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 12].map(nodeLength)).toEqual([1, 2, 1, 4, 1, 2, 1, 8, 4])
})

test('one turn is in as many nodes as are released over it; every turn in all of their rounds', () => {
  expect(treeSensitivity([], 8)).toBe(0)
  expect(treeSensitivity([1], 8)).toBe(2) // nodes 1, 1-2, 1-4, 1-8
  expect(treeSensitivity([8], 8)).toBe(1)
  expect(treeSensitivity([7], 8)).toBeCloseTo(Math.SQRT2, 15) // 7, 1-8
  expect(treeSensitivity([1, 2, 3, 4], 4)).toBeCloseTo(Math.sqrt(1 + 4 + 1 + 16), 15)
})

test('it is the length of what the turns change in the nodes, however they lie', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), (rounds, salt) => {
      const turns = Array.from({ length: rounds }, (_, i) => i + 1).filter(
        (t) => ((t * 2654435761 + salt) >>> 3) % 3 === 0,
      )
      let squares = 0
      for (let t = 1; t <= rounds; t++) {
        let length = 1
        while (t % (2 * length) === 0) length *= 2
        squares += turns.filter((u) => u > t - length && u <= t).length ** 2
      }
      expect(treeSensitivity(turns, rounds)).toBeCloseTo(Math.sqrt(squares), 12)
      // Fewer turns or rounds never move more.
      expect(treeSensitivity(turns.slice(1), rounds)).toBeLessThanOrEqual(treeSensitivity(turns, rounds))
      expect(
        treeSensitivity(
          turns.filter((t) => t < rounds),
          rounds - 1,
        ),
      ).toBeLessThanOrEqual(treeSensitivity(turns, rounds))
    }),
  )
})
