import { expect, test } from 'vitest'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { mislabelled } from './mislabelling.js'

/** What the client trains on, from these labels of n records. */
function wrong(n: number, labels: readonly number[], classes: number | undefined, part = 1): number[] {
  let given: Float64Array | undefined
  const turn = {
    records: () => ({ features: matrix(n, 1), labels: Float64Array.from(labels) }),
    ...{ classes, rng: rng('not this one'), lasting: rng(2) },
    train: (options: { labels: Float64Array }) => {
      given = options.labels
    },
  }
  mislabelled.act(turn as never, { part } as never)
  return [...given!]
}
const count = (n: number, f: (i: number) => number) => Array.from({ length: n }, (_, i) => f(i))

test('two classes are exchanged, as many records as told and one at least', () => {
  const labels = count(10, (i) => i % 2)
  expect(wrong(10, labels, 2)).toEqual(labels.map((y) => 1 - y))
  for (const [part, changed] of [[0.3, 3], [0.04, 1], [0.26, 3], [0.24, 2]] as const) // biome-ignore format: a list
    expect(wrong(10, labels, 2, part).filter((y, i) => y !== labels[i])).toHaveLength(changed)
})

test('of more classes every other one comes up', () => {
  const labels = count(200, () => 1)
  const found = wrong(200, labels, 4)
  expect(new Set(found)).toEqual(new Set([0, 2, 3]))
})

test('numbers go round among those chosen: none stays, and two at least are chosen', () => {
  const labels = count(10, (i) => 10 * i)
  const found = wrong(10, labels, undefined)
  expect(found.every((y, i) => y !== labels[i])).toBe(true)
  expect([...found].sort((a, b) => a - b)).toEqual(labels)
  expect(wrong(10, labels, undefined, 0.01).filter((y, i) => y !== labels[i])).toHaveLength(2)
  expect(wrong(1, [7], undefined)).toEqual([7])
  const pairs = wrong(3, [0, 1, 10, 11, 20, 21], undefined)
  expect(pairs.filter((_, j) => j % 2 === 0).map((y) => y + 1)).toEqual(pairs.filter((_, j) => j % 2 === 1))
  expect(pairs.slice(0, 2)).not.toEqual([0, 1])
})

test('a row of one number for each class is turned', () => {
  const labels = count(60, (i) => (i % 3 === 0 ? 0.7 : i % 3 === 1 ? 0.2 : 0.1))
  const found = wrong(20, labels, 3)
  const ways = new Set(count(20, (i) => i).map((i) => found.slice(3 * i, 3 * i + 3).join(' ')))
  expect(ways).toEqual(new Set(['0.1 0.7 0.2', '0.2 0.1 0.7']))
})
