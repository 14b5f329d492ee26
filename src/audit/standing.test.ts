import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atChance, controlsWith, errorWith, findingWith, resultWith, scoreWith } from '../../test/audit-results.js'
import { liftOf } from '../metrics/score.js'
import { aboveChance, counts, leakLift, scoreLevel, standingOf } from './standing.js'

const leaks = (...args: Parameters<typeof scoreLevel>) => scoreLevel(...args) === 'leaks'

describe('above chance', () => {
  test('is an interval that lies on the worse side of chance as a whole', () => {
    expect(aboveChance(scoreWith({ chance: 0.79 }))).toBe(true)
    expect(aboveChance(scoreWith({ chance: 0.8 }))).toBe(false) // touched
    expect(aboveChance(scoreWith({ chance: 0.85 }))).toBe(false)
    expect(aboveChance(scoreWith({ chance: 0.99, lift: -9 }))).toBe(false)
    const error = { better: 'lower', value: 1, interval: [0.5, 1.5] } as const
    expect(aboveChance(scoreWith({ ...error, chance: 1.6, lift: 0.375 }))).toBe(true)
    expect(aboveChance(scoreWith({ ...error, chance: 1.5, lift: 1 / 3 }))).toBe(false)
    expect(aboveChance(scoreWith({ ...error, chance: 0.4, lift: -1.5 }))).toBe(false)
  })

  test('without an interval is a lift of a tenth', () => {
    expect(aboveChance(errorWith(leakLift))).toBe(true)
    expect(aboveChance(errorWith(leakLift - 1e-9))).toBe(false)
    expect(aboveChance(errorWith(-3))).toBe(false)
  })

  test('is nothing where nobody could guess, or chance leaves no room', () => {
    expect(aboveChance(scoreWith({ chance: null, lift: null }))).toBe(false)
    expect(aboveChance(scoreWith({ lift: null }))).toBe(false)
  })
})

describe('a leak', () => {
  test('is above chance by a tenth of the way; a number without an interval takes half of it', () => {
    expect(leaks(scoreWith({ lift: 0.1 }))).toBe(true)
    expect(leaks(scoreWith({ lift: 0.099 }))).toBe(false)
    expect(leaks(scoreWith({ lift: 0.5, chance: 0.85 }))).toBe(false)
    expect(leaks(errorWith(0.5))).toBe(true)
    expect(leaks(errorWith(0.499))).toBe(false)
  })

  test('is always above chance, and never at a value that is no better than chance', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true })
    const better = fc.constantFrom('higher' as const, 'lower' as const)
    fc.assert(
      fc.property(unit, unit, fc.option(fc.tuple(unit, unit), { nil: null }), better, (value, chance, width, side) => {
        const interval = width && ([value - width[0], value + width[1]] as const)
        const score = scoreWith({
          value,
          chance,
          interval,
          better: side,
          lift: liftOf({ value, chance, better: side }),
        })
        if (leaks(score)) expect(aboveChance(score)).toBe(true)
        if (aboveChance(score)) expect(side === 'higher' ? value > chance : value < chance).toBe(true)
      }),
    )
  })
})

describe('a result', () => {
  test.each([
    [{ status: 'not-applicable' }, 'not-applicable'],
    [{ status: 'failed', error: { code: 'E_TIME', message: '' } }, 'out-of-time'],
    [{ status: 'failed', error: { code: 'E_VALUE', message: '' } }, 'failed'],
    [{ status: 'failed', controls: controlsWith('broken') }, 'failed'],
    [{ controls: controlsWith('broken') }, 'control-failed'],
    [{ controls: controlsWith('passed', 'broken') }, 'control-failed'],
    [{ controls: controlsWith('broken'), score: null }, 'control-failed'],
    [{ controls: controlsWith('none', 'failed') }, 'leaks'],
    [{ score: null }, 'not-graded'],
    [{}, 'leaks'],
    [{ score: scoreWith({ lift: 0.05 }) }, 'weak'],
    [{ score: errorWith(0.4) }, 'weak'],
    [{ score: atChance() }, 'at-chance'],
    [{ findings: [findingWith(atChance()), findingWith(null), findingWith()] }, 'leaks'],
  ] as const)('%j: %s', (parts, level) => {
    for (const oracle of [false, true]) {
      expect(standingOf(resultWith({ ...parts, oracle }))).toEqual({ level, oracle })
    }
  })

  test('counts when it was graded, its attack is sound, and nobody told it the truth', () => {
    for (const level of ['leaks', 'weak', 'at-chance'] as const) expect(counts({ level, oracle: false })).toBe(true)
    const others = ['control-failed', 'not-graded', 'not-applicable', 'out-of-time', 'failed'] as const
    for (const level of others) expect(counts({ level, oracle: false })).toBe(false)
    expect(counts({ level: 'leaks', oracle: true })).toBe(false)
  })
})
