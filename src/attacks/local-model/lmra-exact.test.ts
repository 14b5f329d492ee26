import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../test/attack-context.js'
import {
  type LinearOptions,
  linearFederation,
  localTurn,
  optimumOf,
  protocolOf,
  relativeError,
  seriesOf,
  truthOf,
  viewOf,
} from '../../../test/linear-federation.js'
import { singleFederation } from '../../../test/single-federation.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import type { Claimed } from '../attack.js'
import { lmraExact } from './lmra-exact.js'
import { lmraOls } from './lmra-ols.js'

/** Half of the clients take part in a round, so that the server's models spread. */
const spread = (d: number, more: LinearOptions = {}): LinearOptions => ({
  d,
  seed: d,
  clients: 12,
  taking: 6,
  rounds: 3 * d + 14,
  records: 2 * d + 40,
  localSteps: 3,
  ...more,
})

const details = (outcome: unknown) => (outcome as Claimed).details as Record<string, number>
const forms = ['direct', 'inverse'] as const

describe.each(forms)('full batch, %s', (form) => {
  test.each([5, 11, 20, 50, 100])('d = %d in double precision: to 1e-8 and far below', async (d) => {
    const world = linearFederation(spread(d))
    const outcome = await attackOn(lmraExact, viewOf(world), { params: { form } })
    const error = relativeError(only(outcome, 'model').theta, world.optimum)
    expect(error).toBeLessThan(1e-11)
    expect(details(outcome)).toMatchObject({ exact: true, bitsOfMessages: 53 })
    expect(error).toBeLessThan(3 * details(outcome).errorEstimate!)
    expect((outcome as Claimed).warnings).toEqual([])
  })

  test.each([5, 20, 50])('d = %d in single precision: what its digits allow, and no more is claimed', async (d) => {
    const world = linearFederation(spread(d, { single: true }))
    const outcome = await attackOn(lmraExact, viewOf(world), { params: { form } })
    const error = relativeError(only(outcome, 'model').theta, world.optimum)
    expect(error).toBeLessThan(1e-4)
    expect(error).toBeLessThan(3 * details(outcome).errorEstimate!)
    expect(details(outcome)).toMatchObject({ exact: true, bitsOfMessages: 24 })
    expect(details(outcome).trustedDigits).toBeLessThanOrEqual(6)
  })

  test('of models that were sent again it takes those that differ', async () => {
    const world = linearFederation(spread(2, { clients: 3, taking: 2 }))
    const [first, second, third] = world.exchanges
    const again = [1, 2, 3, 4].map((more) => ({ ...first!, round: 100 + more }))
    for (const exchanges of [
      [first!, ...again, second!, third!],
      [second!, third!, first!, ...again],
    ]) {
      const outcome = await attackOn(lmraExact, viewOf({ ...world, exchanges }), { params: { form } })
      expect(relativeError(only(outcome, 'model').theta, world.optimum)).toBeLessThan(1e-9)
      const used = (outcome as Claimed).details!.rounds as number[]
      expect(used).toHaveLength(3)
      expect(used).toEqual(expect.arrayContaining([second!.round, third!.round]))
    }
  })

  test('perturbed server models do as well as partial participation', async () => {
    const world = linearFederation({ d: 11, toy: true, records: 1024, rounds: 40, perturb: 0.1 })
    const outcome = await attackOn(lmraExact, viewOf(world), { params: { form } })
    expect(relativeError(only(outcome, 'model').theta, world.optimum)).toBeLessThan(1e-10)
  })

  test.each([1, 2, 3])(
    'the toy of aia B.2 as described is singular, and nothing is claimed (seed %d)',
    async (seed) => {
      const toy = linearFederation({ d: 11, seed, toy: true, records: 1024, clients: 2, rounds: 221 })
      const heard = { ...toy, exchanges: toy.exchanges.filter(({ round }) => round % 20 === 0) }
      expect(heard.exchanges).toHaveLength(12)
      const outcome = await attackOn(lmraExact, viewOf(heard), { params: { form } })
      expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['12 affinely independent models'] })
      const [, condition] = /condition number is (\S+) \(0 trusted digits/.exec((outcome as { why: string }).why)!
      expect(Number(condition)).toBeGreaterThan(1e16)
    },
  )
})

test('a shared gradient needs no learning rate', async () => {
  const world = linearFederation(spread(6, { localSteps: 1 }))
  const exchanges = world.exchanges.map((one): Exchange => {
    const theta = (one.update as { theta: Float64Array }).theta
    const grad = theta.map((x, j) => (one.received![j]! - x) / 0.1)
    return { ...one, update: { kind: 'gradient', grad }, learningRate: null }
  })
  const outcome = await attackOn(lmraExact, { ...viewOf(world), exchanges: seriesOf(exchanges) })
  expect(relativeError(only(outcome, 'model').theta, world.optimum)).toBeLessThan(1e-11)
})

test('the proximal term of FedProx does not move the fixed point', async () => {
  const world = linearFederation(spread(6, { localSteps: 1 }))
  const order = rng(1)
  const exchanges = world.exchanges.map((one): Exchange => {
    const start = one.received!
    let theta = start
    for (let s = 0; s < 4; s++) {
      const next = localTurn(theta, world.clients[0]!, { order })
      theta = next.map((x, j) => x - 0.1 * 0.5 * (theta[j]! - start[j]!)) // mu = 0.5
    }
    return { ...one, update: { kind: 'parameters', theta } }
  })
  const outcome = await attackOn(lmraExact, { ...viewOf(world), exchanges: seriesOf(exchanges) })
  expect(relativeError(only(outcome, 'model').theta, world.optimum)).toBeLessThan(1e-11)
})

describe('training in single precision that was recorded in double', () => {
  const kinds = ['parameters', 'delta', 'gradient', 'three workers'] as const
  const protocol = protocolOf({ learningRate: 0.05, localSteps: 3, localEpochs: null })
  const view = { ...viewOf(linearFederation({ d: 6 })), protocol }

  // Seed 3 is ill-conditioned: "10 digits, 3.5e-11" was said of an error of 6.3e-3.
  test.each(kinds.flatMap((kept) => [1, 2, 3].map((seed) => [kept, seed] as const)))(
    '%s, seed %d',
    async (kept, seed) => {
      const world = singleFederation({ kept, seed, rounds: 80 })
      for (const count of [7, 8, world.exchanges.length]) {
        const heard = { ...view, exchanges: seriesOf(world.exchanges.slice(0, count)) }
        const outcome = await attackOn(lmraExact, heard)
        const claim = only(outcome, 'model')
        if (process.env.FIGURES !== undefined && count === 7) {
          const { errorEstimate, trustedDigits } = outcome.status === 'claimed' ? outcome.details : {}
          const off = relativeError(claim.theta, world.optimum)
          process.stdout.write(`${kept}, seed ${seed}: ${JSON.stringify({ trustedDigits, errorEstimate, off })}\n`)
        }
        expect(details(outcome)).toMatchObject({ exact: true, bitsOfMessages: 24 })
        expect(details(outcome).checkedBy).toBe(count === 7 ? 'symmetry' : 'other messages')
        expect(relativeError(claim.theta, world.optimum)).toBeLessThan(3 * details(outcome).errorEstimate!)
        if (count === 7) expect(claim.fit).toBeUndefined()
        else expect(claim.fit!.p).toBeGreaterThan(0.9)
        const regression = await attackOn(lmraOls, heard)
        expect(relativeError(only(regression, 'model').theta, world.optimum)).toBeLessThan(
          3 * details(regression).errorEstimate!,
        )
      }
    },
  )
})

describe('what cannot be known is not claimed', () => {
  const world = linearFederation(spread(6))
  const view = viewOf(world)

  test.each([1, 6])('%d messages of 6 parameters', async (rounds) => {
    const outcome = await attackOn(lmraExact, viewOf(world, rounds))
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['7 messages'] })
    expect((outcome as { why: string }).why).toContain(`heard ${rounds} times`)
  })

  test('the same message again and again', async () => {
    const exchanges = Array.from({ length: 20 }, (_, round) => ({ ...world.exchanges[0]!, round }))
    const outcome = await attackOn(lmraExact, { ...view, exchanges: seriesOf(exchanges) })
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['7 affinely independent models'] })
    expect((outcome as { why: string }).why).toContain('differ in 0 of 6 directions only')
  })

  test.each([
    [{ model: { kind: 'opaque' } }, 'opaque'],
    [{ model: { kind: 'logistic', inputs: 5, outputs: 1, bias: true }, loss: 'binary-cross-entropy' }, 'logistic'],
    [{ model: { kind: 'mlp', inputs: 5, hidden: [3], outputs: 1, outputActivation: 'identity' } }, 'mlp'],
    [{ loss: 'binary-cross-entropy' }, 'binary-cross-entropy'],
    [{ protocol: protocolOf({ optimizer: { name: 'adam' } }) }, 'adam'],
  ])('%o', async (other, word) => {
    const outcome = await attackOn(lmraExact, { ...view, ...other })
    expect(outcome).toMatchObject({ status: 'not-applicable' })
    expect((outcome as { why: string }).why).toContain(word)
  })

  test('a network without a hidden layer is a linear model', async () => {
    const model = { kind: 'mlp', inputs: 5, hidden: [], outputs: 1, outputActivation: 'identity' }
    expect(await attackOn(lmraExact, { ...view, model })).toMatchObject({ status: 'claimed' })
  })

  test('batches: said to be inexact, with an error that covers the true one', async () => {
    const noisy = linearFederation(spread(6, { batchSize: 8, rounds: 120 }))
    const outcome = (await attackOn(lmraExact, viewOf(noisy))) as Claimed
    expect(outcome.details).toMatchObject({ exact: false })
    expect(outcome.warnings[0]).toMatch(/^not exact: each message is missed by the map through the others, by/)
    expect(outcome.warnings[1]).toContain('batches of 8')
    const error = relativeError(only(outcome, 'model').theta, noisy.optimum)
    expect(error).toBeLessThan(3 * details(outcome).errorEstimate!)
    expect(error).toBeGreaterThan(1e-3)
  })

  test('batches and no message to check with: the map is not symmetric, and the error is estimated by that', async () => {
    const noisy = linearFederation(spread(6, { batchSize: 8, rounds: 120 }))
    const outcome = (await attackOn(lmraExact, viewOf(noisy, 7))) as Claimed
    expect(outcome.details).toMatchObject({ exact: false, checkedBy: 'symmetry', misfit: null })
    expect(outcome.warnings[0]).toContain('not symmetric')
    const error = relativeError(only(outcome, 'model').theta, noisy.optimum)
    expect(error).toBeLessThan(3 * details(outcome).errorEstimate!)
    expect(only(outcome, 'model').fit).toBeUndefined()
  })

  test('two parameters and three messages: neither a message nor symmetry is left, and no digits are told', async () => {
    const small = linearFederation({ d: 2, clients: 5, taking: 3, rounds: 12 })
    const outcome = (await attackOn(lmraExact, viewOf(small, 3))) as Claimed
    expect(outcome.details).toMatchObject({ exact: null, checkedBy: null, trustedDigits: null, errorEstimate: null })
    expect(outcome.warnings[0]).toMatch(/^not checked: .* rounding alone would leave 1\d digits/)
  })

  test('a client that ignores a column has no optimum along it, and no digits are told', async () => {
    const stream = rng(5)
    const X = matrix(40, 4, stream.normals(160))
    for (let i = 0; i < 40; i++) X.data[4 * i + 1] = 0
    const client = { X, y: stream.normals(40) }
    const exchanges = Array.from({ length: 12 }, (_, round): Exchange => {
      const received = stream.normals(4)
      const theta = localTurn(received, client, { order: stream })
      return { round, received, update: { kind: 'parameters', theta }, learningRate: 0.1 }
    })
    const outcome = (await attackOn(lmraExact, { ...view, exchanges: seriesOf(exchanges) })) as Claimed
    expect(outcome.details).toMatchObject({ trustedDigits: 0, errorEstimate: null })
    expect(outcome.warnings[0]).toContain('moves in 3 of 4 directions only')
  })

  test('a full batch said as a number is none', async () => {
    const protocol = protocolOf({ batchSize: 100 })
    const outcome = (await attackOn(lmraExact, { ...viewOf(world, 7), protocol, samples: 52 })) as Claimed
    expect(outcome.warnings).toEqual([])
  })

  test('weight decay that is not stated, and that is: a word of what the claim is then', async () => {
    for (const [weightDecay, word] of [
      [undefined, 'not stated'],
      [0.1, 'decay weights (0.1)'],
    ] as const) {
      const { weightDecay: _, ...rest } = view.protocol
      const protocol = { ...rest, ...(weightDecay !== undefined && { weightDecay }) }
      const outcome = (await attackOn(lmraExact, { ...view, protocol })) as Claimed
      expect(outcome.warnings).toEqual([expect.stringContaining(word)])
    }
  })

  test('a diverged model is an error', async () => {
    const update = { kind: 'parameters', theta: new Float64Array(6).fill(Number.NaN) } as const
    const exchanges = world.exchanges.map((one) => ({ ...one, update }))
    await expect(attackOn(lmraExact, { ...view, exchanges: seriesOf(exchanges) })).rejects.toThrow('is NaN')
  })
})

// [aia] Prop. 3: H tridiagonal, other clients H = I with optimum 0, one local step from theta = 0.
test.each([4, 9])('the hard instance: d - 1 = %d - 1 messages cannot tell two clients apart, d + 1 can', async (d) => {
  const hessian = (last: boolean): number[][] =>
    Array.from({ length: d }, (_, i) =>
      Array.from({ length: d }, (_, j) => {
        if (!last && (i === d - 1 || j === d - 1)) return 0
        return i === j ? 1 : Math.abs(i - j) === 1 ? -0.5 : 0
      }),
    )
  const eta = 0.4
  const run = (H: number[][], rounds: number): Exchange[] => {
    let global = new Float64Array(d)
    return Array.from({ length: rounds }, (_, round) => {
      const received = global
      const theta = received.map((x, i) => {
        const Hx = H[i]!.reduce((sum, h, j) => sum + h * received[j]!, 0)
        return x - eta * (Hx - (i === 0 ? 0.5 : 0))
      })
      global = received.map((x, i) => (theta[i]! + (x - eta * x)) / 2)
      return { round, received, update: { kind: 'parameters', theta }, learningRate: eta }
    })
  }
  const [whole, cut] = [run(hessian(true), 3 * d), run(hessian(false), 3 * d)]
  // departs: the papers count from 0 and are off by one; from 1, coordinate k first moves in round k.
  whole.slice(0, d).forEach(({ update }, k) => {
    const { theta } = update as { theta: Float64Array }
    expect(theta[k]).not.toBe(0)
    expect(theta.subarray(k + 1).every((x) => x === 0)).toBe(true)
  })
  expect(whole.slice(0, d - 1)).toEqual(cut.slice(0, d - 1))
  expect(whole[d - 1]).not.toEqual(cut[d - 1])
  const view = { ...viewOf(linearFederation({ d })), protocol: protocolOf({ learningRate: eta }) }
  const first = await attackOn(lmraExact, { ...view, exchanges: seriesOf(whole.slice(0, d - 1)) })
  expect(first).toMatchObject({ status: 'not-applicable', missing: [`${d + 1} messages`] })
  const all = await attackOn(lmraExact, { ...view, exchanges: seriesOf(whole) })
  const optimum = Float64Array.from({ length: d }, (_, i) => 1 - (i + 1) / (d + 1)) // [lmra] below Eq. (6)
  expect(relativeError(only(all, 'model').theta, optimum)).toBeLessThan(1e-5)
})

describe('controls', () => {
  const world = linearFederation(spread(6, { batchSize: 8 }))
  const truth = truthOf(world)

  test('a planted optimum is found, even where the client was heard once', async () => {
    for (const rounds of [1, world.exchanges.length]) {
      const input = { view: viewOf(world, rounds), params: {}, truth, rng: rng(3) }
      const planted = await (lmraExact.plant as Exclude<typeof lmraExact.plant, { none: string }>)(input)
      const outcome = await lmraExact.run(planted.view, contextFor())
      expect(relativeError(only(outcome, 'model').theta, world.optimum)).toBeLessThan(1e-10)
    }
  })

  test('with the coordinates shuffled the claim has nothing to do with the optimum', async () => {
    const input = { view: viewOf(world), params: {}, rng: rng(3) }
    const shuffled = await (lmraExact.shuffle as Exclude<typeof lmraExact.shuffle, { none: string }>)(input)
    const outcome = await lmraExact.run(shuffled.view, contextFor())
    expect(relativeError(only(outcome, 'model').theta, world.optimum)).toBeGreaterThan(0.5)
  })
})

test('several outputs are one map', async () => {
  // Two labels on the same three columns: theta = [w1, w2, b1, b2] as PyTorch lays them out.
  const stream = rng(8)
  const X = matrix(30, 3, stream.normals(90))
  for (let i = 0; i < 30; i++) X.data[3 * i + 2] = 1
  const clients = [0, 1].map(() => ({ X, y: stream.normals(30) }))
  const layout = (a: Float64Array, b: Float64Array) => Float64Array.of(a[0]!, a[1]!, b[0]!, b[1]!, a[2]!, b[2]!)
  const exchanges = Array.from({ length: 9 }, (_, round): Exchange => {
    const [a, b] = [stream.normals(3), stream.normals(3)]
    const [after, then] = [a, b].map((theta, k) => localTurn(theta, clients[k]!, { order: stream }))
    return {
      round,
      received: layout(a, b),
      update: { kind: 'parameters', theta: layout(after!, then!) },
      learningRate: 0.1,
    }
  })
  const model = { kind: 'linear', inputs: 2, outputs: 2, bias: true }
  const view = { ...viewOf(linearFederation()), model, exchanges: seriesOf(exchanges) }
  const { theta } = only(await attackOn(lmraExact, view), 'model')
  expect(relativeError(theta, layout(optimumOf(clients[0]!), optimumOf(clients[1]!)))).toBeLessThan(1e-10)
})
