import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { besideIt, checkScenario, parseYaml, readText, withoutAuto } from './scenario-file.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the word that asks for a search', () => {
  const linear = { kind: 'linear' }
  test('is taken out of the training, of models, and of settings', () => {
    const json = { seed: 1, training: { rounds: 3, learningRate: 'auto' }, models: [linear] }
    expect(withoutAuto(json, { x: '1' })).toEqual({
      json: { seed: 1, training: { rounds: 3 }, models: [linear] },
      set: { x: '1' },
      auto: 'all',
    })
    const one = { training: { learningRate: 0.5 }, models: [linear, { kind: 'mlp', learningRate: 'auto' }] }
    expect(withoutAuto(one, {})).toEqual({
      json: { training: { learningRate: 0.5 }, models: [linear, { kind: 'mlp' }] },
      set: {},
      auto: new Set([1]),
    })
    expect(withoutAuto({ models: [linear] }, { 'training.learningRate': 'auto' })).toEqual({
      json: { models: [linear], training: {} },
      set: {},
      auto: 'all',
    })
    expect(withoutAuto({ models: [{ ...linear, learningRate: 'auto' }] }, {}).json).toEqual({ models: [linear] })
    expect(withoutAuto({ training: { learningRate: 'auto' } }, {}).json).toEqual({ training: {} })
  })

  test('is not there', () => {
    const json = { training: { learningRate: 0.1 }, models: [{ ...linear, learningRate: 0.2 }] }
    expect(withoutAuto(json, { a: '1' })).toEqual({ json, set: { a: '1' }, auto: undefined })
    const set = { 'training.learningRate': '0.3', a: '1' }
    expect(withoutAuto(json, set)).toEqual({ json, set, auto: undefined })
    const asked = withoutAuto({ training: { learningRate: 'auto' }, models: 'none' }, set)
    expect(asked).toMatchObject({ set, auto: undefined })
    expect(withoutAuto(null, {})).toEqual({ json: null, set: {}, auto: undefined })
  })

  test('and the rest is checked', () => {
    const plain = { data: { name: 'toy-least-squares' }, models: [linear], training: { learningRate: 'auto' } }
    expect(checkScenario(plain, 'here').models).toEqual([linear])
    expect(() => checkScenario({ ...plain, sed: 1 }, 'here')).toThrow(/here.*sed/)
  })
})

test('a file of data that lies beside the scenario is named from here', () => {
  writeFileSync(join(folder, 'x.csv'), '')
  const named = (file: unknown) => besideIt({ data: { name: 'csv', params: { file, label: 'y' } } } as never, join(folder, 's.yaml')).data.params // biome-ignore format: a line
  expect(named('x.csv')).toEqual({ file: join(folder, 'x.csv'), label: 'y' })
  expect(named('not-here.csv')).toEqual({ file: 'not-here.csv', label: 'y' })
  expect(named(join(folder, 'x.csv'))).toEqual({ file: join(folder, 'x.csv'), label: 'y' })
  expect(named('')).toEqual({ file: '', label: 'y' })
  expect(named(3)).toEqual({ file: 3, label: 'y' })
})

test('what is no scenario says why', () => {
  expect(() => readText(join(folder, 'no.yaml'))).toThrow('no.yaml: there is no such file')
  expect(() => readText(folder)).toThrow(/a scenario in YAML/)
  expect(() => parseYaml('a: [', 'f')).toThrow(/^f: /)
  expect(() => parseYaml(' \n', 'f')).toThrow('f is empty')
  expect(() => parseYaml('# words', 'f')).toThrow('f is without any setting')
  expect(parseYaml('a: 1', 'f')).toEqual({ a: 1 })
})
