import { expect, test } from 'vitest'
import type { Defence, SumContext } from '../federation/hooks.js'
import { rng } from '../numeric/random/rng.js'
import { centralDpEntry } from './central-dp.js'
import { dpFtrlEntry } from './dp-ftrl.js'
import { dpSgdEntry } from './dp-sgd.js'

const usual = { maxNorm: 2, noiseMultiplier: 0.5, epsilon: null, sampleRate: 0, delta: 1e-5 }
const sgd = (change: object = {}) => dpSgdEntry.create({ ...usual, ...change } as never) as Defence

test('dp-sgd of fixed batches says its norm, noise and delta, and claims no epsilon', () => {
  const { name, step, protocol } = sgd()
  expect(name).toBe('dp-sgd')
  expect(step).toEqual({ maxNorm: 2, noiseMultiplier: 0.5 })
  expect(protocol).toEqual({
    differentialPrivacy: { mechanism: 'dp-sgd', unit: 'record', maxNorm: 2, noiseMultiplier: 0.5, delta: 1e-5 },
  })
})

test('dp-sgd of drawn batches says how they are drawn', () => {
  const { step, protocol } = sgd({ sampleRate: 0.25 })
  expect(step).toEqual({ maxNorm: 2, noiseMultiplier: 0.5, sampleRate: 0.25 })
  const drawn = { sampleRate: 0.25, sampling: 'poisson', neighbours: 'add-remove' }
  expect(protocol).toMatchObject({ differentialPrivacy: drawn })
  expect(sgd({ sampleRate: 1 }).step).toMatchObject({ sampleRate: 1 })
})

test('dp-sgd writes an epsilon that is claimed, with who has computed it', () => {
  expect(sgd({ epsilon: 3 }).protocol).toMatchObject({
    differentialPrivacy: { epsilon: 3, accountant: 'privacy-losses' },
  })
  expect(() => sgd({ noiseMultiplier: null, epsilon: 3 })).toThrow(
    'dp-sgd: the noise that epsilon asks for is not computed yet; audit, simulate and account compute it',
  )
})

/** The noise of the running sum after each round, for weights by round. */
function runningNoise(defence: Defence, rounds: readonly (readonly number[])[], from = 0): Float64Array[] {
  const total = new Float64Array(2)
  return rounds.map((weights, round) => {
    const weightSum = weights.reduce((a, b) => a + b, 0)
    const sum: Partial<SumContext> = {
      ...{ round: from + round, global: new Float64Array(2), weightSum, rng: rng('tree').fork(from + round) },
      weights: new Map(weights.map((w, i) => [`c${i}`, w])),
      dThetaSum: () => Float64Array.of(10, 20),
    }
    const { dThetaSum } = defence.aggregate!(sum as SumContext) as { dThetaSum: Float64Array }
    for (const [j, x] of dThetaSum.entries()) total[j]! += (x - 10 * (j + 1)) / weightSum
    return total.slice()
  })
}
const ftrl = (change: object = {}) => dpFtrlEntry.create({ maxNorm: 2, noiseMultiplier: 0.5, delta: 1e-5, ...change } as never) as Defence // biome-ignore format: one line
const drawnIn = (round: number, std: number) => rng('tree').fork(round).normals(2, { std })
const expectNear = (found: Float64Array, expected: readonly Float64Array[]) => {
  for (const j of [0, 1])
    expect(found[j]!).toBeCloseTo(
      expected.reduce((all, one) => all + one[j]!, 0),
      12,
    )
}

test('dp-ftrl: the running sum carries the noise of the digits of its length', () => {
  const even = [1, 1, 1, 1]
  const found = runningNoise(ftrl(), [even, even, even, even, even, even, even])
  const std = 0.5 * 2 * 0.25
  const nodes = [[0], [1], [1, 2], [3], [3, 4], [3, 5], [3, 5, 6]]
  for (const [t, rounds] of nodes.entries()) expectNear(found[t]!, rounds.map((round) => drawnIn(round, std))) // biome-ignore format: one line
})

test('dp-ftrl: noise is scaled to the largest share that anybody has had so far', () => {
  const found = runningNoise(ftrl(), [[1, 1], [3, 1], [1, 1, 1, 1]]) // biome-ignore format: one line
  expectNear(found[0]!, [drawnIn(0, 0.5)])
  expectNear(found[1]!, [drawnIn(1, 0.75)])
  expectNear(found[2]!, [drawnIn(1, 0.75), drawnIn(2, 0.75)])
})

test('dp-ftrl goes on where its state was kept, and starts anew without one', () => {
  const whole = runningNoise(ftrl(), [[1], [1], [1]])
  const first = ftrl()
  const begun = runningNoise(first, [[1], [1]])
  const second = ftrl()
  second.restore!(first.state!())
  const [later] = runningNoise(second, [[1]], 2)
  for (const j of [0, 1]) expect(begun[1]![j]! + later![j]!).toBeCloseTo(whole[2]![j]!, 12)
  second.restore!(null)
  expect(second.state!()).toEqual({ rounds: 0, largestShare: 0, nodes: [] })
})

test('dp-ftrl says what it does, and clips', () => {
  const defence = ftrl()
  expect(defence.protocol).toEqual({
    differentialPrivacy: {
      ...{ mechanism: 'dp-ftrl', unit: 'client', sampling: 'none' },
      ...{ maxNorm: 2, noiseMultiplier: 0.5, delta: 1e-5 },
    },
  })
  const at = { received: new Float64Array(2), learningRate: 1 } as never
  expect(defence.turn!({ kind: 'delta', dTheta: Float64Array.of(3, 4) }, at)).toEqual({
    kind: 'delta',
    dTheta: Float64Array.of(0.4 * 3, 0.4 * 4),
  })
})

test('central-dp scales noise to the largest weight of the round, and adds none where nobody took part', () => {
  const defence = centralDpEntry.create({ maxNorm: 2, noiseMultiplier: 0.5, delta: 1e-5 } as never) as Defence
  const noise = (...weights: number[]) => {
    const sum = {
      ...{ rng: rng('central'), dThetaSum: () => Float64Array.of(10, 20) },
      weights: new Map(weights.map((w, i) => [`c${i}`, w])),
    }
    const { dThetaSum } = defence.aggregate!(sum as unknown as SumContext) as { dThetaSum: Float64Array }
    return Float64Array.of(dThetaSum[0]! - 10, dThetaSum[1]! - 20)
  }
  expectNear(noise(3, 7, 1), [rng('central').normals(2, { std: 7 })])
  expect([...noise()]).toEqual([0, 0])
})
