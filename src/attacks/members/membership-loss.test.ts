import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../test/attack-context.js'
import { linearClients, linearFederation, optimumOf, truthOf, viewOf } from '../../../test/linear-federation.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { type Attack, type Claimed, claimed } from '../attack.js'
import { membershipLoss, split } from './membership-loss.js'

// Few records and many columns: a client's own optimum fits its records, noise included, and no others.
const options = { d: 20, records: 30, noiseStd: 1 }
const world = linearFederation(options)
const truth = truthOf(world)
const own = (await truth.client('0'))!
const [, , outsiders] = linearClients(rng(9), { ...options, clients: 3, apart: 0 })
const strangers = matrix(30, 19)
for (let i = 0; i < 30; i++) strangers.data.set(outsiders!.X.data.subarray(20 * i, 20 * i + 19), 19 * i)

const features = matrix(60, 19, Float64Array.from([...own.features.data, ...strangers.data]))
// Outsiders follow the client's law, so that only fitting tells them apart.
const clean = matrix(30, 20, outsiders!.X.data)
const law = optimumOf(linearClients(rng(1).fork('linear world'), { ...options, records: 4000 })[0]!)
const strangeLabels = Float64Array.from({ length: 30 }, (_, i) => {
  return law.reduce((sum, v, j) => sum + v * clean.data[20 * i + j]!, 0) + rng(3).fork(i).normal()
})
const labels = Float64Array.from([...own.labels!, ...strangeLabels])
const { model, loss, protocol } = viewOf(world)
const candidates = { columns: own.columns, features }
const view = { candidates, 'candidates.label': labels, target: '0', model, loss, protocol }
const modelClaim = (theta: Float64Array) => claimed({ kind: 'model', client: '0', theta })
const claims = { 'last-returned': modelClaim(law), 'lmra-ols': modelClaim(world.optimum) }

/** Share of pairs (member, outsider) in the right order. */
function auc(scores: ArrayLike<number>): number {
  let right = 0
  for (let i = 0; i < 30; i++) for (let j = 30; j < 60; j++) right += scores[i]! > scores[j]! ? 1 : 0
  return right / 900
}
const accuracy = (rows: readonly number[]) => {
  const said = new Set(rows)
  return Array.from({ length: 60 }, (_, i) => said.has(i) === i < 30).filter(Boolean).length / 60
}

test('the reconstructed optimum betrays its members, the common law hardly', async () => {
  const reconstructed = only(await attackOn(membershipLoss, view, { claims, params: { from: 'lmra-ols' } }), 'members')
  const common = only(await attackOn(membershipLoss, view, { claims }), 'members')
  expect(auc(reconstructed.scores!)).toBeGreaterThan(0.8)
  expect(auc(reconstructed.scores!)).toBeGreaterThan(auc(common.scores!) + 0.15)
  expect(accuracy(reconstructed.rows)).toBeGreaterThan(0.65)
})

test('the threshold is the mean loss of auxiliary records where they are there', async () => {
  const auxiliary = { columns: own.columns, features: strangers }
  const given = { ...view, auxiliary, 'auxiliary.label': strangeLabels }
  const outcome = (await attackOn(membershipLoss, given, { claims, params: { from: 'lmra-ols' } })) as Claimed
  const mean = strangeLabels.reduce((sum, y, i) => {
    const z = world.optimum.reduce((s, v, j) => s + v * clean.data[20 * i + j]!, 0)
    return sum + (z - y) ** 2 / 30
  }, 0)
  expect(outcome.details.rule).toBe('auxiliary')
  expect(outcome.details.threshold).toBeCloseTo(mean, 10)
  const { rows, scores } = only(outcome, 'members')
  expect(rows).toEqual(Array.from({ length: 60 }, (_, i) => i).filter((i) => -scores![i]! < mean))
  const asked = { claims, params: { from: 'lmra-ols', threshold: 'split' } }
  expect(((await attackOn(membershipLoss, given, asked)) as Claimed).details.rule).toBe('split')
})

test('whose loss is the threshold itself is no member', async () => {
  const first = matrix(1, 19, features.data.slice(0, 19))
  const auxiliary = { columns: own.columns, features: first }
  const given = { ...view, auxiliary, 'auxiliary.label': labels.slice(0, 1) }
  const outcome = (await attackOn(membershipLoss, given, { claims, params: { threshold: 'auxiliary' } })) as Claimed
  const { rows, scores } = only(outcome, 'members')
  expect(outcome.details.threshold).toBe(-scores![0]!)
  expect(rows).not.toContain(0)
  expect(rows.length).toBeGreaterThan(0)
})

test('from=global reads the last global model', async () => {
  const globals = { rounds: [0, 1], read: async (t: number) => (t === 1 ? world.optimum : law) }
  const params = { from: 'global' }
  const outcome = only(await attackOn(membershipLoss, { ...view, globals }, { params }), 'members')
  expect(outcome).toEqual(
    only(await attackOn(membershipLoss, view, { claims, params: { from: 'lmra-ols' } }), 'members'),
  )
  expect(await attackOn(membershipLoss, view, { params })).toMatchObject({ missing: ['globals'] })
})

test('what is missing is named', async () => {
  const params = { threshold: 'auxiliary' }
  expect(await attackOn(membershipLoss, view, { claims, params })).toMatchObject({
    missing: ['auxiliary', 'auxiliary.label'],
  })
  const opaque = await attackOn(membershipLoss, { ...view, model: { kind: 'opaque' } }, { claims })
  expect(opaque).toMatchObject({ missing: ['model'] })
  const none = {
    ...view,
    candidates: { columns: [], features: matrix(0, 19) },
    'candidates.label': new Float64Array(0),
  }
  await expect(attackOn(membershipLoss, none, { claims })).rejects.toThrow('there are no candidates')
})

describe('the split', () => {
  test('between two groups', () => {
    const { threshold, explained } = split(Float64Array.of(5, 0.01, 0.02, 4, 6, 0.015))
    expect(threshold).toBeCloseTo((0.02 + 4) / 2, 12)
    expect(explained).toBeGreaterThan(0.95)
  })

  test('of losses that are all alike, or of one, or of none but zeros: nobody', () => {
    for (const losses of [[2, 2, 2], [3], [0, 0]]) {
      expect(split(Float64Array.from(losses))).toEqual({ threshold: 0, explained: 0 })
    }
  })

  test('a loss of zero is small, not nothing', () => {
    const { threshold } = split(Float64Array.of(0, 1e-9, 3, 3, 3.1))
    expect(threshold).toBeGreaterThan(1e-9)
    expect(threshold).toBeLessThan(3)
  })

  test('losses of one bell are said not to fall into two', async () => {
    const spread = rng(2).normals(60).map(Math.exp)
    const flat = labels.map((_, i) => {
      const row = features.data.subarray(19 * i, 19 * (i + 1))
      const z = row.reduce((sum, x, j) => sum + x * law[j]!, law[19]!)
      return z + Math.sqrt(spread[i]!)
    })
    const outcome = (await attackOn(membershipLoss, { ...view, 'candidates.label': flat }, { claims })) as Claimed
    expect(outcome.warnings[0]).toContain('do not fall into two groups')
  })
})

describe('controls', () => {
  const plant = membershipLoss.plant as Exclude<Attack['plant'], { none: string }>
  test.each([
    ['a linear model', {}],
    ['a classifier', { model: { kind: 'logistic', inputs: 19, outputs: 1, bias: true }, loss: 'binary-cross-entropy' }],
  ])('planted: every member and nobody else (%s)', async (_, other) => {
    for (const from of ['last-returned', 'global']) {
      const input = { view: { ...view, ...other } as never, params: { from }, truth, rng: rng(1) }
      const planted = await plant(input)
      const outcome = await membershipLoss.run(planted.view, contextFor({ claims: planted.claims!, params: { from } }))
      const { rows, scores } = only(outcome, 'members')
      expect(auc(scores!)).toBe(1)
      if (!('loss' in other)) expect(rows).toEqual(Array.from({ length: 30 }, (_, i) => i))
    }
  })

  test('shuffled: chance', async () => {
    const shuffle = membershipLoss.shuffle as Exclude<Attack['shuffle'], { none: string }>
    const found = [1, 2, 3, 4, 5].map(async (seed) => {
      const shuffled = await shuffle({ view: view as never, params: {}, rng: rng(seed) })
      const outcome = await membershipLoss.run(shuffled.view, contextFor({ claims, params: { from: 'lmra-ols' } }))
      return auc(only(outcome, 'members').scores!)
    })
    const mean = (await Promise.all(found)).reduce((a, b) => a + b, 0) / 5
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.1)
  })
})
