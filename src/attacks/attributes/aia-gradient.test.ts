import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { accuracy, continuous, several, world } from '../../../test/attribute-world.js'
import { describeWithShared, vector } from '../../../test/shared.js'
import { functionsOf } from '../../models/functions.js'
import { createModel } from '../../models/index.js'
import { initialise } from '../../models/initialise.js'
import { type Matrix, matrix, matrixOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Channel, Knowledge } from '../../threat/granted-keys.js'
import type { AttributeClaim } from '../claim.js'
import { aiaGradient, matchGrid } from './aia-gradient.js'
import { cosineByEngine, cosineOf } from './gradient/cosine.js'
import type { CosineInput } from './gradient/matched-message.js'
import { climb, drawInto, type RelaxationOptions, relaxed, valuesOf } from './gradient/smooth-attributes.js'
import { unknownsOf } from './unknown-columns.js'

const protocol = { lossScale: 0.5 } as Knowledge['protocol']
const net = (activation: 'relu' | 'tanh' | 'sigmoid', hidden = [6]) =>
  ({ kind: 'mlp', inputs: 5, outputs: 1, hidden, activation, outputActivation: 'identity', bias: true }) as const

function input(model: CosineInput['view']['model'], { n = 9, places = [4], loss = 'mse' as const } = {}): CosineInput {
  const functions = functionsOf(createModel(model as Parameters<typeof createModel>[0]), { loss, lossScale: 0.5 })
  return { functions, view: { model, loss, protocol }, labels: rng(1).normals(n), places, records: n }
}

describeWithShared('vector l: the cosine and its derivative', () => {
  test('by two products and by the general engine', () => {
    const { params, X, y } = vector<{
      params: { W1: number[][]; b1: number[]; W2: number[][]; b2: number[] }
      X: number[][]
      y: number[]
    }>('a')
    const l = vector<{ s: number[]; target: number[]; cos: number; dcos_ds: number[] }>('l')
    const theta = Float64Array.from([...params.W1.flat(), ...params.b1, ...params.W2.flat(), ...params.b2])
    const records = matrixOf(X.map((row, i) => [...row.slice(0, 4), l.s[i]!]))
    const model = net('relu', [4])
    const functions = functionsOf(createModel(model))
    const view = { model, loss: 'mse', protocol: { lossScale: 1 } as Knowledge['protocol'] } as const
    const given = { functions, view, labels: Float64Array.from(y), places: [4], records: 6 }
    for (const cosine of [cosineOf(given), cosineByEngine(given)]) {
      const { value, slope } = cosine(records, { theta, descent: Float64Array.from(l.target) })
      expect(Math.abs(value - l.cos)).toBeLessThan(1e-14)
      for (const [i, d] of l.dcos_ds.entries()) expect(Math.abs(slope[i]! - d)).toBeLessThan(1e-14)
    }
  })
})

describe('the cosine', () => {
  const records = matrix(9, 5, rng(2).normals(45))
  test.each(['relu', 'tanh', 'sigmoid'] as const)(
    'of a %s network: two products agree with the engine and with differences',
    (activation) => {
      const given = input(net(activation), { places: [1, 4] })
      const [fast, slow] = [cosineOf(given), cosineByEngine(given)]
      const theta = initialise(given.functions.model, rng(3))
      const message = { theta, descent: rng(4).normals(theta.length) }
      const [a, b] = [fast(records, message), slow(records, message)]
      expect(Math.abs(a.value - b.value)).toBeLessThan(1e-13)
      for (let j = 0; j < 18; j++) expect(Math.abs(a.slope[j]! - b.slope[j]!)).toBeLessThan(1e-13)
      const shifted = (by: number): Matrix => {
        const own = matrix(9, 5, records.data.slice())
        own.data[3 * 5 + 4]! += by
        return own
      }
      const difference = (fast(shifted(1e-6), message).value - fast(shifted(-1e-6), message).value) / 2e-6
      expect(Math.abs(a.slope[3 * 2 + 1]! - difference)).toBeLessThan(1e-8)
    },
  )

  test('of a network with many inputs keeps the public part of its first layer, message by message', () => {
    const model = { ...net('relu'), inputs: 30 }
    const given = input(model, { places: [3, 29] })
    const [fast, slow] = [cosineOf(given), cosineByEngine(given)]
    const wide = matrix(9, 30, rng(2).normals(270))
    const messages = [5, 6].map((k) => {
      const theta = initialise(given.functions.model, rng(k))
      return { theta, descent: rng(10 + k).normals(theta.length) }
    })
    for (const round of [1, 2, 3]) {
      for (let i = 0; i < 9; i++) for (const place of [3, 29]) wide.data[i * 30 + place] = round + i
      for (const message of messages) {
        const [a, b] = [fast(wide, message), slow(wide, message)]
        expect(Math.abs(a.value - b.value)).toBeLessThan(1e-13)
        for (let j = 0; j < 18; j++) expect(Math.abs(a.slope[j]! - b.slope[j]!)).toBeLessThan(1e-13)
      }
    }
  })

  test.each([[[29]], [[3, 29]]])('of records that are mostly zeros agrees with the engine (columns %j)', (places) => {
    const given = input({ ...net('relu'), inputs: 30 }, { places })
    const [fast, slow] = [cosineOf(given), cosineByEngine(given)]
    const hot = matrix(9, 30) // one number and two codes a record; the last record holds nothing
    for (let i = 0; i < 8; i++) {
      hot.data.set([rng(i).normal()], i * 30)
      for (const at of [4 + (i % 5), 12 + i]) hot.data[i * 30 + at] = 1
    }
    const theta = initialise(given.functions.model, rng(5))
    const message = { theta, descent: rng(6).normals(theta.length) }
    for (const round of [1, 2]) {
      for (let i = 0; i < 9; i++) for (const place of places) hot.data[i * 30 + place] = round - (i % 3)
      const [a, b] = [fast(hot, message), slow(hot, message)]
      expect(Math.abs(a.value - b.value)).toBeLessThan(1e-13)
      expect(a.slope.length).toBe(9 * places.length)
      for (let j = 0; j < a.slope.length; j++) expect(Math.abs(a.slope[j]! - b.slope[j]!)).toBeLessThan(1e-13)
    }
  })

  test('of deeper or linear models goes through the engine', () => {
    for (const model of [net('relu', [4, 3]), { kind: 'linear', inputs: 5, outputs: 1, bias: true } as const]) {
      const given = input(model)
      const theta = initialise(given.functions.model, rng(3))
      const { value, slope } = cosineOf(given)(records, { theta, descent: rng(4).normals(theta.length) })
      expect(Math.abs(value)).toBeLessThan(1)
      expect(slope.length).toBe(9)
    }
  })
})

describe('the relaxation', () => {
  const options: RelaxationOptions = { variant: 'soft', draws: 0, temperature: 0.7, start: 'normal' }
  const view = world({ sensitive: [...several, continuous], records: 6, rounds: 1 }).view
  const { attributes, known } = unknownsOf(view)

  test.each([0, 1, 2])('the slope of the logits is the derivative through the draw (attribute %d)', (a) => {
    const attribute = attributes[a]!
    const one = relaxed(attribute, 6, options, rng(1))
    const weights = rng(2).normals(6 * attribute.places.length) // a linear function of the columns
    const value = (): number => {
      const records = matrix(6, known.cols, known.data.slice())
      drawInto(records, one, { ...options, rng: rng(3) })
      let sum = 0
      for (let i = 0; i < 6; i++)
        for (const [c, place] of attribute.places.entries())
          sum += weights[i * attribute.places.length + c]! * records.data[i * known.cols + place]!
      return sum
    }
    const records = matrix(6, known.cols, known.data.slice())
    const draw = drawInto(records, one, { ...options, rng: rng(3) })
    const before = one.logits.slice()
    climb(one, draw, { slope: weights, places: attribute.places.length, from: 0, rate: 1, tau: 0.7 })
    const moved = one.logits.map((x, j) => x - before[j]!)
    one.logits.set(before)
    for (let j = 0; j < before.length; j++) {
      one.logits[j] = before[j]! + 1e-6
      const up = value()
      one.logits[j] = before[j]! - 1e-6
      const down = value()
      one.logits[j] = before[j]!
      expect(Math.abs(moved[j]! - (up - down) / 2e-6)).toBeLessThan(1e-7)
    }
  })

  test('straight-through writes whole values; two draws are even, one is not', () => {
    const one = relaxed(attributes[0]!, 6, { ...options, start: 'zero' }, rng(1))
    const column = (draws: number, k: number): number[] => {
      const records = matrix(6, known.cols, known.data.slice())
      drawInto(records, one, { ...options, variant: 'straight-through', draws, rng: rng(k) })
      return Array.from({ length: 6 }, (_, i) => records.data[i * known.cols + attributes[0]!.places[0]!]!)
    }
    const share = (draws: number): number => {
      const all = Array.from({ length: 400 }, (_, k) => column(draws, k)).flat()
      expect(all.every((x) => x === -0.5 || x === 2)).toBe(true)
      return all.filter((x) => x === 2).length / all.length
    }
    expect(Math.abs(share(2) - 0.5)).toBeLessThan(0.04)
    // P(Gumbel > 0) = 1 - 1/e
    expect(Math.abs(share(1) - (1 - Math.exp(-1)))).toBeLessThan(0.04)
    expect([...valuesOf(one)]).toEqual([0, 0, 0, 0, 0, 0])
  })
})

const quick = { fractions: [1], rates: [1e2, 1e3], iterations: 40 }
const model = {
  kind: 'mlp',
  inputs: 4,
  outputs: 1,
  hidden: [16],
  activation: 'relu',
  outputActivation: 'identity',
  bias: true,
} as const

test.each(['straight-through', 'soft'])('finds an attribute that moves the label (%s)', async (variant) => {
  const w = world({ model, records: 30, rounds: 4, batchSize: null, effect: 1, noise: 0.1 })
  const outcome = await attackOn(aiaGradient, w.view, { params: { ...quick, variant, start: 'zero', draws: 2 } })
  const claim = only(outcome, 'attribute')
  const majority = 1 - w.true[0]!.reduce((sum, v) => sum + v, 0) / 30
  expect(accuracy(claim.values, w.true[0]!)).toBeGreaterThan(majority + 0.1)
  expect(claim.confidence).toBeUndefined()
  expect(outcome).toMatchObject({ details: { variant, tried: 2 } })
})

test('the grid is every set of rounds times every rate, and the best cosine is claimed', async () => {
  const w = world({ model, records: 12, rounds: 10 })
  const params = {
    ...quick,
    fractions: [0.01, 0.05, 0.5, 1],
    rates: [10, 1000],
    iterations: 3,
    variant: 'soft',
    start: 'normal',
    draws: 1,
    temperature: 1,
    echo: 0,
  } as const
  const { candidates } = await matchGrid(w.view, { params, rng: rng(1).fork('attack'), tick() {} })
  // 0.01 and 0.05 of ten rounds are both one round
  expect(candidates.map(({ rounds, rate }) => [rounds, rate])).toEqual([
    [1, 10],
    [1, 1000],
    [5, 10],
    [5, 1000],
    [10, 10],
    [10, 1000],
  ])
  const outcome = await attackOn(aiaGradient, w.view, { params })
  const best = candidates.reduce((a, b) => (b.cosine > a.cosine ? b : a))
  expect(outcome).toMatchObject({ details: { rate: best.rate, set: best.set, cosine: best.cosine } })
})

test('categories and numbers are matched together', async () => {
  const w = world({ sensitive: [...several, continuous], model: { ...model, inputs: 7 }, records: 10, rounds: 2 })
  const outcome = await attackOn(aiaGradient, w.view, { params: quick })
  if (outcome.status !== 'claimed') throw new Error('claimed')
  const [s, c, v] = outcome.claims.map((claim) => [...((claim as AttributeClaim).values as Float64Array)])
  expect(s!.every((x) => x === 0 || x === 1)).toBe(true)
  expect(c!.every((x) => x === 0 || x === 1 || x === 2)).toBe(true)
  expect(v!.every((x) => x >= -2 && x <= 3)).toBe(true)
})

test('the echo adversary sends the client its own model back, and needs a line to it', async () => {
  const w = world({ model, records: 12, rounds: 2 })
  const sent: Float64Array[] = []
  const channel: Channel = async (_client, theta) => {
    sent.push(theta)
    return w.turn(theta, sent.length)
  }
  const params = { ...quick, iterations: 2, echo: 3 }
  const outcome = await attackOn(aiaGradient, { ...w.view, channel }, { params })
  expect(outcome).toMatchObject({ details: { tried: 4 } })
  const last = await w.view.exchanges.read(1)
  if (last.update.kind !== 'parameters') throw new Error('parameters')
  expect(sent[0]).toEqual(last.update.theta)
  expect(sent[1]).toEqual(w.turn(sent[0]!, 1))
  expect(await attackOn(aiaGradient, w.view, { params })).toMatchObject({ missing: ['channel'] })
})

test('turns in which nothing moved have no direction', async () => {
  const w = world({ model, records: 12, rounds: 1 })
  const still = {
    rounds: [0],
    read: async () => {
      const one = await w.view.exchanges.read(0)
      return { ...one, update: { kind: 'parameters', theta: one.received! } as const }
    },
  }
  expect(await attackOn(aiaGradient, { ...w.view, exchanges: still }, { params: quick })).toMatchObject({
    missing: ['exchanges'],
  })
})

describe('controls', () => {
  test('planted: found', async () => {
    const w = world({ model, records: 40, rounds: 2 })
    const plant = aiaGradient.plant as Exclude<typeof aiaGradient.plant, { none: string }>
    const planted = await plant({ view: w.view, params: {}, truth: w.truth, rng: rng(3) })
    const { values } = only(await attackOn(aiaGradient, planted.view), 'attribute')
    expect(accuracy(values, w.true[0]!)).toBeGreaterThan(0.9)
  })

  test('shuffled: at chance', async () => {
    const w = world({ model, records: 60, rounds: 3, batchSize: null, effect: 1, noise: 0.1 })
    const shuffle = aiaGradient.shuffle as Exclude<typeof aiaGradient.shuffle, { none: string }>
    const { view } = await shuffle({ view: w.view, params: {}, rng: rng(3) })
    const { values } = only(await attackOn(aiaGradient, view, { params: quick }), 'attribute')
    expect(accuracy(values, w.true[0]!)).toBeLessThan(0.75)
  })
})
