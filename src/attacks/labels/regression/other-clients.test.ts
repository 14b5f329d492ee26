/** Single records and batches of clients that share nothing with the engine, and how many records a message is of. */
import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { protocolOf } from '../../../../test/label-views.js'
import { type PlainSpec, plainGradient, plainTurn, plainWeights } from '../../../../test/plain-network.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Exchange } from '../../../threat/granted-keys.js'
import type { Protocol } from '../../../transcript/manifest.js'
import { metaclassCounts } from './metaclass-counts.js'
import { regressionLabel } from './regression-label.js'

const d = 6

function people(seed: number, n: number) {
  const r = rng(seed).fork('other people')
  const X = Array.from({ length: n }, () => Array.from(r.normals(d)))
  return { X, Y: X.map(() => [3 * r.normal()]) }
}

interface Told {
  readonly update: Exchange['update']
  readonly theta: Float64Array
  readonly protocol: Partial<Protocol>
  readonly batchSize: number
  readonly samples: number
}

const viewOf = ({ sizes, activation = 'relu', output = 'identity' }: PlainSpec, told: Told) => {
  const { update, theta, protocol, batchSize, samples } = told
  const { learningRate = null } = protocol
  const exchange: Exchange = { round: 0, received: theta, update, learningRate }
  return {
    model: {
      ...{ kind: 'mlp', inputs: d, hidden: sizes.slice(1, -1), outputs: 1, bias: true },
      ...{ activation, outputActivation: output },
    },
    ...{ loss: 'mse', target: '0', round: 0, protocol: protocolOf(protocol), batchSize, samples },
    exchanges: { rounds: [0], read: async () => exchange },
  }
}

describe('the turn of a single record is played again, in doubles to the last digits', () => {
  test.each([
    ['relu', 'identity', [16, 8], { learningRate: 0.03, epochs: 20 }],
    ['relu', 'identity', [24], { learningRate: 0.01, epochs: 60 }],
    ['tanh', 'identity', [12, 8], { learningRate: 0.03, epochs: 5 }],
    ['tanh', 'identity', [12, 8], { learningRate: 0.1, epochs: 2 }],
    ['tanh', 'tanh', [16], { learningRate: 0.02, epochs: 12 }],
    ['relu', 'sigmoid', [16, 8], { learningRate: 0.05, epochs: 8 }],
    ['tanh', 'softplus', [10], { learningRate: 0.01, epochs: 30 }],
  ] as const)('%s, %s, hidden %j, %j', async (activation, output, hidden, turn) => {
    const spec: PlainSpec = { sizes: [d, ...hidden, 1], activation, output }
    let claims = 0
    for (let seed = 0; seed < 12; seed++) {
      const own = people(seed, 1)
      const drawn = rng(seed).fork('theta')
      const theta = plainWeights(spec, () => drawn.uniform())
      const update = { kind: 'parameters', theta: plainTurn(spec, theta, own, turn) } as const
      const { learningRate, epochs: localEpochs } = turn
      const protocol = { share: 'parameters', algorithm: 'fedavg', learningRate, localEpochs } as const
      const outcome = await attackOn(
        regressionLabel,
        viewOf(spec, { update, theta, protocol, batchSize: 1, samples: 1 }),
      )
      if (outcome.status !== 'claimed') continue
      claims++
      const { value } = only(outcome, 'label')
      // A bounded output hardly answers where it is flat: there the stated error is what holds.
      const near = output === 'identity' ? 1e-11 : 4 * (outcome.details.error as number) + 1e-11
      expect(Math.abs(value - own.Y[0]![0]!), `seed ${seed}`).toBeLessThan(near)
    }
    expect(claims).toBeGreaterThanOrEqual(9)
  })
})

describe('a gradient that is shared is of one batch, whatever the client holds', () => {
  const spec: PlainSpec = { sizes: [d, 16, 8, 1] }
  const drawn = rng(4)
  const theta = plainWeights(spec, () => drawn.uniform())
  const sharing = (seed: number, K: number, batchSize: number) => {
    const own = people(seed, K)
    const update = { kind: 'gradient', grad: plainGradient(spec, theta, own) } as const
    const protocol = { share: 'gradient', algorithm: 'fedsgd', batchSize } as const
    return { own, view: viewOf(spec, { update, theta, protocol, batchSize, samples: 200 }) }
  }

  test('counts add up to 40 of 200', async () => {
    const { view } = sharing(1, 40, 40)
    const like = people(2, 200)
    const known = {
      auxiliary: { columns: [...'abcdef'], features: matrix(200, d, Float64Array.from(like.X.flat())) },
      'auxiliary.label': Float64Array.from(like.Y.flat()),
      'auxiliary.metaclass': Float64Array.from(like.X, ([x]) => (x! > 0 ? 1 : 0)),
      metaclasses: ['low', 'high'],
    }
    const outcome = await attackOn(metaclassCounts, { ...view, ...known })
    const counts = only(outcome, 'metaclass-counts').values
    expect(counts[0]! + counts[1]!).toBeCloseTo(40, 9)
    expect(outcome).toMatchObject({ details: { records: 40 } })
  })

  test('a single record is one, and not refused as 200', async () => {
    for (const seed of [1, 2, 3]) {
      const { own, view } = sharing(seed, 1, 1)
      expect(only(await attackOn(regressionLabel, view), 'label').value).toBeCloseTo(own.Y[0]![0]!, 9)
    }
  })
})
