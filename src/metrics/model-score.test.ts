import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { functionsOf } from '../models/functions.js'
import { linear } from '../models/linear.js'
import { logistic } from '../models/logistic.js'
import { mlp } from '../models/mlp.js'
import { model } from './model-score.js'
import type { Score } from './score.js'

const claimOf = (...theta: number[]) => ({ kind: 'model', client: 'c', theta: Float64Array.from(theta) }) as const
const truth = truthOf({ optimum: { c: [3, 4] } })

describe('a model', () => {
  test('distance to the optimum in units of its length, against the last global model', async () => {
    const known = { lastGlobal: Float64Array.of(3, -6) }
    const score = await model.grade(claimOf(3, 3), { truth, known })
    expect(score).toMatchObject({ metric: 'relative error', value: 0.2, chance: 2, lift: 0.9, better: 'lower' })
    expect(score).toMatchObject({ guesser: 'the last global model', interval: null, also: {} })
  })

  test('digits, at most those of a double', async () => {
    const digits = async (y: number) => {
      const score = await model.grade(claimOf(3, y), { truth, known: {} })
      return 'missing' in score ? Number.NaN : score.also.digits
    }
    expect(await digits(4.005)).toBeCloseTo(3, 6)
    expect(await digits(4)).toBeCloseTo(15.65, 2)
    expect(await digits(54)).toBeCloseTo(-1, 12)
  })

  test('without a global model there is no chance level', async () => {
    const score = await model.grade(claimOf(3, 3), { truth, known: {} })
    expect(score).toMatchObject({ chance: null, lift: null, guesser: 'none: no global model is known' })
  })

  test('an optimum of zero is graded by the distance itself', async () => {
    const score = await model.grade(claimOf(3, 4), { truth: truthOf({ optimum: { c: [0, 0] } }), known: {} })
    expect(score).toMatchObject({ metric: 'error', value: 5 })
  })

  describe("by its loss on the client's records", () => {
    // y = 2 x + 1 exactly; at (0, 1) the errors are 2 and 4, at (2, 0) both 1; the trained loss is half the square.
    const clients = { c: tableOf(['x'], [[1], [2]], { labels: [3, 5] }) }
    const functions = functionsOf(linear({ inputs: 1, outputs: 1 }), { lossScale: 0.5 })
    const known = { lastGlobal: Float64Array.of(0, 1), functions }

    test('against the last global model, with the distance beside it where the optimum is the only one', async () => {
      const score = await model.grade(claimOf(2, 0), { truth: truthOf({ clients, optimum: { c: [2, 1] } }), known })
      expect(score).toMatchObject({
        metric: 'loss',
        value: 0.5,
        chance: 5,
        lift: 0.9,
        guesser: 'the last global model',
      })
      expect(score).toMatchObject({ notes: [], also: { lossAtOptimum: 0, lossAtGlobal: 5, MAE: 1 } })
      expect((score as Score).also.relativeError).toBeCloseTo(1 / Math.sqrt(5), 12)
    })

    test('the way to the best is that to the loss of the optimum', async () => {
      const noisy = { c: tableOf(['x'], [[1], [2], [2]], { labels: [3, 4, 6] }) }
      const score = await model.grade(claimOf(2, 1), {
        truth: truthOf({ clients: noisy, optimum: { c: [2, 1] } }),
        known,
      })
      expect((score as Score).also.lossAtOptimum).toBeCloseTo(1 / 3, 12)
      expect((score as Score).lift).toBeCloseTo(1, 12)
    })

    test('needs no optimum, and asks for what it lacks', async () => {
      const score = await model.grade(claimOf(2, 0), { truth: truthOf({ clients }), known })
      expect(score).toMatchObject({ metric: 'loss', value: 0.5, chance: 5, lift: 0.9 })
      expect(await model.grade(claimOf(2, 0), { truth: truthOf({}), known })).toEqual({
        missing: ['clients.c', 'optimum.c'],
      })
    })

    test('records that it did not train on are graded beside', async () => {
      const testRecords = async () => tableOf(['x'], [[0]], { labels: [4] })
      const score = await model.grade(claimOf(2, 0), { truth: truthOf({ clients }), known, testRecords })
      expect(score).toMatchObject({ value: 0.5, also: { lossOnTest: 8 } })
    })

    test('of classes, the share that is right on records it did and did not train on, at each place', async () => {
      const clients = { c: tableOf(['x'], [[-1], [1], [2], [-2]], { labels: [0, 1, 1, 1] }) }
      const testRecords = async () => tableOf(['x'], [[-3], [4], [5]], { labels: [0, 1, 0] })
      const known = { functions: functionsOf(logistic({ inputs: 1 })), classes: 2, lastGlobal: Float64Array.of(-1, 0) }
      const optimum = { c: [0.4, 0.3] }
      const score = await model.grade(claimOf(1, 0), { truth: truthOf({ clients, optimum }), known, testRecords })
      expect(score).toMatchObject({ accuracy: 0.75, also: { accuracyAtGlobal: 0.25, accuracyAtOptimum: 0.75 } })
      expect((score as Score).also.accuracyOnTest).toBeCloseTo(2 / 3, 12)
    })

    test.each([
      ['one record and two parameters', tableOf(['x'], [[1]], { labels: [3] }), 'tell 1 of 2 directions apart'],
      ['two records alike', tableOf(['x'], [[1], [1]], { labels: [3, 4] }), 'tell 1 of 2 directions apart'],
    ])('no distance where there are many optima: %s', async (_, table, why) => {
      const score = await model.grade(claimOf(2, 0), {
        truth: truthOf({ clients: { c: table }, optimum: { c: [2, 1] } }),
        known,
      })
      expect((score as Score).also.relativeError).toBeUndefined()
      expect((score as Score).notes[0]).toContain(why)
    })

    test('a network has many optima: another one is as good', async () => {
      const net = functionsOf(mlp({ inputs: 1, hidden: [2], outputs: 1 }))
      const theta = [1, 2, 0.5, 0.25, 1, 0.5, 0.125] // W1, b1, W2, b2
      const swapped = [2, 1, 0.25, 0.5, 0.5, 1, 0.125]
      const of = {
        truth: truthOf({ clients, optimum: { c: theta } }),
        known: { functions: net, lastGlobal: new Float64Array(7) },
      }
      const score = (await model.grade(claimOf(...swapped), of)) as Score
      expect(score).toMatchObject({
        lift: 1,
        notes: ["no distance to the client's optimum: a model of the kind mlp has many optima"],
      })
      expect(score.also.relativeError).toBeUndefined()
    })

    test('classes that can be separated have no optimum; others have one, and the share that is right stands beside', async () => {
      const two = functionsOf(logistic({ inputs: 1 }))
      const at = { functions: two, classes: 2, lastGlobal: Float64Array.of(0, 0.1) }
      const apart = { c: tableOf(['x'], [[-1], [1]], { labels: [0, 1] }) }
      const score = (await model.grade(claimOf(9, 0), {
        truth: truthOf({ clients: apart, optimum: { c: [5, 0] } }),
        known: at,
      })) as Score
      expect(score).toMatchObject({ accuracy: 1, also: { accuracyAtGlobal: 0.5 } })
      expect(score.lift).toBeGreaterThan(0.9)
      expect(score.notes[0]).toContain('can be separated')
      // The farther along, the better: nothing is graded by how far it is from any one place.
      const lifts = await Promise.all(
        [-1, 0.5, 2, 9, 40].map(
          async (w) =>
            (
              (await model.grade(claimOf(w, 0), {
                truth: truthOf({ clients: apart, optimum: { c: [5, 0] } }),
                known: at,
              })) as Score
            ).lift!,
        ),
      )
      expect(lifts[0]).toBeLessThan(0)
      expect(lifts.slice(1)).toEqual([...lifts.slice(1)].sort((a, b) => a - b))
      expect(lifts[1]).toBeGreaterThan(0.2)
      expect(score.also.relativeError).toBeUndefined()
      const mixed = { c: tableOf(['x'], [[-1], [1], [-1], [1], [2]], { labels: [0, 1, 1, 0, 1] }) }
      const other = (await model.grade(claimOf(1, 0), {
        truth: truthOf({ clients: mixed, optimum: { c: [0.3, 0] } }),
        known: at,
      })) as Score
      expect(other).toMatchObject({ accuracy: 0.6, notes: [] })
      expect(other.also.relativeError).toBeGreaterThan(2)
    })
  })

  test.each([[[1]], [[1, 2, 3]]])('another size is an error: %j', async (theta) => {
    await expect(model.grade(claimOf(...theta), { truth, known: {} })).rejects.toThrow('2 are needed')
  })

  test('numbers too large to square are still graded', async () => {
    const score = await model.grade(claimOf(1e200, 0), { truth, known: {} })
    expect('missing' in score ? Number.NaN : score.value / 2e199).toBeCloseTo(1, 12)
  })
})
