import { describe, expect, test } from 'vitest'
import { seriesOf } from '../../../test/linear-federation.js'
import { symmetricEigen } from '../../numeric/linalg/eigen.js'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { type Matrix, matrixOf, transpose } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import { plantedAffine } from './affine-control.js'

const optimum = Float64Array.of(3, -1, 2, 0.5)
const from = Float64Array.of(1, -1, 2, 0.5 + 2 * Math.sqrt(3)) // 4 from the optimum
const exchange = (round: number, received?: Float64Array): Exchange => ({
  ...{ round, received, learningRate: 0.5, update: { kind: 'parameters', theta: new Float64Array(4) } },
})
const truthWith = (theta: Float64Array) => ({ optimum: async () => theta }) as never

async function planted(
  exchanges: Exchange[],
  { theta = optimum, least }: { theta?: Float64Array; least?: (d: number) => number } = {},
) {
  const view = { exchanges: seriesOf(exchanges), target: 'a' }
  const { view: changed } = await plantedAffine({ view, truth: truthWith(theta), rng: rng(4), ...(least && { least }) })
  const read = await Promise.all(changed.exchanges.rounds.map((round) => changed.exchanges.read(round)))
  const steps = read.map(({ received }) => Array.from(received!, (v, j) => v - theta[j]!))
  const moves = read.map(({ received, update }) =>
    Array.from(received!, (v, j) => v - (update as { theta: Float64Array }).theta[j]!),
  )
  return { rounds: changed.exchanges.rounds, read, steps, moves }
}

/** What is divided by the length of draws of deviation 1. */
const deviation = (steps: readonly (readonly number[])[], rounds: readonly number[]) =>
  rounds.map((round, k) => norm(Float64Array.from(steps[k]!)) / norm(rng(4).fork('round', round).normals(4)))

describe('a planted affine client', () => {
  test('turns are one symmetric map about the optimum: 0.9 in all directions but one, there 0.3', async () => {
    const { steps, moves, read } = await planted([exchange(5, from), exchange(8, from)])
    const W: Matrix = transpose(leastSquares(matrixOf(steps), matrixOf(moves)).X)
    for (let j = 0; j < 4; j++)
      for (let k = 0; k < j; k++) expect(W.data[4 * j + k]).toBeCloseTo(W.data[4 * k + j]!, 10)
    const values = Array.from(symmetricEigen(W).values).sort((a, b) => a - b)
    for (const [k, value] of [0.3, 0.9, 0.9, 0.9].entries()) expect(values[k]).toBeCloseTo(value, 10)
    // The direction is that of a draw.
    const u = rng(4).fork('direction').normals(4)
    const along = Array.from({ length: 4 }, (_, j) => u.reduce((sum, v, k) => sum + W.data[4 * j + k]! * v, 0))
    for (const [j, v] of along.entries()) expect(v).toBeCloseTo(0.3 * u[j]!, 10)
    expect(read.every(({ learningRate }) => learningRate === 0.5)).toBe(true)
  })

  test('in as many turns as tell it, those that there were and then others', async () => {
    expect((await planted([exchange(5, from), exchange(8, from)])).rounds).toEqual([5, 8, 9, 10, 11, 12])
    expect((await planted([exchange(5, from)], { least: (d) => d - 1 })).rounds).toEqual([5, 6, 7])
    const seven = [1, 2, 3, 4, 5, 6, 7].map((round) => exchange(round, from))
    const { rounds, read } = await planted(seven)
    expect(rounds).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(read.map(({ round }) => round)).toEqual(rounds)
    expect((await planted([exchange(5, from)], { least: () => 3 })).read.map(({ round }) => round)).toEqual([5, 6, 7])
  })

  test('from models about as far from the optimum as the first was, or as the optimum is from 0', async () => {
    const of = async (received: Float64Array | undefined, theta = optimum) => {
      const { steps, rounds } = await planted([exchange(5, received)], { theta })
      return deviation(steps, rounds)
    }
    for (const std of await of(from)) expect(std).toBeCloseTo(4 / 2, 10)
    for (const received of [undefined, optimum])
      for (const std of await of(received)) expect(std).toBeCloseTo(norm(optimum) / 2, 10)
    for (const std of await of(undefined, new Float64Array(4))) expect(std).toBeCloseTo(1 / 2, 10)
  })
})
