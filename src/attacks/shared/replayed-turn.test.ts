import { describe, expect, test } from 'vitest'
import { mlpSpec, protocolOf } from '../../../test/label-views.js'
import { matrixOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { compressionBy, descentBy, type Recipe, replayer, stepsOf } from './replayed-turn.js'

const recipe = (change: object = {}): Recipe => ({ ...protocolOf({ share: 'delta', localSteps: 1, learningRate: 0.5 }), ...change }) // biome-ignore format: one line

describe('steps', () => {
  const steps = (n: number, change: object) => Object.values(stepsOf(recipe({ localSteps: null, ...change }), n))

  test('are those of epochs, each of as many batches as the records make', () => {
    expect(steps(10, { localEpochs: 3, batchSize: 4 })).toEqual([9, 4])
    expect(steps(10, { localEpochs: 3, batchSize: 4, dropLast: true })).toEqual([6, 4])
    expect(steps(10, { localEpochs: 0.5, batchSize: 2 })).toEqual([3, 2])
    expect(steps(10, { localEpochs: 0.1, batchSize: null })).toEqual([1, 10])
    expect(steps(10, { localEpochs: null, batchSize: 5 })).toEqual([2, 5])
    expect(steps(3, { localEpochs: 2, batchSize: 4, dropLast: true })).toEqual([2, 3])
    expect(steps(0, { localEpochs: 1, batchSize: 4 })).toEqual([1, 1])
  })

  test('are told, or one where gradients are shared', () => {
    expect(steps(10, { localSteps: 7, localEpochs: 3, batchSize: 4 })).toEqual([7, 4])
    expect(steps(10, { share: 'gradient', localSteps: 7, batchSize: 4 })).toEqual([1, 4])
  })
})

describe('what a recipe says of steps', () => {
  test('is what most people do, unless it says more', () => {
    const plain = { proxMu: 0, weightDecay: 0, clipNorm: null, optimizer: { name: 'sgd' }, momentum: 0 }
    for (const optimizer of [undefined, null, { name: 'sgd' }]) expect(descentBy(recipe({ optimizer }))).toEqual(plain)
    const more = { proxMu: 0.1, weightDecay: 0.2, clipNorm: 3, momentum: 0.4 }
    expect(descentBy(recipe(more))).toEqual({ ...plain, ...more })
  })

  test('is another optimizer without momentum of its own', () => {
    const found = descentBy(recipe({ optimizer: { name: 'adam' }, momentum: 0.4 }))
    expect(found).toMatchObject({ momentum: 0, optimizer: { name: 'adam' } })
    expect(() => descentBy(recipe({ optimizer: { name: 'mystery' } }))).toThrow('mystery cannot be played over')
    expect(() => descentBy(recipe({ optimizer: { name: 'toString' } }))).toThrow('toString cannot be played over')
  })

  test('is how changes are shortened', () => {
    for (const compression of [undefined, null]) expect(compressionBy(recipe({ compression }))).toBeUndefined()
    const compress = compressionBy(recipe({ compression: { kind: 'top-k', share: 0.5 } }))!
    expect([...compress(Float64Array.of(1, -4, 3, 2))]).toEqual([0, -4, 3, 0])
    expect(() => compressionBy(recipe({ compression: { kind: 'mystery' } }))).toThrow('mystery cannot be played over')
  })
})

// One weight, no bias: at 0 a step down the squared error of records (1, y) moves by 2 rate times the mean of y.
const view = { model: mlpSpec({ inputs: 1, hidden: [], outputs: 1, bias: false }), loss: 'mse' } as const
const labels = [1, 10, 100, 1000, 10000]
const records = { features: matrixOf(labels.map(() => [1])), labels: Float64Array.from(labels) }

/** What is sent of a turn at a rate so small that steps do not feel each other, in units of twice the rate. */
interface Given {
  readonly rows?: number[]
  readonly onStep?: (theta: Float64Array) => void
  readonly rate?: number | null
  readonly own?: object
}

function sent(change: object, { rows, onStep, rate = 1e-12, own = view }: Given = {}) {
  const replay = replayer(own as never, recipe({ learningRate: rate, ...change }))
  try {
    const turn = {
      ...{ theta: new Float64Array(own === view ? 1 : 2), records: replay.hold(records), rng: rng(5) },
      ...(rows && { rows: Int32Array.from(rows) }),
      ...(onStep && { onStep }),
    }
    return replay.play(turn)[0]! / (2 * (rate ?? 1))
  } finally {
    replay.release()
  }
}

describe('a turn that is played', () => {
  test('goes through all records, in one batch or in several', () => {
    expect(sent({})).toBeCloseTo(11111 / 5, 5)
    expect(sent({ localSteps: 3 })).toBeCloseTo((3 * 11111) / 5, 4)
    expect(sent({ localSteps: null, localEpochs: 2, batchSize: 1 })).toBeCloseTo(2 * 11111, 3)
    // Whatever the order, a batch of four and one of one.
    const short = sent({ localSteps: null, localEpochs: 1, batchSize: 4 })
    expect(labels.map((y) => (11111 - y) / 4 + y).some((sum) => Math.abs(sum - short) < 1e-3)).toBe(true)
    const left = sent({ localSteps: null, localEpochs: 1, batchSize: 4, dropLast: true })
    expect(labels.map((y) => (11111 - y) / 4).some((sum) => Math.abs(sum - left) < 1e-3)).toBe(true)
  })

  test('reads every record once an epoch, in a new order each time', () => {
    const batches: number[] = []
    let before = 0
    const onStep = (theta: Float64Array) => {
      if (theta[0] !== 0) batches.push(Math.round((theta[0]! - before) / 2e-12))
      before = theta[0]!
    }
    sent({ localSteps: 16, batchSize: 1 }, { onStep })
    const epochs = [0, 1, 2].map((e) => batches.slice(5 * e, 5 * e + 5))
    for (const epoch of epochs) expect([...epoch].sort((a, b) => a - b)).toEqual(labels)
    expect(new Set(epochs.map(String)).size).toBe(3)
  })

  test('goes through the rows that are told, one of them twice', () => {
    expect(sent({}, { rows: [0, 2, 2] })).toBeCloseTo(201 / 3, 7)
    expect(sent({ localSteps: null, localEpochs: 1, batchSize: 2, dropLast: true }, { rows: [3] })).toBeCloseTo(1000, 6)
  })

  test('steps from where the last one ended, and tells the model before each', () => {
    const seen: number[] = []
    const found = sent({ localSteps: 2 }, { rate: 0.25, onStep: (theta) => seen.push(theta[0]!) })
    // Half of the way to the mean in each.
    const mean = 11111 / 5
    expect(seen[0]).toBe(0)
    expect(seen[1]!).toBeCloseTo(mean / 2, 9)
    expect(found * 0.5).toBeCloseTo((3 * mean) / 4, 9)
    expect(sent({ localSteps: 2 }, { rate: 0.25 }) * 0.5).toBeCloseTo((3 * mean) / 4, 9)
  })

  test('is minus the gradient where that is shared, which needs no rate', () => {
    expect(sent({ share: 'gradient' }, { rate: null })).toBeCloseTo(11111 / 5, 9)
    expect(() => sent({}, { rate: null })).toThrow('a turn cannot be played over without the learning rate')
  })

  test('is a sample of records where its step is private, drawn for every step', () => {
    const differentialPrivacy = { mechanism: 'dp-sgd', unit: 'record', maxNorm: 1e9, noiseMultiplier: 0, sampleRate: 0.5 } // biome-ignore format: one line
    let before = 0
    const steps: number[] = []
    const onStep = (theta: Float64Array) => {
      steps.push(((theta[0]! - before) / 2e-12) * 2.5)
      before = theta[0]!
    }
    const own = { model: { kind: 'linear', inputs: 1, outputs: 1 }, loss: 'mse' }
    sent({ differentialPrivacy, localSteps: 9, batchSize: 2 }, { onStep, own })
    // Each record is in a batch or not: its digit is 1 or 0.
    for (const sum of steps.slice(1)) expect(String(Math.round(sum))).toMatch(/^[01]+$/)
    expect(new Set(steps.slice(1)).size).toBeGreaterThan(3)
  })
})

test('what cannot be played over is said', () => {
  const open =
    (change: object, own: object = view) =>
    () =>
      replayer(own as never, recipe(change)).release()
  expect(open({}, { ...view, model: { kind: 'opaque' } })).toThrow('the model is opaque')
  expect(open({ mixup: { alpha: 1 } })).toThrow('mixtures of records cannot be played over')
  const whole = { mechanism: 'central-dp', unit: 'client', maxNorm: 1, noiseMultiplier: 1, sampleRate: null }
  expect(open({ differentialPrivacy: whole })).toThrow('central-dp cannot be played over')
  expect(open({ differentialPrivacy: { ...whole, maxNorm: null } })).not.toThrow()
  expect(open({})).not.toThrow()
})
