import { expect, test } from 'vitest'
import { dealOf, rowOf } from '../../test/null-tables.js'
import { rng } from '../numeric/random/rng.js'
import { effectWithInterval } from './effect.js'
import { splitP } from './exchangeability.js'
import { decide } from './judge.js'
import { match, matchings } from './matchings.js'
import { defaultDraws } from './randomisation.js'
import { labellings } from './relabellings.js'
import { type DrawnRow, stepDown } from './step-down.js'
import { placesOf, studentised } from './tables.js'

const draws = { ...defaultDraws, rng: rng(1) }

test('differences that rounding could have made are none, beside the size of what is compared', () => {
  const apart = (T: number[]) => studentised(rowOf('a', [T])).constant
  expect([apart([1, 1 + 1e-9]), apart([1, 1 + 1e-6])]).toEqual([true, false])
  expect([apart([1e12, 1e12 + 1]), apart([1e12, 1e12 + 1e6])]).toEqual([true, false])
  expect([apart([0, 0]), apart([0, 1e-300])]).toEqual([true, true]) // its square is 0
  expect(apart([0, 1e-9])).toBe(false)
})

test('places follow the numbers of the trainings, in whatever order rows bring them', () => {
  const late = { ...rowOf('late', []), deals: [dealOf(2, [0, 1, 2]), dealOf(1, [0, 1])] }
  const early = { ...rowOf('early', []), deals: [dealOf(1, [5, 6]), dealOf(0, [1, 2, 3, 4])] }
  expect(placesOf([late, early])).toEqual({
    sizes: [4, 2, 3],
    ofRow: [
      [undefined, 1, 0],
      [1, 0, undefined],
    ],
  })
})

test('a split is judged by a guess that has deals and differs by more than rounding', () => {
  expect(() => splitP({ ...rowOf('g', []), deals: [] }, draws)).toThrow('row "g" has no deals')
  expect(splitP(rowOf('g', [[1e12 + 3, 1e12 + 1, 1e12, 1e12 + 1]]), draws)).toBe(1)
  expect(splitP(rowOf('g', [[3, 1, 0, 1]]), draws)).toBe(1 / 4)
  expect(splitP(rowOf('g', [[3, 1, 0, -4]]), draws)).toBe(2 / 4) // either way: -4 is as far out
})

const drawn = (z: readonly number[], tolerance: number): DrawnRow => {
  return { id: '', z: Float64Array.from(z), scale: 1, tolerance, constant: false }
}
const places = { sizes: [4], ofRow: [[0], [0]] }

test('step by step, draws of other rows count that tie with a row within its tolerance', () => {
  const p = (rows: DrawnRow[]) => stepDown({ rows, places }).map(({ p, adjusted }) => [p, adjusted])
  // The second row's third draw is a little below the first row's truth, by less than the tolerances.
  expect(p([drawn([2, -1, -1, 0], 0.25), drawn([1, 0, 1.75, -2], 0.25)])).toEqual([
    [1 / 4, 2 / 4],
    [2 / 4, 2 / 4],
  ])
  expect(p([drawn([2, -1, -1, 0], 0), drawn([1, 0, 1.75, -2], 0)])).toEqual([
    [1 / 4, 1 / 4],
    [2 / 4, 2 / 4],
  ])
  // A draw of the row itself that would tie within both tolerances together counts too, above one of another row.
  expect(p([drawn([2, 1.6, -1, 0], 0.25), drawn([1, 1.4, 0, -2], 0.25)])[0]).toEqual([1 / 4, 2 / 4])
  // With no tolerance an exact tie still counts.
  expect(p([drawn([2, -1, -1, 0], 0), drawn([1, 0, 2, -2], 0)])).toEqual([
    [1 / 4, 2 / 4],
    [2 / 4, 2 / 4],
  ])
})

test('all choices are taken where they are at most as many as asked for, also of more than half', () => {
  const chosen = (most: number, truth = [1, 1, 1, 0]) => labellings(truth, { most, rng: rng(3) }).chosen.map(String)
  expect(chosen(3).sort()).toEqual(['0,1,2', '0,1,3', '0,2,3', '1,2,3'])
  expect(new Set(chosen(5, [1, 1, 0, 1, 1, 1])).size).toBe(6)
  expect(new Set(chosen(6, [1, 1, 0, 1, 1, 1, 1])).size).toBe(7)
  expect(chosen(2)).toHaveLength(3)
  expect(chosen(1)).toHaveLength(2)
})

test('matchings are drawn where all of them are more than asked for', () => {
  const counted = (seats: number, most: number) => matchings(seats, { most, rng: rng(1) }).sets.length
  expect([1, 2, 3, 4, 5, 6].map((most) => counted(3, most))).toEqual([2, 3, 4, 5, 6, 6])
  const only = { sets: [Int32Array.of(1, 0)], contrast: Float64Array.of(1) }
  expect(match(4, only, [[[1, 5], [7, 2]]]).T).toEqual(Float64Array.of(6 - 1.5)) // biome-ignore format: a square
})

test('a guess is subtracted where every deal has one and its own spread is made smaller', () => {
  const guessed = (T: number[], guess?: number[], training = 0) => {
    return { ...dealOf(training, T), ...(guess && { guess: Float64Array.from(guess) }) }
  }
  const less = (...deals: ReturnType<typeof guessed>[]) => effectWithInterval(deals, 0.9, draws).lessGuess
  expect(less(guessed([3, 0, 1], [3, 0, 1]))).toBe(true)
  expect(less(guessed([3, 0, 1], [0, 0, 0]))).toBe(false)
  expect(less(guessed([3, 0, 1], [3, 0, 1]), guessed([3, 0, 1]))).toBe(false)
  // Variances, not sums: from 1 to 0 over two candidates outweighs from 0 to 3/4 over four, of which the sum would be 3.
  const [two, four] = [guessed([2, 0], [2, 0]), guessed([0, 0, 0, 0], [0.75 ** 0.5, -(0.75 ** 0.5), 0.75 ** 0.5, -(0.75 ** 0.5)], 1)] // biome-ignore format: a line
  expect([less(two, four), less(four)]).toEqual([true, false])
})

test('strata are looked at in the order of their trainings, each at its own looks', () => {
  const leak = (id: string, others: number) =>
    rowOf(
      id,
      Array.from({ length: 10 }, () => [1, ...Array.from({ length: others }, (_, k) => -k)]),
      { stratum: id },
    )
  const [late, early] = decide([leak('late', 1), leak('early', 4)], { rng: rng(1), looks: 2 })
  // Five trainings of two candidates reach 1/32, above a quarter of 0.05.
  expect(late).toMatchObject({ looks: [10], rejectedAt: 10, level: 0.025, p: 1 / 1024 })
  expect(early).toMatchObject({ looks: [5, 10], rejectedAt: 5, level: 0.0125 })
})
