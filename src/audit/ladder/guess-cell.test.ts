import { expect, test } from 'vitest'
import type { CellGuess } from '../../metrics/cells/public-guesses.js'
import type { Asking } from './asking.js'
import { guessCell } from './guess-cell.js'

/** A guess that grades rows by the mean of values. */
const guess = (words: string, values: readonly number[], better: 'higher' | 'lower', metric = 'accuracy') => {
  const on = (rows: Int32Array): number => rows.reduce((sum, at) => sum + values[at]!, 0) / rows.length
  return { words, gradable: { metric, better, on } } as unknown as CellGuess
}

function asked(guesses: readonly CellGuess[], { round = undefined as number | undefined, elsewhere = false } = {}) {
  const keys: unknown[] = []
  const get = (key: string) => {
    keys.push(JSON.parse(key))
    return guesses
  }
  const kept = { get, set: () => undefined }
  const asking = { guesses: kept, known: [], ask: { client: 'c', dealtElsewhere: elsewhere } } as unknown as Asking
  const list = { trained: Int32Array.of(0, 1), held: Int32Array.of(2, 3), table: { features: { rows: 4 } } }
  const candidates = [[0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3], [0, 3, 1, 2]].map((at) => ({
    trained: Int32Array.from(at.slice(0, 2)),
    held: Int32Array.from(at.slice(2)),
  })) // biome-ignore format: a list
  const claim = { kind: 'labels', ...(round !== undefined && { round }) }
  const cell = guessCell(asking, { claim, metric: 'accuracy', list, candidates } as never)
  return { cell, keys }
}

test('a claim about one round is about as many records as were trained, any other about all', () => {
  expect(asked([], { round: 0 }).keys).toEqual([[{ kind: 'labels', name: null, batchSize: 2 }, 'c', 4]])
  expect(asked([]).keys).toEqual([[{ kind: 'labels', name: null }, 'c', 4]])
})

test('the best on held-back records by the same metric, the first of equals', () => {
  const best = (...guesses: CellGuess[]) => asked(guesses).cell?.words
  expect(best()).toBeUndefined()
  expect(best(guess('of another metric', [1, 1, 1, 1], 'higher', 'error'))).toBeUndefined()
  expect(best(guess('unknown', [1, 1, Number.NaN, 1], 'higher'))).toBeUndefined()
  expect(best(guess('a', [1, 1, 0, 1], 'higher'), guess('b', [0, 0, 1, 1], 'higher'))).toBe('b')
  expect(best(guess('a', [1, 1, 0, 1], 'lower'), guess('b', [0, 0, 1, 1], 'lower'))).toBe('a')
  expect(best(guess('a', [1, 1, 0, 1], 'higher'), guess('b', [1, 1, 1, 0], 'higher'))).toBe('a')
  expect(best(guess('a', [1, 1, 0, 1], 'lower'), guess('b', [1, 1, 1, 0], 'lower'))).toBe('a')
})

test('both halves are graded, and how often relabelled ones differ as much', () => {
  const one = guess('one', [1, 0.5, 0, 0.25], 'higher')
  expect(asked([one]).cell).toEqual({ words: 'one', trained: 0.75, held: 0.125 })
  expect(asked([one], { elsewhere: true }).cell).toEqual({ words: 'one', trained: 0.75, held: 0.125, p: 0.5 })
  const right = { ...one, gradable: { ...one.gradable, right: Float64Array.of(1, 0.5, 7, 9) } } as unknown as CellGuess
  expect(asked([right]).cell).toEqual({ words: 'one', trained: 0.75, held: 0.125, right: 1.5 })
})
