import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bestThreshold } from './threshold.js'

const task = fc.integer({ min: 2, max: 3 }).chain((levels) =>
  fc.record({
    levels: fc.constant(levels),
    rows: fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: levels - 1 })), {
      maxLength: 12,
    }),
  }),
)

test('no rule "x > c" does better than the one found, and it does what it says', () => {
  fc.assert(
    fc.property(task, ({ levels, rows }) => {
      const values = rows.map(([x]) => x)
      const truth = rows.map(([, level]) => level)
      const found = bestThreshold([{ name: 'x', values }], truth, { levels })
      const accuracyOf = (c: number, below: number, above: number): number =>
        truth.filter((level, i) => level === (values[i]! > c ? above : below)).length / truth.length
      const all: number[] = []
      for (let c = 0; c < 4; c++) {
        if (!values.some((x) => x > c) || !values.some((x) => x <= c)) continue
        for (let a = 0; a < levels; a++) for (let b = 0; b < levels; b++) all.push(accuracyOf(c, a, b))
      }
      if (all.length === 0) {
        expect(found).toBeUndefined()
        return
      }
      expect(found!.accuracy).toBeCloseTo(Math.max(...all), 12)
      expect(accuracyOf(found!.threshold, found!.below, found!.above)).toBeCloseTo(found!.accuracy, 12)
    }),
  )
})

test('the column that tells most is chosen, the first of equals', () => {
  const truth = [0, 0, 1, 1]
  const [noise, good] = [
    [1, 2, 1, 2],
    [1, 2, 3, 4],
  ]
  const columns = [
    { name: 'noise', values: noise },
    { name: 'good', values: good },
    { name: 'again', values: good },
  ]
  const found = bestThreshold(columns, truth, { levels: 2 })
  expect(found).toEqual({ column: 'good', threshold: 2.5, accuracy: 1, below: 0, above: 1 })
})

test('neighbouring doubles are told apart', () => {
  const [low, high] = [1, 1 + Number.EPSILON]
  const found = bestThreshold([{ name: 'x', values: [low, high] }], [0, 1], { levels: 2 })!
  expect(found.accuracy).toBe(1)
  expect(found.threshold >= low && found.threshold < high).toBe(true)
})
