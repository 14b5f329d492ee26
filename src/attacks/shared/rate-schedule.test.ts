import { expect, test } from 'vitest'
import { scheduleOf } from '../../models/schedules/index.js'
import { rng } from '../../numeric/random/rng.js'
import { exp } from '../../numeric/special/elementary-functions.js'
import { factorOf, type HeardSchedule, scheduleHeard } from './rate-schedule.js'

/** Rates of twelve rounds under a schedule, each heard a little wrongly. */
const heardOf = (spec: Parameters<typeof scheduleOf>[0], off: number) => {
  const factor = scheduleOf(spec)
  const noise = rng(19).fork(spec.name)
  return scheduleHeard(
    Array.from({ length: 12 }, (_, round) => ({ round, rate: 0.1 * factor(round) * (1 + off * noise.normal()) })),
  )
}

test.each([
  [{ name: 'constant' }, undefined],
  [{ name: 'exponential', factor: 0.85 }, 'exponential'],
  [{ name: 'linear', over: 13, least: 0.01 }, 'linear'],
  [{ name: 'cosine', over: 12, least: 0.01 }, 'cosine'],
  [{ name: 'cosine', over: 15, least: 0.1 }, 'cosine'],
])('%j is told from other schedules by its rates', (spec, kind) => {
  for (const off of [0, 0.01, 0.03]) {
    const { schedule, learningRate } = heardOf(spec, off)
    expect(schedule?.kind).toBe(kind)
    expect(Math.abs(learningRate / 0.1 - 1)).toBeLessThan(0.15)
  }
})

type Spec = Exclude<HeardSchedule['schedule'], null>
const exactly = (spec: Spec, rounds: number, rate = 0.1) =>
  scheduleHeard(Array.from({ length: rounds }, (_, round) => ({ round, rate: rate * factorOf(spec, round) })))

test.each([2, 3, 5, 10, 15, 20, 25, 50, 100])('steps every %i rounds are heard with their factor', (every) => {
  for (const factor of [0.1, 0.2, 0.3, 0.5, 0.7, ...(every > 2 ? [0.8] : [])]) {
    const spec = { kind: 'step', every, factor }
    const found = exactly(spec, 2 * every)
    expect(found.schedule).toEqual(spec)
    expect(found.learningRate).toBeCloseTo(0.1, 12)
    expect(found.off).toBeLessThan(1e-12)
    expect(found.factor(every)).toBeCloseTo(factor, 14)
  }
})

test.each([
  ...[0.01, 0.1, 0.25].map((least) => ({ kind: 'linear', over: 100, least })),
  ...[
    { kind: 'linear', over: 102, least: 0.01 },
    { kind: 'linear', over: 110, least: 0.1 },
  ],
  ...[0.01, 0.1, 0.25].map((least) => ({ kind: 'cosine', over: 100, least })),
  ...[0.01, 0.1, 0.25].map((least) => ({ kind: 'cosine', over: 110, least })),
  ...[0.01, 0.1].map((least) => ({ kind: 'cosine', over: 125, least })),
  ...[
    { kind: 'cosine', over: 102, least: 0.01 },
    { kind: 'cosine', over: 150, least: 0.01 },
  ],
])('%j is heard in a hundred rounds', (spec) => {
  const found = exactly(spec, 100)
  expect(found.schedule).toEqual(spec)
  expect(found.learningRate).toBeCloseTo(0.1, 12)
})

test('rates of all sizes fall by the same factor each round, and never rise', () => {
  const found = exactly({ kind: 'exponential', factor: 0.8 }, 9, 1e-5)
  expect(found.schedule).toEqual({ kind: 'exponential', factor: expect.closeTo(0.8, 12) })
  expect(found.learningRate / 1e-5).toBeCloseTo(1, 12)
  // They do not: the best that is left is one rate, the geometric mean.
  const rising = scheduleHeard([0, 1, 2].map((round) => ({ round, rate: 0.1 * 2 ** round })))
  expect(rising.schedule).toBeNull()
  expect(rising.learningRate).toBeCloseTo(0.2, 12)
  expect(rising.off).toBeCloseTo(Math.LN2 * Math.sqrt(2 / 3), 12)
  expect(rising.factor(7)).toBe(1)
  // Rounds need not begin at 0.
  const late = scheduleHeard([40, 41, 43, 47].map((round) => ({ round, rate: 3 * 0.7 ** round })))
  expect(late.schedule).toEqual({ kind: 'exponential', factor: expect.closeTo(0.7, 9) })
  expect(late.learningRate).toBeCloseTo(3, 6)
})

test('one rate is kept where nothing else comes nearer by a third, or it is within a twentieth', () => {
  const alternating = (off: number) =>
    scheduleHeard(Array.from({ length: 8 }, (_, round) => ({ round, rate: Math.exp(round % 2 ? off : -off) })))
  expect(alternating(0.5).schedule).toBeNull()
  expect(alternating(0.5).off).toBeCloseTo(0.5, 12)
  const falling = (by: number) =>
    scheduleHeard(Array.from({ length: 5 }, (_, round) => ({ round, rate: Math.exp(-by * round) })))
  // Of five rounds the deviation is sqrt(2) times what each falls by.
  expect(falling(0.035).schedule).toBeNull()
  expect(falling(0.036).schedule?.kind).toBe('exponential')
  expect(scheduleHeard([{ round: 3, rate: 0.2 }])).toMatchObject({ schedule: null, off: 0 })
  expect(scheduleHeard([{ round: 3, rate: 0.2 }]).learningRate).toBeCloseTo(0.2, 14)
})

test('rates that are just a twentieth off one are one', () => {
  const two = (logarithm: number) => scheduleHeard([0.781, 0.781 * exp(logarithm)].map((rate, round) => ({ round, rate }))) // biome-ignore format: a line
  expect(two(-0.1)).toMatchObject({ schedule: null, off: 0.05 })
  expect(two(-0.1000001).schedule?.kind).toBe('exponential')
})

test('a schedule as a recording has it multiplies rates as it says; of an unknown one nothing is known', () => {
  expect(factorOf(null, 5)).toBe(1)
  expect(factorOf({ kind: 'mystery' }, 5)).toBe(1)
  expect(factorOf({ kind: 'step', every: 2, factor: 0.5 }, 5)).toBe(0.25)
  expect(factorOf({ kind: 'linear', over: 10, least: 0.5 }, 5)).toBe(0.75)
})
