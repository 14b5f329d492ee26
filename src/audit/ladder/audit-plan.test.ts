import { describe, expect, test } from 'vitest'
import { normalQuantile } from '../../numeric/special/normal-quantile.js'
import { audit } from '../audit.js'
import { memoryPorts } from '../memory-ports.js'
import { readScenario } from '../read-scenario.js'
import { planAudit } from './audit-plan.js'

const small = {
  name: 'small',
  data: { name: 'toy-least-squares', params: { clients: 6, recordsPerClient: 20, numericColumns: 4 } },
  partition: { name: 'by-column' },
  models: [{ kind: 'linear' }],
  training: { rounds: 90, learningRate: 0.01, batchSize: 5 },
  attacks: ['last-returned'],
  observers: ['eavesdropper'],
  controls: false,
  repeats: 10,
  heldBack: 0.5,
}

/** A plan by a clock that tells these times of trials: to compile, of one round, of six. */
async function planOf(scenario: object, { cores = 2, trials = [1000, 20, 70] } = {}) {
  const times = trials.flatMap((milliseconds) => [0, milliseconds])
  let asked = 0
  const now = () => times[asked++ % times.length]!
  return planAudit(readScenario({ ...small, ...scenario }), { now, cores })
}

const twoClients = { knowledge: { targets: ['0', '1'] } }
const least = (level: number, variance: number, repeats: number) =>
  (normalQuantile(1 - level / 8) + normalQuantile(0.8)) * Math.sqrt(variance / repeats)

describe('a plan', () => {
  test('of one target, by hand', async () => {
    const plan = await planOf({})
    // Ten repeats with the target and ten without; of its 20 records 5 are kept for validation and as auxiliary data.
    expect(plan).toMatchObject({ repeats: 10, trainings: 20, records: { trained: 7, heldBack: 8 } })
    // A round takes (70 - 20) / 5 = 10 ms, what comes before it 10 ms: 0.91 s a training.
    expect(plan.seconds).toMatchObject({ trainings: expect.closeTo(20 * 0.91, 10), cores: 2 })
    // Weights and bias, 4 bytes each, of 6 clients in 90 rounds.
    expect(plan.bytes).toBe(20 * 4 * 90 * 6 * 6)
    const level = 0.05 / 3
    expect(plan.tests).toEqual([
      { name: 'claims about each record', candidates: 200, level, leastP: 1e-4, untested: null },
      { name: 'claims about a list', candidates: 2, level, leastP: 1 / 1024, untested: null },
      { name: 'whose messages are whose', candidates: 720, level, leastP: 1 / 720, untested: null },
    ])
    expect(plan.leastSeen.members).toBeCloseTo(least(level, 15 / (12 * 49), 10), 12)
    expect(plan.leastSeen.attribute).toBeCloseTo(least(level, 2 * (8 / (12 * 3.5 * 3.5)), 10), 12)
  })

  test('grows with models, targets and repeats', async () => {
    const one = await planOf({})
    const models = await planOf({ models: [{ kind: 'linear' }, { kind: 'linear', learningRate: 0.02 }] })
    expect(models.trainings).toBe(40)
    expect(models.bytes).toBe(2 * one.bytes)
    expect(models.attacks).toBe(2 * one.attacks)
    expect(models.seconds.trainings).toBeCloseTo(2 * one.seconds.trainings, 9)
    expect(models.seconds.attacks).toBeCloseTo(2 * one.seconds.attacks, 9)
    const targets = await planOf(twoClients)
    expect(targets.trainings).toBe(30)
    expect(targets.bytes).toBe(1.5 * one.bytes)
    const all = await planOf({ knowledge: { targets: 'all' }, repeats: 2 })
    expect(all.trainings).toBe(2 * (1 + 5)) // without each of the first five
    const twice = await planOf({ training: { ...small.training, rounds: 180 } })
    expect(twice.bytes).toBe(2 * one.bytes)
    expect(twice.seconds.attacks).toBeCloseTo(2 * one.seconds.attacks, 9)
    expect(twice.seconds.trainings).toBeCloseTo(20 * 1.81, 9)
  })

  test('of attacks tells their effort, on so many cores', async () => {
    const [two, four] = [await planOf({}), await planOf({}, { cores: 4 })]
    expect(four.seconds).toMatchObject({ attacks: two.seconds.attacks / 2, cores: 4 })
    // Ninety rounds are one and a half times the usual sixty, seven records not more than the usual fifty.
    const short = await planOf({ training: { ...small.training, rounds: 30 } })
    expect(two.seconds.attacks / short.seconds.attacks).toBeCloseTo(1.5, 12)
    const efforts = (short.seconds.attacks * 2) / 0.006
    expect(efforts).toBeCloseTo(Math.round(efforts), 9)
    const silent = await planOf({ attacks: ['aia-model'], observers: ['secagg-server'] })
    expect(silent.seconds.attacks).toBeLessThan(two.seconds.attacks)
  })

  test('times never below nothing, where the clock is coarse', async () => {
    expect((await planOf({}, { trials: [5, 20, 10] })).seconds.trainings).toBeCloseTo(20 * 0.02, 12)
    expect((await planOf({}, { trials: [5, 1, 101] })).seconds.trainings).toBeCloseTo(20 * 1.8, 12)
  })

  test('of a scenario that holds nothing back: one training, nothing compared', async () => {
    const plan = await planOf({ heldBack: 0 })
    expect(plan).toMatchObject({ repeats: 1, trainings: 1, records: { trained: 15, heldBack: 0 } })
  })

  test('of one repeat says what it is too few for', async () => {
    const { tests, leastSeen } = await planOf({ repeats: 1 })
    expect(tests.map(({ candidates, untested, leastP }) => [candidates, untested, leastP])).toEqual([
      [2000, null, 1 / 2000],
      [2, 'too few: it takes 6 repeats', 1 / 2],
      [720, null, 1 / 720],
    ])
    expect(tests.map(({ level }) => level)).toEqual([0.025, 0.025, 0.025])
    expect(leastSeen.members).toBeCloseTo(least(0.025, 15 / (12 * 49), 1), 12)
  })

  test('trains without a target only where somebody asks about one', async () => {
    expect(await planOf({ attacks: ['property-reg'] })).toMatchObject({ repeats: 10, trainings: 10 })
    expect(await planOf({ attacks: ['property-reg', 'last-returned'] })).toMatchObject({ repeats: 10, trainings: 20 })
  })

  test('of misbehaving clients counts who they could have been', async () => {
    const misbehaving = { 2: { name: 'inversion' }, 3: { name: 'inversion' } }
    const { tests } = await planOf({ training: { ...small.training, misbehaving } })
    expect(tests.find(({ name }) => name === 'who is guilty')).toMatchObject({ candidates: 10 }) // 2 of the 5 others
    const target = { 0: { name: 'inversion' } }
    const among = await planOf({ training: { ...small.training, misbehaving: target } })
    expect(among.tests.find(({ name }) => name === 'who is guilty')).toMatchObject({ candidates: 6 })
    const all = Object.fromEntries([1, 2, 3, 4, 5].map((id) => [id, { name: 'inversion' }]))
    const certain = await planOf({ training: { ...small.training, misbehaving: all } })
    expect(certain.tests.map(({ name }) => name)).not.toContain('who is guilty')
  })
})

describe('what is planned', () => {
  test('is what an audit then does', async () => {
    const scenario = { ...small, ...twoClients, repeats: 2, training: { ...small.training, rounds: 3 } }
    const plan = await planOf(scenario)
    const run = audit(scenario, { ports: memoryPorts() })
    let [trained, attacked] = [0, 0]
    for await (const event of run) {
      if (event.kind === 'training') trained = event.total
      if (event.kind === 'attacked') attacked = event.total
    }
    expect(plan).toMatchObject({ trainings: trained, attacks: attacked })
    expect(trained).toBe(6) // two repeats, each with all clients and without either target
  })

  test('takes memory for every thread, and for the messages that it keeps, in doubles, up to a limit', async () => {
    const bytes = 4 * 90 * 6 * 6
    expect((await planOf({})).memory).toBe(3 * 100e6 + 2 * 2 * 2 * bytes)
    expect((await planOf({}, { cores: 4 })).memory).toBe(5 * 100e6 + 4 * 2 * 2 * bytes)
    const many = await planOf({ training: { ...small.training, rounds: 1_500_000 } })
    expect(many.memory).toBe(3 * 100e6 + 2 * 2 * 256 * 1024 * 1024)
  })
})
