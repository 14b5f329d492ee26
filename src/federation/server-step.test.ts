import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { serverStep } from './server-step.js'

const update = (...dTheta: number[]) => ({ kind: 'delta', dTheta: Float64Array.from(dTheta) })
const context = (more: object = {}) =>
  ({
    round: 3,
    global: Float64Array.of(1, 2),
    learningRate: 0.5,
    updates: new Map([['a', update(1, 0)], ['b', update(4, -3)]]),
    weights: new Map([['a', 1], ['b', 2]]),
    ...more,
  }) as never // biome-ignore format: lists
const step = (defences: object[], more: object = {}, sitting: object | undefined = undefined) =>
  serverStep(context(more), { defences, root: rng(1), sitting } as never)

describe('without a defence on the sum', () => {
  test('the mean of what came back, or the model as it was', async () => {
    expect(await step([])).toEqual({ next: Float64Array.of(4, 0) })
    expect(await step([{ name: 'of turns' }])).toEqual({ next: Float64Array.of(4, 0) })
    expect(await step([], { weights: new Map() })).toEqual({ next: Float64Array.of(1, 2) })
  })

  test('a model that is no number is an error', async () => {
    const updates = new Map([['a', update(1, Number.NaN)], ['b', update(1, 1)]]) // biome-ignore format: a list
    await expect(step([], { updates })).rejects.toThrow(/^round 3: training diverged: .*theta\[1\] is NaN/)
  })
})

describe('with defences on the sum', () => {
  const doubled = {
    name: 'doubled',
    aggregate: ({ dThetaSum, weightSum }: { dThetaSum(): Float64Array; weightSum: number }) => ({
      dThetaSum: dThetaSum().map((x) => 2 * x),
      weightSum: weightSum + 3,
    }),
  }
  const plain = { name: 'plain', aggregate: ({ dThetaSum }: { dThetaSum(): Float64Array }) => ({ dThetaSum: dThetaSum(), notes: 'n' }) } // biome-ignore format: a line

  test('each gets the sum of the one before, and its weight', async () => {
    expect(await step([plain])).toEqual({ next: Float64Array.of(4, 0), aggregate: Float64Array.of(9, -6), notes: 'n' })
    const two = { next: Float64Array.of(4, 0), aggregate: Float64Array.of(18, -12) }
    expect(await step([doubled])).toEqual(two)
    expect(await step([doubled, plain])).toEqual({ ...two, notes: 'n' })
    expect((await step([doubled, doubled])).next).toEqual(Float64Array.of(1 + 36 / 9, 2 - 24 / 9))
  })

  test('a sum of another length, over nothing, or none at all', async () => {
    const made = (summed: object) => step([{ name: 'x', aggregate: () => summed }])
    await expect(made({ dThetaSum: new Float64Array(3) })).rejects.toThrow('defence x: a sum of 3 values over 3')
    await expect(made({ dThetaSum: new Float64Array(2), weightSum: 0 })).rejects.toThrow('a sum of 2 values over 0')
    expect(await made({ aborted: 'too few' })).toEqual({ next: Float64Array.of(1, 2), aborted: 'too few' })
    const inSum = new Set(['a'])
    expect(await made({ dThetaSum: new Float64Array(2), inSum, excluded: [] })).toMatchObject({ inSum, excluded: [] })
  })

  test('an exchange is served by those who sit, who leave in any case', async () => {
    let left = 0
    const seats = { leave: async () => void left++ }
    const sitting = { invited: ['a', 'b'], staying: ['a'], sit: async () => seats }
    const served: object[] = []
    const serve = async (all: object) => {
      served.push(all)
      return { dThetaSum: Float64Array.of(3, 3), weightSum: 1 }
    }
    expect((await step([{ name: 'x', exchange: { serve } }], {}, sitting)).next).toEqual(Float64Array.of(4, 5))
    expect(served[0]).toMatchObject({ round: 3, length: 2, invited: ['a', 'b'], staying: ['a'], seats })
    expect(left).toBe(1)
    const failing = { name: 'x', exchange: { serve: async () => Promise.reject(new Error('gone')) } }
    await expect(step([failing], {}, sitting)).rejects.toThrow('gone')
    expect(left).toBe(2)
  })
})
