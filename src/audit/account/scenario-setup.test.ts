import { describe, expect, test } from 'vitest'
import { OverhearError } from '../../errors.js'
import type { AuditFiles } from '../ports.js'
import { readScenario } from '../read-scenario.js'
import { scenarioSetup } from './scenario-setup.js'

const raw = { as: 'written' }
const scenario = (training: object = {}, more: object = {}) =>
  readScenario({
    ...{ data: { name: 'cps-wages', rows: 60 }, partition: { name: 'iid', params: { clients: 3 } }, heldBack: 0 },
    models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [4] }],
    training: { rounds: 5, batchSize: 16, ...training },
    ...more,
  })
const setup = (...of: Parameters<typeof scenario>) => scenarioSetup(scenario(...of), { raw })
/** A machine on which reading the dataset ends so. */
const failing = (error: Error) =>
  scenarioSetup(scenario({}, { data: { name: 'csv', params: { file: 'x.csv', label: 'y' } } }), {
    raw,
    files: {
      dataset: () => ({ table: () => Promise.reject(error), bytes: () => Promise.reject(error) }),
    } as unknown as AuditFiles,
  })

test('what a scenario says of its training, with its first model', async () => {
  expect(await setup({ dropLast: true })).toMatchObject({
    ...{ from: 'scenario', rounds: 5, participants: null, privacy: null, secureAggregation: false, raw },
    ...{ batchSize: 16, localEpochs: 1, localSteps: null, dropLast: true, share: 'parameters' },
    ...{ model: { kind: 'linear', parameters: 16 }, loss: 'mse' },
  })
  expect((await setup()).clients.map(({ id, turns }) => [id, turns])).toEqual([['0', 5], ['1', 5], ['2', 5]]) // biome-ignore format: pairs
  expect(await setup({ localEpochs: 3 })).toMatchObject({ localEpochs: 3, localSteps: null })
  expect(await setup({ localSteps: 7 })).toMatchObject({ localEpochs: null, localSteps: 7 })
})

test('what its defences state: the first that states noise, and sums where one of them is secure', async () => {
  const defences = (...list: object[]) => setup({}, { defences: list })
  const sums = { name: 'secure-aggregation' }
  const noise = { name: 'dp-sgd', params: { noiseMultiplier: 1.5, sampleRate: 0.1, delta: 1e-4 } }
  expect(await defences(sums)).toMatchObject({ secureAggregation: true, privacy: null })
  expect(await defences(noise)).toMatchObject({ secureAggregation: false, privacy: { mechanism: 'dp-sgd', noiseMultiplier: 1.5, sampleRate: 0.1, delta: 1e-4 } }) // biome-ignore format: a line
  expect(await defences(noise, sums)).toMatchObject({ secureAggregation: true, privacy: { mechanism: 'dp-sgd' } })
})

describe('who takes part', () => {
  const planned = async (rounds: string, training: object = {}) =>
    (await setup({ sampling: { name: 'schedule', params: { rounds } }, ...training })).participants

  test('is known where it is written down, over and over', async () => {
    expect(await planned('0,1;2;1,2')).toEqual([['0', '1'], ['2'], ['1', '2'], ['0', '1'], ['2']])
  })

  test('and not where clients vanish, where one of them is nobody, or where it is drawn', async () => {
    expect(await planned('0,1;2', { dropouts: 0.1 })).toBeNull()
    expect(await planned('0,1;9')).toBeNull()
    expect((await setup({ sampling: { name: 'fraction', params: { fraction: 0.5 } } })).participants).toBeNull()
  })
})

test('data that are not on this machine leave one client of unknown size; what else goes wrong is told', async () => {
  const absent = await failing(new OverhearError('E_INPUT', 'no such file'))
  expect(absent.clients).toEqual([{ id: '*', records: null, turns: 5 }])
  expect([absent.model, absent.loss]).toEqual([{ kind: 'linear', parameters: 0 }, ''])
  await expect(failing(new OverhearError('E_SHAPE', 'no table'))).rejects.toThrow('no table')
  await expect(failing(new TypeError('a fault'))).rejects.toThrow('a fault')
})
