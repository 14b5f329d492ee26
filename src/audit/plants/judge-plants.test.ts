import { describe, expect, test } from 'vitest'
import { resultWith, scoreWith } from '../../../test/audit-results.js'
import type { Score } from '../../metrics/score.js'
import type { AttackResult } from '../attack-result.js'
import { foundLiftOf, judgePlants, plantedScore } from './judge-plants.js'
import { withPlants } from './with-plants.js'

const scored = (kind: string, ...lifts: (number | null)[]) =>
  lifts.map((lift) => ({ kind, score: { ...scoreWith(), metric: 'auc', lift } as Score }))

describe('an attack', () => {
  test.each([
    ['passed', 'attribute', [-1, -1, 0.5]],
    ['broken', 'attribute', [1, 1, 0.49]],
    ['passed', 'attribute', [-1, 0.5, null]],
    ['none', 'attribute', [null, null, null]],
    ['none', 'attribute', []],
    ['passed', 'property', [1, 0.8, -0.3]],
    ['broken', 'property', [1, 0.3, 0.1]],
    ['passed', 'records', [0.9, 0.6, -2]],
    ['broken', 'records', [0.4, 0.7, 0.3]],
    ['broken', 'label', [0, 0, 0.9]],
    ['passed', 'protocol', [1, 1, -1]],
  ] as const)('is %s that claims %s with lifts %j', (status, kind, lifts) => {
    expect(judgePlants(scored(kind, ...lifts)).status).toBe(status)
  })

  test('is held to the same share of the square where an error is told', () => {
    expect(foundLiftOf({ metric: 'AUC' })).toBe(0.5)
    expect((1 - foundLiftOf({ metric: 'MAE' })) ** 2).toBeCloseTo(0.5, 12)
  })

  test('that is right about all records, which are alike, is not broken', () => {
    const [{ kind, score }] = scored('attribute', 0) as [{ kind: string; score: Score }]
    expect(judgePlants([{ kind, score: { ...score, accuracy: 1 } }]).status).toBe('none')
  })

  test('that ranks is graded by its ranking', () => {
    const score = { ...scoreWith(), metric: 'F1', lift: -1, also: { AUC: 0.9, lowAUC: 0.8, highAUC: 0.95 } }
    const graded = plantedScore(resultWith({ score }))!.score
    expect(graded).toMatchObject({ metric: 'AUC', value: 0.9, chance: 0.5, interval: [0.8, 0.95] })
    expect(graded.lift).toBeCloseTo(0.8, 12)
  })
})

describe('results', () => {
  const of = (plant: number | undefined, lift: number, more: Partial<AttackResult> = {}) => ({
    planned: { job: {} as never, alsoFor: [] },
    result: {
      ...resultWith(),
      findings: resultWith({ score: { ...scoreWith(), metric: 'auc', chance: 0.5, value: 0.5 + lift / 2, lift } })
        .findings,
      ...(plant !== undefined && { plant }),
      ...more,
    } as AttackResult,
  })

  test('carry what became of the plants, which are no results themselves', () => {
    const told = withPlants([
      of(undefined, 0),
      of(2, 0.2),
      of(0, 0.1),
      of(1, 0.15),
      of(undefined, 0, { observer: 'other' }),
    ])
    expect(told).toHaveLength(2)
    expect(told[0]!.result.controls?.planted.status).toBe('broken')
    expect(told[0]!.result.power?.curve.map(({ lift }) => lift)).toEqual([0.1, 0.15, 0.2])
    expect(told[1]!.result.controls).toBeUndefined()
  })

  test('of an attack that fails there say so', () => {
    const failed = of(2, 0, { status: 'failed', error: { code: 'E_VALUE', message: 'too large' } })
    const [told] = withPlants([of(undefined, 0), failed])
    expect(told!.result.controls?.planted).toMatchObject({ status: 'failed', reason: 'too large' })
  })

  test('without plants stay as they are', () => {
    const all = [of(undefined, 0)]
    expect(withPlants(all)).toBe(all)
  })
})
