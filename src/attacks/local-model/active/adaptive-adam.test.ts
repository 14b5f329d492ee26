import { describe, expect, test } from 'vitest'
import { seriesOf } from '../../../../test/linear-federation.js'
import type { Channel, Exchange } from '../../../threat/granted-keys.js'
import { detectability, latestModel, recorded } from './active-line.js'
import { emulateAdaptive } from './adaptive-adam.js'

/** A client that goes a tenth of the way, more in the second coordinate, and turns now and then. */
const channel: Channel = async (_, theta) =>
  theta.map((v, j) => v - [0.1, 0.9][j]! * (v - [2, -1][j]!) * (v > 3 ? -1 : 1))

/** [kingma2015] Alg. 1 with betas 0.7 and 0.9, its rate changed by how much an answer points where the last one did. */
function byHand(start: readonly number[], messages: number, answer: (theta: readonly number[]) => number[]) {
  let theta = [...start]
  let [m, v] = [
    [0, 0],
    [0, 0],
  ]
  let last: number[] | undefined
  let rate = 0
  const sent: number[][] = []
  for (let t = 1; t <= messages; t++) {
    sent.push(theta)
    const returned = answer(theta)
    const g = theta.map((x, j) => x - returned[j]!)
    const size = Math.hypot(...g)
    if (last === undefined) rate = (10 * size) / Math.sqrt(2)
    else {
      const sizes = size * Math.hypot(...last)
      const cosine = sizes === 0 ? 0 : (g[0]! * last[0]! + g[1]! * last[1]!) / sizes
      rate *= cosine > 0 ? 1 + 0.5 * cosine : 1 + 0.6 * cosine
    }
    last = g
    if (rate === 0) continue
    m = m.map((x, j) => 0.7 * x + 0.3 * g[j]!)
    v = v.map((x, j) => 0.9 * x + 0.1 * g[j]! ** 2)
    theta = theta.map(
      (x, j) => x - (rate * (m[j]! / (1 - 0.7 ** t))) / (Math.sqrt(v[j]! / (1 - 0.9 ** t)) + Number.MIN_VALUE),
    )
  }
  return { theta, sent, rate }
}

describe('a rate set by the answers', () => {
  test.each([1, 2, 3, 12])('%d messages: as by hand', async (messages) => {
    for (const start of [
      [0, 0],
      [5, 1],
      [2.5, -3],
    ]) {
      const rounds = Array.from({ length: messages }, (_, t) => t)
      const found = await emulateAdaptive({ channel, client: 'a', start: Float64Array.from(start), rounds })
      const asked = byHand(start, messages, (theta) =>
        theta.map((v, j) => v - [0.1, 0.9][j]! * (v - [2, -1][j]!) * (v > 3 ? -1 : 1)),
      )
      expect(found.sent).toHaveLength(messages)
      for (const [t, theta] of asked.sent.entries())
        for (const [j, v] of theta.entries()) expect(found.sent[t]![j]! / (v || 1)).toBeCloseTo(v === 0 ? 0 : 1, 8)
      for (const [j, v] of asked.theta.entries()) expect(found.theta[j]! / v).toBeCloseTo(1, 8)
      expect(found.learningRate / asked.rate).toBeCloseTo(1, 8)
    }
  })

  test('a client that stays where it is is left there', async () => {
    const still: Channel = async (_, theta) => theta
    const start = Float64Array.of(1, 2)
    const { theta, sent, norms, learningRate } = await emulateAdaptive({
      channel: still,
      client: 'a',
      start,
      rounds: [0, 1, 2],
    })
    expect([theta, ...sent]).toEqual([start, start, start, start])
    expect([norms, learningRate]).toEqual([[0, 0, 0], 0])
  })

  test('one that stops moves no more than its moments, and none of them is no number', async () => {
    let turn = 0
    const stops: Channel = async (_, theta) => (turn++ === 0 ? theta.map((v) => v - 1e-200) : theta)
    const { theta } = await emulateAdaptive({
      channel: stops,
      client: 'a',
      start: new Float64Array(2),
      rounds: [0, 1, 2],
    })
    expect(theta.every(Number.isFinite)).toBe(true)
  })
})

const exchange = (round: number, received: number[], returned: number[]): Exchange => ({
  ...{
    round,
    received: Float64Array.from(received),
    learningRate: null,
    update: { kind: 'parameters', theta: Float64Array.from(returned) },
  },
})
const heard = [exchange(1, [1, 0], [5, 5]), exchange(3, [0, 2], [3, 6]), exchange(4, [3, 4], [3, 10])]
const view = {
  exchanges: seriesOf(heard),
  target: 'a',
  tampered: [
    { round: 1, clients: ['b', 'a'] },
    { round: 2, clients: ['a'] },
    { round: 3, clients: ['a'] },
    { round: 4, clients: ['b'] },
  ],
} as never

describe('what was recorded of an active server', () => {
  test('the last model is that of the last round heard', async () => {
    expect([...(await latestModel(view))]).toEqual([3, 10])
  })

  test('without a line the claim is what came back in the last round that was tampered with', async () => {
    const outcome = await recorded(view)
    expect(outcome.claims).toEqual([{ kind: 'model', client: 'a', theta: Float64Array.of(3, 6) }])
    expect(outcome.warnings[0]).toMatch('returned after 2 tampered rounds')
    // Against the last honest model (3, 4), of length 5: (2, 4) and (3, 2) away; the client itself 6.
    const [first, second] = [Math.sqrt(20) / 5, Math.sqrt(13) / 5]
    expect(outcome.details).toMatchObject({ recorded: true, rounds: [1, 3] })
    const { distanceSent, usualDistance } = outcome.details as {
      distanceSent: { mean: number; max: number }
      usualDistance: number
    }
    expect(distanceSent.mean).toBeCloseTo((first + second) / 2, 12)
    expect(distanceSent.max).toBeCloseTo(first, 12)
    expect(usualDistance).toBeCloseTo(6 / 5, 12)
    await expect(recorded({ ...(view as object), tampered: [] } as never)).rejects.toThrow(
      'in no recorded round was the target sent',
    )
  })

  test('beside the global model of each round where that is known, else the last one', async () => {
    const globals = {
      rounds: [1, 2],
      read: async (round: number) => (round === 1 ? Float64Array.of(0, 2) : Float64Array.of(0, 0)),
    }
    const of = async (sent: number[][], rounds?: number[], given: object = { globals }) =>
      (await detectability(
        { ...(view as object), ...given } as never,
        sent.map((x) => Float64Array.from(x)),
        rounds,
      )) as { distanceSent: { mean: number; max: number } }
    expect(
      (
        await of(
          [
            [0, 3],
            [0, 3],
          ],
          [1, 9],
        )
      ).distanceSent,
    ).toEqual({ mean: (0.5 + 3) / 2, max: 3 })
    expect(
      (
        await of([
          [0, 3],
          [4, 0],
        ])
      ).distanceSent,
    ).toEqual({ mean: 3.5, max: 4 })
    expect((await of([[3, 9]], undefined, {})).distanceSent).toEqual({ mean: 1, max: 1 })
  })
})
