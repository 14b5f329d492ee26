import { describe, expect, test } from 'vitest'
import { resultWith, scoreWith } from '../../../test/audit-results.js'
import type { Score } from '../../metrics/score.js'
import type { AttackResult, Retold } from '../attack-result.js'
import { foundLiftOf, judgePlants, type PlantedScore, plantedScore, triedOn } from './judge-plants.js'
import { inDoubt, withPlants } from './with-plants.js'

const on = (kind: string, score: Partial<Score>, plant = 0): PlantedScore => ({
  ...{ kind, plant },
  score: { ...scoreWith(), metric: 'auc', chance: 0.5, interval: null, ...score } as Score,
})
const scored = (kind: string, ...lifts: (number | null)[]) => lifts.map((lift, plant) => on(kind, { lift }, plant))
const judged = (own: PlantedScore[], beside: Parameters<typeof judgePlants>[1] = {}) =>
  judgePlants(triedOn(own), beside).status

describe('an attack', () => {
  test.each([
    ['passed', 'attribute', [-1, -1, 0.5]],
    ['passed', 'attribute', [0.9, 0.9, 0.2]],
    ['blind', 'attribute', [0.4, 0.4, 0.49]],
    ['passed', 'attribute', [-1, 0.5, null]],
    ['none', 'attribute', [null, null, null]],
    ['none', 'attribute', []],
    ['passed', 'property', [1, 0.8, -0.3]],
    ['blind', 'property', [1, 0.3, 0.1]],
    ['passed', 'records', [0.9, 0.6, -2]],
    ['blind', 'records', [0.4, 0.7, 0.3]],
    ['blind', 'label', [0, 0, 0.9]],
    ['passed', 'protocol', [1, 1, -1]],
    ['blind', 'attribute', [-1, -1, 0.9, -1, -1, 0]],
    ['passed', 'attribute', [-1, -1, 0.9, -1, -1, 0.1]],
  ] as const)('is %s that claims %s with lifts %j', (status, kind, lifts) => {
    expect(judged(scored(kind, ...lifts))).toBe(status)
  })

  test('is broken that gets certainly less than another from no more, whatever it found', () => {
    const compared = { own: 0.1, other: 0.9, attack: 'other' }
    const found = scored('attribute', 0, 0, 0.9)
    expect(judgePlants(triedOn(found), { compared: { ...compared, word: 'less' } })).toMatchObject({
      status: 'broken',
      reason: expect.stringMatching(/^got 0\.10 of what was planted where other got 0\.90/),
    })
    expect(judged(found, { compared: { ...compared, word: 'doubt' } })).toBe('passed')
    expect(judged(scored('attribute', 0, 0, 0), { compared: { ...compared, word: 'doubt' } })).toBe('blind')
  })

  test.each(['reordered', 'fewer', 'labels', 'later'] as const)(
    'is broken that does not follow a telling: %s',
    (how) => {
      const retold: Retold = { how, apart: 0.5, follows: false }
      expect(judged(scored('attribute', 1, 1, 1), { retold })).toBe('broken')
      expect(judgePlants(undefined, { retold }).status).toBe('broken')
      expect(judged(scored('attribute', 1, 1, 1), { retold: { ...retold, follows: true } })).toBe('passed')
    },
  )

  test('is held to the same share of the square where an error is told', () => {
    expect(foundLiftOf({ metric: 'AUC' })).toBe(0.5)
    expect((1 - foundLiftOf({ metric: 'MAE' })) ** 2).toBeCloseTo(0.5, 12)
  })

  test('that is right about all records, which are alike, is not blind', () => {
    expect(judged([on('attribute', { lift: 0, accuracy: 1 })])).toBe('none')
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
      attack: 'lmra-ols',
      params: {},
      findings: resultWith({ score: { ...scoreWith(), metric: 'auc', chance: 0.5, value: 0.5 + lift / 2, lift } })
        .findings,
      ...(plant !== undefined && { plant }),
      ...more,
    } as AttackResult,
  })
  const three = (lift: number, more: Partial<AttackResult> = {}) => [0, 1, 2].map((plant) => of(plant, lift, more))
  const statusOf = (all: ReturnType<typeof of>[]) => withPlants(all)[0]!.result.controls?.planted.status

  test('carry what became of the plants, which are no results themselves', () => {
    const told = withPlants([of(undefined, 0), of(2, 0.2), of(0, 0.1), of(4, 0.7), of(1, 0.15), of(undefined, 0, { observer: 'other' })]) // biome-ignore format: a line
    expect(told).toHaveLength(2)
    expect(told[0]!.result.controls?.planted.status).toBe('blind')
    expect(told[0]!.result.power?.curve.map(({ lift }) => lift)).toEqual([0.1, 0.15, 0.2])
    expect(told[0]!.result.power?.curve.map(({ grade }) => grade)).toEqual([0.3, 0.6, 0.98])
    expect(told[1]!.result.controls).toBeUndefined()
  })

  test('are compared with other attacks from the same place alone', () => {
    const told = (place: Partial<AttackResult>) =>
      statusOf([of(undefined, 0), ...three(0), ...three(1, { attack: 'lmra-exact', ...place })])
    expect(told({})).toBe('broken')
    expect(told({ observer: 'participant' })).toBe('blind')
    expect(told({ model: 'another' })).toBe('blind')
    expect(told({ findings: resultWith({ score: { ...scoreWith(), metric: 'loss', lift: 1 } }).findings })).toBe(
      'blind',
    )
  })

  test('are compared with those alone that are handed no more, and are not broken by themselves', () => {
    const beside = (attack: string, more: Partial<AttackResult> = {}) =>
      statusOf([of(undefined, 0), ...three(0), ...three(1, { attack, ...more })])
    expect(beside('last-returned')).toBe('broken')
    expect(beside('lmra-data')).toBe('blind')
    expect(beside('nobody-knows')).toBe('blind')
    expect(beside('lmra-exact', { retold: { how: 'fewer', apart: 1, follows: false } })).toBe('blind')
  })

  test('of an attack in doubt name it and whom it is compared with', () => {
    const all = (own: number, at = 2) => [of(undefined, own), of(0, own), of(1, own), of(at, 0.9), ...three(0.9, { attack: 'lmra-exact' })] // biome-ignore format: a line
    const doubted = inDoubt(all(0))
    expect([...doubted.keys()].map((key) => (JSON.parse(key) as string[])[0])).toEqual(['lmra-ols', 'lmra-exact'])
    expect(inDoubt(all(0.9)).size).toBe(0)
    expect(inDoubt([...three(0), ...three(1, { attack: 'lmra-exact' })]).size).toBe(0)
  })

  test('of an attack that fails there say so', () => {
    const failed = of(2, 0, { status: 'failed', error: { code: 'E_VALUE', message: 'too large' } })
    const [told] = withPlants([of(undefined, 0), failed])
    expect(told!.result.controls?.planted).toMatchObject({ status: 'failed', reason: 'too large' })
  })

  test('of one that refuses the last plant have its reason, unless it is broken', () => {
    const refused = of(2, 0, { status: 'not-applicable', why: 'too many steps', findings: [] })
    const [told] = withPlants([of(undefined, 0), refused])
    expect(told!.result.controls?.planted).toMatchObject({ status: 'none', reason: 'too many steps' })
    expect(statusOf([of(undefined, 0), of(0, 0.1), refused])).toBe('none')
    expect(statusOf([of(undefined, 0), of(0, 0.9), of(1, 0.9), refused])).toBe('passed')
    const better = [...three(1, { attack: 'lmra-exact' }), of(undefined, 1, { attack: 'lmra-exact' })]
    expect(statusOf([of(undefined, 0), of(0, 0), of(1, 0), refused, ...better])).toBe('broken')
  })

  test('without plants stay as they are', () => {
    const all = [of(undefined, 0)]
    expect(withPlants(all)).toBe(all)
  })
})
