import { expect, test } from 'vitest'
import { smallPopulation, smallRecords, smallSpec } from '../../test/small-federation.js'
import { functionsOf } from '../models/functions.js'
import { createModel } from '../models/index.js'
import { matrixOf } from '../numeric/linalg/matrix.js'
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
