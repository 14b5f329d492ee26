import { describe, expect, test } from 'vitest'
import { type Matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { priorErrors } from './label-prior.js'
import type { SeenRound } from './record-scores.js'
import { equationsOf, type MeansOptions, solvedMeans } from './solved-means.js'

const of = (...values: number[]) => Float64Array.from(values)
const seen = (
  rows: readonly (readonly number[])[],
  predictions: readonly number[],
  grad: readonly number[],
): SeenRound => ({
  ...{ round: 0, embeddings: matrixOf(rows), predictions: Float64Array.from(predictions), biased: true },
  ...{ w: Float64Array.from(grad, (_, j) => j + 1), grad: Float64Array.from(grad) },
})
const first = seen([[1, 2], [1, 4], [1, 6], [1, 1]], [10, 20, 30, 5], [3, 7]) // biome-ignore format: one line
const second = seen([[1, 0], [1, 2], [1, 4], [1, 3]], [11, 23, 32, 9], [5, 9]) // biome-ignore format: one line
const groups = { rows: [[0, 1, 2], [3]], counts: [1, 3] } // biome-ignore format: one line
const near = (found: ArrayLike<number> | Matrix, expected: readonly number[], digits = 12) => {
  const values = 'data' in found ? found.data : found
  expect(values.length).toBe(expected.length)
  for (const [i, v] of expected.entries()) expect(values[i]!).toBeCloseTo(v, digits)
}
const options = (change: object): MeansOptions =>
  ({
    ...{ solver: 'pinv', rule: 'slope-nm', rank: 0, scaling: 'none', auxiliary: undefined, labels: 'use' },
    ...{ centre: 'error', shift: 'none', ridge: 0, ...change },
  }) as MeansOptions

describe('the published system', () => {
  const { A, b, noise, z0 } = equationsOf({ rounds: [first, second], ...groups })

  test('has the mean embedding of each metaclass, by its share', () => {
    near(A, [0.25, 0.75, 0.25 * 4, 0.75, 0.25, 0.75, 0.25 * 2, 0.75 * 3])
    expect(z0).toEqual([20, 5])
  })

  test('has gradients on the right, less what predictions have moved since the first round', () => {
    // By 22 - 20 and 9 - 5.
    near(b, [3, 7, 5 - 0.25 * 2 - 0.75 * 4, 9 - 0.5 * 2 - 2.25 * 4])
  })

  test('has noise of the mean error times the spread of the embeddings', () => {
    // Variance 4 inside the first metaclass, none is known of the second's one record.
    near(noise, [0, (0.25 / 4) * 9 * 4, 0, (0.25 / 4) * 25 * 4])
  })

  test('two records have the variance of two', () => {
    const two = { rounds: [first], rows: [[0, 1], [2, 3]], counts: [2, 2] } // biome-ignore format: one line
    near(equationsOf(two).noise, [0, (0.5 / 4) * 9 * 2 + (0.5 / 4) * 9 * 12.5])
  })

  test('gives means: predictions less errors', () => {
    const { means, details, warnings } = solvedMeans({ rounds: [first], ...groups }, options({}))
    near(means, [20 - 16 / 3, 5 - 20 / 9])
    expect(details.degreesOfFreedom).toBeCloseTo(2, 9)
    expect(details.misfit).toBeCloseTo(0, 9)
    expect(warnings).toEqual([])
  })
})

describe('a prior', () => {
  const draws = rng('prior')
  const embeddings = Array.from({ length: 12 }, () => [2, draws.normal(), draws.normal()])
  const predictions = Array.from({ length: 12 }, () => draws.normal())
  const rows = [[0, 1, 2, 3, 4], [5, 6, 7], [8, 9, 10, 11]] // biome-ignore format: one line
  const counts = [2, 1, 3]
  const one = seen(embeddings, predictions, [0.8, 0.3, -0.2])
  const other = seen(embeddings.map(([a, x, y]) => [a!, y!, x! + 1]), predictions.map((z) => z / 2), [0.6, 0.1, 0.4]) // biome-ignore format: one line
  const byPrior = (rounds: SeenRound[], centre: string) => solvedMeans({ rounds, rows, counts }, options({ solver: 'prior', centre })) // biome-ignore format: one line

  /** What the prior itself says of a round around these errors. */
  const fitOf = ({ embeddings: E, predictions: z, w, grad }: SeenRound, centre: 'error' | 'label' | 'both') => {
    const mean = rows.map((own) => own.reduce((sum, i) => sum + z[i]! / own.length, 0))
    // Every embedding begins with a slope of 2.
    const error = grad[0]! / 2
    const all = mean.reduce((sum, v, c) => sum + (counts[c]! / 6) * v, 0)
    const around = { error: of(error, error, error), label: Float64Array.from(mean, (v) => v - all + error) }
    const centres = centre === 'both' ? [around.error, around.label] : [around[centre]]
    const fit = priorErrors({ embeddings: E, w, grad, rows, counts, centres })
    return { ...fit, means: Array.from(fit.errors, (e, c) => mean[c]! - e) }
  }

  test.each(['error', 'label', 'both'] as const)(
    'around equal %s: predictions less errors, with their deviations',
    (centre) => {
      const fit = fitOf(one, centre)
      const { means, details } = byPrior([one], centre)
      near(means, fit.means, 9)
      near(details.errors as number[], Array.from(fit.variances, Math.sqrt), 9)
      expect(details.centre).toBe(centre === 'both' ? ['error', 'label'][fit.centre] : centre)
      expect(details.degreesOfFreedom).toBeCloseTo(fit.freedom, 9)
      expect(details.sizes).toEqual(fit.sizes)
    },
  )

  test('of two rounds is their average, each as sure as it is of a metaclass', () => {
    const [a, b] = [fitOf(one, 'error'), fitOf(other, 'error')]
    const expected = a.means.map((mean, c) => {
      const [u, v] = [1 / a.variances[c]!, 1 / b.variances[c]!]
      return (u * mean + v * b.means[c]!) / (u + v)
    })
    near(byPrior([one, other], 'error').means, expected, 9)
    near(byPrior([one, other], 'error').details.errors as number[], Array.from(a.variances, Math.sqrt), 9)
  })

  test('needs a bias, and no labels that it is not to use', () => {
    expect(() => byPrior([{ ...one, biased: false }], 'error')).toThrow('without a bias the mean error is not seen')
    const labelled = options({ solver: 'prior', labels: 'ignore', auxiliary: new Float64Array(12) })
    near(solvedMeans({ rounds: [one], rows, counts }, labelled).means, Array.from(byPrior([one], 'error').means))
  })

  test('begins from what auxiliary labels predict, where there are some', () => {
    const auxiliary = Float64Array.from({ length: 12 }, (_, i) => i)
    const { details } = solvedMeans({ rounds: [one], rows, counts }, options({ solver: 'prior', auxiliary, ridge: 1 }))
    expect(details.auxiliaryMeans).toEqual([2, 6, 9.5])
    expect(details.shift).toEqual({ common: expect.any(Number), own: expect.any(Number) })
    expect((details.errors as number[]).length).toBe(3)
  })
})
