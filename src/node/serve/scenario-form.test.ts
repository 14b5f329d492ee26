import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { besideIt, checkScenario, parseYaml, readText, withoutAuto } from '../files/scenario-file.js'
import { checked, described, edited, fileOf, readForPage } from './scenario-form.js'

const plain = { data: { name: 'toy-least-squares' }, models: [{ kind: 'linear' }] }

describe('the form', () => {
  const { fields, tables } = described()
  const field = (id: string) => fields.find(({ path }) => path.join('.') === id)!

  test('has a field for what a number, a word, a list or an entry can be', () => {
    expect(field('training.rounds').control).toMatchObject({ kind: 'number', whole: true, min: 0, max: null })
    expect(field('training.batchSize').orNull).not.toBeNull()
    expect(field('training.rounds').orNull).toBeNull()
    expect(field('data.name').control).toEqual({ kind: 'entry', table: 'dataset', nameAt: ['data', 'name'], paramsAt: ['data', 'params'] }) // biome-ignore format: a line
    expect(field('partition').control).toEqual({ kind: 'entry', table: 'partition', nameAt: ['partition', 'name'], paramsAt: ['partition', 'params'] }) // biome-ignore format: a line
    expect(field('defences').control).toEqual({ kind: 'entries', table: 'defence', nameKey: 'name', paramsKey: 'params' }) // biome-ignore format: a line
    expect(field('models').control).toEqual({ kind: 'entries', table: 'model', nameKey: 'kind', paramsKey: null })
    expect(fields.every(({ path, doc }) => path.length > 0 && doc !== '')).toBe(true)
    expect(fields.some(({ path }) => path.join('.') === 'data.params')).toBe(false)
    expect(fields.filter(({ unit }) => unit !== null).length).toBeGreaterThan(0)
  })

  test('has the tables that its fields name, and the attacks', () => {
    const named = fields.flatMap(({ control }) => ('table' in control && control.table !== null ? [control.table] : []))
    expect(Object.keys(tables).sort()).toEqual([...new Set([...named, 'attack'])].sort())
    expect(tables.dataset!.find(({ id }) => id === 'toy-least-squares')!.params).toHaveProperty('recordsPerClient')
  })
})

describe('a text', () => {
  test('is read as an audit would', () => {
    expect(checked('data: {name: toy-least-squares}\nmodels: [{kind: linear}]')).toEqual({ values: plain, error: null })
    expect(checked('data: {name: nothing}\nmodels: [{kind: linear}]').error).toMatch(/nothing/)
    expect(checked('a: [').values).toBeNull()
    expect(checked('').error).not.toBeNull()
  })

  test('names no code and no file of the machine', () => {
    expect(() => readForPage({ ...plain, plugins: ['x.mjs'] })).toThrow('the scenario names plug-ins')
    expect(() => readForPage({ ...plain, plugins: 'x.mjs' })).toThrow('the scenario names plug-ins')
    expect(readForPage({ ...plain, plugins: [] }).data.name).toBe('toy-least-squares')
    const file = (name: string) => ({ ...plain, data: { name: 'csv', params: { file: name, label: 'y' } } })
    expect(() => readForPage(file('../x.csv'))).toThrow('data.params.file is "../x.csv", which is no uploaded file')
    expect(fileOf(readForPage(file('x.csv')))).toBe('x.csv')
    expect(fileOf(readForPage(plain))).toBeNull()
    expect(fileOf({ data: { params: { file: '' } } } as never)).toBeNull()
  })
})

describe('an edit', () => {
  const yaml = 'seed: 3 # mine\ndata:\n  name: toy-least-squares # theirs\nmodels:\n  - kind: linear\n'
  const put = (path: (string | number)[], value: unknown, text = yaml) => edited({ yaml: text, edits: [{ path, value }] } as never) // biome-ignore format: a line

  test('changes a value and keeps the rest, comments too', () => {
    expect(put(['seed'], 4)).toMatchObject({ yaml: yaml.replace('3', '4'), error: null })
    expect(put(['seed'], undefined).yaml).toBe(yaml.replace('seed: 3 # mine\n', ''))
    expect(put(['training', 'rounds'], 7).yaml).toBe(`${yaml}training:\n  rounds: 7\n`)
    expect(put(['models', 0, 'kind'], 'mlp').yaml).toBe(yaml.replace('kind: linear', 'kind: mlp'))
    expect(put(['defences', 0, 'name'], 'clip').yaml).toBe(`${yaml}defences:\n  - name: clip\n`)
    expect(put(['partition'], { name: 'iid' }).values).toMatchObject({ partition: { name: 'iid' } })
    expect(put(['training', 'batchSize'], null).values).toMatchObject({ training: { batchSize: null } })
    expect(put(['partition', 'name'], 'iid', `${yaml}partition: other\n`).values).toMatchObject({ partition: { name: 'iid' } }) // biome-ignore format: a line
  })

  test('of a text that is none, or says something else there, changes nothing', () => {
    expect(put(['seed'], 4, 'a: [')).toMatchObject({ yaml: 'a: [', values: null })
    const list = put(['seed', 'x'], 1, 'seed: [1]\n')
    expect(list).toMatchObject({ yaml: 'seed: [1]\n', error: 'seed.x cannot be set in what the text says' })
  })

  test('of a text that names what stands nowhere says so, and so does one that takes away what is named', () => {
    const alias = 'seed: 3\ndata: { name: *ad }\n'
    expect(put(['seed'], 4, alias)).toMatchObject({ yaml: alias, values: null, error: expect.stringContaining('ad') })
    expect(edited({ yaml: alias, edits: [] }).error).toContain('ad')
    const named = 'seed: &s 3\nrepeats: *s\n'
    const error = 'seed cannot be set in what the text says'
    expect(put(['seed'], undefined, named)).toMatchObject({ yaml: named, values: { seed: 3, repeats: 3 }, error })
  })
})

// What the form is read by, and scenarios in files.
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
