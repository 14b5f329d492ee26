import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { contribution } from './contribution-score.js'
import { f1, scoreDetection } from './detection.js'
import { members } from './members-score.js'
import { property } from './property-score.js'

describe('F1', () => {
  test('by hand, and where nothing is there', () => {
    expect(f1({ truePositives: 3, falsePositives: 1, falseNegatives: 2 })).toBeCloseTo(6 / 9, 12)
    expect(f1({ truePositives: 0, falsePositives: 0, falseNegatives: 0 })).toBe(1)
    expect(f1({ truePositives: 0, falsePositives: 1, falseNegatives: 0 })).toBe(0)
  })

  test('chance is 2 p / (1 + p), or 1 when there is nothing to find', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 20 }), (pairs) => {
        const truth = pairs.map(([is]) => is)
        const p = truth.filter(Boolean).length / truth.length
        const { chance } = scoreDetection({ truth, claimed: pairs.map(([, claimed]) => claimed), of: 'clients' })
        expect(chance).toBeCloseTo(p === 0 ? 1 : (2 * p) / (1 + p), 12)
      }),
      { numRuns: 30 },
    )
  })

  test('the interval moves with the sample', () => {
    const truth = Array.from({ length: 50 }, (_, i) => i < 5)
    const { interval, value } = scoreDetection({ truth, claimed: truth.map((_, i) => i >= 2 && i < 7), of: 'clients' })
    expect(value).toBeCloseTo(0.6, 12)
    expect(interval![0]).toBeLessThan(0.4)
    expect(interval![1]).toBeGreaterThan(0.8)
  })
})

describe('a property', () => {
  const truth = truthOf({ properties: { ascent: ['b', 'd'], none: [] } })
  const clients = [
    { id: 'a', probability: 0.2, positive: false },
    { id: 'b', probability: 0.9, positive: true },
    { id: 'c', probability: 0.9, positive: true },
    { id: 'd', probability: 0.4, positive: false },
  ]

  test('F1, AUC with ties, and who is right', async () => {
    // One of two found, one false: F1 1/2. Pairs b > a, b = c, d > a, d < c: 2.5 of 4. All positive: F1 2/3.
    const score = await property.grade({ kind: 'property', property: 'ascent', clients }, { truth, known: {} })
    expect(score).toMatchObject({
      metric: 'F1',
      value: 0.5,
      also: { AUC: 0.625, precision: 0.5, recall: 0.5, accuracy: 0.5 },
    })
    expect(score).toMatchObject({ guesser: 'the best constant: all clients', intervalKind: 'bootstrap' })
    if ('missing' in score) throw new Error('missing')
    expect(score.chance).toBeCloseTo(2 / 3, 12)
    expect(score.lift).toBeCloseTo(-0.5, 12)
    expect(score.notes[0]).toContain("DeLong's")
    expect(score.perClient!.map(({ right }) => right)).toEqual([true, true, false, false])
  })

  test('one that is not claimed counts as denied', async () => {
    const some = await property.grade(
      { kind: 'property', property: 'ascent', clients: clients.slice(0, 2) },
      { truth, known: {} },
    )
    expect(some).toMatchObject({ value: 2 / 3, also: { recall: 0.5, precision: 1 } })
    const none = await property.grade({ kind: 'property', property: 'ascent', clients: [] }, { truth, known: {} })
    expect(none).toMatchObject({ value: 0, chance: 1, lift: null })
  })

  test('nobody has: claiming nobody is right, and no feat', async () => {
    const nobody = clients.map((one) => ({ ...one, positive: false }))
    const score = await property.grade({ kind: 'property', property: 'none', clients: nobody }, { truth, known: {} })
    expect(score).toMatchObject({ value: 1, chance: 1, lift: null })
    if ('missing' in score) throw new Error('missing')
    expect(score.also.AUC).toBeUndefined()
    expect(await property.grade({ kind: 'property', property: 'none', clients: [] }, { truth, known: {} })).toEqual({
      missing: ['clients'],
    })
  })

  test('a client claimed twice is an error', async () => {
    const twice = { kind: 'property', property: 'ascent', clients: [clients[0]!, clients[0]!] } as const
    await expect(property.grade(twice, { truth, known: {} })).rejects.toThrow('"a" is claimed twice')
  })
})

describe('members', () => {
  const table = tableOf(['x', 'y'], [[0.1, 1], [2, 3]], { labels: [5, 6] }) // biome-ignore format: a row each
  const truth = truthOf({ clients: { c: table } })
  const at = (candidates: ReturnType<typeof tableOf>) => ({ truth, known: { candidates } })
  const claim = (...rows: number[]) => ({ kind: 'members', client: 'c', rows }) as const

  test('are found by features and label, at single precision', async () => {
    const rows = [[Math.fround(0.1), 1], [2, 3], [2, 3], [7, 7]] // biome-ignore format: a row each
    const candidates = tableOf(['x', 'y'], rows, { labels: [5, 6, 0, 5] })
    const score = await members.grade({ ...claim(0, 1), scores: [4, 3, 2, 1] }, at(candidates))
    expect(score).toMatchObject({ value: 1, lift: 1, also: { AUC: 1, positives: 2 } })
    const unlabelled = tableOf(['x', 'y'], rows)
    expect(await members.grade(claim(0, 1), at(unlabelled))).toMatchObject({ value: 0.8, also: { positives: 3 } })
  })

  test('a row named twice counts once; one beyond is an error', async () => {
    const candidates = tableOf(['x', 'y'], [[2, 3], [7, 7]]) // biome-ignore format: a row each
    expect(await members.grade(claim(0, 0, 0), at(candidates))).toMatchObject({
      value: 1,
      perRecord: Uint8Array.of(1, 1),
    })
    await expect(members.grade(claim(2), at(candidates))).rejects.toThrow('rows[0] is 2')
    await expect(members.grade({ ...claim(0), scores: [1] }, at(candidates))).rejects.toThrow('2 are needed')
  })

  test('candidates of another width are an error, none are missing', async () => {
    await expect(members.grade(claim(0), at(tableOf(['x'], [[2]])))).rejects.toThrow('candidates have 1 columns')
    expect(await members.grade(claim(), at(tableOf(['x', 'y'], [])))).toEqual({ missing: ['candidates'] })
  })
})

describe('contribution', () => {
  const claim = (...scores: number[]) => ({
    kind: 'contribution' as const,
    clients: scores.map((score, i) => ({ id: `${i}`, score })),
  })
  const at = (...values: number[]) => ({
    truth: truthOf(),
    known: {},
    contribution: new Map(values.map((value, i) => [`${i}`, value])),
  })

  test('is graded by its order', async () => {
    expect(await contribution.grade(claim(1, 2, 30), at(0, 5, 6))).toMatchObject({ value: 1, chance: 0, lift: 1 })
    expect(await contribution.grade(claim(3, 2, 1), at(0, 5, 6))).toMatchObject({ value: -1, lift: -1 })
    expect(await contribution.grade(claim(1, 1, 1), at(0, 5, 6))).toMatchObject({ value: 0, lift: 0 })
  })

  test('has no grade for one client, or where all are alike, or one is not known', async () => {
    const alike = { missing: ['contribution that differs between clients'] }
    expect(await contribution.grade(claim(), at())).toEqual(alike)
    expect(await contribution.grade(claim(1), at(1))).toEqual(alike)
    expect(await contribution.grade(claim(1, 2), at(3, 3))).toEqual(alike)
    expect(await contribution.grade(claim(1, 2, 3), at(3, 4))).toEqual({ missing: ['contribution.2'] })
  })
})
