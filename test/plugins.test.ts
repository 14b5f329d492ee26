import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { audit, catalogue, memoryPorts, readScenario, scenarioJsonSchema } from 'overhear'
import { rng } from 'overhear/numeric'
import {
  claimed,
  defineAttack,
  defineDefence,
  defineObserver,
  definePartition,
  definePlugin,
  defineSampling,
  defineSetting,
  loadPlugins,
  number,
} from 'overhear/plugin'
import { afterAll, describe, expect, test } from 'vitest'
import plugin from './fixtures/one-of-each.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = join(root, 'test/fixtures/one-of-each.mjs')
const folder = mkdtempSync(join(tmpdir(), 'plugins-'))
afterAll(() => rmSync(folder, { recursive: true }))

const world = {
  name: 'one-of-each',
  heldBack: 0,
  data: { name: 'waves', params: { records: 80 } },
  partition: { name: 'every-other', params: { clients: 3 } },
  models: [{ kind: 'cubic' }, { kind: 'linear' }],
  training: {
    algorithm: 'patient',
    patience: 3,
    changeNorm: 0.125,
    rounds: 6,
    learningRate: 0.05,
    sampling: { name: 'one-in-turn' },
    misbehaving: { 2: { name: 'silent' } },
  },
  defences: [{ name: 'halved', params: { factor: 0.25 } }],
  observers: ['router'],
  attacks: [{ id: 'last-length', params: { times: 2 } }],
}

const overhear = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('node', ['bin/overhear.mjs', ...args], { cwd: root, encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('a plug-in with one of each kind', () => {
  test('is entered without a line elsewhere, and a scenario uses all of it', async () => {
    const run = audit(world as never, { ports: memoryPorts(), plugins: [plugin] })
    const { observers, plugins } = await run.result
    expect(plugins).toMatchObject([{ name: 'one-of-each', file: null }])
    const results = observers.flatMap(({ attacks }) => attacks)
    expect(observers.map(({ observer }) => observer)).toEqual(['router'])
    expect(results.map(({ attack, status, model }) => [attack, status, model])).toEqual([
      ['last-length', 'claimed', 'cubic'],
      ['last-length', 'claimed', 'linear'],
    ])
    // Shortened to an eighth, then a quarter of that, then doubled by the attack's parameter.
    const lengths = results.map(({ findings: [finding] }) => finding!.score!.value)
    expect(lengths[0]).toBeGreaterThan(0)
    for (const one of lengths) expect(one).toBeLessThanOrEqual(0.125 * 0.25 * 2 * (1 + 1e-9))
  })

  test('stands in lists with where it comes from, and in the schema with its parameters', async () => {
    await loadPlugins([plugin], memoryPorts())
    const own = { from: 'plug-in one-of-each' }
    expect(catalogue.attacks().find(({ id }) => id === 'last-length')).toMatchObject(own)
    expect(catalogue.datasets().find(({ id }) => id === 'waves')).toMatchObject(own)
    expect(catalogue.settings().find(({ id }) => id === 'training.changeNorm')).toMatchObject({
      ...own,
      manifest: 'protocol.changeNorm',
    })
    expect(catalogue.partitions().find(({ id }) => id === 'iid')).toMatchObject({ from: 'built in' })
    const text = JSON.stringify(scenarioJsonSchema())
    for (const word of ['waves', 'every-other', 'changeNorm', 'patience', 'halved', 'what a change is multiplied by']) {
      expect(text).toContain(word)
    }
  })

  test('says what is wrong with its parameters as the built-in ones do', async () => {
    await loadPlugins([plugin], memoryPorts())
    const wrong = (change: object) => () => readScenario({ ...world, ...change })
    expect(wrong({ data: { name: 'wavs' } })).toThrow('unknown dataset: "wavs" (did you mean "waves"?)')
    expect(wrong({ training: { ...world.training, changeNorm: 0 } })).toThrow('changeNorm is 0')
    expect(wrong({ defences: [{ name: 'halved', params: { factor: 0 } }] })).toThrow('a number above 0 is needed')
  })
})

describe('plug-ins from files', () => {
  const scenario = join(folder, 'world.json')
  writeFileSync(scenario, JSON.stringify({ ...world, plugins: [file] }))

  test('are named in a scenario, run in threads, and are part of the hash', () => {
    const run = (name: string, ...more: string[]) => {
      const out = join(folder, name)
      const { status, stdout, stderr } = overhear(
        ...['audit', scenario, '--json', '--quiet', '--out', out, '--trust-plugins'],
        ...more,
      )
      expect([status, stderr]).toEqual([0, ''])
      return JSON.parse(stdout) as { hash: string; plugins: { file: string; hash: string }[]; observers: unknown[] }
    }
    const audited = run('a')
    expect(audited.plugins).toMatchObject([{ name: 'one-of-each', file }])
    const manifest = JSON.parse(readFileSync(join(folder, 'a/0-cubic/transcript/transcript.json'), 'utf8'))
    expect(manifest).toMatchObject({ model: { kind: 'cubic' }, protocol: { algorithm: 'patient', changeNorm: 0.125 } })
    const changed = join(folder, 'changed.mjs')
    const text = readFileSync(file, 'utf8').replace(
      "from 'overhear/plugin'",
      `from '${root}dist/bundle/doors/plugin.js'`,
    )
    writeFileSync(changed, text)
    const { plugins: _, ...rest } = world as typeof world & { plugins?: unknown }
    writeFileSync(scenario, JSON.stringify({ ...rest, plugins: ['changed.mjs'] }))
    const other = run('b')
    expect(other.hash).not.toBe(audited.hash)
    expect(numbersOf(other.observers)).toEqual(numbersOf(audited.observers))
    expect(run('c', '--set', 'training.changeNorm=null').hash).not.toBe(other.hash)
  })

  test('come by --plugin for every command', () => {
    expect(overhear('list', 'attacks', '--trust-plugins', '--plugin', file).stdout).toContain(
      'last-length: The length of the last change that was heard (plug-in one-of-each)',
    )
    expect(overhear('list', 'attacks').stdout).not.toContain('last-length')
    expect(overhear('schema', 'scenario', '--trust-plugins', '--plugin', file).stdout).toContain('"waves"')
    expect(overhear('data', 'waves', '--trust-plugins', '--plugin', file).status).toBe(0)
  })

  test.each([
    ['there is none', 'nowhere.mjs', undefined, 'plug-in nowhere.mjs: there is no such file'],
    ['it does not parse', 'bad.mjs', 'export default {', 'could not be loaded'],
    ['it exports nothing', 'empty.mjs', 'export const x = 1', 'brings nothing; its default export must be a plug-in'],
    ['it has an unknown list', 'list.mjs', 'export default { name: "x", attack: [] }', 'did you mean "attacks"?'],
    ['an entry is half', 'half.mjs', 'export default { name: "x", attacks: [{ id: "a" }] }', 'lacks id, title, params'],
  ])('are refused where %s', (_, name, text, words) => {
    const path = text === undefined ? name : join(folder, name)
    if (text !== undefined) writeFileSync(path, text)
    const { status, stderr } = overhear('list', 'attacks', '--plugin', path)
    expect(stderr).toContain(words)
    expect(status).toBe(2)
  })
})

test('a name that is taken is refused, and says by whom', async () => {
  const mine = definePlugin({ name: 'mine', attacks: [{ ...plugin.attacks![0]!, id: 'dlg' }] })
  await expect(loadPlugins([mine], memoryPorts())).rejects.toThrow(
    'plug-in mine brings an attack "dlg", which there is already (built in)',
  )
})

describe('slips in what an entry says are refused when it is loaded', () => {
  const [attack] = plugin.attacks!
  const [rule] = plugin.localRules!
  const loading = (brought: object) => loadPlugins([{ name: 'slip', ...brought } as never], memoryPorts())

  test.each<[string, object, string]>([
    ['needs', { attacks: [{ ...attack, id: 'slip', needs: ['exchange'] }] }, 'unknown key in needs of attack slip'],
    ['uses', { attacks: [{ ...attack, id: 'slip', uses: ['sample'] }] }, 'did you mean "samples"?'],
    ['target', { attacks: [{ ...attack, id: 'slip', target: 'own-nothing' }] }, 'unknown metric: "own-nothing"'],
    ['obeys', { localRules: [{ ...rule, id: 'slip', obeys: ['momentums'] }] }, 'did you mean "momentum"?'],
    [
      'hears',
      { observers: [defineObserver({ id: 'slip', title: '', line: 'one', heardIn: [], hears: ['sums' as never] })] },
      'unknown key in hears of observer slip: "sums"',
    ],
    [
      'the place of a setting',
      { settings: [defineSetting({ id: 'defences.slip', value: number({ default: 1, doc: '' }), obeyedBy: '' })] },
      'setting defences.slip stands where nothing reads it',
    ],
  ])('%s', async (_, brought, words) => {
    await expect(loading(brought)).rejects.toThrow(words)
  })

  test('an attack without controls', () => {
    const half = { id: 'half', title: '', target: 'model', needs: [], params: {}, run: () => claimed([]) }
    expect(() => defineAttack(half as never)).toThrow("attack half has no plant; a function that makes the control's")
  })
})

type Call = () => never

describe('what a plug-in throws is told as its own', () => {
  const broken = definePlugin({
    name: 'broken',
    attacks: [
      defineAttack({
        id: 'broken-attack',
        title: 'throws',
        target: 'model',
        needs: [],
        params: {},
        run: () => (undefined as never as Call)(),
        plant: { none: '' },
        shuffle: { none: '' },
      }),
    ],
    defences: [
      defineDefence({ id: 'forgets', title: '', params: {}, create: () => ({ turn: () => undefined as never }) }),
      defineDefence({
        id: 'cuts',
        title: '',
        params: {},
        create: () => ({ turn: () => ({ kind: 'delta', dTheta: new Float64Array(1) }) }),
      }),
      defineDefence({
        id: 'throws',
        title: '',
        params: {},
        create: () => ({ turn: () => (undefined as never as Call)() }),
      }),
    ],
    partitions: [
      definePartition({ id: 'twice', title: '', params: {}, deal: ({ rows }) => ({ clients: [rows, rows] }) }),
      definePartition({ id: 'strange', title: '', params: {}, deal: () => ({ clients: [[1e6]] }) }),
    ],
    samplings: [
      defineSampling({ id: 'beyond', title: '', params: {}, prepare: () => () => [7] }),
      defineSampling({ id: 'same', title: '', params: {}, prepare: () => () => [1, 0, 1] }),
      defineSampling({
        id: 'throwing',
        title: '',
        params: {},
        prepare: () => {
          throw new RangeError('no')
        },
      }),
    ],
  })
  const { training, ...rest } = world
  const audited = (change: object) =>
    audit({ ...rest, training, ...change } as never, { ports: memoryPorts(), plugins: [plugin, broken] }).result

  test('an attack fails, and the audit goes on', async () => {
    const { observers } = await audited({ models: [{ kind: 'linear' }], attacks: ['broken-attack', 'last-length'] })
    const results = observers.flatMap(({ attacks }) => attacks)
    expect(results.map(({ status }) => status)).toEqual(['failed', 'claimed'])
    expect(results[0]!.error!.message).toMatch(
      /^plug-in broken, attack broken-attack threw TypeError: .* \(plugins\.test\.ts:\d+:\d+\)$/,
    )
  })

  test.each([
    [{ defences: [{ name: 'forgets' }] }, /^round 0, client "0", defence forgets: what was returned is no update; the/],
    [{ defences: [{ name: 'cuts' }] }, /defence cuts: what was returned is an update of 1 values; the model has \d/],
    [{ defences: [{ name: 'throws' }] }, /^plug-in broken, defence throws threw TypeError/],
    [{ partition: { name: 'twice' } }, /^partition twice deals row \d+ twice/],
    [{ partition: { name: 'strange' } }, /^partition strange deals row 1000000 which is not among those to deal/],
    [{ training: { ...training, sampling: { name: 'beyond' } } }, /^sampling beyond asks client 7 in round 0; clients/],
    [{ training: { ...training, sampling: { name: 'same' } } }, /^sampling same asks client 1 twice in round 0/],
    [
      { training: { ...training, sampling: { name: 'throwing' } } },
      /^plug-in broken, sampling throwing threw RangeError/,
    ],
  ])('%j', async (change, words) => {
    await expect(audited(change)).rejects.toThrow(words)
  })
})

test('what every entry of a kind has need not be said', async () => {
  expect(Object.keys(plugin.misbehaviours![0]!.params)).toEqual(['prob'])
  expect(plugin.misbehaviours![0]!.remembers).toBe(false)
  expect(plugin.defences![0]!.create({ factor: 1 }).name).toBe('halved')
  const { name, sensitive } = await plugin.datasets![0]!.load({ rng: rng(1) })
  expect([name, sensitive]).toEqual(['waves', ['b']])
})

test('an object cannot go to threads, and the error says what to do', async () => {
  const { nodePorts } = await import('overhear/node')
  await expect(loadPlugins([plugin], nodePorts())).rejects.toThrow('give the path of its file')
})

/** Every number in plain data but those that depend on the clock. */
function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => (key === 'millis' ? [] : numbersOf(one)))
}
