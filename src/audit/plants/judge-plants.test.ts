import { describe, expect, test } from 'vitest'
import { resultWith, scoreWith } from '../../../test/audit-results.js'
import type { Score } from '../../metrics/score.js'
import type { AttackResult } from '../attack-result.js'
import { foundLiftOf, judgePlants, type PlantedScore, plantedScore, triedOn } from './judge-plants.js'
import { withPlants } from './with-plants.js'

const on = (kind: string, score: Partial<Score>, plant = 0): PlantedScore => ({
  ...{ kind, name: null, plant },
  score: { ...scoreWith(), metric: 'auc', chance: 0.5, interval: null, ...score } as Score,
})
const scored = (kind: string, ...lifts: (number | null)[]) => lifts.map((lift, plant) => on(kind, { lift }, plant))
/** Areas with intervals of so much either way. */
const areas = (reach: number, ...values: number[]) =>
  values.map((value, i) => on('attribute', { value, lift: 2 * value - 1, interval: [value - reach, value + reach] }, i))
const silent = resultWith({ score: { ...scoreWith(), metric: 'auc', value: 0.6, chance: 0.5, lift: 0.2, interval: [0.4, 0.8] } }) // biome-ignore format: a line
const judged = (own: PlantedScore[], others: PlantedScore[][] = [], real: AttackResult = silent) =>
  judgePlants(triedOn(own), { others: others.map((one) => triedOn(one)!), real }).status

describe('an attack', () => {
  test.each([
    ['passed', 'attribute', [-1, -1, 0.5]],
    ['broken', 'attribute', [0.4, 0.4, 0.49]],
    ['none', 'attribute', [1, 1, 0.49]],
    ['passed', 'attribute', [-1, 0.5, null]],
    ['none', 'attribute', [null, null, null]],
    ['none', 'attribute', []],
    ['passed', 'property', [1, 0.8, -0.3]],
    ['broken', 'property', [1, 0.3, 0.1]],
    ['passed', 'records', [0.9, 0.6, -2]],
    ['broken', 'records', [0.4, 0.7, 0.3]],
    ['broken', 'label', [0, 0, 0.9]],
    ['passed', 'protocol', [1, 1, -1]],
  ] as const)('is %s that claims %s with lifts %j, where another found all', (status, kind, lifts) => {
    const better = scored(kind, 1.1, 1.1, 1.1)
    expect(judged(scored(kind, ...lifts), [better])).toBe(status)
  })

  test('is blind where nobody found it, or none who answers the same', () => {
    const missed = scored('attribute', 0, 0, 0)
    expect(judged(missed)).toBe('blind')
    expect(judged(missed, [scored('attribute', 1, 1, 0.4)])).toBe('blind')
    expect(judged(missed, [scored('members', 1, 1, 1)])).toBe('blind')
    const other = scored('attribute', 1, 1, 1).map((one) => ({ ...one, name: 'sex' }))
    expect(judged(missed, [other])).toBe('blind')
  })

  test('is blind that finds what there is in the audit itself, and not by luck', () => {
    const [missed, found] = [scored('attribute', 0, 0, 0), [scored('attribute', 1, 1, 1)]]
    const real = (score: Partial<Score>) => resultWith({ score: { ...scoreWith(), metric: 'auc', ...score } })
    expect(judged(missed, found, real({ value: 0.9, chance: 0.95, lift: -1, interval: [0.8, 1] }))).toBe('blind')
    expect(judged(missed, found, real({ value: 0.9, chance: 0.5, lift: 0.8, interval: [0.4, 1] }))).toBe('broken')
    expect(judged(missed, found, real({ value: 0.7, chance: 0.5, lift: 0.4, interval: [0.6, 0.8] }))).toBe('broken')
    const error = { metric: 'loss', better: 'lower', value: 1, chance: 3, interval: null } as const
    expect(judged(missed, found, real({ ...error, lift: 0.6 }))).toBe('blind')
    expect(judged(missed, found, real({ ...error, lift: 0.4 }))).toBe('broken')
  })

  test('is called broken only where it does certainly worse', () => {
    expect(judged(areas(0.3, 0.7, 0.7, 0.7), [areas(0.3, 0.8, 0.8, 0.8)])).toBe('none')
    expect(judged(areas(0.1, 0.5, 0.5, 0.5), [areas(0.1, 0.9, 0.9, 0.9)])).toBe('broken')
    expect(judged(areas(0.1, 0.6, 0.3, 0), [areas(0.1, 0.5, 0.95, 1)])).toBe('broken')
    expect(judged(scored('model', 0.4, 0.1, 0.4), [scored('model', 0.6, 0, 0.6)])).toBe('none')
    const late = scored('model', 0, 0, 0.9).slice(2)
    expect(judged(scored('model', 0.1, 0.1), [late])).toBe('none')
  })

  test('is held to the same share of the square where an error is told', () => {
    expect(foundLiftOf({ metric: 'AUC' })).toBe(0.5)
    expect((1 - foundLiftOf({ metric: 'MAE' })) ** 2).toBeCloseTo(0.5, 12)
  })

  test('that is right about all records, which are alike, is not broken', () => {
    expect(judged([on('attribute', { lift: 0, accuracy: 1 })], [scored('attribute', 1)])).toBe('none')
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
    expect(told[0]!.result.controls?.planted.status).toBe('blind')
    expect(told[0]!.result.power?.curve.map(({ lift }) => lift)).toEqual([0.1, 0.15, 0.2])
    expect(told[1]!.result.controls).toBeUndefined()
  })

  test('are compared with other attacks from the same place alone', () => {
    const told = (place: Partial<AttackResult>) => {
      const seeing = [0, 1, 2].map((plant) => of(plant, 1, { attack: 'other', ...place }))
      const missed = [0, 1, 2].map((plant) => of(plant, 0))
      return withPlants([of(undefined, 0), ...missed, ...seeing])[0]!.result.controls?.planted.status
    }
    expect(told({})).toBe('broken')
    expect(told({ observer: 'participant' })).toBe('blind')
    expect(told({ model: 'another' })).toBe('blind')
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
