import { expect, test } from 'vitest'
import { numberColumn, tableOf, wordColumn } from '../data/table.js'
import { rng } from '../numeric/random/rng.js'
import type { ScenarioInput } from '../scenario/scenario-schema.js'
import { memoryFolder } from '../transcript/memory-folder.js'
import { openTruth } from '../transcript/truth-file.js'
import { audit } from './audit.js'
import type { AuditDocument } from './document.js'
import { memoryPorts } from './memory-ports.js'

const n = 120

/** People of whom two things are to be predicted, as somebody's own CSV would hold them. */
function people() {
  const draw = rng(3)
  const [age, pay] = [draw.fork('age').normals(n), draw.fork('pay').normals(n)]
  const smokes = Array.from({ length: n }, (_, i) => (draw.fork('smokes', i).uniform() < 0.4 ? 'yes' : 'no'))
  const noise = draw.fork('noise').normals(2 * n)
  const on = (i: number): number => (smokes[i] === 'yes' ? 1 : 0)
  const charges = Array.from({ length: n }, (_, i) => 2 + age[i]! - pay[i]! + 3 * on(i) + 0.1 * noise[2 * i]!)
  const days = Array.from({ length: n }, (_, i) => 1 - 0.5 * age[i]! + 2 * on(i) + 0.1 * noise[2 * i + 1]!)
  return tableOf([
    numberColumn('age', age),
    numberColumn('pay', pay),
    wordColumn('smokes', smokes),
    numberColumn('charges', charges),
    numberColumn('days', days),
  ])
}

const scenario = (change: Partial<ScenarioInput> = {}): ScenarioInput => ({
  name: 'two',
  heldBack: 0,
  data: {
    name: 'csv',
    params: { file: 'people.csv', label: 'charges, days', sensitive: 'smokes', labelScale: 'none' },
  },
  partition: { name: 'iid', params: { clients: 4 } },
  models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [6], activation: 'tanh' }],
  training: { rounds: 12, learningRate: 0.1, batchSize: null },
  knowledge: { candidates: 12 },
  ...change,
})

async function run(subject: ScenarioInput) {
  const files = new Map<string, Uint8Array>()
  const reader = { table: async () => people(), bytes: () => Promise.reject(new Error('no bytes')) }
  const work = audit(subject, { ports: memoryPorts({ files, dataset: () => reader }) })
  for await (const _ of work);
  return { document: await work.result, files }
}

/** What became of the attacks; those refused with their reasons. */
function outcomesOf({ observers }: AuditDocument) {
  const all = observers.flatMap(({ attacks }) => attacks)
  const refused = new Map<string, string[]>()
  for (const { attack, status, why } of all) {
    if (status === 'not-applicable') refused.set(attack, [...(refused.get(attack) ?? []), why ?? ''])
  }
  return {
    failed: all.flatMap(({ attack, error }) => (error === undefined ? [] : [`${attack}: ${error.message}`])),
    claimed: all.filter(({ status }) => status === 'claimed'),
    refused,
  }
}

test('a dataset with two labels is trained, recorded, attacked and graded', async () => {
  const { document, files } = await run(scenario({ controls: false }))
  const folders = [...files.keys()].filter((path) => path.endsWith('/truth/truth.json'))
  expect(folders).toHaveLength(2)
  for (const path of folders) {
    const json = JSON.parse(new TextDecoder().decode(files.get(path)))
    expect(json.clients['0'].label).toEqual(['charges', 'days'])
    const truth = await openTruth(memoryFolder(files, path.slice(0, -'/truth.json'.length)))
    const own = (await truth.client('0'))!
    expect(own.columns).toEqual(['age', 'pay', 'smokes_yes'])
    expect(own.labels).toHaveLength(2 * own.features.rows)
  }
  expect(Object.values(document.utility).map(({ metric }) => metric)).toEqual(['R2', 'R2'])
  const { failed, claimed, refused } = outcomesOf(document)
  expect(failed).toEqual([])
  for (const model of ['linear', 'mlp-6']) {
    const of = claimed.filter((one) => one.model === model)
    const graded = new Set(of.flatMap(({ attack, findings }) => (findings[0]?.score === null ? [] : [attack])))
    for (const attack of [
      'last-returned',
      'lmra-mapping',
      'lmra-data',
      'lmra-active-adam',
      'membership-loss',
      'label-mean',
    ])
      expect(graded, `${model}: ${attack}`).toContain(attack)
    for (const attack of ['aia-model', 'aia-gradient', 'aia-linear', 'aia-linear-active']) {
      expect(graded).toContain(attack)
      for (const one of of.filter(({ attack: own }) => own === attack)) expect(one.findings[0]?.score?.value).toBe(1)
    }
  }
  const byMean = claimed.filter(({ attack }) => attack === 'label-mean')
  for (const { findings } of byMean) expect(findings[0]?.score?.also).toHaveProperty('auxiliaryMean')
  // The records and two labels each determine a linear model.
  const exact = claimed.find(({ attack, model }) => attack === 'lmra-data' && model === 'linear')
  expect(exact?.findings[0]?.score?.also.relativeError).toBeLessThan(1e-6)
  expect(refused.get('lmra-label')).toEqual(expect.arrayContaining([expect.stringContaining('has 2 outputs')]))
}, 120_000)

// Labels as they are: of two records of a linear model a gradient does not say which they are, so that dlg, which explains it to 1e-14
// either way, comes to rest at others among them when labels are standardised, and its control then misses the mark.
test('records and properties are found with two labels too', async () => {
  const { document } = await run(
    scenario({
      heldBack: 0,
      data: { ...scenario().data, auxiliary: 0.5 },
      partition: { name: 'iid', params: { clients: 6 } },
      models: [{ kind: 'linear' }],
      training: {
        rounds: 12,
        localSteps: 1,
        batchSize: 2,
        sampling: { name: 'fraction', params: { fraction: 0.5 } },
        misbehaving: { 2: { name: 'inversion' } },
      },
      knowledge: { candidates: 12, property: 'membership', holders: ['1'] },
      attacks: [
        ...['dlg', 'disaggregation', 'property-reg', 'contribution', 'free-rider'],
        ...['last-returned', 'lmra-data', 'membership-loss', 'aia-model', 'aia-gradient', 'aia-linear'],
      ],
      observers: ['server'],
    }),
  )
  const { failed, claimed, refused } = outcomesOf(document)
  expect(failed).toEqual([])
  expect(refused).toEqual(new Map())
  const wrong = (status: 'failed' | 'broken') =>
    claimed.flatMap(({ attack, controls }) => (controls?.planted.status === status ? [attack] : []))
  expect(wrong('failed')).toEqual([])
  // Twelve steps on two records each: a model that is sent back is no reconstruction; but those who find more hold the records.
  // What lmra-data builds on rehearses with draws by the place of a record: in another order so little evidence says otherwise.
  expect(wrong('broken')).toEqual(['lmra-data'])
  const [records] = claimed.filter(({ attack }) => attack === 'dlg')
  const { claim, score } = records!.findings[0]!
  expect(claim.kind === 'records' && [claim.features.length, claim.labels.length]).toEqual([2, 4])
  expect(score?.also.labelMAE).toBeGreaterThanOrEqual(0)
}, 120_000)

test('labels that cannot be are refused', async () => {
  const wrong = (params: object) =>
    run(scenario({ data: { name: 'csv', params: { ...scenario().data.params, ...params } } }))
  await expect(wrong({ label: 'charges, dais' })).rejects.toThrow('"dais"')
  await expect(wrong({ label: 'charges, charges' })).rejects.toThrow('labels charges, charges hold one twice; keep one')
  await expect(wrong({ task: 'classification' })).rejects.toThrow('a classification has one label')
  await expect(wrong({ columns: 'age, days' })).rejects.toThrow('the label "days" is also a feature')
})
