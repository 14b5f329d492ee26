import { expect, test } from 'vitest'
import { numberColumn, tableOf } from '../../data/table.js'
import { rng } from '../../numeric/random/rng.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { audit } from '../audit.js'
import { memoryPorts } from '../memory-ports.js'

const n = 60

/** People one of whom has so large a value that whoever trains on it diverges at all but the smallest rates. */
function people() {
  const draw = rng(5)
  const age = draw.fork('age').normals(n)
  age[0] = 1e3
  const noise = draw.fork('noise').normals(n)
  const cost = age.map((x, i) => (i === 0 ? 0 : x) + 0.1 * noise[i]!)
  return tableOf([numberColumn('age', age), numberColumn('cost', cost)])
}

const scenario = (seed: number): ScenarioInput => ({
  name: 'outlier',
  seed,
  repeats: 4,
  heldBack: 0.5,
  data: { name: 'csv', params: { file: 'people.csv', label: 'cost' }, validation: 0.1 },
  partition: { name: 'iid', params: { clients: 4 } },
  models: [
    { kind: 'linear', learningRate: 0.5 },
    { kind: 'linear', learningRate: 0.01 },
  ],
  training: { rounds: 30, localEpochs: 4, batchSize: null },
  knowledge: { candidates: 10 },
  observers: ['eavesdropper'],
  attacks: ['membership-loss'],
})

async function run(seed: number) {
  const reader = { table: async () => people(), bytes: () => Promise.reject(new Error('no bytes')) }
  const work = audit(scenario(seed), { ports: memoryPorts({ dataset: () => reader }) })
  const remarks: string[] = []
  for await (const event of work) if (event.kind === 'remark') remarks.push(event.text)
  return { ...(await work.result), remarks }
}

test('a model that diverges in a later training is not tested, and the others are', async () => {
  const { questions, diverged, remarks, verdict } = await run(2)
  const why = expect.stringMatching(
    /^training 2 of 4, round 13, client "3": training diverged: .*lower the learning rate/,
  )
  expect(diverged).toEqual({ linear: why })
  expect(remarks).toContain(`not tested: ${diverged.linear}`)
  const [first, second] = questions
  expect(first).toMatchObject({ model: 'linear', level: 'not-tested', notTested: why, test: { record: null } })
  expect(second).toMatchObject({ model: 'linear#2', notTested: null })
  expect(second!.test.record!.repeats).toBe(4)
  expect(verdict).toMatchObject({ tested: 1, notTested: 1 })
})

test('a model that diverges in the first training ends the audit', async () => {
  await expect(run(1)).rejects.toMatchObject({ code: 'E_NON_FINITE' })
})
