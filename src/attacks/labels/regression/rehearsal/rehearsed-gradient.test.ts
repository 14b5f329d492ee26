import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../../test/attack-context.js'
import { protocolOf } from '../../../../../test/label-views.js'
import { plainGradient, plainTurn, plainWeights, sparsified } from '../../../../../test/plain-network.js'
import { matrix } from '../../../../numeric/linalg/matrix.js'
import { rng } from '../../../../numeric/random/rng.js'
import type { Exchange } from '../../../../threat/granted-keys.js'
import type { Protocol } from '../../../../transcript/manifest.js'
import type { Outcome } from '../../../attack.js'
import { labelMean } from '../label-mean.js'
import { metaclassCounts } from '../metaclass-counts.js'
import { metaclassMeans } from '../metaclass-means.js'

const d = 6
const spec = { sizes: [d, 16, 8, 1] }
const columns = Array.from({ length: d }, (_, j) => `x${j}`)

/** 40 records of a client, 300 like them, and the model it was sent. */
function world(seed: number) {
  const r = rng(seed).fork('rehearsal world')
  const people = (n: number) => {
    const X = Array.from({ length: n }, () => Array.from(r.normals(d)))
    const Y = X.map((x) => [6.4 + x[0]! + 0.5 * x[1]! ** 2 - 0.5 + 0.3 * r.normal()])
    return { X, Y, groups: Float64Array.from(X, (x) => (x[0]! > 0 ? 1 : 0) + (x[1]! > 0 ? 2 : 0)) }
  }
  const [own, like] = [people(40), people(300)]
  const counts = [0, 1, 2, 3].map((c) => own.groups.filter((g) => g === c).length)
  const mean = own.Y.reduce((sum, [y]) => sum + y! / 40, 0)
  const known = {
    auxiliary: { columns, features: matrix(300, d, Float64Array.from(like.X.flat())) },
    'auxiliary.label': Float64Array.from(like.Y.flat()),
    'auxiliary.metaclass': like.groups,
    ...{ metaclasses: ['a', 'b', 'c', 'd'], metaclassCounts: counts },
  }
  return { own, mean, counts, known, theta: plainWeights(spec, () => r.uniform()) }
}

type World = ReturnType<typeof world>

const viewOf = ({ theta, known }: World, update: Exchange['update'], turn: Partial<Protocol> = {}) => ({
  model: {
    kind: 'mlp',
    inputs: d,
    hidden: [16, 8],
    outputs: 1,
    activation: 'relu',
    outputActivation: 'identity',
    bias: true,
  },
  ...{ loss: 'mse', target: '0', round: 0, batchSize: 40, samples: 40, protocol: protocolOf(turn) },
  exchanges: {
    rounds: [0],
    read: async (): Promise<Exchange> => ({
      round: 0,
      received: theta,
      update,
      learningRate: turn.learningRate ?? null,
    }),
  },
  ...known,
})

const averaging = { share: 'parameters', algorithm: 'fedavg' } as const

/** What is heard of a turn, and what the protocol says of it. */
function turned(one: World, learningRate: number, epochs: number, batchSize?: number) {
  const turn = { learningRate, epochs, ...(batchSize && { batchSize }) }
  const after = plainTurn(spec, one.theta, one.own, turn)
  const stated = { ...averaging, learningRate, localEpochs: epochs, batchSize: batchSize ?? null }
  return viewOf(one, { kind: 'parameters', theta: after }, stated)
}

const errorIn = (outcome: Outcome): number =>
  outcome.status === 'claimed' ? (outcome.details.error as number) : Number.NaN

describe('the mean label after several local steps', () => {
  test.each([
    { learningRate: 0.03, epochs: 5, batchSize: undefined },
    { learningRate: 0.01, epochs: 4, batchSize: 10 },
  ])('$epochs epochs, rate $learningRate, batches of $batchSize: near, and as near as it says', async (turn) => {
    let [claims, beyond] = [0, 0]
    for (let seed = 0; seed < 6; seed++) {
      const one = world(seed)
      const outcome = await attackOn(labelMean, turned(one, turn.learningRate, turn.epochs, turn.batchSize))
      if (outcome.status !== 'claimed') continue
      claims++
      const { value, fit } = only(outcome, 'label-mean')
      expect(Math.abs(value - one.mean), `seed ${seed}`).toBeLessThan(1)
      expect(fit!.p).toBeGreaterThan(1e-3)
      if (Math.abs(value - one.mean) > 3 * errorIn(outcome)) beyond++
    }
    expect(claims).toBeGreaterThanOrEqual(4)
    expect(beyond).toBeLessThanOrEqual(1)
  })

  test('steps so long that several means explain them: refused, and no other claim is farther off than it says', async () => {
    let [rivals, claims] = [0, 0]
    for (let seed = 0; seed < 12; seed++) {
      const outcome = await attackOn(labelMean, turned(world(seed), 0.1, 5))
      if (outcome.status === 'claimed') {
        claims++
        const off = Math.abs(only(outcome, 'label-mean').value - world(seed).mean)
        expect(off, `seed ${seed}`).toBeLessThan(4 * (errorIn(outcome) || Number.POSITIVE_INFINITY))
      } else if (outcome.status === 'not-applicable') {
        expect(outcome.missing, `seed ${seed}`).toEqual(['one answer'])
        expect(outcome.why).toMatch(/^mean errors of -?[\d.]+ and of -?[\d.]+ explain the turn alike$/)
        rivals++
      }
    }
    expect(rivals).toBeGreaterThanOrEqual(2)
    expect(claims).toBeGreaterThanOrEqual(6)
  })
})

test('means and counts after several local steps are those of one, about', async () => {
  let [means, counts, naive] = [0, 0, 0]
  for (let seed = 0; seed < 4; seed++) {
    const one = world(seed)
    const { own } = one
    const truth = one.counts.map((k, c) => own.Y.reduce((sum, [y], i) => sum + (own.groups[i] === c ? y! : 0), 0) / k)
    const view = turned(one, 0.03, 5)
    const found = only(await attackOn(metaclassMeans, view), 'metaclass-means').values
    means += truth.reduce((sum, y, c) => sum + Math.abs(y - found[c]!) / 16, 0)
    const k = only(await attackOn(metaclassCounts, view), 'metaclass-counts').values
    counts += one.counts.reduce((sum, n, c) => sum + Math.abs(n - k[c]!) / 16, 0)
    naive += one.counts.reduce((sum, n) => sum + Math.abs(n - 10) / 16, 0)
  }
  expect(means).toBeLessThan(0.8)
  expect(counts).toBeLessThan(naive + 0.5)
})

describe('a protocol that is not as stated', () => {
  test.each(['Adam', 'the largest tenth'])('%s: refused by all three', async (what) => {
    const one = world(3)
    const grad = plainGradient(spec, one.theta, one.own)
    const turn = { learningRate: 0.001, epochs: 1, optimizer: 'adam' } as const
    const view =
      what === 'Adam'
        ? viewOf(
            one,
            { kind: 'parameters', theta: plainTurn(spec, one.theta, one.own, turn) },
            { ...averaging, learningRate: 0.001, localEpochs: 1 },
          )
        : viewOf(one, { kind: 'gradient', grad: sparsified(grad, 0.1) })
    for (const attack of [labelMean, metaclassMeans, metaclassCounts]) {
      const outcome = await attackOn(attack, view)
      expect(outcome).toMatchObject({ missing: ['a protocol that explains the update'] })
    }
  })
})

test('a rate stated twice too high: one step shows half the errors, and no error is stated', async () => {
  for (let seed = 0; seed < 4; seed++) {
    const one = world(seed)
    const after = plainTurn(spec, one.theta, one.own, { learningRate: 0.01, epochs: 1 })
    const heard = (learningRate: number) =>
      viewOf(one, { kind: 'parameters', theta: after }, { ...averaging, learningRate, localEpochs: 1 })
    const wrong = await attackOn(labelMean, heard(0.02))
    if (wrong.status === 'claimed') {
      expect(wrong.details.error).toBeNull()
      expect(wrong.warnings.join()).toMatch(/another learning rate/)
    }
    const right = await attackOn(labelMean, heard(0.01))
    expect(errorIn(right)).toBeGreaterThan(0)
  }
})

test('noise that the protocol declares is no reason to refuse; an optimiser that it states is', async () => {
  const one = world(2)
  const clean = plainGradient(spec, one.theta, one.own)
  const std = 0.02
  const grad = clean.map((g, j) => g + rng(j).normal({ std }))
  const differentialPrivacy = {
    mechanism: 'noise',
    maxNorm: 1e3,
    noiseMultiplier: (40 * std) / 1e3,
    sampleRate: 1,
    delta: 0,
  }
  const noisy = await attackOn(labelMean, viewOf(one, { kind: 'gradient', grad }, { differentialPrivacy }))
  expect(only(noisy, 'label-mean').fit!.p).toBeGreaterThan(0.01)
  expect(Math.abs(only(noisy, 'label-mean').value - one.mean)).toBeLessThan(0.2)
  const stated = { ...averaging, learningRate: 0.01, localEpochs: 1, optimizer: { name: 'adam' } } as Partial<Protocol>
  const adam = await attackOn(
    labelMean,
    viewOf(one, { kind: 'parameters', theta: one.theta.map((v) => v + 0.01) }, stated),
  )
  expect(adam).toMatchObject({ missing: ['plain steps'] })
})
