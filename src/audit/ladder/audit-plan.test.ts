import { expect, test } from 'vitest'
import { planText } from '../../report/plan-text.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { audit } from '../audit.js'
import { memoryPorts } from '../memory-ports.js'
import { readScenario } from '../read-scenario.js'
import { planAudit } from './audit-plan.js'

const scenario: ScenarioInput = {
  name: 'planned',
  repeats: 3,
  heldBack: 0.5,
  data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.2 },
  partition: { name: 'iid', params: { clients: 5 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 4, batchSize: null, learningRate: 0.1 },
  knowledge: { candidates: 20, targets: ['0', '1'] },
  observers: ['eavesdropper'],
  attacks: ['last-returned', 'membership-loss'],
}

/** A clock on which every look takes a second. */
const ticking = () => {
  let now = 0
  return () => (now += 1000)
}

test('what is planned is what an audit then does', async () => {
  const plan = await planAudit(readScenario(scenario), { now: ticking(), cores: 2 })
  const run = audit(scenario, { ports: memoryPorts() })
  let [trained, attacked] = [0, 0]
  for await (const event of run) {
    if (event.kind === 'training') trained = event.total
    if (event.kind === 'attacked') attacked = event.total
  }
  expect(plan).toMatchObject({ repeats: 3, trainings: trained, attacks: attacked })
  expect(trained).toBe(9) // three repeats, each with all clients and without either target
  const { questions } = await run.result
  const tested = questions.filter(({ kind }) => kind === 'members').map(({ test }) => test.record!.repeats)
  expect(tested).toEqual([3, 3])
})

test('swaps need five trainings, relabellings one: a plan says so beforehand', async () => {
  const few = await planAudit(readScenario({ ...scenario, repeats: 1 }), { now: ticking(), cores: 1 })
  const untested = few.tests.map(({ name, untested }) => [name, untested !== null])
  expect(untested).toContainEqual(['claims about a list', true])
  expect(untested).toContainEqual(['claims about each record', false])
  const many = await planAudit(readScenario({ ...scenario, repeats: 10 }), { now: ticking(), cores: 1 })
  expect(many.tests.every(({ untested }) => untested === null)).toBe(true)
  expect(many.leastSeen.members).toBeLessThan(few.leastSeen.members)
})

test('memory grows with the threads and with the messages, up to what a thread keeps', async () => {
  const at = async (cores: number, rounds: number): Promise<number> => {
    const training = { ...scenario.training, rounds }
    return (await planAudit(readScenario({ ...scenario, training }), { now: ticking(), cores })).memory
  }
  expect(await at(2, 4)).toBeGreaterThan(300e6)
  expect(await at(4, 4)).toBeGreaterThan(500e6)
  expect(await at(2, 8)).toBeGreaterThan(await at(2, 4))
})

test('a terminal shows every part of a plan', async () => {
  const plan = await planAudit(readScenario(scenario), { now: ticking(), cores: 2 })
  const text = planText({ ...plan, memory: 1.3e9, bytes: 2500 })
  expect(text).toContain('trainings: 9 (3 repeats)')
  expect(text).toContain('at most 3 kB of messages')
  expect(text).toContain('memory: about 1300 MB')
  expect(text).toMatch(/claims about a list: 2 answers a training, least p 0\.125, held to .* - nothing: too few/)
})
