import { expect, test } from 'vitest'
import { scheduleOf, schedules } from './index.js'

const rates = (spec: Parameters<typeof scheduleOf>[0], rounds: readonly number[]): number[] =>
  rounds.map(scheduleOf(spec))

test('a constant rate is what it was in every round', () => {
  expect(rates({ name: 'constant' }, [0, 1, 1000])).toEqual([1, 1, 1])
})

test('steps fall in whole rounds', () => {
  expect(rates({ name: 'step' }, [0, 9, 10, 19, 20, 39])).toEqual([1, 1, 0.5, 0.5, 0.25, 0.125])
  expect(rates({ name: 'step', every: 1, factor: 0.25 }, [0, 1, 2])).toEqual([1, 0.25, 0.0625])
})

test('exponential rates are powers of the factor', () => {
  expect(rates({ name: 'exponential', factor: 0.5 }, [0, 1, 2, 5])).toEqual([1, 0.5, 0.25, 0.03125])
  expect(rates({ name: 'exponential' }, [1])).toEqual([0.95])
})

test('linear rates fall evenly, and then stay', () => {
  expect(rates({ name: 'linear', over: 4, least: 0.5 }, [0, 1, 2, 3, 4, 5, 99])).toEqual([1, 0.875, 0.75, 0.625, 0.5, 0.5, 0.5]) // biome-ignore format: a list
  const usual = rates({ name: 'linear' }, [25, 50, 51])
  for (const [i, wanted] of [0.505, 0.01, 0.01].entries()) expect(usual[i]).toBeCloseTo(wanted, 14)
})

test('a cosine is half way down in the middle, flat at both ends, and stays where it ends', () => {
  expect(rates({ name: 'cosine', over: 4, least: 0.5 }, [0, 2, 4, 5, 99])).toEqual([1, 0.75, 0.5, 0.5, 0.5])
  const [first] = rates({ name: 'cosine', over: 4, least: 0.5 }, [1])
  expect(first).toBeCloseTo(0.75 + 0.25 * Math.SQRT1_2, 14)
  const usual = rates({ name: 'cosine' }, [25, 50, 51])
  for (const [i, wanted] of [0.505, 0.01, 0.01].entries()) expect(usual[i]).toBeCloseTo(wanted, 14)
})

test('a round or a share that makes no sense is refused', () => {
  for (const name of ['linear', 'cosine']) {
    expect(rates({ name, over: 1, least: 1 }, [0, 7])).toEqual([1, 1])
    expect(() => scheduleOf({ name, over: 0 })).toThrow('over')
    for (const least of [0, 1.001]) expect(() => scheduleOf({ name, least })).toThrow('least')
  }
  expect(() => scheduleOf({ name: 'step', every: 0 })).toThrow('every')
  for (const name of ['step', 'exponential']) {
    expect(rates({ name, factor: 1 }, [0, 30])).toEqual([1, 1])
    for (const factor of [0, 1.001]) expect(() => scheduleOf({ name, factor })).toThrow('factor')
  }
})

test('the table has each under its name', () => {
  expect(Object.keys(schedules)).toEqual(['constant', 'step', 'exponential', 'linear', 'cosine'])
  expect(() => scheduleOf({ name: 'sometimes' })).toThrow('sometimes')
})
