import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { truthOf } from '../../../../test/hand-truth.js'
import { scoreClaim } from '../../../metrics/index.js'
import { addScaledInto } from '../../../numeric/linalg/vector.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Aggregate } from '../../../threat/granted-keys.js'
import type { TurnWindow } from '../../../transcript/knowledge-file.js'
import type { Claimed } from '../../attack.js'
import { participation } from './participation.js'

interface WorldOptions {
  readonly N?: number
  readonly rounds?: number
  readonly window?: number
  /** How much of an update is new in every round. */
  readonly change?: number
  /** What all updates are multiplied by from one round to the next. */
  readonly shrink?: number
  readonly weights?: (i: number) => number
  readonly share?: number
  readonly parameters?: number
}

/** Clients who return the same update whenever they take part, more or less. */
function world(seed: number, options: WorldOptions = {}) {
  const { N = 8, rounds = 40, window = 10, change = 0, shrink = 1, weights = () => 1, share = 0.35 } = options
  const { parameters = 60 } = options
  const draws = rng(seed)
  const ids = Array.from({ length: N }, (_, i) => `c${i}`)
  const rows = Array.from({ length: rounds }, (_, r) =>
    ids.filter((_, i) => draws.fork('took', r, i).uniform() < share),
  )
  const own = new Map(ids.map((id) => [id, draws.fork('update', id).normals(parameters)]))
  const sums = rows.map((took, r): Aggregate => {
    const dThetaSum = new Float64Array(parameters)
    for (const id of took) {
      const weight = weights(ids.indexOf(id)) * shrink ** r
      addScaledInto(dThetaSum, own.get(id)!, weight)
      addScaledInto(dThetaSum, draws.fork('change', r, id).normals(parameters), change * weight)
    }
    return { round: r, dThetaSum, derived: false }
  })
  const turnCounts = Array.from({ length: Math.ceil(rounds / window) }, (_, k): TurnWindow => {
    const within = rows.slice(k * window, (k + 1) * window)
    const clients = Object.fromEntries(ids.map((id) => [id, within.filter((took) => took.includes(id)).length]))
    return { from: k * window, to: k * window + within.length - 1, clients }
  })
  const aggregates = { rounds: rows.map((_, r) => r), read: async (r: number) => sums[r]! }
  const truth = truthOf({ participation: new Map(rows.map((took, r) => [r, took])) })
  return { view: { aggregates, turnCounts }, truth, rows }
}

async function graded(made: ReturnType<typeof world>, view: object = made.view) {
  const outcome = await attackOn(participation, view)
  const claim = only(outcome, 'participation')
  const score = await scoreClaim(claim, { truth: made.truth, known: {} })
  if ('missing' in score) throw new Error('not graded')
  return { score, claim, outcome: outcome as Claimed }
}

describe('who took part is reconstructed', () => {
  test('exactly where updates repeat, from windows of ten rounds', async () => {
    const { score, outcome } = await graded(world(1))
    expect(score.value).toBe(1)
    expect(score.also.F1).toBe(1)
    expect(score.chance).toBeLessThan(0.75)
    expect(outcome.details.misfit).toBeLessThan(1e-9)
    expect(outcome.details.strangers).toBeGreaterThan(0.05)
    expect(outcome.warnings).toEqual([])
  })

  test('whatever clients weigh in the sums, without knowing it', async () => {
    const { score } = await graded(world(2, { weights: (i) => 3 + 40 * i }))
    expect(score.value).toBe(1)
  })

  test('where a part of every update is new each time', async () => {
    const { score } = await graded(world(3, { change: 0.3, rounds: 80 }))
    expect(score.value).toBeGreaterThan(0.99)
  })

  test('where updates become smaller together', async () => {
    const { score, outcome } = await graded(world(4, { shrink: 0.95, rounds: 60 }))
    expect(score.value).toBeGreaterThan(0.99)
    expect(outcome.details.levelled).toBe(true)
  })
})

describe('and it says where it is not', () => {
  test('updates that are new in every round: strangers fit as well', async () => {
    const { score, outcome } = await graded(world(5, { change: 10 }))
    expect(score.lift).toBeLessThan(0.5)
    expect(outcome.warnings.join()).toContain('clients that do not exist fit the sums about as well')
  })

  test('no more rounds than clients', async () => {
    const outcome = await attackOn(participation, world(6, { N: 14, rounds: 12, window: 6 }).view)
    expect(outcome).toMatchObject({
      status: 'not-applicable',
      missing: [expect.stringMatching(/^more than 1[34] rounds$/)],
    })
  })

  test('everybody in every round', async () => {
    const outcome = await attackOn(participation, world(7, { share: 1.1 }).view)
    expect(outcome).toMatchObject({ status: 'not-applicable', why: expect.stringContaining('counts say it all') })
  })

  test('windows whose sums were not all heard are left out', async () => {
    const made = world(8, { rounds: 50 })
    const { aggregates } = made.view
    const fewer = { ...aggregates, rounds: aggregates.rounds.filter((r) => r !== 13) }
    const { claim, score } = await graded(made, { ...made.view, aggregates: fewer })
    expect(claim.rounds).toHaveLength(40)
    expect(claim.rounds).not.toContain(10)
    expect(score.value).toBe(1)
    const none = { ...aggregates, rounds: [0] }
    expect(await attackOn(participation, { ...made.view, aggregates: none })).toMatchObject({ missing: ['turnCounts'] })
  })

  test('clients who took part equally often in every window share their columns by guess', async () => {
    const made = world(9, { N: 4, rounds: 20, window: 20 })
    const [first] = made.view.turnCounts
    const same = [{ ...first!, clients: { c0: first!.clients.c0!, c1: first!.clients.c0! } }]
    const outcome = (await attackOn(participation, { ...made.view, turnCounts: same })) as Claimed
    expect(outcome.warnings.join()).toContain('took part equally often')
    expect(outcome.warnings.join()).toContain('too much alike to tell')
  })
})

test('sums in another order have nothing to do with the counts', async () => {
  const made = world(1)
  if ('none' in participation.shuffle) throw new Error('no control')
  const { view } = await participation.shuffle({ view: made.view, params: {}, rng: rng(3) })
  const { score } = await graded(made, view)
  expect(score.lift).toBeLessThan(0.5)
})

test('planted updates that repeat are found', async () => {
  const made = world(5, { change: 10 })
  if ('none' in participation.plant) throw new Error('no control')
  const { view } = await participation.plant({ view: made.view, params: {}, truth: made.truth, rng: rng(3) })
  const { score } = await graded(made, view)
  expect(score.value).toBe(1)
})
