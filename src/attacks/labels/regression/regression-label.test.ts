import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { tableOf, truthOf } from '../../../../test/hand-truth.js'
import { protocolOf } from '../../../../test/label-views.js'
import { plainGradient, plainTurn, plainWeights, sparsified } from '../../../../test/plain-network.js'
import { type MadeUpdate, madeUpdate } from '../../../../test/regression-view.js'
import { describeWithShared, vector } from '../../../../test/shared.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Exchange } from '../../../threat/granted-keys.js'
import type { Protocol } from '../../../transcript/manifest.js'
import type { Outcome } from '../../attack.js'
import { outputs } from './regression-head.js'
import { regressionLabel } from './regression-label.js'
import { recoverLabel } from './single-record-label.js'

describeWithShared('vector b', () => {
  interface Case {
    output: 'identity' | 'sigmoid'
    w: number[]
    b: number
    grad_w: number[]
    grad_b: number
    y_true: number
    a_true: number[]
  }
  test.each(vector<{ cases: Case[] }>('b').cases)('$output, y $y_true', (one) => {
    const found = recoverLabel({
      w: Float64Array.from(one.w),
      b: one.b,
      gradW: Float64Array.from(one.grad_w),
      gradB: one.grad_b,
      output: outputs[one.output],
      factor: 2,
      sloped: true,
    })!
    expect(Math.abs(found.label - one.y_true)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(one.y_true)))
    for (const [j, a] of one.a_true.entries()) expect(found.embedding[j]).toBeCloseTo(a, 10)
  })
})

const mlp = (extra: object = {}) => ({ kind: 'mlp', inputs: 6, hidden: [16, 8], outputs: 1, ...extra })

function randomRecord(seed: number, model: MadeUpdate['model'], more: Partial<MadeUpdate> = {}) {
  const r = rng(seed).fork('record')
  const label = model.outputActivation === 'sigmoid' ? r.uniform() : r.normal() * 3
  const features = matrix(1, model.inputs as number, r.normals(model.inputs as number))
  return { label, ...madeUpdate({ model, features, labels: Float64Array.of(label), seed, ...more }) }
}

const labelIn = (outcome: Outcome): number | undefined =>
  outcome.status === 'claimed' ? only(outcome, 'label').value : undefined

const missingIn = (outcome: Outcome): readonly string[] =>
  outcome.status === 'not-applicable' ? outcome.missing : [JSON.stringify(outcome)]

describe('random single-record updates', () => {
  const settings = [
    { precision: 'f64', tolerance: 1e-6, refusals: 8 },
    { precision: 'f32', tolerance: 1e-3, refusals: 40 },
  ] as const
  const shares = ['gradient', 'parameters', 'delta'] as const
  test.each(settings)('$precision: within $tolerance or refused', async ({ precision, tolerance, refusals }) => {
    const misses: number[] = []
    let refused = 0
    for (let seed = 0; seed < 400; seed++) {
      const outputActivation = seed % 2 === 0 ? 'identity' : 'sigmoid'
      const share = shares[seed % 3]!
      const { view, label } = randomRecord(seed, mlp({ outputActivation }), { precision, share })
      const found = labelIn(await attackOn(regressionLabel, view))
      if (found === undefined) refused++
      // The client rounds its label too, which is not the attack's error.
      else {
        misses.push(Math.abs(found - label) / Math.abs(label))
        expect(misses.at(-1), `seed ${seed}`).toBeLessThanOrEqual(tolerance)
      }
    }
    misses.sort((a, b) => a - b)
    const figures = { refused, worst: misses.at(-1), median: misses[Math.floor(misses.length / 2)] }
    if (process.env.FIGURES !== undefined) process.stdout.write(`${precision} ${JSON.stringify(figures)}\n`)
    expect(refused).toBeLessThanOrEqual(refusals)
  })
})

describe('the error it states', () => {
  test.each(['f64', 'f32'] as const)('%s: covers the error it makes', async (precision) => {
    let beyond = 0
    for (let seed = 0; seed < 200; seed++) {
      const { view, label } = randomRecord(seed, mlp(), {
        precision,
        share: seed % 2 === 0 ? 'gradient' : 'parameters',
      })
      const outcome = await attackOn(regressionLabel, view)
      if (outcome.status !== 'claimed') continue
      const { error, digits } = outcome.details as { error: number; digits: number }
      const miss = Math.abs(only(outcome, 'label').value - label)
      if (miss > 4 * error + Math.abs(label) * (precision === 'f32' ? 2 ** -24 : 2 ** -53)) beyond++
      expect(miss / Math.abs(label)).toBeLessThanOrEqual(10 ** -digits)
    }
    expect(beyond).toBe(0)
  })

  test('is not far above it', async () => {
    const ratios = []
    for (let seed = 0; seed < 100; seed++) {
      const { view, label } = randomRecord(seed, mlp(), { precision: 'f32', share: 'parameters' })
      const outcome = await attackOn(regressionLabel, view)
      if (outcome.status !== 'claimed') continue
      ratios.push(Math.abs(only(outcome, 'label').value - label) / (outcome.details.error as number))
    }
    ratios.sort((a, b) => a - b)
    expect(ratios[Math.floor(ratios.length / 2)]).toBeGreaterThan(0.02)
  })
})

describe('what the loss and the output do', () => {
  test.each([
    ['half the square', { protocol: { lossScale: 0.5 } }, mlp()],
    ['a triple loss and a sigmoid', { protocol: { lossScale: 3 } }, mlp({ outputActivation: 'sigmoid' })],
    ['binary cross-entropy', { loss: 'binary-cross-entropy' as const }, { kind: 'logistic', inputs: 6 }],
    ['tanh units', {}, mlp({ activation: 'tanh' })],
    ['a linear model', { share: 'delta' as const }, { kind: 'linear', inputs: 6, outputs: 1 }],
  ])('%s', async (_, more, model) => {
    const { view, label } = randomRecord(5, model, more)
    expect(labelIn(await attackOn(regressionLabel, view))).toBeCloseTo(label, 9)
  })

  test.each(Object.entries(outputs))('%s: slope and bend are derivatives of what it gives', (_, output) => {
    const h = 1e-5
    for (const u of [-30, -4.2, -1, -0.3, 0.7, 2, 6, 35]) {
      expect(output.slope(u)).toBeCloseTo((output.value(u + h) - output.value(u - h)) / (2 * h), 8)
      expect(output.bend(u)).toBeCloseTo((output.slope(u + h) - output.slope(u - h)) / (2 * h), 8)
    }
  })

  test.each(['relu', 'tanh', 'softplus'] as const)('a %s output: right or refused', async (outputActivation) => {
    let refused = 0
    for (let seed = 0; seed < 200; seed++) {
      const { view, label } = randomRecord(seed, mlp({ outputActivation }))
      const outcome = await attackOn(regressionLabel, view)
      if (outcome.status !== 'claimed') {
        refused++
        expect(['a bias gradient that can be trusted', 'a first layer that answers']).toContain(missingIn(outcome)[0])
      } else expect(Math.abs(labelIn(outcome)! - label) / Math.abs(label), `seed ${seed}`).toBeLessThan(1e-6)
    }
    // About half of all rectifiers are shut.
    expect(refused / 200).toBeLessThan(outputActivation === 'relu' ? 0.7 : 0.03)
    expect(refused / 200).toBeGreaterThanOrEqual(outputActivation === 'relu' ? 0.2 : 0)
  })

  test.each(['sigmoid', 'relu', 'tanh', 'softplus'] as const)('a planted record is found under %s', async (end) => {
    for (let seed = 0; seed < 20; seed++) {
      const { view, label } = randomRecord(seed, mlp({ outputActivation: end }))
      const features = matrix(1, 6, rng(seed).fork('record').normals(6))
      const truth = truthOf({
        clients: { [view.target]: tableOf('abcdef'.split(''), [[...features.data]], { labels: [label] }) },
      })
      const plant = regressionLabel.plant as Exclude<typeof regressionLabel.plant, { none: string }>
      const planted = await plant({ view, params: {}, truth, rng: rng(3) } as Parameters<typeof plant>[0])
      expect(labelIn(await attackOn(regressionLabel, planted.view))).toBeCloseTo(label, 6)
    }
  })

  test('a ReLU output works where it is active and says nothing where it is not', () => {
    const carrier = { output: outputs.relu, factor: 2, sloped: true }
    const w = Float64Array.of(0.7, -0.2)
    const a = [1.5, 0.5]
    const of = (b: number) => {
      const u = b + 0.7 * 1.5 - 0.2 * 0.5
      const gradB = 2 * (Math.max(0, u) - 3) * (u > 0 ? 1 : 0)
      return recoverLabel({ ...carrier, w, b, gradB, gradW: Float64Array.from(a, (x) => x * gradB) })
    }
    expect(of(0.4)?.label).toBeCloseTo(3, 12)
    expect(of(-4)).toBeUndefined()
  })

  test('a label of 0 is claimed', async () => {
    const features = matrix(1, 6, rng(3).normals(6))
    const { view } = madeUpdate({ model: mlp(), features, labels: Float64Array.of(0), precision: 'f32' })
    expect(Math.abs(labelIn(await attackOn(regressionLabel, view))!)).toBeLessThan(1e-6)
  })
})

describe('refusals', () => {
  const missing = missingIn
  const features = matrix(1, 6, rng(3).normals(6))

  test('a record that is fitted exactly', async () => {
    const model = { kind: 'linear', inputs: 6, outputs: 1 }
    const theta = new Float64Array(7)
    const { view } = madeUpdate({ model, features, labels: Float64Array.of(0), theta })
    expect(missing(await attackOn(regressionLabel, view))).toEqual(['a bias gradient that can be trusted'])
  })

  test('a step so small that f32 parameters hardly move', async () => {
    const more = { precision: 'f32', share: 'parameters', protocol: { learningRate: 1e-6 } } as const
    const { view, label } = randomRecord(4, mlp(), more)
    expect(missing(await attackOn(regressionLabel, view))).toEqual(['a bias gradient that can be trusted'])
    const rough = labelIn(await attackOn(regressionLabel, view, { params: { digits: 1 } }))!
    expect(Math.abs(rough / label - 1)).toBeLessThan(0.1)
  })

  test('several records, no bias, several outputs, classes, an opaque model, a clipped gradient', async () => {
    const two = madeUpdate({ model: mlp(), features: matrix(2, 6, rng(3).normals(12)), labels: Float64Array.of(1, 2) })
    expect(missing(await attackOn(regressionLabel, two.view))).toEqual(['a single record'])
    const one = (model: MadeUpdate['model'], labels = Float64Array.of(1)) =>
      madeUpdate({ model, features, labels }).view
    expect(missing(await attackOn(regressionLabel, one(mlp({ bias: false }))))).toEqual(['a bias'])
    const view = one(mlp())
    expect(missing(await attackOn(regressionLabel, { ...view, loss: 'cross-entropy' }))).toEqual(['a regression loss'])
    expect(missing(await attackOn(regressionLabel, { ...view, model: { kind: 'opaque' } }))).toEqual(['model'])
    const differentialPrivacy = { mechanism: 'dp-sgd', maxNorm: 0.1, noiseMultiplier: 0, sampleRate: 1, delta: 0 }
    const clipped = { ...view, protocol: { ...view.protocol, differentialPrivacy } }
    expect(missing(await attackOn(regressionLabel, clipped))).toEqual(['an unclipped gradient'])
    const noisy = { ...differentialPrivacy, maxNorm: 1e6, noiseMultiplier: 1 }
    const drowned = { ...view, protocol: { ...view.protocol, differentialPrivacy: noisy } }
    expect(missing(await attackOn(regressionLabel, drowned))).toEqual(['a bias gradient that can be trusted'])
  })

  test('a message that is not finite, or of another length, is an error', async () => {
    const { view } = randomRecord(4, mlp())
    const exchange = await view.exchanges.read(0)
    const sent = (grad: Float64Array) => ({
      ...view,
      exchanges: { rounds: [0], read: async () => ({ ...exchange, update: { kind: 'gradient', grad } }) },
    })
    const d = exchange.received!.length
    await expect(attackOn(regressionLabel, sent(new Float64Array(d).fill(Number.NaN)))).rejects.toThrow(/NaN at 0/)
    await expect(attackOn(regressionLabel, sent(new Float64Array(3)))).rejects.toThrow(/3 values/)
    const nothing = { ...view, exchanges: { rounds: [0], read: async () => ({ ...exchange, received: undefined }) } }
    expect(missing(await attackOn(regressionLabel, nothing))).toEqual(['globals'])
    const unknown = randomRecord(4, mlp(), { share: 'delta' }).view
    const rateless = await unknown.exchanges.read(0)
    const exchanges = { rounds: [0], read: async () => ({ ...rateless, learningRate: null }) }
    expect(missing(await attackOn(regressionLabel, { ...unknown, exchanges }))).toEqual(['learningRate'])
  })
})

describe('several local steps', () => {
  const linear = { kind: 'linear', inputs: 6, outputs: 1 }

  test.each([
    [2, {}],
    [7, {}],
    [200, { learningRate: 0.01 }],
    [5, { momentum: 0.9, learningRate: 0.01 }],
    [5, { proxMu: 0.3, lossScale: 0.5 }],
  ])('a linear model, %d steps, %o: exact', async (localSteps, protocol) => {
    for (let seed = 0; seed < 20; seed++) {
      const share = seed % 2 === 0 ? 'parameters' : 'delta'
      const more = { share, protocol: { learningRate: 0.05, localSteps, ...protocol } } as const
      const { view, label } = randomRecord(seed, linear, more)
      const outcome = await attackOn(regressionLabel, view)
      if (outcome.status !== 'claimed') throw new Error(JSON.stringify(outcome))
      expect(Math.abs(only(outcome, 'label').value - label)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(label)))
      // As many numbers as unknowns: a linear model's update confirms nothing, so no digits are stated.
      expect(outcome.warnings).toEqual([expect.stringMatching(/nothing in it confirms/)])
      expect(outcome.details).toMatchObject({ digits: null, error: null, checked: false })
    }
  })

  test('a deeper model, any output: the turn is done again and gives the label', async () => {
    let [claimedOnes, worst] = [0, 0]
    for (let seed = 0; seed < 60; seed++) {
      const localSteps = 2 + (seed % 6)
      const protocol = { learningRate: [0.05, 0.01, 0.001][seed % 3], localSteps, momentum: seed % 4 === 0 ? 0.9 : 0 }
      const outputActivation = (['identity', 'sigmoid', 'tanh', 'softplus', 'relu'] as const)[seed % 5]!
      const model = mlp({ outputActivation, ...(seed % 3 === 0 && { activation: 'tanh', hidden: [12] }) })
      const { view, label } = randomRecord(seed, model, { share: seed % 2 === 0 ? 'parameters' : 'delta', protocol })
      const outcome = await attackOn(regressionLabel, view)
      if (outcome.status !== 'claimed') continue
      claimedOnes++
      const { value, fit } = only(outcome, 'label')
      expect(fit).toMatchObject({ p: 1 })
      expect(Math.abs(value - label)).toBeLessThanOrEqual(4 * (outcome.details.error as number) + 1e-15)
      worst = Math.max(worst, Math.abs(value - label) / Math.abs(label))
    }
    expect(claimedOnes).toBeGreaterThan(45)
    expect(worst).toBeLessThan(1e-6)
  })

  test('in single precision: within what it says', async () => {
    let [claimedOnes, beyond] = [0, 0]
    for (let seed = 0; seed < 40; seed++) {
      const protocol = { learningRate: 0.03, localSteps: 5 }
      const { view, label } = randomRecord(seed, mlp(), { share: 'parameters', precision: 'f32', protocol })
      const outcome = await attackOn(regressionLabel, view)
      if (outcome.status !== 'claimed') continue
      claimedOnes++
      if (Math.abs(only(outcome, 'label').value - label) > 4 * (outcome.details.error as number)) beyond++
    }
    expect(claimedOnes).toBeGreaterThan(30)
    expect(beyond).toBe(0)
  })
})

describe('clients of another make, in plain loops', () => {
  const spec = { sizes: [6, 16, 8, 1] }
  const client = (seed: number, K = 1) => {
    const r = rng(seed).fork('plain')
    const X = Array.from({ length: K }, () => Array.from(r.normals(6)))
    const Y = X.map(() => [3 * r.normal()])
    return { X, Y, theta: plainWeights(spec, () => r.uniform()) }
  }
  const heard = (theta: Float64Array, update: Exchange['update'], turn: Partial<Protocol> = {}) => {
    const exchange: Exchange = { round: 0, received: theta, update, learningRate: turn.learningRate ?? null }
    return {
      ...{ model: mlp({ activation: 'relu', outputActivation: 'identity', bias: true }), loss: 'mse', target: '0' },
      ...{ round: 0, batchSize: 1, samples: 1, protocol: protocolOf(turn) },
      exchanges: { rounds: [0], read: async () => exchange },
    }
  }
  const averaged = (theta: Float64Array, learningRate: number, localEpochs: number) =>
    ['parameters', { share: 'parameters', algorithm: 'fedavg', learningRate, localEpochs }, theta] as const

  test('ReLU, rate 0.03, five epochs: to the last digits', async () => {
    let claimedOnes = 0
    for (let seed = 0; seed < 30; seed++) {
      const { X, Y, theta } = client(seed)
      const [, turn] = averaged(theta, 0.03, 5)
      const after = plainTurn(spec, theta, { X, Y }, { learningRate: 0.03, epochs: 5 })
      const outcome = await attackOn(regressionLabel, heard(theta, { kind: 'parameters', theta: after }, turn))
      if (outcome.status !== 'claimed') continue
      claimedOnes++
      expect(Math.abs(only(outcome, 'label').value - Y[0]![0]!)).toBeLessThan(1e-12)
    }
    expect(claimedOnes).toBeGreaterThan(25)
  })

  test.each(['five records', 'the largest tenth of the gradient', 'Adam', 'a rate twice as high'])(
    '%s, unstated: refused, because the gradient at the claim is another',
    async (what) => {
      for (let seed = 0; seed < 15; seed++) {
        const { X, Y, theta } = client(seed, what === 'five records' ? 5 : 1)
        const grad = plainGradient(spec, theta, { X, Y })
        const [, turn] = averaged(theta, 0.001, what === 'Adam' ? 1 : 3)
        const optimizer = what === 'Adam' ? 'adam' : 'sgd'
        const told = { learningRate: what === 'Adam' ? 0.001 : 0.0005, epochs: turn.localEpochs, optimizer } as const
        const update =
          what === 'five records'
            ? ({ kind: 'gradient', grad } as const)
            : what === 'the largest tenth of the gradient'
              ? ({ kind: 'gradient', grad: sparsified(grad, 0.1) } as const)
              : ({ kind: 'parameters', theta: plainTurn(spec, theta, { X, Y }, told) } as const)
        const view = heard(theta, update, update.kind === 'gradient' ? {} : turn)
        const outcome = await attackOn(regressionLabel, view)
        expect(outcome.status, `seed ${seed}`).toBe('not-applicable')
      }
    },
  )
})

describe('several outputs', () => {
  test.each([1, 4])('all labels of the record, after %d steps', async (localSteps) => {
    for (let seed = 0; seed < 12; seed++) {
      const r = rng(seed).fork('several')
      const features = matrix(1, 6, r.normals(6))
      const labels = r.normals(3)
      const outputActivation = (['identity', 'tanh', 'softplus'] as const)[seed % 3]!
      const model = mlp({ hidden: [16], outputs: 3, outputActivation })
      const share = localSteps === 1 && seed % 2 === 0 ? 'gradient' : 'parameters'
      const protocol = { localSteps, learningRate: 0.02, lossScale: seed % 4 === 0 ? 0.5 : 1 }
      const { view } = madeUpdate({ model, features, labels, seed, share, protocol })
      const claim = only(await attackOn(regressionLabel, view), 'label')
      for (const [o, y] of labels.entries()) expect(claim.values![o], `seed ${seed}`).toBeCloseTo(y, 6)
      expect(claim.fit).toMatchObject({ p: 1 })
    }
  })

  test('two records stated as one: refused', async () => {
    const features = matrix(2, 6, rng(1).normals(12))
    const { view } = madeUpdate({ model: mlp({ outputs: 2 }), features, labels: rng(2).normals(4) })
    const told = { ...view, batchSize: 1, samples: 1 }
    expect(missingIn(await attackOn(regressionLabel, told))).toEqual(['a protocol that explains the update'])
  })
})

describe('binary cross-entropy without biases', () => {
  test('the sign of the gradient is the label, where what the last layer reads is not negative', async () => {
    const model = { ...mlp({ hidden: [12], bias: false }), outputActivation: 'sigmoid' }
    for (let seed = 0; seed < 20; seed++) {
      const features = matrix(1, 6, rng(seed).normals(6))
      const labels = Float64Array.of(seed % 2)
      const share = seed % 3 === 0 ? 'gradient' : 'parameters'
      const protocol = { localSteps: share === 'gradient' ? 1 : 4 }
      const made = madeUpdate({ model, features, labels, seed, share, protocol, loss: 'binary-cross-entropy' })
      expect(labelIn(await attackOn(regressionLabel, made.view))).toBe(seed % 2)
    }
    const features = matrix(3, 6, rng(5).normals(18))
    const two = madeUpdate({ model, features, labels: Float64Array.of(0, 1, 1), loss: 'binary-cross-entropy' })
    const told = { ...two.view, batchSize: 1, samples: 1 }
    expect(missingIn(await attackOn(regressionLabel, told))).toEqual(['a protocol that explains the update'])
  })
})

describe('controls', () => {
  test('planted: found; shuffled: not', async () => {
    let near = 0
    for (let seed = 0; seed < 20; seed++) {
      const { view, label, truth } = randomRecord(seed, mlp(), { share: 'parameters' })
      const input = { view, params: {}, rng: rng(seed), truth }
      if ('none' in regressionLabel.plant || 'none' in regressionLabel.shuffle) throw new Error('no control')
      const planted = (await regressionLabel.plant(input as never)).view
      expect(labelIn(await attackOn(regressionLabel, planted))).toBeCloseTo(label, 9)
      const shuffled = labelIn(await attackOn(regressionLabel, (await regressionLabel.shuffle(input as never)).view))
      if (shuffled !== undefined && Math.abs(shuffled - label) < 0.1) near++
    }
    expect(near).toBeLessThanOrEqual(3)
  })
})
