import { describe, expect, test } from 'vitest'
import { echo, halving, noisySum } from '../../test/federation-hooks.js'
import { smallPopulation, smallRecords, smallSpec } from '../../test/small-federation.js'
import { OverhearError } from '../errors.js'
import { functionsOf } from '../models/functions.js'
import { createModel } from '../models/index.js'
import { norm } from '../numeric/linalg/vector.js'
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.js'
import { type FederateOptions, type FederationRound, federate, runToEnd } from './federate.js'
import { inlinePool } from './pool.js'
import { heldPopulation } from './population.js'
import type { FederationSpec } from './spec.js'
import { changeOf, changeSum } from './updates.js'

const population = smallPopulation

async function roundsOf(spec: FederationSpec, options: Partial<FederateOptions> = {}): Promise<FederationRound[]> {
  const rounds: FederationRound[] = []
  await runToEnd(federate(spec, { population, ...options }), (round) => rounds.push(round))
  return rounds
}
const { checkpoint: _, ...plainKeys } = (await roundsOf({ ...smallSpec, rounds: 1 }))[0]!

describe('a round', () => {
  test('holds what crossed the wire, and hands its model to the next', async () => {
    const rounds = await roundsOf(smallSpec)
    expect(rounds.map(({ round }) => round)).toEqual([0, 1, 2, 3])
    for (const [t, { participants, dropped, tampered, sent, updates, weights, ...round }] of rounds.entries()) {
      expect([participants, dropped, tampered, sent.size]).toEqual([['0', '1', '2'], [], [], 0])
      expect([...updates.keys()]).toEqual(participants)
      expect([...weights.values()]).toEqual([7, 12, 5])
      expect(round.learningRate).toBe(0.05)
      if (t > 0) expect(round.global).toBe(rounds[t - 1]!.next)
    }
    expect(Object.keys(plainKeys)).not.toContain('aggregate')
  })
  test('depends on nobody else: another client more or less moves no draw', async () => {
    const [few] = await roundsOf(smallSpec, { population: heldPopulation(smallRecords.slice(0, 2)) })
    const [many] = await roundsOf(smallSpec)
    expect(few!.updates.get('1')).toEqual(many!.updates.get('1'))
  })
  test('of nobody leaves the model as it was', async () => {
    const rounds = await roundsOf({ ...smallSpec, dropouts: 1 })
    for (const { participants, dropped, next } of rounds) {
      expect([participants, dropped]).toEqual([[], ['0', '1', '2']])
      expect(next).toEqual(rounds[0]!.global)
    }
  })
  test('loses clients as often as it was told, and they are not in the sum', async () => {
    const rounds = await roundsOf({ ...smallSpec, rounds: 300, dropouts: 0.3 })
    const lost = rounds.reduce((sum, { dropped }) => sum + dropped.length, 0)
    expect(Math.abs(lost - 270)).toBeLessThan(5 * Math.sqrt(900 * 0.3 * 0.7))
    for (const { participants, dropped, updates } of rounds) {
      expect([...participants, ...dropped].sort()).toEqual(['0', '1', '2'])
      expect([...updates.keys()]).toEqual(participants)
    }
  })
  test('no rounds: the run stands at its first model', async () => {
    const { theta, nextRound } = await runToEnd(federate({ ...smallSpec, rounds: 0 }, { population }))
    expect([theta, nextRound]).toEqual([plainKeys.global, 0])
    const zeros = await runToEnd(federate({ ...smallSpec, rounds: 0, initialiser: 'zeros' }, { population }))
    expect([...zeros.theta]).toEqual([0, 0, 0, 0, 0])
  })
})

describe('an adversary', () => {
  test('replaces what one client is sent, and hears what comes back', async () => {
    const rounds = await roundsOf(smallSpec, { adversary: echo('1') })
    expect(rounds.map(({ tampered }) => tampered)).toEqual([[], ['1'], ['1'], ['1']])
    for (const [t, { sent, updates }] of rounds.slice(1).entries()) {
      const before = rounds[t]!.updates.get('1')!
      if (before.kind !== 'parameters') throw new Error('parameters were asked for')
      for (const [j, x] of sent.get('1')!.entries()) expect(x).toBeCloseTo(before.theta[j]!, 14)
      expect(updates.get('1')).not.toEqual(before)
    }
    // Its own training alone, as if the others were not there.
    const alone = await roundsOf(smallSpec, { population: heldPopulation(smallRecords), adversary: echo('1') })
    expect(alone.at(-1)!.updates).toEqual(rounds.at(-1)!.updates)
    const honest = await roundsOf(smallSpec)
    expect(rounds[1]!.updates.get('0')).toEqual(honest[1]!.updates.get('0'))
  })
  test('must send a model', async () => {
    const bad = { sendTo: () => new Float64Array(3) }
    await expect(roundsOf(smallSpec, { adversary: bad })).rejects.toThrow(
      'what the adversary sends to client "0" has 3 values',
    )
    const nan = { sendTo: () => new Float64Array(5).fill(Number.NaN) }
    await expect(roundsOf(smallSpec, { adversary: nan })).rejects.toThrow('is NaN')
  })
})

describe('a defence', () => {
  test('on the step clips and blurs every local gradient', async () => {
    const rule = { algorithm: 'fedsgd', learningRate: 1 } as const
    const spec: FederationSpec = { ...smallSpec, rule, rounds: 1 }
    const [tight] = await roundsOf(spec, { defences: [{ name: 'dp', step: { maxNorm: 1e-3, noiseMultiplier: 0 } }] })
    const frame = { received: tight!.global, learningRate: 1 }
    for (const update of tight!.updates.values()) expect(norm(changeOf(update, frame))).toBeLessThan(1.0001e-3)
    const [wide] = await roundsOf(spec, { defences: [{ name: 'dp', step: { maxNorm: 1e6, noiseMultiplier: 0 } }] })
    const [plain] = await roundsOf(spec)
    for (const [j, x] of wide!.next.entries()) expect(x).toBeCloseTo(plain!.next[j]!, 12)
    const [noisy] = await roundsOf(spec, { defences: [{ name: 'dp', step: { maxNorm: 1, noiseMultiplier: 1 } }] })
    expect(noisy!.updates.get('0')).not.toEqual(noisy!.updates.get('1'))
    // A rate of 1 samples everybody: the same clipped gradient in either share.
    const step = { maxNorm: 1, noiseMultiplier: 1, sampleRate: 1 }
    const [sampled] = await roundsOf(spec, { defences: [{ name: 'dp', step }] })
    const shared: FederationSpec = { ...spec, rule: { ...rule, share: 'gradient' } }
    const [gradients] = await roundsOf(shared, { defences: [{ name: 'dp', step }] })
    for (const [j, x] of sampled!.next.entries()) expect(x).toBeCloseTo(gradients!.next[j]!, 12)
    const rare = { name: 'dp', step: { ...step, sampleRate: 0.01 } }
    expect((await roundsOf({ ...smallSpec, rounds: 3 }, { defences: [rare] })).length).toBe(3) // empty batches too
  })
  test('on the turn changes what is sent, after misbehaviour, from a stream of its own', async () => {
    const seen: string[] = []
    const doubling = {
      name: 'spy',
      turn: (update: FederationRound['updates'] extends ReadonlyMap<string, infer U> ? U : never, at: object) => {
        const { round, client, samples } = at as { round: number; client: string; samples: number }
        seen.push(`${round} ${client} ${samples}`)
        return update
      },
    }
    const [plain] = await roundsOf(smallSpec)
    const [round] = await roundsOf({ ...smallSpec, rounds: 1 }, { defences: [halving(), doubling] })
    expect(seen).toEqual(['0 0 7', '0 1 12', '0 2 5'])
    for (const [i, id] of ['0', '1', '2'].entries()) {
      const frame = { received: round!.global, learningRate: 0.05 }
      const honest = changeOf(plain!.updates.get(id)!, frame)
      for (const [j, x] of changeOf(round!.updates.get(id)!, frame).entries()) {
        expect(x / honest[j]!).toBeCloseTo(0.5 + (i + 1) * 1e-3, 4)
      }
    }
  })
  test('on the sum replaces what the server learns', async () => {
    const [round] = await roundsOf({ ...smallSpec, rounds: 1 }, { defences: [noisySum()] })
    const parts = { global: round!.global, weights: [7, 12, 5], learningRate: 0.05 }
    const exact = changeSum([...round!.updates.values()], parts)
    for (const [j, x] of round!.aggregate!.entries()) {
      expect(Math.abs(x - exact[j]!)).toBeLessThan(0.06)
      expect(x).not.toBe(exact[j])
      expect(round!.next[j]).toBeCloseTo(round!.global[j]! + x / 24, 14)
    }
    // The next one in the list sees what the one before left.
    const twice = {
      name: 'twice',
      aggregate: (sum: { dThetaSum(): Float64Array }) => ({
        dThetaSum: sum.dThetaSum().map((x) => 2 * x),
        weightSum: 48,
      }),
    }
    const [both] = await roundsOf({ ...smallSpec, rounds: 1 }, { defences: [noisySum(), twice] })
    expect([...both!.aggregate!]).toEqual([...round!.aggregate!].map((x) => 2 * x))
    expect(both!.next).toEqual(round!.next)
  })
  test('must fit', async () => {
    const step = { maxNorm: 1, noiseMultiplier: 0 }
    const two = [
      { name: 'a', step },
      { name: 'b', step },
    ]
    await expect(roundsOf(smallSpec, { defences: two })).rejects.toThrow('a and b both act on the local step')
    await expect(roundsOf(smallSpec, { defences: [{ name: 'a' }, { name: 'a' }] })).rejects.toThrow(
      'two defences are called "a"',
    )
    const short = { name: 's', aggregate: () => ({ dThetaSum: new Float64Array(2) }) }
    await expect(roundsOf(smallSpec, { defences: [short] })).rejects.toThrow('defence s: a sum of 2 values over 24')
    const nan = { name: 'n', turn: () => ({ kind: 'parameters', theta: new Float64Array(5).fill(NaN) }) as const }
    await expect(roundsOf(smallSpec, { defences: [nan] })).rejects.toThrow(/round 0, client "0", defence n: .*NaN/)
  })
})

describe('a checkpoint', () => {
  const hooks = () => ({ adversary: echo('1'), defences: [halving()] })
  const spec: FederationSpec = { ...smallSpec, rounds: 5, misbehaving: { 2: { name: 'free-rider', update: 'stale' } } }
  test('goes on with the same bits from every round, through bytes', async () => {
    const whole = await roundsOf(spec, hooks())
    for (const { checkpoint } of whole) {
      const { checkpoint: from, extra } = await decodeCheckpoint(encodeCheckpoint(checkpoint, { note: 'x' }))
      expect(from).toEqual(checkpoint)
      expect(extra).toEqual({ note: 'x' })
      const rest = await roundsOf(spec, { ...hooks(), from })
      expect(rest).toEqual(whole.slice(from.nextRound))
    }
  })
  test('may be of a shorter run, but of no other', async () => {
    const whole = await roundsOf(spec)
    const short = await roundsOf({ ...spec, rounds: 2 })
    const { checkpoint: from } = short[1]!
    expect(await roundsOf(spec, { from })).toEqual(whole.slice(2))
    await expect(roundsOf({ ...spec, seed: 8 }, { from })).rejects.toThrow('is of another run: its seed differ')
    await expect(roundsOf({ ...spec, rounds: 1 }, { from })).rejects.toThrow('this run has only 1 rounds')
    const others = heldPopulation([...smallRecords.slice(0, 2), smallRecords[0]!])
    await expect(roundsOf(spec, { from, population: others })).rejects.toThrow('its clients differ')
  })
  test('keeps states to the bit, and refuses what JSON would lose', async () => {
    const { checkpoint } = (await roundsOf({ ...smallSpec, rounds: 1 }))[0]!
    const state = { a: [-0, 1 / 3, null, true, 'x'], b: { c: Float64Array.of(-0, 5e-324), object: 1, tensor: 2 } }
    const back = await decodeCheckpoint(encodeCheckpoint({ ...checkpoint, adversary: state }))
    expect(back.checkpoint.adversary).toEqual(state)
    expect(Object.is((back.checkpoint.adversary as typeof state).a[0], -0)).toBe(true)
    expect(() => encodeCheckpoint({ ...checkpoint, adversary: [Number.NaN] })).toThrow('a checkpoint cannot hold NaN')
    await expect(decodeCheckpoint(new Uint8Array(40))).rejects.toThrow(OverhearError)
  })
})

describe('divergence', () => {
  const hot: FederationSpec = { ...smallSpec, rounds: 500, rule: { ...smallSpec.rule, learningRate: 3 } }
  test('stops the run with round, client and learning rate', async () => {
    const seen: number[] = []
    const run = runToEnd(federate(hot, { population }), ({ round, next }) => {
      seen.push(round)
      expect(next.every(Number.isFinite)).toBe(true)
    })
    await expect(run).rejects.toThrow(
      /^round \d+, client "\d": training diverged: theta\[\d\] is (NaN|-?Infinity); lower the learning rate \(3\)/,
    )
    await expect(run).rejects.toMatchObject({ code: 'E_NON_FINITE' })
    expect(seen.length).toBeGreaterThan(0)
  })
  test('of the sum or of the loss stops it too', async () => {
    const huge = { name: 'huge', aggregate: () => ({ dThetaSum: new Float64Array(5).fill(1e308), weightSum: 1e-3 }) }
    await expect(roundsOf(smallSpec, { defences: [huge] })).rejects.toThrow(
      /round 0: training diverged: the new global model's theta\[0\] is Infinity; lower the learning rate \(0.05\)/,
    )
    const utility = { evaluate: () => ({ heldOut: { loss: Number.POSITIVE_INFINITY } }) }
    await expect(roundsOf(smallSpec, { utility })).rejects.toThrow(
      'round 0: the heldOut loss of the new model is Infinity; lower the learning rate (0.05)',
    )
  })
  test('in single precision too', async () => {
    await expect(roundsOf({ ...hot, precision: 'f32' })).rejects.toMatchObject({ code: 'E_NON_FINITE' })
  })
})

test('an interrupted run ends between two rounds', async () => {
  const signal = { aborted: false }
  const seen: number[] = []
  const run = runToEnd(federate(smallSpec, { population, signal }), ({ round }) => {
    seen.push(round)
    signal.aborted = round === 1
  })
  await expect(run).rejects.toMatchObject({ code: 'E_INTERRUPTED', message: 'interrupted before round 2' })
  expect(seen).toEqual([0, 1])
})

test('a pool of another federation is refused, one with more rounds is not', async () => {
  const pool = inlinePool({ ...smallSpec, rounds: 99 }, { population })
  expect((await roundsOf(smallSpec, { pool })).at(-1)!.next).toEqual((await roundsOf(smallSpec)).at(-1)!.next)
  await expect(roundsOf({ ...smallSpec, seed: 4 }, { pool })).rejects.toThrow('made for another federation')
})

test('clients whose records do not fit the memory that is allowed train all the same', async () => {
  const expected = (await roundsOf(smallSpec)).at(-1)!.next
  const pool = inlinePool(smallSpec, { population, cacheBytes: 1 })
  expect((await roundsOf(smallSpec, { pool })).at(-1)!.next).toEqual(expected)
})

test('dropout of the model is drawn from the address of the turn', async () => {
  const images = {
    features: { rows: 3, cols: 784, data: new Float64Array(3 * 784).fill(0.1) },
    labels: Float64Array.of(1, 2, 3),
  }
  const spec: FederationSpec = {
    model: { kind: 'lenet-mnist', dropout: 0.5 },
    rule: { algorithm: 'fedsgd', learningRate: 0.1, share: 'gradient' },
    seed: 1,
    rounds: 1,
  }
  const twins = heldPopulation([images, images])
  const [a, b] = [await roundsOf(spec, { population: twins }), await roundsOf(spec, { population: twins })]
  expect(a[0]!.updates).toEqual(b[0]!.updates)
  expect(a[0]!.updates.get('0')).not.toEqual(a[0]!.updates.get('1'))
})

test('what a spec may not hold is said', async () => {
  const wrong = (more: object) => roundsOf({ ...smallSpec, ...more } as FederationSpec)
  await expect(wrong({ round: 3 })).rejects.toThrow(
    'unknown setting of the federation: "round" (did you mean "rounds"?)',
  )
  await expect(wrong({ rounds: 1.5 })).rejects.toThrow('rounds is 1.5; a whole number from 0')
  await expect(wrong({ seed: NaN })).rejects.toThrow('the seed is NaN')
  await expect(wrong({ loss: 'cross-entropy' })).rejects.toThrow('loss "cross-entropy" does not fit')
  await expect(wrong({ lossScale: 0 })).rejects.toThrow('lossScale is 0')
  await expect(wrong({ dropouts: 2 })).rejects.toThrow('dropouts is 2')
  await expect(wrong({ rule: { algorithm: 'fedsg', learningRate: 1 } })).rejects.toThrow('did you mean "fedsgd"?')
  await expect(wrong({ rule: { algorithm: 'fedavg', learningRate: 0 } })).rejects.toThrow('learningRate is 0')
  await expect(wrong({ rule: { algorithm: 'fedavg', learningRate: 1, share: 'gradient' } })).rejects.toThrow(
    'share is "gradient" with fedavg; it shares one of parameters, delta',
  )
  const both = { algorithm: 'fedavg', learningRate: 1, localEpochs: 1, localSteps: 1 }
  await expect(wrong({ rule: both })).rejects.toThrow('localEpochs is 1 and localSteps is 1; give one of the two')
  await expect(wrong({ model: { kind: 'linear', inputs: 9, outputs: 1 } })).rejects.toThrow(
    "the clients' records have 4 columns; the linear model reads 9",
  )
  await expect(roundsOf(smallSpec, { initial: new Float64Array(2) })).rejects.toThrow('the initial model has 2 values')
})

test('lossScale scales the gradient', async () => {
  const rule = { algorithm: 'fedsgd', learningRate: 0.1, share: 'gradient' } as const
  const [half] = await roundsOf({ ...smallSpec, rule, lossScale: 0.5 })
  const { grad } = functionsOf(createModel(smallSpec.model)).gradient(half!.global, smallRecords[0]!)
  const update = half!.updates.get('0')!
  if (update.kind !== 'gradient') throw new Error('a gradient was asked for')
  for (const [j, g] of update.grad.entries()) expect(g).toBeCloseTo(grad[j]! / 2, 12)
})
