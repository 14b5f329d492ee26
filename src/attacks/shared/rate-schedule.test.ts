import { expect, test } from 'vitest'
import { scheduleOf } from '../../models/schedules/index.js'
import { rng } from '../../numeric/random/rng.js'
import { scheduleHeard } from './rate-schedule.js'

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
