import { expect, test } from 'vitest'
import type { Sureness } from '../../metrics/confidence/sureness.js'
import type { Answer } from './answer.js'
import { confidenceOf, listable, rehearsalFor, rehearsed } from './rehearsed-confidence.js'

const answers = (...all: (Sureness | undefined)[]) =>
  all.map((sureness) => (sureness === undefined ? undefined : ({ sureness } as unknown as Answer)))
const right: Sureness = [[14, 60, 60]]
const halfWrong: Sureness = [[14, 30, 60]]

test('a training is judged by the others, and never by itself', () => {
  const all = answers(halfWrong, right, undefined, right)
  expect(rehearsalFor(all, 0)).toMatchObject({ claims: 120 })
  expect(rehearsed(1, rehearsalFor(all, 0))).toBeGreaterThan(0.98)
  expect(rehearsed(1, rehearsalFor(all, 1))).toBeLessThan(0.999)
  expect(rehearsalFor(answers(right), 0)).toBeUndefined()
  expect(rehearsed(0.97, undefined)).toBe(0.97)
  expect(rehearsed(0.4, rehearsalFor(answers(right, halfWrong), 0))).toBeCloseTo(0.49, 1)
})

test('as many are listed as keep the expected share of wrong ones small', () => {
  expect(listable([1, 1, 1, 0.9, 0.8], undefined)).toBe(4)
  expect(listable([0.9, 0.5], undefined)).toBe(0)
  expect(listable([1, 1], rehearsalFor(answers(right, right), 0))).toBe(2)
  expect(listable([1, 1], rehearsalFor(answers(right, halfWrong), 0))).toBe(0)
})

test('none are listed that were wrong more often in rehearsals, however right the many others were', () => {
  const others: Sureness = [
    [3, 4000, 4000],
    [6, 18, 20],
  ]
  const rehearsal = rehearsalFor(answers(right, ...Array<Sureness>(6).fill(others)), 0)!
  expect(rehearsed(0.9975, rehearsal)).toBeGreaterThan(0.95)
  expect(listable([0.9975], rehearsal)).toBe(0)
  expect(listable([0.9975, ...Array<number>(30).fill(0.95)], rehearsal)).toBe(31)
})

test('how an attack did over all trainings, as it says and as rehearsed', () => {
  const found = confidenceOf(answers(halfWrong, halfWrong, halfWrong))!
  expect(found.claims).toBe(180)
  expect(found.error[0]).toBeCloseTo(0.5, 4)
  expect(found.error[1]).toBeLessThan(0.1)
  expect(found.bins[0][0]).toEqual([expect.closeTo(180, 2), 90, 180])
  expect(found.bins[1][0]).toEqual([expect.closeTo(180 * (0.5 + found.error[1]), 6), 90, 180])
  expect(found.sure).toEqual([
    { of: 180, wrong: 90 },
    { of: 0, wrong: 0 },
  ])
  expect(found.exposed).toEqual({ of: 0, wrong: 0 })
  expect(confidenceOf(answers(right, right))).toMatchObject({ exposed: { of: 120, wrong: 0 } })
  expect(confidenceOf(answers(right))).toBeUndefined()
  expect(confidenceOf(answers(undefined, undefined))).toBeUndefined()
})

test('clients are listed by what came of accusations, however right it was about the others', () => {
  const innocent = (guilty: number): Answer =>
    ({ sureness: [[5, 400 + guilty, 410]], accusing: [[5, guilty, 10]] }) as unknown as Answer
  expect(confidenceOf([innocent(10), innocent(10)])).toMatchObject({ exposed: { of: 20, wrong: 0 } })
  expect(confidenceOf([innocent(10), innocent(5)])!.exposed).toEqual({ of: 10, wrong: 5 })
  expect(rehearsalFor([innocent(10), innocent(5)], 0)).toMatchObject({ claims: 410 })
})

test('one training alone is judged by rehearsals of its recording, where there are any', () => {
  const alone = (...rehearsals: Sureness[]) => [{ sureness: right, rehearsals } as unknown as Answer]
  expect(rehearsalFor(alone(), 0)).toBeUndefined()
  expect(rehearsalFor(alone(right, halfWrong), 0)).toMatchObject({ claims: 120 })
  expect(rehearsed(1, rehearsalFor(alone(right, right), 0))).toBeGreaterThan(0.98)
  expect(rehearsed(1, rehearsalFor(alone(halfWrong, halfWrong), 0))).toBeLessThan(0.6)
  // Other trainings are better than rehearsals of one's own.
  expect(rehearsalFor([...alone(halfWrong), ...answers(right)], 0)).toMatchObject({ claims: 60 })
  expect(confidenceOf(alone(right, right))).toMatchObject({ claims: 60, exposed: { of: 60, wrong: 0 } })
})
