import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../../test/attack-context.js'
import { channelTo, linearFederation, relativeError, seriesOf, truthOf } from '../../../../test/linear-federation.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Attack, Claimed } from '../../attack.js'
import { lmraActiveAdam } from '../lmra-active-adam.js'
import { lmraActiveEcho } from '../lmra-active-echo.js'

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
  const params = { rounds: 10, rates: '0.01,5' }
  const outcome = (await attackOn(lmraActiveAdam, view, { params })) as Claimed
  expect(view.channel.sent).toHaveLength(10) // trials have lines of their own
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

test('adam on a line that cannot be started again is not tuned, and says so', async () => {
  const { restart: _, ...rest } = live().channel
  const once = Object.assign((client: string, theta: Float64Array) => live().channel(client, theta), rest)
  Object.defineProperty(once, 'restart', { value: undefined })
  const outcome = (await attackOn(lmraActiveAdam, { ...heard, channel: once })) as Claimed
  expect(outcome.details).toMatchObject({ tuning: 'none', learningRate: 0.1 })
  expect(outcome.warnings[0]).toContain('cannot be started again')
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
    const params = { rounds: 30, ...(attack === lmraActiveAdam && { rates: '0.01,5' }) }
    const outcome = await attack.run(shuffled.view, contextFor({ params }))
    expect(distance(only(outcome, 'model').theta)).toBeGreaterThan(0.5)
    // The client behind the line is whole: its optimum is reached, in the other order.
    const sorted = (x: ArrayLike<number>) => Array.from(x).sort((a, b) => a - b)
    expect(relativeError(sorted(only(outcome, 'model').theta), sorted(world.optimum))).toBeLessThan(0.5)
  })
})
