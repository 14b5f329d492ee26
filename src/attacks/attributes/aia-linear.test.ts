import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { accuracy, continuous, several, type WorldOptions, world } from '../../../test/attribute-world.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { claimed, type Outcome } from '../attack.js'
import type { AttributeClaim } from '../claim.js'
import { aiaLinear } from './aia-linear.js'

const net = (hidden: number, inputs = 4) =>
  ({ kind: 'mlp', inputs, outputs: 1, hidden: [hidden], activation: 'relu' }) as const
const small = {
  model: net(48),
  records: 40,
  rounds: 6,
  batchSize: 8,
  learningRate: 0.02,
} as const satisfies WorldOptions
const detailsOf = (outcome: Outcome) => {
  if (outcome.status !== 'claimed') throw new Error(JSON.stringify(outcome))
  return outcome.details
}

describe('mini-batches of a network', () => {
  test('every record is told, though the sensitive column is NaN throughout', async () => {
    const w = world({ ...small, effect: 0.4, noise: 1 })
    const outcome = await attackOn(aiaLinear, w.view)
    const { values, confidence } = only(outcome, 'attribute')
    expect(accuracy(values, w.true[0]!)).toBe(1)
    for (const p of confidence as Float64Array) {
      expect(p).toBeGreaterThan(0.5)
      expect(p).toBeLessThanOrEqual(40 / 41) // nothing verifies a sum over mini-batches
    }
    expect(detailsOf(outcome)).toMatchObject({ unknowns: 40, rounds: 6, localSteps: 5, rate: 'known' })
  })

  test('without rehearsals it tells fewer, and with none of the rate known hardly fewer', async () => {
    const w = world({ ...small, records: 80, rounds: 8, batchSize: 16, localEpochs: 4, seed: 2, effect: 0.4, noise: 1 })
    const score = async (params: Record<string, unknown>) =>
      accuracy(only(await attackOn(aiaLinear, w.view, { params }), 'attribute').values, w.true[0]!)
    const [full, passes] = [await score({}), await score({ passes: 3, rehearsals: 0 })]
    expect(full).toBeGreaterThan(0.97)
    expect(passes).toBeLessThan(full)
    const protocol = { ...w.view.protocol, learningRate: null }
    const read = async (round: number) => ({ ...(await w.view.exchanges.read(round)), learningRate: null })
    const blind = { ...w.view, protocol, exchanges: { ...w.view.exchanges, read } }
    const outcome = await attackOn(aiaLinear, blind)
    expect(accuracy(only(outcome, 'attribute').values, w.true[0]!)).toBeGreaterThan(0.97)
    // One over the rate is what a message has to be multiplied by.
    expect(Math.abs(0.02 * (detailsOf(outcome).rateFactor as number) - 1)).toBeLessThan(0.1)
    const each = await attackOn(aiaLinear, blind, { params: { rate: 'each' } })
    expect(accuracy(only(each, 'attribute').values, w.true[0]!)).toBeGreaterThan(0.95)
    expect(Math.abs(0.02 * (detailsOf(each).rateFactor as number) - 1)).toBeLessThan(0.2)
    expect(await attackOn(aiaLinear, blind, { params: { rate: 'known' } })).toMatchObject({ missing: ['learningRate'] })
  })

  test('half of the records known: the others are stood for', async () => {
    const w = world({ ...small, rounds: 20, effect: 1, noise: 0.5 })
    const half = matrix(30, 4, w.view.records.features.data.slice(0, 120))
    const view = {
      ...w.view,
      records: { ...w.view.records, features: half },
      'records.label': w.view['records.label'].slice(0, 30),
    }
    const outcome = await attackOn(aiaLinear, view)
    if (outcome.status !== 'claimed') throw new Error('claimed')
    expect(outcome.warnings[0]).toMatch(/10 of the client's 40 records are unknown/)
    expect(accuracy(only(outcome, 'attribute').values, w.true[0]!.slice(0, 30))).toBeGreaterThan(0.85)
    const fewer = { ...w.view, samples: 30 }
    expect(await attackOn(aiaLinear, fewer)).toMatchObject({ status: 'not-applicable', missing: ['records'] })
  })

  test('clipped and noised gradients are told by their own noise', async () => {
    const w = world({ ...small, rounds: 15, effect: 1, noise: 0.5, privacy: { maxNorm: 1, noiseMultiplier: 0.05 } })
    const differentialPrivacy = {
      mechanism: 'dp-sgd',
      maxNorm: 1,
      noiseMultiplier: 0.05,
      sampleRate: null,
      delta: null,
    }
    const view = { ...w.view, protocol: { ...w.view.protocol, differentialPrivacy } }
    expect(accuracy(only(await attackOn(aiaLinear, view), 'attribute').values, w.true[0]!)).toBeGreaterThan(0.95)
  })
})

describe('one step on all records', () => {
  const full = { ...small, batchSize: null, rounds: 1, effect: 0.2, noise: 1 } as const
  test.each(['f64', 'f32'] as const)('one message tells every record (%s), the rate too', async (precision) => {
    for (const rate of ['known', 'one']) {
      const w = world({ ...full, precision, model: net(64) })
      const outcome = await attackOn(aiaLinear, w.view, { params: { rate } })
      expect(accuracy(only(outcome, 'attribute').values, w.true[0]!)).toBe(1)
      expect(detailsOf(outcome)).toMatchObject({ solver: 'exact', verified: true, open: 0 })
      if (rate === 'one') expect(detailsOf(outcome).rateFactor).toBeCloseTo(1, 3)
    }
  })

  test('a shared gradient needs no rate', async () => {
    const w = world(full)
    const { received, update, ...rest } = await w.view.exchanges.read(0)
    if (update.kind !== 'parameters') throw new Error('parameters')
    const grad = received!.map((v, j) => (v - update.theta[j]!) / 0.02)
    const exchange = { ...rest, received, update: { kind: 'gradient', grad } as const, learningRate: null }
    const protocol = { ...w.view.protocol, share: 'gradient' as const, learningRate: null }
    const view = { ...w.view, protocol, exchanges: { rounds: [0], read: async () => exchange } }
    expect(accuracy(only(await attackOn(aiaLinear, view), 'attribute').values, w.true[0]!)).toBe(1)
  })

  test('two records that are alike in all that is known are said to be open', async () => {
    const w = world({ ...full, model: net(64) })
    // Record 1 becomes a copy of record 0 in what is known; one of the two has the attribute.
    const complete = w.complete.data.slice()
    complete.set(complete.subarray(0, 3), 4)
    ;[complete[3], complete[7]] = [-0.5, 2]
    const labels = w.view['records.label'].slice()
    labels[1] = labels[0]!
    const { functionsOf } = await import('../../models/functions.js')
    const { createModel } = await import('../../models/index.js')
    const { received } = await w.view.exchanges.read(0)
    const { grad } = functionsOf(createModel(net(64))).gradient(received!, {
      features: matrix(40, 4, complete),
      labels,
    })
    const returned = received!.map((v, j) => v - 0.02 * grad[j]!)
    const features = matrix(
      40,
      4,
      complete.map((x, at) => (at % 4 === 3 ? Number.NaN : x)),
    )
    const exchange = {
      round: 0,
      received,
      update: { kind: 'parameters', theta: returned } as const,
      learningRate: 0.02,
    }
    const view = {
      ...w.view,
      records: { ...w.view.records, features },
      'records.label': labels,
      exchanges: { rounds: [0], read: async () => exchange },
    }
    const outcome = await attackOn(aiaLinear, view)
    expect(detailsOf(outcome)).toMatchObject({ open: 1, explained: true, verified: false })
    const { values, confidence } = only(outcome, 'attribute')
    expect(values[0]! + values[1]!).toBe(1)
    expect(confidence![0]).toBeLessThan(0.9)
    for (let i = 2; i < 40; i++) expect(values[i]).toBe(w.true[0]![i])
  })
})

test('a model with few parameters cannot tell most records, and says so with a confidence that is honest', async () => {
  const w = world({ records: 150, rounds: 30, effect: 0.5, noise: 0.5, learningRate: 0.02 })
  const outcome = await attackOn(aiaLinear, w.view)
  if (outcome.status !== 'claimed') throw new Error('claimed')
  expect(outcome.warnings[0]).toMatch(/determine about \d of 150 unknowns/)
  const { values, confidence } = only(outcome, 'attribute')
  const sure = (confidence as Float64Array).reduce((sum, p) => sum + p, 0) / 150
  expect(Math.abs(sure - accuracy(values, w.true[0]!))).toBeLessThan(0.08)
})

test('a model of another attack can be fused in', async () => {
  const w = world({ records: 100, rounds: 10, effect: 2, noise: 0.2, learningRate: 0.02 })
  const theta = Float64Array.from([1, -0.5, 0.25, 2, 0])
  const claims = { 'last-returned': claimed({ kind: 'model', client: '0', theta }, { warnings: ['old'] }) }
  const outcome = await attackOn(aiaLinear, w.view, { params: { fuse: 'last-returned' }, claims })
  expect(accuracy(only(outcome, 'attribute').values, w.true[0]!)).toBe(1)
  expect(outcome).toMatchObject({ details: { fuse: 'last-returned' } })
  const missing = await attackOn(aiaLinear, w.view, { params: { fuse: 'lmra-ols' } })
  expect(missing).toMatchObject({ status: 'not-applicable' })
})

describe('attributes of other kinds', () => {
  test('several at once are one unknown of many values', async () => {
    const w = world({ ...small, model: net(64, 6), sensitive: several, batchSize: null, rounds: 2, effect: 0.5 })
    const outcome = await attackOn(aiaLinear, w.view)
    if (outcome.status !== 'claimed') throw new Error('claimed')
    expect(outcome.details).toMatchObject({ unknowns: 5 * 40, solver: 'exact' })
    for (const [a, claim] of outcome.claims.entries())
      expect(accuracy((claim as AttributeClaim).values, w.true[a]!)).toBe(1)
  })

  test('three values through mini-batches', async () => {
    const w = world({ ...small, model: net(64, 5), sensitive: [several[1]!], records: 30, rounds: 10, effect: 0.7 })
    const { values } = only(await attackOn(aiaLinear, w.view), 'attribute')
    expect(accuracy(values, w.true[0]!)).toBeGreaterThan(0.9)
  })

  test('a continuous one, solved for under a linear model with few records', async () => {
    const w = world({
      sensitive: [continuous],
      records: 4,
      batchSize: null,
      rounds: 5,
      effect: 0.5,
      learningRate: 0.02,
    })
    const { values, confidence } = only(await attackOn(aiaLinear, w.view), 'attribute')
    for (const [i, v] of w.true[0]!.entries()) expect(Math.abs(values[i]! - v)).toBeLessThan(1e-6)
    for (const e of confidence as Float64Array) expect(e).toBeLessThan(1e-6)
  })

  test('a continuous one under a network: nearer than the middle of the range, with honest errors', async () => {
    const w = world({ ...small, sensitive: [continuous], records: 30, rounds: 6, effect: 0.5 })
    const { values, confidence } = only(await attackOn(aiaLinear, w.view), 'attribute')
    const off = [...w.true[0]!].map((v, i) => Math.abs(v - values[i]!))
    const median = off.toSorted((a, b) => a - b)[15]!
    expect(median).toBeLessThan(0.8) // the middle of a range of 5 is off by 1.25
    expect(off.filter((x, i) => x < 3 * confidence![i]!).length).toBeGreaterThan(15)
  })
})

test('a network with two hidden layers has its gradients written down', async () => {
  const model = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [12, 12] } as const
  const w = world({ ...small, model, records: 30, rounds: 8, effect: 1 })
  const outcome = await attackOn(aiaLinear, w.view, { params: { rehearsals: 2 } })
  expect(accuracy(only(outcome, 'attribute').values, w.true[0]!)).toBeGreaterThan(0.9)
})

test('what cannot be attacked is not applicable, in words', async () => {
  const w = world(small)
  expect(await attackOn(aiaLinear, { ...w.view, model: { kind: 'opaque' } })).toMatchObject({ missing: ['model'] })
  const still = {
    rounds: [0],
    read: async () => {
      const one = await w.view.exchanges.read(0)
      return { ...one, update: { kind: 'parameters', theta: one.received! } as const }
    },
  }
  expect(await attackOn(aiaLinear, { ...w.view, exchanges: still })).toMatchObject({ missing: ['exchanges'] })
  const lost = { rounds: [0], read: async () => ({ ...(await w.view.exchanges.read(0)), received: undefined }) }
  expect(await attackOn(aiaLinear, { ...w.view, exchanges: lost })).toMatchObject({ missing: ['globals'] })
  const broken = {
    rounds: [0],
    read: async () => {
      const one = await w.view.exchanges.read(0)
      const theta = one.received!.slice()
      theta[3] = Number.NaN
      return { ...one, update: { kind: 'parameters', theta } as const }
    },
  }
  await expect(attackOn(aiaLinear, { ...w.view, exchanges: broken })).rejects.toThrow(/holds NaN at 3/)
})

describe('too little to go by', () => {
  test('a message heard ten times says what it says once', async () => {
    const w = world({ ...small, rounds: 1, effect: 0.4, noise: 1 })
    const rounds = Array.from({ length: 10 }, (_, t) => t)
    const again = {
      ...w.view,
      exchanges: { rounds, read: async (round: number) => ({ ...(await w.view.exchanges.read(0)), round }) },
    }
    const [once, often] = [await attackOn(aiaLinear, w.view), await attackOn(aiaLinear, again)]
    expect(only(often, 'attribute')).toEqual(only(once, 'attribute'))
    expect(often).toMatchObject({
      warnings: expect.arrayContaining(['9 of 10 messages repeat others: 1 count']),
      details: { rounds: 1 },
    })
  })

  test('a client that took part once: no more sure than right, and said in figures', async () => {
    let [right, sure, surelyWrong] = [0, 0, 0]
    for (const seed of [1, 2, 3, 4]) {
      const w = world({ ...small, records: 120, rounds: 1, effect: 0.2, noise: 1, seed })
      const outcome = await attackOn(aiaLinear, w.view)
      const { values, confidence } = only(outcome, 'attribute')
      const p = confidence as Float64Array
      right += accuracy(values, w.true[0]!) / 4
      sure += p.reduce((sum, x) => sum + x, 0) / 480
      surelyWrong += p.filter((x, i) => x > 0.99 && values[i] !== w.true[0]![i]).length
      expect(outcome).toMatchObject({
        warnings: expect.arrayContaining([expect.stringMatching(/determine about \d+ of 120 unknowns/)]),
      })
    }
    expect(sure).toBeLessThan(right + 0.05)
    expect(surelyWrong).toBeLessThan(0.02 * 480)
  })
})

describe('controls', () => {
  test.each([{ kind: 'linear', inputs: 4, outputs: 1 } as const, net(64)])('planted in %o: found', async (model) => {
    const w = world({ model, records: 60, rounds: 3 })
    const plant = aiaLinear.plant as Exclude<typeof aiaLinear.plant, { none: string }>
    const planted = await plant({ view: w.view, params: {}, truth: w.truth, rng: rng(3) })
    expect(accuracy(only(await attackOn(aiaLinear, planted.view), 'attribute').values, w.true[0]!)).toBe(1)
  })

  test('shuffled: at chance', async () => {
    const w = world({ ...small, rounds: 4 })
    const shuffle = aiaLinear.shuffle as Exclude<typeof aiaLinear.shuffle, { none: string }>
    const { view } = await shuffle({ view: w.view, params: {}, rng: rng(3) })
    const { values } = only(await attackOn(aiaLinear, view), 'attribute')
    const majority = 1 - w.true[0]!.reduce((sum, v) => sum + v, 0) / 40
    expect(accuracy(values, w.true[0]!)).toBeLessThan(majority + 0.05)
  })
})

test('the same bits twice', async () => {
  const w = world({ ...small, rounds: 3, records: 30 })
  expect(await attackOn(aiaLinear, w.view)).toEqual(await attackOn(aiaLinear, w.view))
})
