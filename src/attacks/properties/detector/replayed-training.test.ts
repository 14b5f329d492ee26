import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../../test/label-views.js'
import { engine } from '../../../numeric/engine/engine.js'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import { type Rng, rng } from '../../../numeric/random/rng.js'
import { type LocalTrainingOptions, localTraining, type TrainingView } from './replayed-training.js'

type Change = Partial<Record<keyof TrainingView, unknown>>
const X = [
  [1, 0],
  [0, 2],
  [1, 1],
  [-1, 3],
  [2, -1],
]
const y = [1, -1, 0.5, 2, 3]
const columns = ['a', 'b']
const rate = 0.05
const begin = Float64Array.of(0.5, -0.25, 0.125)

function viewOf(protocol: object = {}, change: Change = {}): TrainingView {
  return {
    model: { kind: 'linear', inputs: 2, outputs: 1, bias: true },
    loss: 'mse',
    protocol: { ...protocolOf({ algorithm: 'fedavg', share: 'parameters', learningRate: rate }), ...protocol },
    auxiliary: { columns, features: matrixOf(X) },
    'auxiliary.label': Float64Array.from(y),
    candidates: {
      columns,
      features: matrixOf([
        [5, 5],
        [4, -4],
      ]),
    },
    'candidates.label': Float64Array.of(7, -7),
    ...change,
  } as unknown as TrainingView
}

/** Steps of the gradient of the mean squared error, each on its batch of (x, y). */
function plainly(batches: readonly (readonly (readonly [readonly number[], number])[])[], by = rate): number[] {
  let theta = [...begin]
  for (const batch of batches) {
    const grad = [0, 0, 0]
    for (const [[a, b], target] of batch) {
      const miss = (2 * (theta[0]! * a! + theta[1]! * b! + theta[2]! - target)) / batch.length
      for (const [j, v] of [a!, b!, 1].entries()) grad[j]! += miss * v
    }
    theta = theta.map((v, j) => v - by * grad[j]!)
  }
  return theta.map((v, j) => v - begin[j]!)
}

const records = (rows: readonly number[]) => rows.map((r) => [X[r]!, y[r]!] as const)

function trained(
  view: TrainingView,
  rows: readonly number[],
  more: { rng?: Rng; ascend?: boolean } = {},
  options: LocalTrainingOptions = {},
) {
  const training = localTraining(view, options)
  training.begin(begin)
  const change = training.change({ rows: Int32Array.from(rows), rng: rng(3), ...more }).slice()
  training.release()
  return change
}

function close(found: ArrayLike<number>, asked: readonly number[]) {
  expect(found).toHaveLength(asked.length)
  for (const [j, v] of asked.entries()) expect(found[j]).toBeCloseTo(v, 5)
}

describe('all records in every step', () => {
  const rows = [0, 2, 3]
  test.each([
    [{ localEpochs: 1 }, 1],
    [{ localEpochs: 4 }, 4],
    [{ localEpochs: 4, localSteps: 2 }, 2],
    [{ localEpochs: null }, 1],
    [{ localEpochs: 0.2 }, 1],
    [{ localEpochs: 2, batchSize: 3 }, 2],
    [{ localEpochs: 2, batchSize: 9 }, 2],
    [{ localEpochs: 2, batchSize: 9, dropLast: true }, 2],
  ])('%j: %d steps', (protocol, steps) => {
    close(trained(viewOf(protocol), rows), plainly(new Array(steps).fill(records(rows))))
  })

  test('uphill', () => {
    close(trained(viewOf({ localEpochs: 2 }), rows, { ascend: true }), plainly(new Array(2).fill(records(rows)), -rate))
  })

  test('turn after turn from where they begin, and no memory is kept', () => {
    const before = engine().inUse()
    const training = localTraining(viewOf({ localEpochs: 2 }))
    expect([training.records, training.candidateRow, training.mislabelledFrom]).toEqual([5, undefined, undefined])
    expect(training.parameters).toBe(0)
    training.begin(begin)
    expect(training.parameters).toBe(3)
    const turn = { rows: Int32Array.from(rows), rng: rng(1) }
    const first = training.change(turn)
    const kept = first.slice()
    expect(training.change({ ...turn, rows: Int32Array.of(1) })).toBe(first)
    expect([...first]).not.toEqual([...kept])
    expect(training.change(turn)).toEqual(kept)
    training.release()
    expect(engine().inUse()).toBe(before)
  })
})

describe('batches', () => {
  /** In a new order in each epoch, cut into batches. */
  function inBatches(
    rows: readonly number[],
    { size, steps, dropLast = false }: { size: number; steps: number; dropLast?: boolean },
  ) {
    const perEpoch = dropLast ? Math.floor(rows.length / size) : Math.ceil(rows.length / size)
    return Array.from({ length: steps }, (_, k) => {
      const order = rng(3)
        .fork('epoch')
        .fork(k - (k % perEpoch))
        .permutation(rows.length)
      const at = (k % perEpoch) * size
      return records(Array.from(order.slice(at, at + size), (i) => rows[i]!))
    })
  }
  const rows = [4, 0, 3, 1, 2]

  test.each([
    [{ localEpochs: 1 }, 3, false],
    [{ localEpochs: 3 }, 9, false],
    [{ localEpochs: 2, localSteps: 4 }, 4, false],
    [{ localEpochs: 1, dropLast: true }, 2, true],
    [{ localEpochs: 3, dropLast: true }, 6, true],
  ])('of two, %j: %d steps', (protocol, steps, dropLast) => {
    const asked = plainly(inBatches(rows, { size: 2, steps, dropLast }))
    close(trained(viewOf({ batchSize: 2, ...protocol }), rows), asked)
  })

  test('of all records in an order of their own, where clients drop units', () => {
    const view = viewOf({ localEpochs: 2, dropout: 0.5 })
    close(trained(view, rows), plainly(new Array(2).fill(records(rows))))
  })
})

describe('with privacy', () => {
  const dp = (change: object) => ({
    differentialPrivacy: { mechanism: 'dp-sgd', maxNorm: 0.5, noiseMultiplier: null, ...change },
  })
  const rows = [0, 2, 3]
  const noisy = (seed: number, change = {}) =>
    trained(viewOf(dp({ noiseMultiplier: 2, ...change })), rows, { rng: rng(seed) })

  test('the gradient of each record is cut to the norm', () => {
    const step = [0, 0, 0]
    for (const [[a, b], target] of records(rows)) {
      const miss = 2 * (begin[0]! * a! + begin[1]! * b! + begin[2]! - target)
      const grad = [miss * a!, miss * b!, miss]
      const length = Math.hypot(...grad)
      for (const [j, v] of grad.entries()) step[j]! -= (rate * v * Math.min(1, 0.5 / length)) / rows.length
    }
    close(trained(viewOf(dp({})), rows), step)
    close(trained(viewOf(dp({ noiseMultiplier: 0 })), rows), step)
  })

  test('and noise is drawn from the stream of the turn', () => {
    expect(noisy(1)).toEqual(noisy(1))
    expect(noisy(1)).not.toEqual(noisy(2))
  })

  test('unless it is of another kind, or without a norm', () => {
    const plain = plainly([records(rows)])
    close(noisy(1, { mechanism: 'client-level' }), plain)
    close(noisy(1, { maxNorm: null }), plain)
  })
})

describe('records beside the auxiliary ones', () => {
  test('the candidate comes next', () => {
    const training = localTraining(viewOf(), { candidate: 1 })
    expect([training.records, training.candidateRow]).toEqual([5, 5])
    training.begin(begin)
    close(training.change({ rows: Int32Array.of(5), rng: rng(1) }), plainly([[[[4, -4], -7]]]))
    training.release()
  })

  test.each([undefined, 0])('then all once more, with labels in another order (candidate %s)', (candidate) => {
    const mislabelled = rng(8)
    const training = localTraining(viewOf(), { candidate, mislabelled })
    const from = candidate === undefined ? 5 : 6
    expect([training.records, training.mislabelledFrom]).toEqual([5, from])
    training.begin(begin)
    const order = rng(8).permutation(5)
    for (let r = 0; r < 5; r++) {
      const asked = plainly([[[X[r]!, y[order[r]!]!]]])
      close(training.change({ rows: Int32Array.of(from + r), rng: rng(1) }), asked)
    }
    training.release()
  })
})

describe('what is missing is said', () => {
  const refused = (view: TrainingView, options: LocalTrainingOptions = {}) => {
    const before = engine().inUse()
    let said = ''
    try {
      localTraining(view, options).release()
    } catch (error) {
      said = (error as Error).message
    }
    expect(engine().inUse()).toBe(before)
    return said
  }

  test('of the protocol and the model', () => {
    expect(refused(viewOf({ learningRate: null }))).toMatch('cannot train without the learning rate')
    expect(refused(viewOf({ mixup: { alpha: 1 } }))).toMatch('mixtures of records cannot be played over')
    expect(refused(viewOf({}, { model: { kind: 'opaque' } }))).toMatch('the model is opaque')
  })

  test('of the candidate', () => {
    const unknown = 'membership is asked of a record that is not known'
    expect(refused(viewOf({}, { candidates: undefined }), { candidate: 0 })).toMatch(unknown)
    expect(refused(viewOf({}, { 'candidates.label': undefined }), { candidate: 0 })).toMatch(unknown)
    expect(refused(viewOf(), { candidate: 2 })).toMatch('there are 2 candidates')
    const others = { columns: ['b', 'a'], features: matrixOf([[1, 2]]) }
    expect(refused(viewOf({}, { candidates: others }), { candidate: 0 })).toMatch('do not have the same columns')
    expect(refused(viewOf(), { candidate: 1 })).toBe('')
  })
})
