import { expect, test } from 'vitest'
import type { AskedQuestion } from './asked-results.js'
import { rowsOf, signed } from './question-rows.js'

const relabel = { how: 'relabel', better: 'higher', trained: [0.9, 0.4, 0.5], held: [0.5, 0.6, 0.5], contrast: [1, -0.5, -0.5] } // biome-ignore format: a list
const rows = (answers: readonly (readonly object[])[], target: string | null = 'c') =>
  rowsOf({ target, attacks: answers.map((list) => ({ answers: list.map((one) => [one].flat()) })) } as unknown as AskedQuestion, 'q') // biome-ignore format: a line
const told = (answers: readonly (readonly object[])[], target?: string | null) =>
  rows(answers, target).map(({ id, step, stratum, deals }) => [
    ...[id, step, stratum],
    ...deals.map(({ training, T, contrast }) => [training, [...T].map((x) => Number(x.toFixed(9))), [...contrast]]),
  ])

test('nothing was asked, or nobody answered', () => {
  expect(rows([])).toEqual([])
  expect(rows([[[], []]])).toEqual([])
})

test('the best attack under every candidate', () => {
  expect(told([[relabel]])).toEqual([['q records', 'record', 'relabel 3', [0, [0.4, -0.2, 0], [1, -0.5, -0.5]]]])
  const other = { ...relabel, trained: [0.8, 0.9, Number.NaN], held: [0.7, 0.1, 0.2] }
  expect(told([[relabel], [other]])).toEqual([['q records', 'record', 'relabel 3', [0, [0.2, 0.3, 0], [1, -0.5, -0.5]]]])
  const lower = { ...relabel, better: 'lower' }
  expect(told([[lower]])[0]!.at(-1)).toEqual([0, [-0.4, 0.2, 0], [1, -0.5, -0.5]])
  expect([signed(2, lower as never), signed(2, relabel as never)]).toEqual([-2, 2])
  expect(rows([[{ ...relabel, held: [0.5, Number.NaN, 0.5] }]])).toEqual([])
}) // biome-ignore format: lists

test('properties are ranked, lists swapped beside what is said of each record', () => {
  const clients = { ...relabel, how: 'clients' }
  expect(told([[clients]], null)).toEqual([['q clients', 'property', 'clients 3', [0, [0.4, -0.2, 0], [1, -0.5, -0.5]]]])
  expect(told([[clients]])).toEqual([])
  const list = { how: 'swap', better: 'higher', trained: [0.6, 0.2], held: [0.2, 0.6], contrast: [1, -1] }
  expect(told([[list]])).toEqual([['q lists', 'record', 'swap 2', [0, [0.4, -0.4], [1, -1]]]])
  expect(told([[list], [relabel]]).at(-1)).toEqual(['q lists', 'record', 'swap 2', [0, [0.4, -0.4], [1, -1]]])
  expect(told([[{ ...list, trained: [0.4, 0.2], held: [0.2, 0.4] }], [{ ...relabel, trained: [0.7], held: [0.1], contrast: [1] }]]).at(-1)).toEqual(['q lists', 'record', 'swap 2', [0, [0.5, -0.5], [1, -1]]])
}) // biome-ignore format: lists

test('trainings with other numbers of candidates have draws of their own', () => {
  const short = { ...relabel, trained: [1, 0], held: [0, 1], contrast: [1, -1] }
  const [row] = rows([[relabel, [], short]])
  expect(row!.stratum).toBe('relabel 0:3 2:2')
  expect(row!.deals.map(({ training }) => training)).toEqual([0, 2])
  expect(rows([[relabel, relabel]])[0]!.stratum).toBe('relabel 3')
})

test('seats are matched over all trainings at once, and rounding is none', () => {
  const seats = (...matrix: number[][]) => ({ ...relabel, how: 'none', seats: matrix })
  const matched = told([[seats([0.9, 0.1], [0.2, 0.6])]])
  expect(matched).toHaveLength(1)
  expect(matched[0]!.slice(0, 3)).toEqual(['q matching', 'client', 'matching 2'])
  const twice = rows([[seats([0.9, 0.1], [0.2, 0.6]), seats([0.1, 0.1], [0.2, 0.2])]])
  const [alone] = rows([[seats([0.9, 0.1], [0.2, 0.6])]])
  expect(twice[0]!.deals).toHaveLength(1)
  expect(twice[0]!.deals[0]!.T[0]).toBeCloseTo(alone!.deals[0]!.T[0]! / 2, 12)
  expect(alone!.deals[0]!.T[0]).not.toBe(0)
  const lower = rows([[{ ...seats([0.9, 0.1], [0.2, 0.6]), better: 'lower' }]])
  expect(lower[0]!.deals[0]!.T[0]).toBe(-alone!.deals[0]!.T[0]!)
  const flat = rows([[seats([0.3, 0.3 + 1e-14], [0.3, 0.3])]])
  expect([...flat[0]!.deals[0]!.T]).toEqual([0, 0])
  const hardly = rows([[seats([0.3, 0.3 + 1e-9], [0.3, 0.3])]])
  expect(hardly[0]!.deals[0]!.T.some((x) => x !== 0)).toBe(true)
})
