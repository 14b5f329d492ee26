import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { accuracy, binary, continuous, several, type World, world } from '../../../test/attribute-world.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { View } from '../../threat/granted-keys.js'
import { claimed, type Outcome } from '../attack.js'
import type { AttributeClaim } from '../claim.js'
import { aiaModel } from './aia-model.js'
import { impliedShares } from './implied-shares.js'
import type { Sensitive } from './unknown-columns.js'
import { posteriorOf } from './value-posterior.js'

const model = (theta: readonly number[], warnings: readonly string[] = []): Record<string, Outcome> => ({
  'last-returned': claimed({ kind: 'model', client: '0', theta: Float64Array.from(theta) }, { warnings }),
})

async function lastTheta({ view }: World): Promise<number[]> {
  const { update } = await view.exchanges.read(view.exchanges.rounds.at(-1)!)
  if (update.kind !== 'parameters') throw new Error('parameters were shared')
  return [...update.theta]
}

describe('a binary attribute', () => {
  // z = x0 + 2 s with s in {-0.5, 2}: labels 0 and 5 at x0 = 1 and 1 say -0.5 and 2.
  const view = {
    ...world({ records: 4 }).view,
    records: {
      columns: ['x0', 's'],
      features: matrix(4, 2, Float64Array.from([1, Number.NaN, 1, Number.NaN, 0, Number.NaN, 0, Number.NaN])),
    },
    'records.label': Float64Array.from([0, 5, 1.5, 1.6]),
    model: { kind: 'linear', inputs: 2, outputs: 1, bias: true } as const,
  }

  test('is the value of least loss, ties to the first', async () => {
    const claim = only(await attackOn(aiaModel, view, { claims: model([1, 2, 0]) }), 'attribute')
    // z(-0.5) = -1, z(2) = 4 at x0 = 0: 1.5 lies in the middle.
    expect([...(claim.values as Float64Array)]).toEqual([0, 1, 0, 1])
    expect(claim).toMatchObject({ client: '0', name: 's' })
  })

  test('is not read from the records', async () => {
    const filled = {
      ...view,
      records: { ...view.records, features: matrix(4, 2, Float64Array.from([1, 2, 1, -0.5, 0, 7, 0, 7])) },
    }
    const claims = model([1, 2, 0])
    expect(await attackOn(aiaModel, filled, { claims })).toEqual(await attackOn(aiaModel, view, { claims }))
  })

  test('a model that is not finite is an error, and so are labels and records', async () => {
    await expect(attackOn(aiaModel, view, { claims: model([1, Number.NaN, 0]) })).rejects.toThrow(/theta\[1\]/)
    const labels = { ...view, 'records.label': Float64Array.from([0, 5, Number.NaN, 1]) }
    await expect(attackOn(aiaModel, labels, { claims: model([1, 2, 0]) })).rejects.toThrow(/label 2/)
    const gap = {
      ...view,
      records: { columns: ['x0', 's'], features: matrix(4, 2, new Float64Array(8).fill(Number.NaN)) },
    }
    await expect(attackOn(aiaModel, gap, { claims: model([1, 2, 0]) })).rejects.toThrow(/record 0, column x0/)
  })

  test('what the model lacks is passed on: not applicable, warnings', async () => {
    expect(await attackOn(aiaModel, view, { params: { from: 'lmra-ols' } })).toMatchObject({
      status: 'not-applicable',
      missing: ['a claim of lmra-ols'],
    })
    const opaque = { ...view, model: { kind: 'opaque' } }
    expect(await attackOn(aiaModel, opaque, { claims: model([1, 2, 0]) })).toMatchObject({ missing: ['model'] })
    const doubtful = await attackOn(aiaModel, view, { claims: model([1, 2, 0], ['singular']) })
    expect(doubtful).toMatchObject({ warnings: ['last-returned: singular'] })
  })
})

test('a trained network gives most smokers away, with a confidence that is calibrated', async () => {
  const spec = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [16], activation: 'tanh' } as const
  const w = world({ model: spec, records: 1500, rounds: 30, effect: 0.6, noise: 0.6, batchSize: 32 })
  const outcome = await attackOn(aiaModel, w.view, { claims: model(await lastTheta(w)) })
  const { values, confidence } = only(outcome, 'attribute')
  const right = accuracy(values, w.true[0]!)
  expect(right).toBeGreaterThan(0.85) // majority 0.7
  const mean = (confidence as Float64Array).reduce((sum, p) => sum + p, 0) / 1500
  expect(Math.abs(mean - right)).toBeLessThan(0.03)
  // Those it is sure of are right as often as it says.
  const sure = [...(confidence as Float64Array).entries()].filter(([, p]) => p > 0.95)
  expect(sure.filter(([i]) => values[i] === w.true[0]![i]).length / sure.length).toBeGreaterThan(0.94)
  const unsure = [...(confidence as Float64Array).entries()].filter(([, p]) => p < 0.75)
  const share = unsure.filter(([i]) => values[i] === w.true[0]![i]).length / unsure.length
  expect(Math.abs(share - 0.625)).toBeLessThan(0.12)
})

test('the frequency that a standardised dummy betrays helps where labels are noisy', async () => {
  const w = world({ records: 1000, effect: 0.15, noise: 1, rounds: 40 })
  const p = 0.3
  const s = Math.sqrt(p * (1 - p))
  const [v0, v1] = [-p / s, (1 - p) / s]
  const sensitive = [{ ...binary, values: [[v0], [v1]] }]
  const theta = [1, -0.5, 0.25, (0.15 * 2.5) / (v1 - v0), 0.15 * (-0.5 + 2.5 * p)]
  const view = { ...w.view, sensitive }
  const [with_, without] = await Promise.all(
    ['frequency', 'none'].map(async (prior) => {
      const outcome = await attackOn(aiaModel, view, { params: { prior }, claims: model(theta) })
      return accuracy(only(outcome, 'attribute').values, w.true[0]!)
    }),
  )
  expect(with_).toBeGreaterThan(without! + 0.05)
  const plain = await attackOn(aiaModel, w.view, { params: { prior: 'frequency' }, claims: model(theta) })
  expect(plain).toMatchObject({ warnings: [] }) // -0.5 and 2 are a dummy of 20 %
  const unscaled = { ...w.view, sensitive: [{ ...binary, values: [[0], [1]] }] }
  const none = await attackOn(aiaModel, unscaled, { params: { prior: 'frequency' }, claims: model(theta) })
  expect(none).toMatchObject({ warnings: ['the encoding of s implies no frequencies: no prior was used'] })
})

test('shares that an encoding implies', () => {
  const at = (p: number, on: number): number => (on - p) / Math.sqrt(p * (1 - p))
  expect(impliedShares([[-0.5], [2]])![1]).toBeCloseTo(0.2)
  expect(impliedShares([[2], [-0.5]])![0]).toBeCloseTo(0.2)
  expect(impliedShares([[0], [1]])).toBeUndefined()
  expect(impliedShares([[-1], [0], [1]])).toBeUndefined()
  // Two dummies of one level each: their shares must make up a whole.
  const both = (p: number, q: number) => [[at(p, 1), at(q, 0)], [at(p, 0), at(q, 1)]] // biome-ignore format: one line
  expect(impliedShares(both(0.3, 0.7))!.map((x) => Math.round(100 * x))).toEqual([30, 70])
  expect(impliedShares(both(0.3, 0.6))).toBeUndefined()
  expect(impliedShares(both(0.3, 0.8))).toBeUndefined()
  // Three levels, the first dropped: 50, 30, 20 %.
  const rows = [0, 1, 2].map((level) => [at(0.3, Number(level === 1)), at(0.2, Number(level === 2))])
  expect(impliedShares(rows)!.map((x) => Math.round(100 * x))).toEqual([50, 30, 20])
})

describe('several attributes', () => {
  const exact = { effect: 1, noise: 1e-9, sensitive: several, records: 90 } as const
  // z = x0 - x1/2 + x2/4 + s + c1 + 2 c2
  const theta = [1, -0.5, 0.25, 1, 1, 2, 0]

  test('few combinations are searched together', async () => {
    const w = world(exact)
    const outcome = await attackOn(aiaModel, w.view, { claims: model(theta) })
    if (outcome.status !== 'claimed') throw new Error('claimed')
    expect(outcome.details).toMatchObject({ search: 'joint' })
    expect(outcome.claims.map((claim) => (claim as AttributeClaim).name)).toEqual(['s', 'c'])
    outcome.claims.forEach((claim, a) => {
      const { values, confidence } = claim as AttributeClaim
      expect(accuracy(values, w.true[a]!)).toBe(1)
      expect(Math.min(...(confidence as Float64Array))).toBeGreaterThan(0.99)
    })
  })

  const narrow: Sensitive = { name: 'v', columns: ['v'], kind: 'continuous', range: [-0.4, 0.4] }
  test('a continuous one among them: one after the other, never worse than where it began', async () => {
    const w = world({ ...exact, sensitive: [binary, narrow] })
    const outcome = await attackOn(aiaModel, w.view, { claims: model([1, -0.5, 0.25, 1, 1, 0]) })
    if (outcome.status !== 'claimed') throw new Error('claimed')
    expect(outcome.details).toMatchObject({ search: 'block-coordinate' })
    expect(accuracy((outcome.claims[0] as AttributeClaim).values, w.true[0]!)).toBe(1)
  })
})

test('a continuous attribute is solved for exactly under a linear model', async () => {
  const w = world({ effect: 2, noise: 0, sensitive: [continuous], records: 70 })
  const claim = only(await attackOn(aiaModel, w.view, { claims: model([1, -0.5, 0.25, 2, 0]) }), 'attribute')
  for (const [i, v] of w.true[0]!.entries()) expect(Math.abs(claim.values[i]! - v)).toBeLessThan(1e-7)
})

test('a continuous attribute under a network comes with a standard error that covers it', async () => {
  const spec = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [16] } as const
  const w = world({ model: spec, effect: 1, noise: 0.3, sensitive: [continuous], records: 600, rounds: 40 })
  const claim = only(await attackOn(aiaModel, w.view, { claims: model(await lastTheta(w)) }), 'attribute')
  const off = [...w.true[0]!].map((v, i) => Math.abs(claim.values[i]! - v) / claim.confidence![i]!)
  const within = off.filter((x) => x < 2).length / 600
  expect(within).toBeGreaterThan(0.9)
  expect(off.filter((x) => x < 1).length / 600).toBeLessThan(0.95)
})

describe('a classifier', () => {
  const spec = { kind: 'logistic', inputs: 4, outputs: 1 } as const
  test('linear: the attack is the rule that looks at the label and the sign of the weight', async () => {
    const w = world({ model: spec, loss: 'binary-cross-entropy', records: 200 })
    for (const weight of [1.3, -0.2]) {
      const outcome = await attackOn(aiaModel, w.view, { claims: model([1, -0.5, 0.25, weight, 0.1]) })
      const { values } = only(outcome, 'attribute')
      const rule = [...w.view['records.label']].map((y) => ((y === 1 ? weight > 0 : weight < 0) ? 1 : 0))
      expect([...(values as Float64Array)]).toEqual(rule)
      const picks = weight > 0 ? [0, 1] : [1, 0]
      expect(outcome).toMatchObject({ details: { labelOnly: [{ labels: [0, 1], values: picks, agreement: 1 }] } })
    }
  })

  test('a network: the agreement is less than whole', async () => {
    const net = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [8], outputActivation: 'sigmoid' } as const
    const w = world({ model: net, loss: 'binary-cross-entropy', records: 200, rounds: 1 })
    const outcome = await attackOn(aiaModel, w.view, { claims: model(await lastTheta(w)) })
    if (outcome.status !== 'claimed') throw new Error('claimed')
    const [{ agreement }] = outcome.details.labelOnly as unknown as [{ agreement: number }]
    expect(agreement).toBeGreaterThan(0.5)
    expect(agreement).toBeLessThan(1)
  })
})

describe('controls', () => {
  const specs = [
    { kind: 'linear', inputs: 4, outputs: 1 },
    { kind: 'mlp', inputs: 4, outputs: 1, hidden: [8], activation: 'relu' },
    { kind: 'mlp', inputs: 4, outputs: 1, hidden: [8], activation: 'tanh' },
    { kind: 'mlp', inputs: 4, outputs: 1, hidden: [8], outputActivation: 'sigmoid' },
    { kind: 'mlp', inputs: 4, outputs: 1, hidden: [8], outputActivation: 'tanh' },
    { kind: 'mlp', inputs: 4, outputs: 1, hidden: [], outputActivation: 'relu' },
    { kind: 'mlp', inputs: 4, outputs: 1, hidden: [8], outputActivation: 'softplus' },
  ] as const
  const cases = specs.flatMap((spec) => [binary, continuous].map((one) => [spec, one] as const))
  test.each(cases)('planted in %o: found', async (spec, one) => {
    const w = world({ model: spec, sensitive: [one] })
    const plant = aiaModel.plant as Exclude<typeof aiaModel.plant, { none: string }>
    const planted = await plant({ view: w.view, params: {}, truth: w.truth, rng: rng(3) })
    const claim = only(await attackOn(aiaModel, planted.view, { claims: planted.claims! }), 'attribute')
    if (one.kind === 'binary') expect(accuracy(claim.values, w.true[0]!)).toBe(1)
    else for (const [i, v] of w.true[0]!.entries()) expect(claim.values[i]!).toBeCloseTo(v, 4)
  })

  test('shuffled: at chance', async () => {
    const w = world({ records: 400, effect: 2 })
    const shuffle = aiaModel.shuffle as Exclude<typeof aiaModel.shuffle, { none: string }>
    const { view } = await shuffle({ view: w.view, params: {}, rng: rng(3) })
    const claims = model(await lastTheta(w))
    const before = only(await attackOn(aiaModel, w.view, { claims }), 'attribute')
    const after = only(await attackOn(aiaModel, view as View<'records'>, { claims }), 'attribute')
    expect(accuracy(before.values, w.true[0]!)).toBeGreaterThan(0.98)
    expect(accuracy(after.values, w.true[0]!)).toBeLessThan(0.7)
  })
})

test('a posterior of energies that are all zero is even, and one that fits exactly is certain', () => {
  const none = posteriorOf([new Float64Array(2), new Float64Array(2)], { residuals: 1 })
  expect([...none.shares]).toEqual([0.5, 0.5, 0.5, 0.5])
  const exact = posteriorOf([Float64Array.from([0, 3]), Float64Array.from([2, 0])], { residuals: 1 })
  for (const [i, p] of [1, 0, 0, 1].entries()) expect(exact.shares[i]).toBeCloseTo(p, 6)
})

test('the noise that records were made with is found, tails and all, and so is the share of wrong guesses', () => {
  const draw = rng(5)
  for (const freedom of [2, Number.POSITIVE_INFINITY]) {
    const n = 4000
    const [e0, e1] = [new Float64Array(n), new Float64Array(n)]
    const truth = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      const s = Number(draw.uniform() < 0.5)
      truth[i] = s
      const noise = freedom === 2 ? draw.normal() / Math.sqrt(draw.gamma(1)) : draw.normal()
      const y = 5 * s + noise
      e0[i] = y * y
      e1[i] = (y - 5) * (y - 5)
    }
    const { shares, scaleSq, freedom: found } = posteriorOf([e0, e1], { residuals: 1 })
    expect(found).toBe(freedom)
    expect(Math.abs(scaleSq - 1)).toBeLessThan(0.15)
    let [sure, right] = [0, 0]
    for (let i = 0; i < n; i++) {
      const p = Math.max(shares[2 * i]!, shares[2 * i + 1]!)
      sure += p
      right += Number(shares[2 * i + truth[i]!] === p)
    }
    expect(Math.abs(sure - right) / n).toBeLessThan(0.01)
  }
})
