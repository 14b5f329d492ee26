import { describe, expect, test } from 'vitest'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { chosen } from '../../registry.js'
import { misbehaviours } from './index.js'
import type { BadTurn, Misbehaviour } from './misbehaviour.js'

const read = (name: string, given: object = {}) => chosen<Misbehaviour>(misbehaviours as never, { name, ...given })
const valuesOf = (name: string, given: object = {}) => read(name, given).values as object

test('each is done in every round, unless told, and only some look back', () => {
  for (const name of Object.keys(misbehaviours)) {
    expect(valuesOf(name)).toMatchObject({ prob: 1 })
    for (const prob of [0, 0.5, 1]) expect(valuesOf(name, { prob })).toMatchObject({ prob })
    for (const prob of [-0.1, 1.1]) expect(() => valuesOf(name, { prob })).toThrow('prob')
    expect(read(name).entry.remembers).toBe(name === 'free-rider')
  }
})

describe('what is usual and what is allowed', () => {
  test.each([
    ['ascent', 'maxNorm', 2, [0, 100], [-1]],
    ['free-rider', 'noiseStd', 0.01, [0, 100], [-1]],
    ['free-rider', 'update', 'zero', ['zero', 'stale', 'noise'], ['all']],
    ['mislabelled', 'part', 1, [0.01, 1], [0, 1.1]],
    ['scaled', 'part', undefined, [0, 0.5, 1], [-0.1, 1.1]],
    ['scaled', 'key', undefined, [0, 7], [-1, 0.5]],
  ])('%s: %s', (name, key, usual, allowed, beyond) => {
    if (usual !== undefined) expect(valuesOf(name)).toMatchObject({ [key]: usual })
    for (const value of allowed) expect(valuesOf(name, { [key]: value })).toMatchObject({ [key]: value })
    for (const value of beyond) expect(() => valuesOf(name, { [key]: value })).toThrow(key)
  })
})

test('a climb is cut where it is longer than its bound, and left as it is at the bound', () => {
  const update = { kind: 'delta', dTheta: Float64Array.of(3, 4) } as const
  const turn = {
    ...{ received: new Float64Array(2), learningRate: 1, share: 'delta', classes: undefined, memory: undefined },
    ...{ rng: rng(1), lasting: rng(2), records: () => ({ features: matrix(0, 1), labels: new Float64Array(0) }) },
    train: (options?: object) => {
      expect(options).toEqual({ ascend: true })
      return update
    },
  } as unknown as BadTurn
  const climbed = (maxNorm: number) => {
    const { entry, values } = read('ascent', { maxNorm })
    return entry.act(turn, values as never)
  }
  for (const bound of [0, 5, 6]) expect(climbed(bound)).toBe(update)
  expect(climbed(2.5)).toEqual({ kind: 'delta', dTheta: Float64Array.of(1.5, 2) })
})
