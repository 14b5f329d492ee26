import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../../test/attack-context.js'
import { clientLine } from '../../../../test/client-line.js'
import {
  channelTo,
  linearFederation,
  protocolOf,
  relativeError,
  seriesOf,
  truthOf,
} from '../../../../test/linear-federation.js'
import { logistic } from '../../../models/logistic.js'
import { softmaxRegression } from '../../../models/softmax.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Channel } from '../../../threat/granted-keys.js'
import type { Attack, Claimed } from '../../attack.js'
import { lmraActiveAdam } from '../lmra-active-adam.js'
import { lmraActiveEcho } from '../lmra-active-echo.js'
import { lmraActiveOls } from '../lmra-active-ols.js'
import { lmraExact } from '../lmra-exact.js'

const options = { d: 5, clients: 4, rounds: 6, learningRate: 0.05 }
const world = linearFederation(options)
const globals = { rounds: [0, 5], read: async () => world.global }
const heard = { exchanges: seriesOf(world.exchanges), target: '0', tampered: [], globals }
const live = () => ({ ...heard, channel: channelTo(world, options) })
const latest = (world.exchanges.at(-1)!.update as { theta: Float64Array }).theta
const distance = (theta: Float64Array) => relativeError(theta, world.optimum)

test('echo: starts from the latest model, and each answer is sent back', async () => {
  const view = live()
  const outcome = (await attackOn(lmraActiveEcho, view, { params: { rounds: 30 } })) as Claimed
  expect(view.channel.sent).toHaveLength(30)
  expect(view.channel.sent[0]).toEqual(latest)
  expect(distance(only(outcome, 'model').theta)).toBeLessThan(0.6 * distance(latest))
  expect(outcome.details).toMatchObject({ rounds: 30 })
})

test('adam: tuned by what it sees, it comes nearer than the echo for the same number of messages', async () => {
  const view = live()
  const params = { rounds: 10 }
  const outcome = (await attackOn(lmraActiveAdam, view, { params })) as Claimed
  expect(view.channel.sent).toHaveLength(10)
  expect(view.channel.sent[0]).toEqual(latest)
  const echo = await attackOn(lmraActiveEcho, live(), { params: { rounds: 10 } })
  expect(distance(only(outcome, 'model').theta)).toBeLessThan(0.5 * distance(only(echo, 'model').theta))
  const { distanceSent, usualDistance, learningRate } = outcome.details as unknown as {
    distanceSent: { mean: number; max: number }
    usualDistance: number
    learningRate: number
  }
  expect(learningRate).toBeGreaterThan(0.01)
  // The first message is the client's own model; later ones wander further from the honest one.
  expect(distanceSent.max).toBeGreaterThan(relativeError(latest, world.global))
  expect(distanceSent.mean).toBeLessThanOrEqual(distanceSent.max)
  expect(usualDistance).toBeGreaterThan(0)
  expect(await attackOn(lmraActiveAdam, live(), { params })).toEqual(outcome)
})

test('adam without tuning takes the settings as given, and says when it gets nowhere', async () => {
  const params = { tuning: 'none', learningRate: 0.02, beta1: 0.5, beta2: 0.9, rounds: 3 }
  const outcome = (await attackOn(lmraActiveAdam, live(), { params })) as Claimed
  expect(outcome.details).toMatchObject({ tuning: 'none', learningRate: 0.02, beta1: 0.5, beta2: 0.9 })
  expect(outcome.warnings).toEqual([])
  const wild = (await attackOn(lmraActiveAdam, live(), { params: { ...params, learningRate: 40 } })) as Claimed
  expect(wild.warnings[0]).toMatch(/the client's update grew from .* to .* in size/)
})

describe('messages are counted, trials too', () => {
  /** A line that can be started again, as no real one can, and counts what is sent on all of them. */
  const counting = () => {
    const channel = live().channel
    let all = 0
    const open = (inner: typeof channel): Channel =>
      Object.assign(
        (client: string, theta: Float64Array) => {
          all++
          return inner(client, theta)
        },
        { restart: () => open(inner.restart!() as typeof channel) },
      )
    return { channel: open(channel), all: () => all }
  }

  test.each(['adaptive', 'observable', 'none'])('tuning=%s sends what it may, and no more', async (tuning) => {
    for (const rounds of [10, 23]) {
      const { channel, all } = counting()
      const params = { rounds, tuning, trials: 3 }
      const outcome = (await attackOn(lmraActiveAdam, { ...heard, channel }, { params })) as Claimed
      expect(all()).toBeLessThanOrEqual(rounds)
      expect(outcome.details).toMatchObject({ messages: all() })
    }
  })

  test('trials for which there are too few messages are refused, with what does without them', async () => {
    const outcome = await attackOn(lmraActiveAdam, live(), { params: { rounds: 10, tuning: 'observable', trials: 50 } })
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['101 messages'] })
    expect((outcome as { why: string }).why).toContain('tuning=adaptive')
  })

  test('trials leave out honest rounds as they are told', async () => {
    const passed: number[] = []
    const { channel } = counting()
    const line = Object.assign((client: string, theta: Float64Array) => channel(client, theta), {
      pass: (rounds: number) => passed.push(rounds),
    })
    const params = { rounds: '0,1,2,5,6,9', tuning: 'observable', trials: 1 }
    const outcome = (await attackOn(lmraActiveAdam, { ...heard, channel: line }, { params })) as Claimed
    // One trial of two messages and its question, in rounds 0 to 2; the attack itself in rounds 5 and 6.
    expect(outcome.details).toMatchObject({ messages: 5, messagesInTrials: 3, rounds: 2 })
    expect(passed).toEqual([2])
  })
})

describe('adam on classification, within ten messages', () => {
  const stream = rng(3)
  const features = matrix(80, 5, stream.fork('X').normals(400))
  const score = Float64Array.from(
    { length: 80 },
    (_, i) => features.data[5 * i]! - features.data[5 * i + 3]! + 0.3 * stream.normal(),
  )
  const worlds = [
    ['logistic', logistic({ inputs: 5 }), score.map((x) => (x > 0 ? 1 : 0))],
    ['softmax', softmaxRegression({ inputs: 5, outputs: 3 }), score.map((x) => (x > 0.7 ? 2 : x > -0.7 ? 1 : 0))],
  ] as const

  test.each(worlds)("%s: far less of the client's loss is left than by an echo", async (_, model, labels) => {
    const data = { features, labels }
    const line = () => clientLine(model, data, { learningRate: 0.1, batchSize: 20 })
    const { functions } = line()
    let theta: Float64Array = new Float64Array(functions.size)
    const { channel } = line()
    for (let t = 0; t < 5; t++) theta = await channel('0', theta)
    const exchanges = seriesOf([
      { round: 0, received: theta, learningRate: 0.1, update: { kind: 'parameters', theta } },
    ])
    const left = async (attack: Attack) => {
      const outcome = await attackOn(attack, { exchanges, target: '0', tampered: [], channel: line().channel })
      return functions.loss(only(outcome, 'model').theta, data) / functions.loss(theta, data)
    }
    expect(await left(lmraActiveAdam)).toBeLessThan(0.7 * (await left(lmraActiveEcho)))
  })
})

describe('ols: models that tell the map apart', () => {
  const more = { model: { kind: 'linear', inputs: 4, outputs: 1, bias: true }, loss: 'mse', samples: 200 }
  const exactly = { ...more, protocol: protocolOf({ learningRate: 0.05, localSteps: 1, localEpochs: null }) }

  test('full batches: the optimum to rounding in d + 1 messages, and a check in more', async () => {
    for (const rounds of [6, 10]) {
      const view = { ...live(), ...exactly }
      const outcome = (await attackOn(lmraActiveOls, view, { params: { rounds } })) as Claimed
      expect(view.channel.sent).toHaveLength(rounds)
      const claim = only(outcome, 'model')
      expect(distance(claim.theta)).toBeLessThan(1e-12)
      expect(outcome.details).toMatchObject({ exact: true, used: rounds, messages: rounds })
      expect(Number(outcome.details.condition)).toBeLessThan(20)
      expect(claim.fit?.p ?? null).toBe(rounds === 6 ? null : 1)
      expect(outcome.warnings).toEqual([])
    }
  })

  test('fewer than d + 1: along the directions that the heard models left open', async () => {
    const far = linearFederation({ ...options, rounds: 8 })
    const exchanges = seriesOf(far.exchanges)
    const channel = channelTo(far, options)
    const view = { ...exactly, exchanges, target: '0', tampered: [], channel }
    const outcome = (await attackOn(lmraActiveOls, view, { params: { rounds: 2 } })) as Claimed
    expect(outcome.details).toMatchObject({ messages: 2, used: 10 })
    expect(relativeError(only(outcome, 'model').theta, far.optimum)).toBeLessThan(1e-7)
    const alone = (await attackOn(lmraExact, { ...view, channel: undefined })) as Claimed
    expect(Number(alone.details?.condition ?? Number.POSITIVE_INFINITY)).toBeGreaterThan(
      10 * Number(outcome.details.condition),
    )
  })

  test('too few of both, and models that are not affine: not applicable', async () => {
    const once = { ...live(), ...exactly, exchanges: seriesOf(world.exchanges.slice(0, 1)) }
    const outcome = await attackOn(lmraActiveOls, once, { params: { rounds: 2 } })
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['6 messages'] })
    const bent = { ...live(), ...exactly, model: { kind: 'logistic', inputs: 4 }, loss: 'binary-cross-entropy' }
    expect(await attackOn(lmraActiveOls, bent)).toMatchObject({ status: 'not-applicable' })
  })

  test('batches: nearer than the emulated Adam for the same number of messages, with an error that covers it', async () => {
    const noisy = { ...options, batchSize: 50 }
    const protocol = protocolOf({ learningRate: 0.05, batchSize: 50 })
    const run = (attack: Attack) =>
      attackOn(attack, { ...live(), ...more, protocol, channel: channelTo(world, noisy) }, { params: { rounds: 30 } })
    const outcome = (await run(lmraActiveOls)) as Claimed
    const error = distance(only(outcome, 'model').theta)
    expect(error).toBeLessThan(distance(only(await run(lmraActiveAdam), 'model').theta))
    expect(error).toBeLessThan(4 * Number(outcome.details.errorEstimate))
    expect(outcome.details).toMatchObject({ exact: false })
  })

  test('a client that steps by Adam is told from what was stated', async () => {
    const { channel } = live()
    const bent: Channel = async (client, theta) => {
      const returned = await channel(client, theta)
      return theta.map((x, j) => x - 0.05 * Math.sign(x - returned[j]!))
    }
    const outcome = (await attackOn(lmraActiveOls, { ...live(), ...exactly, channel: bent })) as Claimed
    expect(only(outcome, 'model').fit!.p).toBeLessThan(1e-6)
    expect(outcome.warnings.join()).toContain('the turns are no affine map (another optimiser')
  })
})

describe.each([lmraActiveAdam, lmraActiveEcho])('$id on a recording', (attack: Attack) => {
  test('without tampered rounds: not applicable, missing channel', async () => {
    const outcome = await attackOn(attack, heard)
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['channel'] })
  })

  test('tampered rounds of others do not count', async () => {
    const tampered = [{ round: 3, clients: ['1'] }]
    expect(await attackOn(attack, { ...heard, tampered })).toMatchObject({ missing: ['channel'] })
  })

  test('with tampered rounds: what the client returned last in them', async () => {
    const tampered = [
      { round: 2, clients: ['0'] },
      { round: 4, clients: ['0', '1'] },
      { round: 99, clients: ['0'] },
    ]
    const outcome = (await attackOn(attack, { ...heard, tampered })) as Claimed
    expect(only(outcome, 'model').theta).toEqual((world.exchanges[4]!.update as { theta: Float64Array }).theta)
    expect(outcome.details).toMatchObject({ recorded: true, rounds: [2, 4] })
    expect(outcome.warnings[0]).toContain('after 2 tampered rounds')
  })
})

describe.each([lmraActiveAdam, lmraActiveEcho])('$id, controls', (attack: Attack) => {
  test('a planted optimum is found', async () => {
    const plant = attack.plant as Exclude<Attack['plant'], { none: string }>
    const planted = await plant({ view: live(), params: {}, truth: truthOf(world), rng: rng(1) })
    const outcome = await attack.run(planted.view, contextFor({ params: { rounds: 3 } }))
    expect(distance(only(outcome, 'model').theta)).toBeLessThan(1e-12)
  })

  test('shuffled coordinates hide it, on the line too', async () => {
    const shuffle = attack.shuffle as Exclude<Attack['shuffle'], { none: string }>
    const shuffled = await shuffle({ view: live(), params: {}, rng: rng(2) })
    const params = { rounds: 30 }
    const outcome = await attack.run(shuffled.view, contextFor({ params }))
    expect(distance(only(outcome, 'model').theta)).toBeGreaterThan(0.5)
    // The client behind the line is whole: its optimum is reached, in the other order.
    const sorted = (x: ArrayLike<number>) => Array.from(x).sort((a, b) => a - b)
    expect(relativeError(sorted(only(outcome, 'model').theta), sorted(world.optimum))).toBeLessThan(0.5)
  })
})

test('ols, controls: a planted optimum is found, and shuffled coordinates hide it', async () => {
  const protocol = protocolOf({ learningRate: 0.05 })
  const view = { ...live(), model: { kind: 'linear', inputs: 4, outputs: 1 }, loss: 'mse' as const, protocol }
  const { plant, shuffle } = lmraActiveOls
  if ('none' in plant || 'none' in shuffle) throw new Error('there are controls')
  const planted = await plant({ view, params: {}, truth: truthOf(world), rng: rng(1) })
  const found = await lmraActiveOls.run(planted.view, contextFor())
  expect(distance(only(found, 'model').theta)).toBeLessThan(1e-12)
  const hidden = await shuffle({ view, params: {}, rng: rng(2) })
  const missed = await lmraActiveOls.run(hidden.view, contextFor())
  expect(distance(only(missed, 'model').theta)).toBeGreaterThan(0.5)
})
