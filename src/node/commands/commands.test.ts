import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DatasetEntry } from '../../data/dataset-entry.js'
import { datasets } from '../../data/index.js'
import { find } from '../../registry.js'
import { main } from '../cli.js'
import type { FileState } from '../files/dataset-files.js'
import { version } from '../version.js'
import { defined, settings, wholeNumber } from './arguments.js'
import { datasetState } from './data-command.js'

const printed = vi.hoisted(() => vi.fn())
vi.mock('../print.js', () => ({
  print: async (text: string) => printed(text),
  printJson: async (value: unknown) => printed(JSON.stringify(value)),
}))
const complained = vi.spyOn(console, 'error').mockImplementation(() => {})
const folder = mkdtempSync(join(tmpdir(), 'overhear-commands-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  printed.mockClear()
  complained.mockClear()
})

/** The exit code of a command, and what it printed. */
async function run(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const before = [printed.mock.calls.length, complained.mock.calls.length] as const
  const status = await main(args)
  const said = (calls: readonly unknown[][], from: number) =>
    calls
      .slice(from)
      .map(([text]) => String(text))
      .join('\n')
  return { status, out: said(printed.mock.calls, before[0]), err: said(complained.mock.calls, before[1]) }
}

describe('help', () => {
  test.each([
    [[], 2],
    [['--help'], 0],
    [['-h'], 0],
    [['help'], 0],
  ])('%j lists every command', async (args, code) => {
    const { status, out } = await run(...args)
    expect(status).toBe(code)
    expect(out).toMatch(/^overhear: what does/)
    for (const name of ['audit', 'simulate', 'attack', 'bench', 'data', 'list', 'schema'])
      expect(out).toMatch(new RegExp(`^ {2}overhear ${name} `, 'm'))
  })

  test.each(['--help', '-h'])('of one command by %s', async (flag) => {
    const simulate = await run('simulate', 'x.yaml', flag)
    expect(simulate.status).toBe(0)
    expect(simulate.out).toMatch(/^write DIR\/transcript.*\n\n {2}overhear simulate SCENARIO\.yaml.*\n\nEverywhere: /)
    expect((await run('audit', flag)).out).toContain(readFileSync('scenarios/default.yaml', 'utf8'))
  })

  test.each(['--version', '-v'])('%s', async (flag) => {
    expect(await run(flag)).toEqual({ status: 0, out: version, err: '' })
  })
})

describe('what is wrong is exit code 2, with what to do', () => {
  test.each([
    [['lists'], /^overhear: unknown command: "lists" \(did you mean "list"\?\)/],
    [['list'], /^overhear: list of what\?; known: attacks, /],
    [['list', 'atacks'], /did you mean "attacks"/],
    [['list', 'attacks', 'datasets'], /unexpected argument "datasets"/],
    [['list', 'attacks', '--jsn'], /unknown option '--jsn'; see "overhear --help"/],
    [['schema'], /the schema of what\?; known: scenario, transcript, knowledge, truth/],
    [['data', 'adlt'], /did you mean "adult"/],
    [['attack'], /attack with what\?; see "overhear list attacks"/],
    [['attack', 'lmra-ols'], /there is no recording to attack; give --transcript DIR/],
    [['attack', 'lmra-ols', '--set', 'x'], /--set is "x"; name=value is needed/],
    [['attack', 'prolin', '--set', 'pairs=3'], /pairs is "3"/],
    [['simulate', 'x.yaml'], /there is no folder to write to; give --out DIR/],
    [['simulate', 'x.yaml', '--out', '.'], /\. is not empty; give --resume/],
    [['simulate', 'x.yaml', '--out', 'no-such', '--workers', '0'], /--workers is "0"; a whole number from 1 is needed/],
    [['audit', '--seeds', '3'], /--seeds was given; an audit trains --repeats N times/],
    [['audit', 'x.yaml', '--transcript', 'run'], /both a scenario \(x\.yaml\) and --transcript were given/],
    [['audit', '--transcript', 'run', '--set', 'seed=1'], /--set was given with --transcript/],
    [['audit', '--transcript', 'run', '--repeats', '2'], /--repeats was given with --transcript/],
    [['audit', '--transcript', 'run', '--plan'], /--plan was given with --transcript/],
    [['audit', '--fail-on', 'nobody.record>0'], /nobody/],
    [['audit', '--fail-on', 'attribute'], /attribute/],
    [['audit', '--seed', '-1'], /--seed is "-1"; a whole number from 0 is needed|argument is ambiguous/],
    [['audit', '--repeats', 'two'], /--repeats is "two"; a whole number from 1 is needed/],
  ])('%j', async (args, message) => {
    const { status, out, err } = await run(...args)
    expect(err).toMatch(message)
    expect([status, out]).toEqual([2, ''])
  })
})

describe('arguments', () => {
  test('are whole numbers from 1, a seed from 0', () => {
    expect(wholeNumber('workers', undefined)).toBeUndefined()
    expect(wholeNumber('workers', '1')).toBe(1)
    expect(wholeNumber('seed', '0')).toBe(0)
    for (const text of ['0', '-1', '1.5', '', ' ', 'x', '1e99'])
      expect(() => wholeNumber('workers', text)).toThrow(`--workers is "${text}"`)
    expect(() => wholeNumber('seed', '-1')).toThrow('from 0')
  })

  test('are name=value, split at the first sign', () => {
    expect(settings(['a=1', 'b.c=x=y', 'd='])).toEqual({ a: '1', 'b.c': 'x=y', d: '' })
    expect(settings([])).toEqual({})
    for (const text of ['a', '=1']) expect(() => settings([text])).toThrow(`--set is "${text}"`)
  })

  test('that are undefined have no key', () => {
    expect(Object.keys(defined({ a: 1, b: undefined, c: null, d: false }))).toEqual(['a', 'c', 'd'])
  })
})

describe('lists', () => {
  test('say of an attack its paper, marks, needs and parameters', async () => {
    const { out } = await run('list', 'attacks')
    const json = JSON.parse((await run('list', 'attacks', '--json')).out) as { id: string; observers: string[] }[]
    expect(out.match(/^\S.*$/gm)).toHaveLength(json.length)
    expect(out).toMatch(/^aia-linear: .*\[\w+\].*\n {4}needs exchanges, target, records, .*; for eavesdropper, /m)
    expect(out).toMatch(/^\S+: .*\(oracle.*\)$/m)
    expect(out).toMatch(/^\S+: .*beyond the papers\)$/m)
    expect(out).toMatch(/^ {4}pairs = \d+: /m)
    expect(out).toMatch(/^ {4}\w+ = \w+ \(\w+\|.*\): /m)
  })

  test('say of a setting its default and who obeys it', async () => {
    const { out } = await run('list', 'settings')
    expect(out).toMatch(/^training\.batchSize: .*\n {4}= 32; obeyed by .*; in a recording: protocol\.batchSize$/m)
    expect(out).toMatch(/^knowledge\.targets: .*\n {4}= \["0"\]; obeyed by [^;]*$/m)
  })
})

describe('schemas', () => {
  test.each(['scenario', 'transcript', 'knowledge', 'truth'])('%s', async (name) => {
    expect(JSON.parse((await run('schema', name)).out)).toMatchObject({ $schema: expect.any(String), type: 'object' })
  })
})

describe('data', () => {
  const empty = mkdtempSync(join(folder, 'data-'))
  const word = async (id: string) =>
    new RegExp(`^${id} +(\\S+( \\S+)?) {2,}`, 'm').exec((await run('data', '--data-dir', empty)).out)?.[1]

  test("inside, of one's own, missing, changed", async () => {
    vi.stubEnv('OVERHEAR_DATA', empty)
    try {
      expect(await word('cps-wages')).toBe('inside')
      expect(await word('toy-least-squares')).toBe('inside')
      expect(await word('csv')).toBe('yours')
      const state = await datasetState(find<DatasetEntry>(datasets, 'adult'), { dataDir: empty })
      expect(state).toMatchObject({ origin: 'files', obtain: expect.any(String) })
      const missing = state.files.filter((one) => one.state === 'missing').length
      const expected = missing === 0 ? 'whole' : missing === state.files.length ? 'missing' : 'part missing'
      expect([await word('adult'), state.ready]).toEqual([expected, missing === 0])
      const [{ file }] = state.files as [FileState]
      mkdirSync(dirname(join(empty, file)), { recursive: true })
      writeFileSync(join(empty, file), 'nonsense')
      expect(await word('adult')).toBe('changed')
      const told = (await run('data', 'adult', '--data-dir', empty)).out
      expect(told).toMatch(new RegExp(`^${file} +changed +${join(empty, file)}$`, 'm'))
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('of one dataset in words or as JSON', async () => {
    expect((await run('data', 'cps-wages')).out).toMatch(/^cps-wages: .*\nIt is inside the package: nothing to get\.$/)
    expect((await run('data', 'toy-least-squares')).out).toMatch(/\nIt is generated from the seed: nothing to get\.$/)
    expect((await run('data', 'csv')).out).toMatch(/\nName it by "file": from here, or in one of\n {2}\//)
    expect((await run('data', 'adult')).out).toMatch(/\n\nLooked for in\n {2}\S+.*\n\nfile +state +found at\n/s)
    expect(JSON.parse((await run('data', 'csv', '--json')).out)).toMatchObject({ id: 'csv', ready: null, files: [] })
    const inside = { id: 'cps-wages', ready: true, folders: [], files: [], obtain: null }
    expect(JSON.parse((await run('data', 'cps-wages', '--json')).out)).toMatchObject(inside)
  })
})

describe('a simulation', () => {
  const path = join(folder, 'tiny.yaml')
  writeFileSync(
    path,
    `name: tiny
data: { name: toy-least-squares, params: { clients: 3, recordsPerClient: 30, numericColumns: 3 } }
partition: { name: by-column }
models: [{ kind: linear }]
training: { rounds: 9, learningRate: 0.05, batchSize: null }
attacks: [last-returned]
`,
  )

  test('is written, told of, taken up and attacked', async () => {
    const out = join(folder, 'run')
    const first = await run('simulate', path, '--out', out, '--quiet', '--json', '--set', 'training.rounds=8')
    expect([first.status, first.err]).toEqual([0, ''])
    const told = JSON.parse(first.out)
    expect(told).toMatchObject({
      scenario: { name: 'tiny', training: { rounds: 8 } },
      runs: [{ model: 'linear', rounds: 8 }],
    })
    expect(told.runs[0].folder).toBe(out)
    expect(readdirSync(out)).toEqual(expect.arrayContaining(['knowledge.json', 'transcript', 'truth']))
    expect((await run('simulate', path, '--out', out)).err).toMatch(/is not empty; give --resume/)
    const again = await run('simulate', path, '--out', out, '--resume', '--quiet', '--set', 'training.rounds=8')
    expect(again.out).toMatch(/^model +rounds +held-out loss +folder\n[- ]+\nlinear +8 +[\d.]+ +\S+run$/)
    const seeded = await run('simulate', path, '--out', join(folder, 'other'), '--quiet', '--json', '--seed', '5')
    expect(JSON.parse(seeded.out).scenario.seed).toBe(5)

    const files = ['--transcript', join(out, 'transcript'), '--knowledge', join(out, 'knowledge.json')]
    const graded = await run('attack', 'last-returned', ...files, '--truth', join(out, 'truth'), '--json', '--quiet')
    expect(graded.status).toBe(0)
    const result = JSON.parse(graded.out)
    expect(result).toMatchObject({ attack: 'last-returned', status: 'claimed', observer: 'eavesdropper', target: '0' })
    expect(result.findings[0].score).toMatchObject({ metric: 'loss' })
    const words = await run('attack', 'last-returned', ...files, '--observer', 'server')
    expect(words.out).toContain('last-returned')
    expect((await run('attack', 'last-returned', ...files, '--observer', 'sever')).err).toContain(
      'did you mean "server"',
    )
  })

  test('is planned before it runs', async () => {
    const { status, out } = await run('audit', path, '--plan', '--repeats', '2', '--set', 'training.rounds=4')
    expect(status).toBe(0)
    // With and without the client, twice, and the three that leaks are planted in.
    expect(out).toMatch(/^trainings: 7 \(2 repeats\), about \d+ s; at most \d+ kB of messages$/m)
    const json = JSON.parse((await run('audit', path, '--plan', '--json', '--repeats', '3')).out)
    expect(json).toMatchObject({ repeats: 3, trainings: 9 })
  })
})
