import { describe, expect, test } from 'vitest'
import { adviceText } from '../../report/advice-text.js'
import { scenarioSetup } from '../account/scenario-setup.js'
import { clientsSpent } from '../account/spent.js'
import { memoryPorts } from '../memory-ports.js'
import { readScenario } from '../read-scenario.js'
import { advise } from './advise.js'
import type { AdviseEvent } from './attempts.js'
import { typicalGradient } from './gradient-size.js'
import { whatIfs } from './what-ifs/index.js'

const world = {
  name: 'small',
  seed: 3,
  repeats: 2,
  data: { name: 'cps-wages', params: { wage: 'log' }, rows: 200, auxiliary: 0.2 },
  partition: { name: 'iid', params: { clients: 5 } },
  models: [{ kind: 'linear', learningRate: 0.1 }],
  training: { rounds: 8, localEpochs: 2, batchSize: null, sampling: { name: 'fraction', params: { fraction: 0.8 } } },
  knowledge: { targets: ['0'], sensitive: ['union'], candidates: 20 },
  observers: ['server'],
  attacks: ['last-returned', 'membership-loss', 'model-oracle'],
} as const

/** Files in memory, and a clock that counts what it is asked. */
function ports(tick = 0) {
  let now = 0
  return { portsFor: () => memoryPorts(), now: () => (now += tick) }
}

async function collected(run: ReturnType<typeof advise>) {
  const events: AdviseEvent[] = []
  for await (const event of run) events.push(event)
  return { events, advice: await run.result }
}

describe('advice', () => {
  test('every change is tried, what a secure sum hides is closed, and the cheapest that keeps to the target is named', async () => {
    const { events, advice } = await collected(advise(world, { ports: ports(), target: 0.05 }))
    const { asItIs, recommended, tried, refused, complete } = advice
    expect(complete).toBe(true)
    expect(refused).toEqual([])
    expect(asItIs.worst!.size).toBeGreaterThan(0.05)
    const sums = tried.find(({ id }) => id === 'secure-sums')!
    expect(sums.worst).toMatchObject({ closed: true, size: 0 })
    expect(sums.sure).toBe(1)
    expect(recommended).toBe('secure-sums')
    expect(advice.confirmation).toMatchObject({ id: 'secure-sums', open: [], worst: { closed: true } })
    expect(advice.unconfirmed).toEqual([])
    expect(events.filter(({ kind }) => kind === 'confirmed')).toHaveLength(1)
    expect(advice.front[0]).toBeDefined()
    const noisy = tried.find(({ id }) => id === 'epsilon-1-norm-1')!
    expect(noisy.epsilon!.epsilon.upper).toBeCloseTo(1, 2)
    expect(tried.map(({ id }) => id)).toContain('rounds-1')
    expect(events.filter(({ kind }) => kind === 'tried')).toHaveLength(tried.length)
    // What an audit is not judged by is not run.
    expect(advice.scenario).toMatchObject({ controls: false, attacks: ['last-returned', 'membership-loss'] })
    const text = adviceText(advice)
    expect(text).toMatch(
      /^do this: aggregate securely, against a server that may do what it likes\. as it is: the worst/,
    )
    expect(text).toContain('nobody has what it takes to ask any of it')
    expect(text.replace(/\s+/g, ' ')).toContain('on other deals, nobody has')
  }, 120_000)

  test('when the time is over, the best so far is told', async () => {
    const { advice } = await collected(advise(world, { ports: ports(1000), budget: 20, target: 0.05 }))
    expect(advice.complete).toBe(false)
    expect(advice.tried.length).toBeGreaterThanOrEqual(2)
    expect(advice.tried.length).toBeLessThan(10)
    expect(adviceText(advice)).toContain('not everything was tried')
  }, 60_000)

  test('a change that does not fit the world is refused, and the others are tried', async () => {
    const two = {
      ...world,
      partition: { name: 'iid', params: { clients: 2 } },
      training: { ...world.training, sampling: { name: 'all' } },
    }
    const { advice } = await collected(advise(two, { ports: ports(1000), budget: 30 }))
    expect(advice.refused.map(({ id }) => id)).toContain('secure-sums')
    expect(adviceText(advice)).toContain('cannot be done here: secure-sums')
  }, 60_000)

  test('a target that is none', async () => {
    for (const target of [0, 1, 1.5, Number.NaN])
      await expect(advise(world, { ports: ports(), target }).result).rejects.toThrow(`a target of ${target}; it lies between 0 and 1`) // biome-ignore format: a line
  })
})

describe('what-ifs', () => {
  const scenario = readScenario(world)
  const gradientOf = async () => 2
  const setupOf = (one: typeof scenario) => scenarioSetup(one, { raw: {} })

  test('each change makes a scenario that can be read, and is not offered twice', async () => {
    for (const { id, changes } of whatIfs) {
      for (const change of changes(scenario, { setupOf, gradientOf })) {
        const changed = await change.apply(scenario)
        expect(readScenario(changed), `${id}: ${change.id}`).toEqual(changed)
        expect(change.id).toMatch(/^[a-z0-9.-]+$/)
      }
    }
    const safe = readScenario({
      ...world,
      training: { rounds: 1, compression: { name: 'top-k' }, batchSize: 8 },
      defences: [{ name: 'secure-aggregation' }, { name: 'dp-sgd' }],
    })
    const left = whatIfs.flatMap(({ changes }) => changes(safe, { setupOf, gradientOf })).map(({ id }) => id)
    expect(left).toEqual(['half-as-many'])
  })

  test('noise for a target keeps to it, whatever the batches', async () => {
    const steps = whatIfs.find(({ id }) => id === 'private-steps')!
    for (const batchSize of [null, 8]) {
      const from = readScenario({ ...world, training: { ...world.training, batchSize } })
      const [change] = steps.changes(from, { setupOf, gradientOf }).filter(({ id }) => id === 'epsilon-10-norm-10')
      const changed = await change!.apply(from)
      expect(changed.defences[0]!.params).toMatchObject({ maxNorm: 20 })
      const [worst] = clientsSpent(await setupOf(changed))
      expect(worst!.epsilon.upper).toBeLessThanOrEqual(10.01)
      expect(worst!.epsilon.upper).toBeGreaterThan(8)
    }
  })

  test.each([
    ['distributed-dp', { sampling: { name: 'all' } }],
    ['local-dp', { sampling: { name: 'fraction', params: { fraction: 0.3 } } }],
  ])('a client is hidden by %s, and the target kept', async (name, training) => {
    const from = readScenario({ ...world, training: { ...world.training, ...training } })
    const clients = whatIfs.find(({ id }) => id === 'private-clients')!
    for (const [i, epsilon] of [10, 1].entries()) {
      const changed = await clients.changes(from, { setupOf, gradientOf })[i]!.apply(from)
      expect(changed.defences.map((one) => one.name)).toEqual([name])
      const [worst] = clientsSpent(await setupOf(readScenario(changed)))
      expect(worst!.epsilon.upper).toBeLessThanOrEqual(1.01 * epsilon)
      expect(worst!.epsilon.upper).toBeGreaterThan(0.8 * epsilon)
    }
  })

  test('everybody in every round: a secure sum without one of them is refused where clients vanish', async () => {
    const participation = whatIfs.find(({ id }) => id === 'participation')!
    const secure = (dropouts: number, params = {}) =>
      readScenario({
        ...world,
        training: { ...world.training, dropouts },
        defences: [{ name: 'secure-aggregation', params }],
      })
    const changedOf = async (from: ReturnType<typeof secure>) => {
      const [everybody] = participation.changes(from, { setupOf, gradientOf })
      const { training, defences } = await everybody!.apply(from)
      return { words: everybody!.words, sampling: training.sampling.name, params: defences[0]!.params }
    }
    const words = 'let every client take part in every round'
    expect(await changedOf(secure(0.1))).toEqual({
      words: `${words}, and sum nothing where one is missing`,
      sampling: 'all',
      params: { least: 5 },
    })
    expect(await changedOf(secure(0))).toEqual({ words, sampling: 'all', params: {} })
    const curious = { server: 'honest-but-curious' }
    expect((await changedOf(secure(0.1, curious))).params).toEqual(curious)
  })

  test('a usual gradient is one of rows that nobody trains on, and of its own scale', async () => {
    const { files } = memoryPorts()
    const held = readScenario({ ...world, data: { ...world.data, validation: 0.2 } })
    const usual = await typicalGradient(held, files)
    expect(usual).toBeGreaterThan(0.1)
    expect(usual).toBeLessThan(100)
    // Errors are multiplied by the scale of the loss, and so are gradients.
    const scaled = { ...held, training: { ...held.training, lossScale: 1000 } }
    expect((await typicalGradient(scaled, files)) / usual).toBeCloseTo(1000, -2)
    expect(await typicalGradient(readScenario({ ...world, data: { ...world.data, validation: 0 } }), files)).toBe(1)
  })
})
