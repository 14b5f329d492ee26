import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import type { RecordsClaim } from '../attacks/claim.js'
import type { Known } from './grading.js'
import { records } from './records-score.js'
import type { Score } from './score.js'

const rows = [
  [3, 0],
  [0, 4],
]
const own = tableOf(['x', 'y'], rows, { labels: [0, 1] })
const claim = (features: readonly (readonly number[])[], labels: readonly number[] = []): RecordsClaim => ({
  kind: 'records',
  client: 'c',
  round: 0,
  features,
  labels,
})
async function scored(made: RecordsClaim, known: Known = {}, table = own): Promise<Score> {
  const score = await records.grade(made, { truth: truthOf({ clients: { c: table } }), known })
  if ('missing' in score) throw new Error(score.missing.join())
  return score
}

describe('records', () => {
  test('are paired at the least cost and graded in units of their length', async () => {
    // [0, 3] belongs to [0, 4], [3, 1] to [3, 0]: squares 1 + 1 of 9 + 16.
    const score = await scored(claim([[0, 3], [3, 1]])) // biome-ignore format: a row each
    expect(score).toMatchObject({ metric: 'normalised error', better: 'lower', also: { paired: 2 } })
    expect(score.value).toBeCloseTo(Math.sqrt(2) / 5, 12)
    expect(Array.from(score.pairedWith!)).toEqual([1, 0])
    expect([...(score.perRecord as Float64Array)]).toEqual([1, 1])
    // Range 4, mean square 2 / 4: 10 log10(16 / 0.5).
    expect(score.also.PSNR).toBeCloseTo(10 * Math.log10(32), 10)
  })

  test('with several labels each are graded over all of them', async () => {
    const two = tableOf(['x', 'y'], rows, { labels: [0, 10, 1, 20] })
    const { also } = await scored(claim([[0, 4], [3, 0]], [2, 20, 0, 7]), {}, two) // biome-ignore format: a row each
    expect(also.labelMAE).toBeCloseTo((0 + 3 + 1 + 0) / 4, 12)
    await expect(scored(claim(rows, [0, 1]), {}, two)).rejects.toThrow('2 a record is needed, or none')
  })

  test('against the mean record of the auxiliary data', async () => {
    const auxiliary = tableOf(['x', 'y'], [[2, 2], [4, 0]]) // biome-ignore format: a row each
    const score = await scored(claim(rows), { auxiliary })
    // Mean [3, 1]: squares 1 and 9 + 9.
    expect(score.chance).toBeCloseTo(Math.sqrt(19) / 5, 12)
    expect(score).toMatchObject({ value: 0, lift: 1, guesser: 'the mean record of the auxiliary data' })
    expect(score.also.chancePSNR).toBeCloseTo(10 * Math.log10((16 * 4) / 19), 10)
    expect(score.also.PSNR).toBeUndefined()
    expect(score.notes).toEqual(['the records are exact: their PSNR is infinite'])
  })

  test('without auxiliary data nobody guesses; the best single number is shown beside it', async () => {
    // 7/4 everywhere: 25 - 49/4 of square.
    const score = await scored(claim(rows))
    expect(score).toMatchObject({ chance: null, guesser: 'none: there are no auxiliary data with these columns' })
    expect(score.also.bestNumberInHindsight).toBeCloseTo(Math.sqrt(25 - 49 / 4) / 5, 12)
    const others = await scored(claim(rows), { auxiliary: tableOf(['x'], [[1]]) })
    expect(others.chance).toBeNull()
  })

  test('of which nothing is claimed count as zero, and the one claimed is paired where it helps', async () => {
    const score = await scored(claim([[0, 4]])) // biome-ignore format: a row
    expect(score.value).toBeCloseTo(3 / 5, 12)
    expect(Array.from(score.pairedWith!)).toEqual([-1, 0])
    expect((await scored(claim([]))).value).toBe(1)
  })

  test('claimed beyond the batch do not count', async () => {
    const score = await scored(claim([[9, 9], [9, 9], [3, 0], [0, 4]])) // biome-ignore format: a row each
    expect(score.value).toBeCloseTo(Math.sqrt(36 + 81 + 81 + 25) / 5, 12)
    expect(score.notes).toEqual(['only the first 2 of 4 records count'])
  })

  test('bring labels along: accuracy over the batch, or MAE', async () => {
    const made = claim([[0, 3], [3, 1]], [1, 1]) // biome-ignore format: a row each
    expect((await scored(made, { classes: 2 })).also.labelAccuracy).toBe(0.5)
    expect((await scored(made)).also.labelMAE).toBe(0.5)
    expect((await scored(claim([[0, 4]], [1]), { classes: 2 })).also.labelAccuracy).toBe(0.5)
  })

  test('all zero have no length: the error itself counts', async () => {
    const score = await scored(claim([[3, 4]]), {}, tableOf(['x', 'y'], [[0, 0]]))
    expect(score).toMatchObject({ metric: 'error', value: 5, chance: null, lift: null })
    expect(score.also.PSNR).toBeUndefined()
  })

  test('of another width or with too few labels are errors', async () => {
    await expect(scored(claim([[1]]))).rejects.toThrow('2 are needed')
    await expect(scored(claim(rows, [1]))).rejects.toThrow('1 labels are claimed for 2 records')
  })
})

test('no pairing is better: brute force over all orders of up to four', () => {
  const point = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }))
  const batch = fc.array(point, { minLength: 1, maxLength: 4 })
  const orders = (n: number): number[][] =>
    n === 0
      ? [[]]
      : orders(n - 1).flatMap((o) => Array.from({ length: n }, (_, i) => [...o.slice(0, i), n - 1, ...o.slice(i)]))
  return fc.assert(
    fc.asyncProperty(batch, batch, async (truth, made) => {
      const guess = Array.from({ length: truth.length }, (_, i) => made[i] ?? ([0, 0] as const))
      const costs = orders(truth.length).map((order) =>
        truth.reduce((sum, [a, b], i) => sum + (a - guess[order[i]!]![0]) ** 2 + (b - guess[order[i]!]![1]) ** 2, 0),
      )
      const lengthSq = truth.reduce((sum, [a, b]) => sum + a * a + b * b, 0)
      const { value } = await scored(claim(made), {}, tableOf(['x', 'y'], truth))
      expect(value).toBeCloseTo(Math.sqrt(Math.min(...costs)) / (lengthSq === 0 ? 1 : Math.sqrt(lengthSq)), 10)
    }),
  )
})
