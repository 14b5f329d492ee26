import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import {
  type LinearOptions,
  type LinearWorld,
  linearFederation,
  seriesOf,
  viewOf,
} from '../../../test/linear-federation.js'
import { matrix, rowOf } from '../../numeric/linalg/matrix.js'
import { dot } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import type { Protocol } from '../../transcript/manifest.js'
import type { Claimed } from '../attack.js'
import { protocol } from './protocol.js'

const world = (options: LinearOptions = {}): LinearWorld =>
  linearFederation({ d: 4, records: 40, rounds: 8, learningRate: 0.05, localSteps: 3, ...options })

/** What an observer hears who knows the records, where this is stated. */
function hearing(from: LinearWorld, stated: Partial<Protocol> = {}, exchanges = from.exchanges) {
  const { X, y } = from.clients[0]!
  const features = matrix(X.rows, X.cols - 1)
  for (let i = 0; i < X.rows; i++) features.data.set(rowOf(X, i).subarray(0, X.cols - 1), i * (X.cols - 1))
  return {
    ...viewOf(from),
    exchanges: seriesOf(exchanges),
    protocol: { ...from.protocol, ...stated },
    records: { columns: ['a', 'b', 'c'], features },
    'records.label': y,
  }
}

async function heard(view: object, params: object = { plays: 8, rounds: 4 }) {
  const outcome = await attackOn(protocol, view, { params: { plays: 8, rounds: 4, ...params } })
  return {
    settings: only(outcome, 'protocol').settings,
    details: (outcome as Claimed).details as Record<string, unknown>,
  }
}

/** Each returned model with something done to it. */
const changed = (from: LinearWorld, by: (theta: Float64Array, round: number) => Float64Array): Exchange[] =>
  from.exchanges.map((one) => {
    if (one.update.kind !== 'parameters') return one
    return { ...one, update: { kind: 'parameters', theta: by(one.update.theta, one.round) } }
  })

describe('how a client trains', () => {
  test('is as stated where that explains the messages', async () => {
    const { settings, details } = await heard(hearing(world()))
    expect(details.p).toBeGreaterThan(0.05)
    expect(settings).toMatchObject({ learningRate: 0.05, localSteps: 3, optimizer: { name: 'sgd' } })
    expect(settings.differentialPrivacy ?? null).toBeNull()
  })

  test('is as stated where values that nobody can lend keep the messages from being explained', async () => {
    // Thirty people, of whom half smoke, and cost more: three steps on all of them from each of six models near the best.
    const draws = rng(5)
    const ages = draws.normals(30, { mean: 0, std: 1 })
    const costs = ages.map((age, i) => age / 2 + 4 * (i % 2))
    const from = world({ d: 3, records: 30, rounds: 6 })
    const exchanges = from.exchanges.map((one, t): Exchange => {
      const theta = draws
        .fork(t)
        .normals(3, { mean: 0, std: 0.1 })
        .map((v, j) => v + [0.5, 4, 0][j]!)
      const own = theta.slice()
      for (let step = 0; step < 3; step++) {
        const misses = ages.map((age, i) => own[0]! * age + own[1]! * (i % 2) + own[2]! - costs[i]!)
        const slopes = [
          dot(misses, ages),
          misses.reduce((sum, miss, i) => sum + miss * (i % 2), 0),
          misses.reduce((sum, miss) => sum + miss, 0),
        ]
        for (const [j, slope] of slopes.entries()) own[j]! -= (0.1 * 2 * slope) / 30
      }
      return { ...one, received: theta, learningRate: 0.1, update: { kind: 'parameters', theta: own } }
    })
    const features = matrix(30, 2, new Float64Array(60).fill(Number.NaN))
    for (const [i, age] of ages.entries()) features.data[2 * i] = age
    const { settings, details } = await heard(
      {
        ...hearing(from, { learningRate: 0.1 }, exchanges),
        records: { columns: ['age', 'smoker'], features },
        'records.label': costs,
        sensitive: [{ name: 'smoker', columns: ['smoker'], kind: 'binary', values: [[0], [1]] }],
      },
      { plays: 12, rounds: 6 },
    )
    expect(details.p).toBeLessThan(0.005)
    expect(settings).toMatchObject({ learningRate: 0.1, localSteps: 3, optimizer: { name: 'sgd' } })
    expect(settings.differentialPrivacy ?? null).toBeNull()
    expect((details.evidence as string[]).at(-1)).toContain('may be these values')
  })

  test.each([0.025, 0.1])('at another rate than %d, which was stated', async (learningRate) => {
    const from = world()
    const exchanges = from.exchanges.map((one) => ({ ...one, learningRate }))
    const { settings, details } = await heard(hearing(from, { learningRate }, exchanges))
    expect(details.p).toBeLessThanOrEqual(0.05)
    const steps = (settings.localSteps ?? 3) as number
    expect(((settings.learningRate as number) * steps) / 0.15).toBeCloseTo(1, 1)
  })

  test('at a rate that nobody stated', async () => {
    const from = world()
    const exchanges = from.exchanges.map((one) => ({ ...one, learningRate: null }))
    const { settings } = await heard(hearing(from, { learningRate: null }, exchanges))
    expect((settings.learningRate as number) / 0.05).toBeCloseTo(1, 1)
  })

  test('with noise on what it returns, and how much', async () => {
    const from = world()
    const noisy = changed(from, (theta, round) => {
      const noise = rng(5).fork(round).normals(theta.length, { std: 0.02 })
      return theta.map((v, j) => v + noise[j]!)
    })
    const { settings } = await heard(hearing(from, {}, noisy), { rounds: 8 })
    const { noiseStd } = settings.differentialPrivacy as { noiseStd: number }
    expect(noiseStd).toBeGreaterThan(0.008)
    expect(noiseStd).toBeLessThan(0.05)
  })

  test('is told by values alone where no record is known', async () => {
    const { records: _, 'records.label': __, ...deaf } = hearing(world())
    const { details } = await heard(deaf)
    expect(details.p).toBeNull()
  })
})
