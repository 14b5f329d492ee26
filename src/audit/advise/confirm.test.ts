import { describe, expect, test } from 'vitest'
import { trainingsFor } from './confirm.js'
import type { WeighedRung } from './weigh.js'

const rung = (size: number, std: number | null): WeighedRung => ({
  about: 'a',
  step: 'record',
  observer: 'server',
  size,
  interval: std === null ? null : [size - 1.96 * std, size + 1.96 * std],
  closed: false,
})
/** How far 0.99 lies from the middle of a normal distribution, and 0.8. */
const reach = 2.326 + 0.842

describe('trainings that a last look takes', () => {
  test('as many as its scatter asks for, so that a step of nothing is seen to be under the target', () => {
    const asked = trainingsFor({ rungs: [rung(0, 0.05)], repeats: 10 }, 0.05)
    expect(asked).toBeCloseTo(10 * reach ** 2, -1)
    // Half the scatter, a quarter of the trainings.
    expect(trainingsFor({ rungs: [rung(0, 0.025)], repeats: 10 }, 0.05)).toBeCloseTo(asked / 4, -1)
    expect(trainingsFor({ rungs: [rung(0, 0.025), rung(0, 0.05), rung(0, 0.01)], repeats: 10 }, 0.05)).toBe(asked)
  })

  test('more where a step is there, less of which is believed the more it scatters', () => {
    const [none, seen, sure] = [rung(0, 0.02), rung(0.03, 0.02), rung(0.03, 0.001)]
    const of = (one: WeighedRung) => trainingsFor({ rungs: [one], repeats: 100 }, 0.05)
    // Of 0.03 that scatter by 0.02 there remain 0.03 - 0.0004 / 0.03.
    expect(of(seen) / of(none)).toBeCloseTo((0.05 / (0.05 - 0.03 + 0.0004 / 0.03)) ** 2, 1)
    expect(of(sure)).toBe(100)
    // However near: no look is planned for less than three tenths of the target.
    expect(of(rung(0.2, 0.05)) / of(rung(0, 0.05))).toBeCloseTo(1 / 0.09, 1)
  })

  test('never fewer than before, and as many where nothing is known of the scatter', () => {
    expect(trainingsFor({ rungs: [rung(-0.3, 0.001)], repeats: 14 }, 0.05)).toBe(14)
    expect(trainingsFor({ rungs: [rung(0.01, null)], repeats: 14 }, 0.05)).toBe(14)
    expect(trainingsFor({ rungs: [], repeats: 14 }, 0.05)).toBe(14)
  })
})
