import { describe, expect, test } from 'vitest'
import type { SumContext, TurnContext } from '../federation/hooks.js'
import { createModel } from '../models/index.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import type { Update } from '../transcript/round-messages.js'
import { createDefence } from './index.js'

const d = 4000
const received = Float64Array.from({ length: d }, (_, j) => j / d)
const at = (client = 'a'): TurnContext => ({
  round: 3,
  client,
  samples: 10,
  received,
  learningRate: 0.5,
  rng: rng(11).fork('client', client.charCodeAt(0)),
  model: createModel({ kind: 'linear', inputs: d - 1, outputs: 1 }),
  records: () => ({ features: matrix(0, d - 1), labels: new Float64Array(0) }),
})
const normOf = (x: ArrayLike<number>): number => Math.sqrt(Array.from(x).reduce((sum, one) => sum + one * one, 0))
/** A change of this length, as each kind of update says it. */
const changed = (length: number): Update[] => {
  const change = Float64Array.from({ length: d }, (_, j) => (j % 2 === 0 ? 1 : -1) * (length / Math.sqrt(d)))
  return [
    { kind: 'delta', dTheta: change },
    { kind: 'parameters', theta: received.map((x, j) => x + change[j]!) },
    { kind: 'gradient', grad: change.map((x) => -x / 0.5) },
  ]
}
const sentBy = (update: Update): Float64Array =>
  update.kind === 'delta'
    ? update.dTheta
    : update.kind === 'parameters'
      ? update.theta.map((x, j) => x - received[j]!)
      : update.grad.map((g) => -0.5 * g)

describe('client-level privacy', () => {
  test.each(['local-dp', 'central-dp', 'dp-ftrl'] as const)(
    '%s clips what is longer than the norm, in every kind of update, and nothing else',
    async (name) => {
      const { turn } = createDefence({ name, maxNorm: 2, noiseMultiplier: 0 })
      for (const [i, long] of changed(50).entries()) {
        expect(normOf(sentBy(await turn!(long, at())))).toBeCloseTo(2, 9)
        const short = changed(1.5)[i]!
        expect(normOf(sentBy(await turn!(short, at())))).toBeCloseTo(1.5, 9)
      }
    },
  )

  test('local-dp adds noise of sigma C to every coordinate, each client its own', async () => {
    const { turn } = createDefence({ name: 'local-dp', maxNorm: 2, noiseMultiplier: 0.25 })
    const [nothing] = changed(0)
    const [a, b, again] = await Promise.all(['a', 'b', 'a'].map(async (who) => sentBy(await turn!(nothing!, at(who)))))
    expect(normOf(a!) / Math.sqrt(d)).toBeGreaterThan(0.5 * 0.95)
    expect(normOf(a!) / Math.sqrt(d)).toBeLessThan(0.5 * 1.05)
    expect(a).toEqual(again)
    expect(a).not.toEqual(b)
    // Independent: the difference is longer by the root of two.
    expect(normOf(a!.map((x, j) => x - b![j]!)) / normOf(a!)).toBeCloseTo(Math.SQRT2, 1)
  })

  test('central-dp scales the noise of the sum to the client that weighs most', async () => {
    const { turn, aggregate } = createDefence({ name: 'central-dp', maxNorm: 2, noiseMultiplier: 0.25 })
    expect(sentBy(await turn!(changed(1)[0]!, at()))).toEqual(sentBy(changed(1)[0]!))
    const sum = {
      weights: new Map([
        ['a', 10],
        ['b', 30],
      ]),
      dThetaSum: () => new Float64Array(d).fill(7),
      rng: rng(3),
    }
    const { dThetaSum } = await aggregate!(sum as unknown as SumContext)
    const noise = dThetaSum.map((x) => x - 7)
    expect(normOf(noise) / Math.sqrt(d)).toBeGreaterThan(15 * 0.95)
    expect(normOf(noise) / Math.sqrt(d)).toBeLessThan(15 * 1.05)
  })

  test('dp-ftrl: the model carries the noise of the binary digits of the rounds, and takes up where it was', async () => {
    const made = (): ReturnType<typeof createDefence> =>
      createDefence({ name: 'dp-ftrl', maxNorm: 2, noiseMultiplier: 0.5 })
    const [one, other] = [made(), made()]
    const shares = new Map([
      ['a', 1],
      ['b', 3],
    ])
    const theta = new Float64Array(d)
    let [mean, perCoordinate] = [0, 0]
    for (let round = 1; round <= 8; round++) {
      const dThetaSum = (): Float64Array => new Float64Array(d).fill(4)
      const sum = { global: theta, weights: shares, weightSum: 4, dThetaSum, rng: rng(5).fork(round) }
      const defence = round <= 5 ? one : other
      if (round === 6) other.restore!(one.state!())
      const { dThetaSum: noisy } = await defence.aggregate!(sum as unknown as SumContext)
      for (let j = 0; j < d; j++) theta[j]! += noisy[j]! / 4
      mean = theta.reduce((total, x) => total + x, 0) / d
      perCoordinate = normOf(theta.map((x) => x - round)) / Math.sqrt(d)
      const digits = [...round.toString(2)].filter((digit) => digit === '1').length
      expect(mean).toBeCloseTo(round, 0)
      // sigma C times the largest share, 3/4
      expect(perCoordinate / (0.75 * Math.sqrt(digits))).toBeGreaterThan(0.95)
      expect(perCoordinate / (0.75 * Math.sqrt(digits))).toBeLessThan(1.05)
    }
  })

  test('gradient-pruning leaves out the smallest values, of equal ones the later first', async () => {
    const { turn } = createDefence({ name: 'gradient-pruning', share: 0.5 })
    const update: Update = { kind: 'delta', dTheta: Float64Array.of(3, -1, 1, -4, 0.5, 1, 9) }
    const sent = await turn!(update, at())
    expect(sentBy(sent)).toEqual(Float64Array.of(3, -1, 0, -4, 0, 0, 9))
    expect(() => createDefence({ name: 'gradient-pruning', share: 1 })).toThrow(/share/)
  })

  test.each(['local-dp', 'central-dp', 'dp-ftrl'] as const)('%s says in the recording what it protects', (name) => {
    expect(createDefence({ name, maxNorm: 2, noiseMultiplier: 3, delta: 1e-3 }).protocol).toEqual({
      differentialPrivacy: {
        mechanism: name,
        unit: 'client',
        sampling: 'none',
        maxNorm: 2,
        noiseMultiplier: 3,
        delta: 1e-3,
      },
    })
  })
})
