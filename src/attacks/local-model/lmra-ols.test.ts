import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../test/attack-context.js'
import {
  type LinearOptions,
  linearFederation,
  localTurn,
  protocolOf,
  relativeError,
  seriesOf,
  truthOf,
  viewOf,
} from '../../../test/linear-federation.js'
import { rng } from '../../numeric/random/rng.js'
import type { Claimed, Outcome } from '../attack.js'
import { lmraOls } from './lmra-ols.js'

const noisy = (more: LinearOptions = {}) =>
  linearFederation({
    d: 6,
    clients: 6,
    taking: 3,
    records: 128,
    rounds: 500,
    batchSize: 32,
    learningRate: 0.02,
    noiseStd: 0.5,
    ...more,
  })
const world = noisy()
const view = viewOf(world)
const last = world.exchanges.at(-1)!.update as { theta: Float64Array }

const errorOf = (outcome: Outcome, optimum = world.optimum) => relativeError(only(outcome, 'model').theta, optimum)
const details = (outcome: Outcome) => (outcome as Claimed).details as Record<string, number>

test('noise is averaged out: far nearer to the optimum than the last returned model', async () => {
  const outcome = await attackOn(lmraOls, view)
  expect(errorOf(outcome)).toBeLessThan(0.02)
  expect(errorOf(outcome)).toBeLessThan(0.2 * relativeError(last.theta, world.optimum))
  expect(details(outcome)).toMatchObject({ form: 'direct', select: 'all', rank: 6, used: world.exchanges.length })
  expect((outcome as Claimed).warnings).toEqual([])
})

test.each(['direct', 'inverse', 'tls'])('the estimated error of form %s covers the true one', async (form) => {
  for (const seed of [1, 2, 3, 4]) {
    const one = noisy({ seed })
    const outcome = await attackOn(lmraOls, viewOf(one), { params: { form } })
    expect(errorOf(outcome, one.optimum)).toBeLessThan(4 * details(outcome).errorEstimate!)
  }
})

describe('a protocol that is not what was stated', () => {
  const { protocol: _, ...rest } = viewOf(linearFederation({ d: 6, clients: 6, taking: 3, rounds: 120 }))

  test('a rate that falls unseen: batches would not leave the same behind turn after turn', async () => {
    const stream = rng(9)
    const { clients, exchanges } = linearFederation({ d: 6, clients: 6, taking: 3, rounds: 120 })
    const falling = exchanges.map((one, i) => {
      const theta = localTurn(one.received!, clients[0]!, { learningRate: 0.1 / (1 + i / 10), order: stream })
      return { ...one, learningRate: 0.1, update: { kind: 'parameters' as const, theta } }
    })
    const heard = { ...rest, exchanges: seriesOf(falling) }
    const batches = { ...heard, protocol: protocolOf({ batchSize: 32 }) }
    const outcome = (await attackOn(lmraOls, batches)) as Claimed
    expect(only(outcome, 'model').fit!.p).toBeLessThan(1e-3)
    expect(outcome.warnings.join()).toContain(
      'or not the same one in all rounds (a changed rate); no error can be told',
    )
    expect(outcome.details).toMatchObject({ errorEstimate: null, trustedDigits: null })
    const exact = (await attackOn(lmraOls, { ...heard, protocol: protocolOf({}) })) as Claimed
    expect(only(exact, 'model').fit).toMatchObject({ p: 0 })
  })

  test('batches that were stated leave nothing alike', async () => {
    for (const seed of [1, 2, 3, 4]) {
      const outcome = await attackOn(lmraOls, viewOf(noisy({ seed })))
      const { misfit, expected, p } = only(outcome, 'model').fit!
      expect(p).toBeGreaterThan(0.01)
      expect(misfit / expected).toBeGreaterThan(0.5)
      expect(misfit / expected).toBeLessThan(2)
    }
  })
})

test('form=auto takes one of the three and says how each did on held-out messages', async () => {
  const outcome = await attackOn(lmraOls, view, { params: { form: 'auto' } })
  const { form, heldOutMiss } = details(outcome) as unknown as { form: string; heldOutMiss: Record<string, number> }
  expect(Object.keys(heldOutMiss)).toEqual(['direct', 'inverse', 'tls'])
  expect(heldOutMiss[form]).toBe(Math.min(...Object.values(heldOutMiss)))
  const separate = await attackOn(lmraOls, view, { params: { form } })
  expect(only(outcome, 'model')).toEqual(only(separate, 'model'))
})

test('form=auto with too few messages to hold any out is the direct form', async () => {
  const outcome = await attackOn(lmraOls, viewOf(world, 8), { params: { form: 'auto' } })
  expect(details(outcome)).toMatchObject({ form: 'direct' })
  expect(details(outcome).heldOutMiss).toBeUndefined()
})

test('d + 1 chosen messages: condition beats random draws and leaves the rest to tell the noise', async () => {
  const condition = await attackOn(lmraOls, view, { params: { select: 'condition' } })
  const random = await attackOn(lmraOls, view, { params: { select: 'random', draws: 3000 } })
  for (const outcome of [condition, random]) {
    expect(details(outcome)).toMatchObject({ used: 7 })
    expect((details(outcome) as unknown as { rounds: number[] }).rounds).toHaveLength(7)
    expect(errorOf(outcome)).toBeLessThan(4 * details(outcome).errorEstimate!)
    expect(details(outcome).fromNoise).toBeGreaterThan(10 * details(outcome).fromRounding!)
  }
  expect(details(condition).condition).toBeLessThanOrEqual(details(random).condition!)
  const again = await attackOn(lmraOls, view, { params: { select: 'random', draws: 3000 } })
  expect(again).toEqual(random)
})

test('weights=round finds out which rounds are noisy', async () => {
  // Noise that grows a hundredfold with the rounds, on messages that would be exact.
  const exact = noisy({ batchSize: null, perturb: 0.3, rounds: 200 })
  const draws = rng(5)
  const exchanges = exact.exchanges.map((one, i, all) => {
    const theta = (one.update as { theta: Float64Array }).theta
    const std = 1e-4 * 100 ** (i / all.length)
    return { ...one, update: { kind: 'parameters' as const, theta: theta.map((x) => x + draws.normal({ std })) } }
  })
  const heard = { ...viewOf(exact), exchanges: seriesOf(exchanges) }
  const equal = await attackOn(lmraOls, heard)
  const weighted = await attackOn(lmraOls, heard, { params: { weights: 'round' } })
  expect(errorOf(weighted, exact.optimum)).toBeLessThan(0.3 * errorOf(equal, exact.optimum))
  expect(errorOf(weighted, exact.optimum)).toBeLessThan(4 * details(weighted).errorEstimate!)
  const few = (await attackOn(lmraOls, viewOf(exact, 9), { params: { weights: 'round' } })) as Claimed
  expect(few.details).toMatchObject({ weights: 'equal' })
  expect(few.warnings.join()).toContain('weights=round was not applied')
})

describe('what the messages cannot say', () => {
  test.each([1, 6])('%d messages of 6 parameters: not applicable', async (rounds) => {
    expect(await attackOn(lmraOls, viewOf(world, rounds))).toMatchObject({
      status: 'not-applicable',
      missing: ['7 messages'],
    })
  })

  test.each(['direct', 'inverse', 'tls'])('identical messages: not applicable (%s)', async (form) => {
    const exchanges = Array.from({ length: 9 }, (_, round) => ({ ...world.exchanges[0]!, round }))
    const outcome = await attackOn(lmraOls, { ...view, exchanges: seriesOf(exchanges) }, { params: { form } })
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['messages that differ'] })
  })

  /** Twelve rounds in which the client gets one model, or gives one update, while the other side differs. */
  const halfConstant = (what: 'models' | 'updates') => {
    const exchanges = world.exchanges.slice(0, 12).map((one) => {
      const { theta } = one.update as { theta: Float64Array }
      // Halves and quarters, so that what is taken off again is off without rounding.
      const received =
        what === 'models' ? new Float64Array(6).fill(0.5) : one.received!.map((x) => Math.round(64 * x) / 64)
      const moved = what === 'models' ? theta : received.map((x) => x - 0.25)
      return { ...one, received, update: { kind: 'parameters' as const, theta: moved } }
    })
    return { ...view, exchanges: seriesOf(exchanges) }
  }

  test.each([
    ['direct', 'models', 'the models sent in all 12 messages are identical'],
    ['tls', 'models', 'the models sent in all 12 messages are identical'],
    ['inverse', 'updates', 'the updates in all 12 messages are identical'],
  ] as const)('%s: %s that never change leave nothing to regress on', async (form, what, why) => {
    expect(await attackOn(lmraOls, halfConstant(what), { params: { form } })).toMatchObject({
      status: 'not-applicable',
      missing: ['messages that differ'],
      why,
    })
  })

  test.each([
    ['inverse', 'models'],
    ['direct', 'updates'],
  ] as const)('%s: %s may stay the same, for it regresses on the others', async (form, what) => {
    const outcome = (await attackOn(lmraOls, halfConstant(what), { params: { form } })) as Claimed
    expect(outcome).toMatchObject({ status: 'claimed', details: { rank: 6 } })
    // A client whose updates never change has no optimum; of the map's infinite condition 15 digits were said.
    if (what === 'updates') expect(outcome.details).toMatchObject({ trustedDigits: 0, errorEstimate: null })
  })

  test('d + 1 noisy messages: their noise is told by the map that is not symmetric', async () => {
    const outcome = (await attackOn(lmraOls, viewOf(world, 7))) as Claimed
    expect(outcome.details).toMatchObject({ checkedBy: 'symmetry' })
    expect(errorOf(outcome)).toBeLessThan(3 * details(outcome).errorEstimate!)
  })

  test('d + 1 messages of two parameters: nothing tells the noise, and no digits are told', async () => {
    const small = linearFederation({ d: 2, clients: 5, taking: 3, rounds: 12, batchSize: 20 })
    const outcome = (await attackOn(lmraOls, viewOf(small, 3))) as Claimed
    expect(outcome.details).toMatchObject({ trustedDigits: null, errorEstimate: null, fromNoise: null })
    expect(outcome.warnings.join()).toContain('leave nothing to measure its noise by')
  })

  test('the toy of aia B.2: a warning with rank and condition, and no trusted digit', async () => {
    const toy = linearFederation({ d: 11, toy: true, records: 1024, rounds: 300 })
    const outcome = (await attackOn(lmraOls, viewOf(toy))) as Claimed
    expect(outcome.warnings[0]).toMatch(/singular to working precision: the 300 messages tell \d+ of 11 directions/)
    expect(outcome.details).toMatchObject({ trustedDigits: 0, errorEstimate: null }) // the directions not seen have none
    const total = await attackOn(lmraOls, viewOf(toy), { params: { form: 'tls' } })
    expect(total).toMatchObject({ status: 'not-applicable', missing: ['affinely independent models'] })
    const auto = await attackOn(lmraOls, viewOf(toy), { params: { form: 'auto' } })
    expect(only(auto, 'model')).toEqual(only(outcome, 'model'))
    expect([...only(outcome, 'model').theta].every(Number.isFinite)).toBe(true)
  })

  test('a model whose steps are not affine: a first approximation, and said so', async () => {
    const model = { kind: 'logistic', inputs: 5, outputs: 1, bias: true }
    const outcome = (await attackOn(lmraOls, { ...view, model, loss: 'binary-cross-entropy' })) as Claimed
    expect(outcome.warnings[0]).toContain('no affine map')
    const opaque = (await attackOn(lmraOls, { ...view, model: { kind: 'opaque' } })) as Claimed
    expect(opaque.warnings[0]).toContain('opaque')
  })
})

describe('controls', () => {
  const truth = truthOf(world)
  test('a planted optimum is found', async () => {
    const input = { view: viewOf(world, 3), params: {}, truth, rng: rng(3) }
    const planted = await (lmraOls.plant as Exclude<typeof lmraOls.plant, { none: string }>)(input)
    expect(errorOf(await lmraOls.run(planted.view, contextFor()))).toBeLessThan(1e-9)
  })
  test('shuffled coordinates hide it', async () => {
    const input = { view, params: {}, rng: rng(3) }
    const shuffled = await (lmraOls.shuffle as Exclude<typeof lmraOls.shuffle, { none: string }>)(input)
    expect(errorOf(await lmraOls.run(shuffled.view, contextFor()))).toBeGreaterThan(0.5)
  })
})

test.each([
  [13, /not applied: 13 messages/],
  [14, undefined],
])('weights by round need twice as many messages as a map: %i of them', async (count, told) => {
  const outcome = (await attackOn(lmraOls, viewOf(world, count), { params: { weights: 'round' } })) as Claimed
  const said = outcome.warnings.filter((one) => one.startsWith('weights=round'))
  expect(said).toHaveLength(told === undefined ? 0 : 1)
  if (told !== undefined) expect(said[0]).toMatch(told)
})

test('as many messages as parameters are too few, one more is enough', async () => {
  expect(await attackOn(lmraOls, viewOf(world, 6))).toMatchObject({ status: 'not-applicable', missing: ['7 messages'] })
  expect(await attackOn(lmraOls, viewOf(world, 7))).toMatchObject({ status: 'claimed', details: { used: 7 } })
})
