import { describe, expect, test } from 'vitest'
import { mlpSpec } from '../../../test/label-views.js'
import { functionsOf } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { mlp } from '../../models/mlp.js'
import { matrix, matrixOf, rowOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { firstLayerOf } from '../shared/first-layer.js'
import { type FirstLayerHeard, isolatedRecords } from './isolated-records.js'

interface World {
  readonly records: readonly (readonly number[])[]
  readonly hidden: readonly number[]
  readonly outputs?: number
  /** Changes weights and biases of the first layer before the gradient is taken. */
  readonly change?: (theta: Float64Array) => void
}

function heardOf({ records, hidden, outputs = 1, change }: World, seed = 1): FirstLayerHeard {
  const model = mlp(mlpSpec({ inputs: records[0]!.length, hidden, outputs }))
  const theta = initialise(model, rng(seed))
  change?.(theta)
  const labels = rng(seed)
    .fork('labels')
    .normals(records.length * outputs, { std: 3 })
  const { grad } = functionsOf(model, { loss: 'mse' }).gradient(theta, { features: matrixOf(records), labels })
  return { model, layer: firstLayerOf(model)!, theta, grad, recordCount: records.length, rounding: 1e-16 }
}

const drawn = (K: number, d: number, seed = 1) => {
  const X = matrix(
    K,
    d,
    rng(seed)
      .fork('records')
      .normals(K * d),
  )
  return Array.from({ length: K }, (_, k) => Array.from(rowOf(X, k)))
}

const sorted = (records: readonly ArrayLike<number>[]) =>
  records.map((x) => Array.from(x)).sort((a, b) => a[0]! - b[0]!)

function expectFound(heard: FirstLayerHeard, records: World['records']) {
  const { records: found, rank, misfit } = isolatedRecords(heard)
  expect([found.length, rank]).toEqual([records.length, records.length])
  expect(misfit).toBeLessThan(1e-9)
  for (const [k, x] of sorted(found).entries())
    for (const [j, v] of x.entries()) expect(v).toBeCloseTo(sorted(records)[k]![j]!, 6)
}

describe('one hidden layer and one output', () => {
  const records = drawn(3, 4)
  const units = 16
  /** The last unit never answers. */
  const change = (theta: Float64Array) => {
    theta[units * 4 + units - 1] = -100
  }
  const heard = heardOf({ records, hidden: [units], change })
  const biasAt = units * 4
  const largest = Math.max(...heard.grad.subarray(biasAt, biasAt + units).map(Math.abs))
  /** As if that unit had moved by such a share of the largest bias. */
  const withJunk = (share: number, more: Partial<FirstLayerHeard> = {}): FirstLayerHeard => {
    const grad = heard.grad.slice()
    grad.set(
      [5, -3, 2, 7].map((v) => v * share * largest),
      (units - 1) * 4,
    )
    grad[biasAt + units - 1] = share * largest
    return { ...heard, grad, ...more }
  }

  test('all records at once', () => {
    expectFound(heard, records)
    for (const K of [1, 2, 5]) expectFound(heardOf({ records: drawn(K, 6), hidden: [24] }, K), drawn(K, 6))
  })

  test('none where another number is stated', () => {
    for (const recordCount of [1, 2, 4, 14])
      expect(isolatedRecords({ ...heard, recordCount })).toEqual({ records: [], rank: 3, misfit: 1 })
    // Of more than fourteen nothing is tried.
    const wide = heardOf({ records, hidden: [60] })
    const rankOf = (recordCount: number) => isolatedRecords({ ...wide, recordCount }).rank
    expect([rankOf(14), rankOf(15)]).toEqual([3, 0])
  })

  test('none in a gradient of nothing', () => {
    const grad = new Float64Array(heard.grad.length)
    expect(isolatedRecords({ ...heard, grad })).toEqual({ records: [], rank: 0, misfit: 1 })
  })

  test('units that moved by less than a ten millionth of the largest say nothing, or a thousand roundings', () => {
    expectFound(withJunk(0.9e-7), records)
    expect(isolatedRecords(withJunk(1.1e-7)).records).toEqual([])
    expectFound(withJunk(0.9e-5, { rounding: 1e-8 }), records)
    expect(isolatedRecords(withJunk(1.1e-5, { rounding: 1e-8 })).records).toEqual([])
    expect(isolatedRecords(withJunk(-1.1e-7)).records).toEqual([])
  })

  test('a unit without a way out says nothing', () => {
    const theta = heard.theta.slice()
    const live = Array.from({ length: units }, (_, i) => i).filter((i) => heard.grad[biasAt + i] !== 0)
    theta[biasAt + units + live[0]!] = 0
    expectFound({ ...heard, theta }, records)
  })

  test('rows that could be sums of others are read so that units answer to what they hold', () => {
    // One unit for each of two records: three readings, of which one has every unit on the side that it is on.
    const apart = [
      [2, -1],
      [-1, 3],
    ]
    const each = (theta: Float64Array) => theta.set([1, 0, 0, 1, 0, 0])
    expectFound(heardOf({ records: apart, hidden: [2], change: each }), apart)
    // At another model none of them has.
    const other = heardOf({ records: apart, hidden: [2], change: each })
    const theta = other.theta.slice()
    theta.set([-5, 0, 0, -5, -9, -9])
    expect(isolatedRecords({ ...other, theta })).toEqual({ records: [], rank: 2, misfit: 1 })
  })

  test('what the records leave of the rows is told', () => {
    const grad = heard.grad.slice()
    grad[0]! += 1e-9 * Math.abs(grad[0]!) + 1e-12
    const { records: found, misfit } = isolatedRecords({ ...heard, grad, rounding: 1e-10 })
    expect(found).toHaveLength(3)
    expect(misfit).toBeGreaterThan(1e-13)
    expect(misfit).toBeLessThan(1e-8)
  })
})

describe('several outputs, or deeper', () => {
  test.each([
    ['two outputs', { hidden: [20], outputs: 2 }],
    ['two layers', { hidden: [24, 12] }],
  ])('%s: every record that some unit holds alone, once, and no mixture', (_, shape) => {
    let found = 0
    for (let seed = 1; seed < 7; seed++) {
      const records = drawn(2, 5, seed)
      const heard = heardOf({ records, ...shape }, seed)
      const isolated = isolatedRecords(heard)
      expect(isolated.rank).toBe(2)
      expect(isolated.misfit).toBeLessThan(1e-9)
      const held = [0, 1].filter((k) =>
        isolated.records.some((x) => records[k]!.every((v, j) => Math.abs(v - x[j]!) < 1e-6)),
      )
      expect(held).toHaveLength(isolated.records.length)
      found += held.length
    }
    expect(found).toBeGreaterThan(8)
  })

  test('more directions than records, or as many as the layer has units: nothing', () => {
    const records = drawn(3, 5)
    const heard = heardOf({ records, hidden: [20], outputs: 4 })
    expect(isolatedRecords(heard).rank).toBe(3)
    expect(isolatedRecords({ ...heard, recordCount: 2 })).toEqual({ records: [], rank: 3, misfit: 1 })
    const open = { records: drawn(2, 5), outputs: 4, change: (theta: Float64Array) => void theta.fill(5, 10, 12) }
    const narrow = heardOf({ ...open, hidden: [2] })
    expect(isolatedRecords({ ...narrow, recordCount: 2 })).toEqual({ records: [], rank: 2, misfit: 1 })
  })

  test('no more than there are', () => {
    const records = drawn(2, 5)
    const heard = heardOf({ records, hidden: [20], outputs: 2 })
    const { records: both } = isolatedRecords(heard)
    const rows = isolatedRecords({ ...heard, recordCount: 5 }).records
    expect(sorted(rows)).toEqual(sorted(both))
  })
})
