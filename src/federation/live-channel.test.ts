import { expect, test } from 'vitest'
import { halving } from '../../test/federation-hooks.js'
import { smallPopulation, smallSpec } from '../../test/small-federation.js'
import { secureAggregation } from '../defences/secure-aggregation.js'
import type { Channel } from '../threat/granted-keys.js'
import { type FederationRound, federate, runToEnd } from './federate.js'
import type { Adversary } from './hooks.js'
import { liveChannel } from './live-channel.js'
import { inlinePool } from './pool.js'
import type { FederationSpec, RuleSpec } from './spec.js'
import { modelAfter } from './updates.js'

const population = smallPopulation

async function setUp(spec: FederationSpec, adversary?: Adversary) {
  const rounds: FederationRound[] = []
  const hooks = adversary === undefined ? {} : { adversary }
  await runToEnd(federate(spec, { population, ...hooks }), (round) => rounds.push(round))
  const from = rounds[1]!.checkpoint
  return { rounds, options: { spec, population, pool: inlinePool(spec, { population }), from, target: '1' } }
}

const rules: readonly RuleSpec[] = [
  smallSpec.rule,
  { ...smallSpec.rule, share: 'delta' },
  { algorithm: 'fedsgd', learningRate: 0.1, share: 'gradient' },
]

test.each(rules)('plays the turns that the federation would have played: %o', async (rule) => {
  // An adversary that sends the target other models in rounds 2 and 3: the channel must answer them alike.
  const sent = [Float64Array.of(1, 2, 3, 4, 5), Float64Array.of(-1, 0, 1, 0, -1)]
  const sendTo: Adversary['sendTo'] = ({ round, client }) => (client === '1' ? sent[round - 2] : undefined)
  const { rounds, options } = await setUp({ ...smallSpec, rule }, { sendTo })
  const channel: Channel = liveChannel(options)
  for (const [i, theta] of sent.entries()) {
    const { learningRate, updates } = rounds[2 + i]!
    const expected = modelAfter(updates.get('1')!, { received: theta, learningRate })
    expect(await channel('1', theta)).toEqual(expected)
  }
})

test('lets honest rounds pass: the target then plays its later turns', async () => {
  // Sent something in rounds 2 and 4, and in between what everybody is sent.
  const spec = { ...smallSpec, rounds: 5 }
  const theta = Float64Array.of(1, 2, 3, 4, 5)
  const sendTo: Adversary['sendTo'] = ({ round, client }) =>
    client === '1' && (round === 2 || round === 4) ? theta : undefined
  const { rounds, options } = await setUp(spec, { sendTo })
  const channel = liveChannel(options)
  const answers = [channel('1', theta)]
  channel.pass(1)
  answers.push(channel('1', theta))
  for (const [i, round] of [2, 4].entries()) {
    const { learningRate, updates } = rounds[round]!
    expect(await answers[i]).toEqual(modelAfter(updates.get('1')!, { received: theta, learningRate }))
  }
  expect(channel.sentSoFar().map(({ round }) => round)).toEqual([2, 4])
})

test('remembers what crossed, and starts again as if nothing had', async () => {
  const { options } = await setUp(smallSpec)
  const channel = liveChannel(options)
  const first = await channel('1', options.from.theta)
  const second = await channel('1', first)
  expect(second).not.toEqual(first)
  expect(channel.sentSoFar()).toEqual([
    { round: 2, sent: options.from.theta, returned: first },
    { round: 3, sent: first, returned: second },
  ])
  const again = channel.restart()
  expect(again.sentSoFar()).toEqual([])
  expect(await again('1', options.from.theta)).toEqual(first)
  expect(channel.sentSoFar().length).toBe(2)
})

test('calls that do not wait for each other are rounds in their order', async () => {
  const { options } = await setUp(smallSpec)
  const theta = options.from.theta
  const [a, b] = [liveChannel(options), liveChannel(options)]
  const together = await Promise.all([a('1', theta), a('1', theta)])
  expect(together).toEqual([await b('1', theta), await b('1', theta)])
  expect(together[0]).not.toEqual(together[1])
  const scratch = theta.slice()
  const pending = liveChannel(options)('1', scratch)
  scratch.fill(9) // what the caller does with its vector afterwards is its own affair
  expect(await pending).toEqual(together[0])
})

test('passes through the defences of the federation, from their state at the checkpoint', async () => {
  const spec = smallSpec
  const rounds: FederationRound[] = []
  await runToEnd(federate(spec, { population, defences: [halving()] }), (round) => rounds.push(round))
  const pool = inlinePool(spec, { population })
  const { checkpoint: from } = rounds[1]!
  expect(from.defences).toEqual({ halving: 6 })
  const channel = liveChannel({ spec, population, pool, from, target: '0', defences: [halving()] })
  const first = modelAfter(rounds[2]!.updates.get('0')!, { received: rounds[2]!.global, learningRate: 0.05 })
  expect(await channel('0', rounds[2]!.global)).toEqual(first)
  await channel('0', rounds[2]!.global)
  expect(await channel.restart()('0', rounds[2]!.global)).toEqual(first)
})

test('a target that rides for free goes on doing so', async () => {
  const spec = { ...smallSpec, misbehaving: { 1: { name: 'free-rider', update: 'stale' } } } as const
  const { rounds, options } = await setUp(spec)
  const channel = liveChannel(options)
  const first = await channel('1', rounds[2]!.global)
  expect(first).toEqual(modelAfter(rounds[2]!.updates.get('1')!, { received: rounds[2]!.global, learningRate: 0.05 }))
  // What changed since its last turn is nothing when the same model comes again.
  expect(await channel('1', rounds[2]!.global)).toEqual(rounds[2]!.global)
})

test('refuses other clients, other runs, and models that are none', async () => {
  const { options } = await setUp(smallSpec)
  expect(() => liveChannel({ ...options, target: '9' })).toThrow('the target is client "9"')
  expect(() => liveChannel({ ...options, spec: { ...smallSpec, seed: 5 } })).toThrow('is of another run')
  const channel = liveChannel(options)
  await expect(channel('0', options.from.theta)).rejects.toThrow('this line leads to client "1"')
  await expect(channel('1', new Float64Array(2))).rejects.toThrow('round 2, client "1": theta has 2 values')
  await expect(channel('1', new Float64Array(5).fill(NaN))).rejects.toMatchObject({ code: 'E_NON_FINITE' })
  expect(channel.sentSoFar()).toEqual([])
  await channel('1', options.from.theta) // a failed call does not count as a round
  expect(channel.sentSoFar()[0]!.round).toBe(2)
})

test('there is no line where updates stay with the clients', async () => {
  const { options } = await setUp(smallSpec)
  expect(() => liveChannel({ ...options, defences: [secureAggregation()] })).toThrow(/under secure-aggregation/)
})
