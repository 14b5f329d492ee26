import { expect, test } from 'vitest'
import { smallPopulation, smallRecords, smallSpec } from '../../test/small-federation.js'
import { functionsOf } from '../models/functions.js'
import { createModel } from '../models/index.js'
import { matrix, matrixOf } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { federate } from './federate.js'
import { population } from './population.js'
import { pooledRecords, utilityOf } from './utility.js'

test('loss and R2 by hand', () => {
  const spec = { ...smallSpec, model: { kind: 'linear', inputs: 1, outputs: 1 } } as const
  const records = { features: matrixOf([[0], [1], [2]]), labels: Float64Array.of(0, 1, 5) }
  // Predictions 0, 2, 4: errors 0, 1, 1; the labels' mean is 2, their squares about it 4 + 1 + 9.
  const { train, heldOut } = utilityOf(spec, { train: records })(Float64Array.of(2, 0))
  expect(train!.loss).toBeCloseTo(2 / 3, 14)
  expect(train!.r2).toBeCloseTo(1 - 2 / 14, 14)
  expect(train!.accuracy).toBeUndefined()
  expect(heldOut).toBeUndefined()
  const flat = { ...records, labels: new Float64Array(3) }
  expect(utilityOf(spec, { heldOut: flat })(Float64Array.of(2, 0)).heldOut!.r2).toBe(null)
})

test('R2 of several labels is the mean over those that vary', () => {
  const spec = { ...smallSpec, model: { kind: 'linear', inputs: 1, outputs: 3 } } as const
  const features = matrixOf([[0], [1], [2]])
  const records = { features, labels: Float64Array.of(0, 7, 0, 1, 7, 1, 5, 7, 2) }
  // The first as above, the second never varies, the third is met.
  const theta = Float64Array.of(2, 0, 1, 0, 3, 0)
  expect(utilityOf(spec, { train: records })(theta).train!.r2).toBeCloseTo((1 - 2 / 14 + 1) / 2, 14)
})

test('accuracy of classes, of coins, of one-hot labels', () => {
  const features = matrixOf([[1], [-1], [3], [-4]])
  const softmax = { ...smallSpec, model: { kind: 'softmax', inputs: 1, outputs: 2 } } as const
  const theta = Float64Array.of(1, -1, 0, 0) // class 0 for positive features
  const of = (labels: number[]) => ({ features, labels: Float64Array.from(labels) })
  expect(utilityOf(softmax, { train: of([0, 1, 1, 1]) })(theta).train!.accuracy).toBe(0.75)
  expect(utilityOf(softmax, { train: of([1, 0, 0, 1, 0, 1, 0, 1]) })(theta).train!.accuracy).toBe(0.75)
  const logistic = { ...smallSpec, model: { kind: 'logistic', inputs: 1 } } as const
  expect(utilityOf(logistic, { heldOut: of([1, 0, 0, 0]) })(Float64Array.of(1, 0)).heldOut!.accuracy).toBe(0.75)
  const logits = { ...smallSpec, model: { kind: 'mlp', inputs: 1, outputs: 1 }, loss: 'binary-cross-entropy' } as const
  expect(utilityOf(logits, { heldOut: of([1, 0, 0, 0]) })(Float64Array.of(1, 0)).heldOut!.accuracy).toBe(0.75)
})

test('many records go through in pieces, and give what they give at once', () => {
  const crowd = population({
    kind: 'generated',
    clients: 500,
    seed: 1,
    generator: { name: 'toy-least-squares', numericColumns: 3, recordsPerClient: 10 },
  })
  const all = pooledRecords(crowd)
  expect(all.features.rows).toBe(5000)
  const theta = rng(1).normals(5)
  const { train } = utilityOf(smallSpec, { train: all })(theta)
  expect(train!.loss).toBeCloseTo(functionsOf(createModel(smallSpec.model)).loss(theta, all), 12)
  const some = pooledRecords(crowd, 25)
  expect(some.labels).toEqual(all.labels.slice(0, 25))
  expect(some.features.data).toEqual(all.features.data.slice(0, 100))
})

test('is measured every so many rounds and after the last, on the new model', async () => {
  const evaluate = utilityOf(smallSpec, { train: pooledRecords(smallPopulation), heldOut: smallRecords[0]! })
  const losses: (number | undefined)[] = []
  for await (const { utility, next } of federate(
    { ...smallSpec, rounds: 5 },
    { population: smallPopulation, utility: { evaluate, every: 2 } },
  )) {
    losses.push(utility?.train?.loss)
    if (utility !== undefined) expect(utility).toEqual(evaluate(next))
  }
  expect(losses.map((loss) => loss !== undefined)).toEqual([false, true, false, true, true])
  expect(losses[4]!).toBeLessThan(losses[1]!)
})

test('no records have no utility; one record has', () => {
  const spec = { ...smallSpec, model: { kind: 'linear', inputs: 1, outputs: 1 } } as const
  const of = (...labels: number[]) => ({ features: matrix(labels.length, 1), labels: Float64Array.from(labels) })
  const theta = Float64Array.of(2, 3)
  expect(() => utilityOf(spec, { train: of() })(theta)).toThrow('utility on 0 records; give at least one')
  expect(utilityOf(spec, { train: of(1) })(theta).train).toEqual({ loss: 4, r2: null })
  // Labels that hardly vary: the mean square about them is 1/4, errors are 2 and 3 of 1/1000.
  const small = { features: matrix(2, 1), labels: Float64Array.of(0, 0.001) }
  expect(utilityOf(spec, { train: small })(Float64Array.of(0, 0.003)).train!.r2).toBeCloseTo(1 - (9 + 4) / 0.5, 9)
})

test('the first of equal outputs is the class; an output just at the middle is on the lower side', () => {
  const three = { ...smallSpec, model: { kind: 'softmax', inputs: 1, outputs: 3 } } as const
  const labelled = (...labels: number[]) => ({ features: matrix(labels.length, 1), labels: Float64Array.from(labels) })
  const of = (biases: number[], ...labels: number[]) =>
    utilityOf(three, { train: labelled(...labels) })(Float64Array.of(0, 0, 0, ...biases)).train!.accuracy
  expect(of([1, 1, 0], 0, 1, 2, 0)).toBe(0.5)
  expect(of([0, 1, 1], 0, 1, 2, 0)).toBe(0.25)
  expect(of([0, 1, 2], 0, 1, 2, 2)).toBe(0.5)
  expect(of([2, 0, 1], 0, 1, 2, 2)).toBe(0.25)
  const logits = { ...smallSpec, model: { kind: 'mlp', inputs: 1, outputs: 1 }, loss: 'binary-cross-entropy' } as const
  const side = (bias: number, ...labels: number[]) =>
    utilityOf(logits, { train: labelled(...labels) })(Float64Array.of(0, bias)).train!.accuracy
  expect(side(0, 0, 0, 1)).toBeCloseTo(2 / 3, 15)
  expect(side(0.4, 0, 0, 1)).toBeCloseTo(1 / 3, 15)
  expect(side(0.4, 0.5, 0.6)).toBe(0.5)
})

test('several sides are each right or not', () => {
  const two = { ...smallSpec, model: { kind: 'mlp', inputs: 1, outputs: 2 }, loss: 'binary-cross-entropy' } as const
  const records = { features: matrix(2, 1), labels: Float64Array.of(1, 0, 1, 1) }
  expect(utilityOf(two, { train: records })(Float64Array.of(0, 0, 1, -1)).train!.accuracy).toBe(0.75)
})

test('records are pooled up to a number of them, without a client that stays away', () => {
  const rows = (most?: number, without?: string) => pooledRecords(smallPopulation, most, without).features.rows
  expect([rows(), rows(7), rows(19), rows(20), rows(23), rows(24)]).toEqual([24, 7, 19, 20, 23, 24])
  expect([rows(100, '1'), rows(100, 'x'), rows(8, '0')]).toEqual([12, 24, 8])
  const some = pooledRecords(smallPopulation, 9)
  expect([...some.labels]).toEqual([...smallRecords[0]!.labels, ...smallRecords[1]!.labels.subarray(0, 2)])
})

test('more records than go through at once give the same figures in any order', () => {
  const n = 2049
  const x = (i: number) => (i % 7) - 3
  const of = (at: (i: number) => number) => ({
    features: matrix(
      n,
      1,
      Float64Array.from({ length: n }, (_, i) => x(at(i))),
    ),
    labels: Float64Array.from({ length: n }, (_, i) => x(at(i)) + (at(i) === n - 1 ? 100 : 0)),
  })
  const spec = { ...smallSpec, model: { kind: 'linear', inputs: 1, outputs: 1 } } as const
  const figures = (at: (i: number) => number) => utilityOf(spec, { train: of(at) })(Float64Array.of(1, 0)).train!
  const [there, back] = [figures((i) => i), figures((i) => n - 1 - i)]
  // All but one record are met: the last is missed by 100.
  expect(there.loss).toBeCloseTo(1e4 / n, 10)
  expect(back.loss).toBeCloseTo(1e4 / n, 10)
  expect(there.r2!).toBeCloseTo(back.r2!, 10)
})
