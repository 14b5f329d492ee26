import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { AuditPorts } from '../../audit/ports.js'
import { inlinePool } from '../../federation/pool.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import {
  besideIt,
  checkScenario,
  loadScenario,
  parseYaml,
  readText,
  scenarioFrom,
  withoutAuto,
} from './scenario-file.js'

const root = mkdtempSync(join(tmpdir(), 'overhear-scenario-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const write = (name: string, text: string) => {
  writeFileSync(join(root, name), text)
  return join(root, name)
}

describe('a text', () => {
  test('is read from a file', () => {
    expect(readText(write('a.yaml', 'name: a\n'))).toBe('name: a\n')
    const hint = 'give a scenario in YAML; "overhear audit --help" shows one'
    expect(() => readText(join(root, 'none.yaml'))).toThrow(`${join(root, 'none.yaml')}: there is no such file; ${hint}`)
    expect(() => readText(root)).toThrow(`${root} is a folder; a scenario in YAML is needed`)
    expect(() => readText(join(root, 'a.yaml/b'))).toThrow(/a\.yaml\/b: ENOTDIR.*; give a scenario in YAML/)
  }) // biome-ignore format: lines

  test('is YAML with at least one setting', () => {
    expect(parseYaml('a: [1, x]', 'f')).toEqual({ a: [1, 'x'] })
    expect(parseYaml('0', 'f')).toBe(0)
    expect(() => parseYaml(' \n', 'f')).toThrow('f is empty; a scenario is needed; "overhear audit --help" shows one')
    expect(() => parseYaml('# nothing\n', 'f')).toThrow('f is without any setting; a scenario is needed')
    expect(() => parseYaml('name: [', 'f')).toThrow(/^f: [^\n]+; the file is not YAML that can be read$/)
  })
})

describe('the word auto', () => {
  const rate = 'training.learningRate'

  test('is in no scenario that says a rate, and settings are what they were', () => {
    const json = { training: { learningRate: 0.1 }, models: [{ kind: 'mlp', learningRate: 0.2 }] }
    expect(withoutAuto(json, { seed: '3' })).toEqual({ json, set: { seed: '3' }, auto: undefined })
    expect(withoutAuto(json, { [rate]: '0.5' })).toEqual({ json, set: { [rate]: '0.5' }, auto: undefined })
    for (const odd of [null, 3, 'auto', { training: 'auto', models: 'auto' }, { models: [null, 'auto'] }])
      expect(withoutAuto(odd, {})).toEqual({ json: odd, set: {}, auto: undefined })
  })

  test('in the training asks for all rates', () => {
    const json = { name: 'a', training: { rounds: 3, learningRate: 'auto' }, models: [{ kind: 'mlp', learningRate: 0.2 }] } // biome-ignore format: a line
    const bare = { ...json, training: { rounds: 3 } }
    expect(withoutAuto(json, {})).toEqual({ json: bare, set: {}, auto: 'all' })
    expect(withoutAuto({ training: { learningRate: 'auto' } }, {})).toEqual({ json: { training: {} }, set: {}, auto: 'all' }) // biome-ignore format: a line
    // A setting stands in for it, either way.
    expect(withoutAuto(bare, { [rate]: 'auto', seed: '1' })).toEqual({ json: bare, set: { seed: '1' }, auto: 'all' })
    expect(withoutAuto(json, { [rate]: '0.5' })).toEqual({ json, set: { [rate]: '0.5' }, auto: undefined })
    expect(withoutAuto({}, { [rate]: 'auto' })).toEqual({ json: { training: {} }, set: {}, auto: 'all' })
  })

  test('in a model asks for its rate', () => {
    const training = { learningRate: 0.1 }
    const models = [{ kind: 'a', learningRate: 'auto' }, { kind: 'b', learningRate: 1 }, { kind: 'c', learningRate: 'auto' }] // biome-ignore format: a line
    const bare = [{ kind: 'a' }, { kind: 'b', learningRate: 1 }, { kind: 'c' }]
    expect(withoutAuto({ training, models }, {})).toEqual({
      json: { training, models: bare },
      set: {},
      auto: new Set([0, 2]),
    })
    expect(withoutAuto({ models }, { [rate]: '0.5' })).toEqual({ json: { models: bare }, set: { [rate]: '0.5' }, auto: new Set([0, 2]) }) // biome-ignore format: a line
    expect(withoutAuto({ training: { learningRate: 'auto' }, models }, {})).toEqual({ json: { training: {}, models: bare }, set: {}, auto: 'all' }) // biome-ignore format: a line
  })

  test('is no fault of a scenario that is checked', () => {
    const data = { name: 'cps-wages', rows: 20 }
    const { training } = checkScenario({ data, models: [{ kind: 'linear' }], training: { learningRate: 'auto', rounds: 3 } }, 'w') // biome-ignore format: a line
    expect(training.rounds).toBe(3)
    expect(() => checkScenario({ training: { rounds: -1 } }, 'the file')).toThrow('the file')
  })
})

test("a dataset's file is the one beside the scenario, where there is one", () => {
  write('t.csv', 'a\n1\n')
  const scenario = (file: unknown) => ({ name: 's', data: { name: 'csv', params: { file, label: 'a' } } }) as unknown as Scenario // biome-ignore format: a line
  const at = join(root, 'my.yaml')
  expect(besideIt(scenario('t.csv'), at)).toEqual(scenario(join(root, 't.csv')))
  for (const other of ['none.csv', '', join(root, 't.csv'), 3, undefined]) {
    const given = scenario(other)
    expect(besideIt(given, at)).toBe(given)
  }
})

describe('a scenario', () => {
  const tiny = {
    name: 'tiny',
    data: { name: 'toy-least-squares', params: { clients: 2, recordsPerClient: 20, numericColumns: 2 } },
    partition: { name: 'by-column' },
    models: [{ kind: 'linear' }],
  }
  const asked: string[] = []
  const ports = {
    plugins: {
      load: async (file: string) => {
        asked.push(file)
        return { plugin: { name: `p${asked.length}` }, hash: 'h', file }
      },
    },
    files: {},
    threads: { clients: (spec: never, population: never) => inlinePool(spec, { population }) },
  } as unknown as AuditPorts

  test('has its plug-ins beside it, which are loaded after those that are given besides', async () => {
    const path = write('plugged.yaml', JSON.stringify({ ...tiny, plugins: ['own.mjs', '/abs.mjs'] }))
    const read = await loadScenario(path, { ports, plugins: ['given.mjs'] })
    expect(asked).toEqual(['given.mjs', join(root, 'own.mjs'), '/abs.mjs'])
    expect(read.plugins).toEqual([join(root, 'own.mjs'), '/abs.mjs'])
    asked.length = 0
    await expect(scenarioFrom({ ...tiny, plugins: [3, 'own.mjs'] }, path, { ports })).rejects.toThrow('plugins')
    expect(asked).toEqual([join(root, 'own.mjs')])
    await expect(scenarioFrom({ ...tiny, plugins: 'own.mjs' }, path, { ports })).rejects.toThrow('plugins')
  })

  test('says which rates were found for it, unless it is to be quiet', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
    try {
      const auto = { ...tiny, training: { rounds: 2, learningRate: 'auto' } }
      const { training } = await scenarioFrom(auto, 'f', { ports, quiet: true })
      expect(write.mock.calls).toEqual([])
      await scenarioFrom(auto, 'f', { ports })
      expect(write.mock.calls).toEqual([[expect.stringMatching(/^learningRate: auto found linear [\d.e-]+\n$/)]])
      expect(training.rounds).toBe(2)
      write.mockClear()
      await scenarioFrom(tiny, 'f', { ports })
      expect(write.mock.calls).toEqual([])
    } finally {
      write.mockRestore()
    }
  })
})
