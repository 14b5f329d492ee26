import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { documentWith, questionWith, resultWith } from '../../../test/audit-results.js'
import type { AuditEvent, AuditOptions, AuditSubject } from '../../audit/audit.js'
import type { AuditDocument } from '../../audit/document.js'
import { running } from '../../scenario/running.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { NodePortsOptions } from '../node-ports.js'
import type { SearchOptions } from '../search-advice.js'
import { runAudit } from './audit-command.js'

/** What audits are asked for, and what they give. */
const audits = vi.hoisted(() => ({
  asked: [] as { subject: unknown; options: unknown }[],
  ports: [] as unknown[],
  searched: [] as unknown[][],
  found: undefined as unknown,
  during: (): void => {},
}))
const printed = vi.hoisted((): string[] => [])
vi.mock('../../audit/audit.js', async (actual) => ({
  ...(await actual<typeof import('../../audit/audit.js')>()),
  audit(subject: AuditSubject, options: AuditOptions) {
    audits.asked.push({ subject, options })
    return running<AuditEvent, unknown>(async (emit) => {
      emit({ kind: 'remark', model: 'linear', text: 'it is slow' } as AuditEvent)
      audits.during()
      return audits.found
    })
  },
}))
vi.mock('../search-advice.js', async (actual) => ({
  ...(await actual<typeof import('../search-advice.js')>()),
  async searchAdvice(scenario: Scenario, options: SearchOptions) {
    audits.searched.push([scenario, options])
    return { advice: { best: 'noise' } }
  },
}))
vi.mock('../node-ports.js', async (actual) => {
  const { nodePorts, ...rest } = await actual<typeof import('../node-ports.js')>()
  return {
    ...rest,
    nodePorts(options: NodePortsOptions) {
      audits.ports.push(options)
      return nodePorts(options)
    },
  }
})
vi.mock('../../report/advice-text.js', () => ({ adviceText: ({ best }: { best: string }) => `take ${best}` }))
vi.mock('../../report/report-html.js', () => ({
  reportHtml: (audit: AuditDocument, { advice }: { advice?: object }) => `${JSON.stringify({ audit, advice })}`,
}))
vi.mock('../print.js', async (actual) => ({
  ...(await actual<typeof import('../print.js')>()),
  print: async (text: string) => printed.push(text),
  printJson: async (value: unknown) => printed.push(JSON.stringify(value)),
}))

const folder = mkdtempSync(join(tmpdir(), 'overhear-audit-command-'))
afterAll(() => rmSync(folder, { recursive: true }))
const tiny = { name: 'tiny', seed: 7, data: { name: 'toy-least-squares' }, models: [{ kind: 'linear' }] }
const file = join(folder, 'tiny.yaml')
writeFileSync(file, JSON.stringify(tiny))

const complained = vi.spyOn(console, 'error').mockImplementation(() => {})
const bar = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
const complaints = (): string[] => complained.mock.calls.map(([text]) => String(text))
beforeEach(() => {
  for (const list of [audits.asked, audits.ports, audits.searched, printed]) list.length = 0
  audits.found = documentWith([resultWith()])
  audits.during = () => {}
  complained.mockClear()
  bar.mockClear()
})
const optionsAt = (at: number) => audits.asked[at]!.options as AuditOptions

describe('the exit code of an audit', () => {
  const failed = (code: 'E_TIME' | 'E_VALUE', attack = 'aia-linear') =>
    resultWith({ attack, status: 'failed', error: { code, message: 'too steep' } })

  test('is 0 where all was finished, and nothing is complained of', async () => {
    expect(await runAudit([file])).toBe(0)
    expect(complaints()).toEqual([])
    expect(bar.mock.calls).toEqual([['linear: it is slow\n']])
    await runAudit([file, '--quiet'])
    expect(bar.mock.calls).toHaveLength(1)
  })

  test('is 4 where attacks did not finish, each of which is told once, with why', async () => {
    audits.found = documentWith([failed('E_VALUE'), failed('E_TIME', 'aia-model'), failed('E_TIME', 'aia-model')])
    expect(await runAudit([file])).toBe(4)
    expect(complaints()).toEqual([
      'overhear: incomplete: aia-linear failed, too steep',
      'overhear: incomplete: aia-model ran out of time',
    ])
    complained.mockClear()
    expect(await runAudit([file, '--allow-untested'])).toBe(0)
    expect(complaints()).toEqual([])
  })

  test('is 4 where an attack was cut off in some training; one that failed besides is told of once', async () => {
    const questions = [
      questionWith({ cut: [{ attack: 'aia-model', why: 'it ran out of time' }, { attack: 'aia-linear', why: 'x' }] }),
      questionWith({ cut: [{ attack: 'aia-model', why: 'it ran out of time' }] }),
    ] // biome-ignore format: a table
    audits.found = documentWith([resultWith()], { questions })
    expect(await runAudit([file])).toBe(4)
    expect(complaints()).toEqual([
      'overhear: incomplete: aia-model, in some training: it ran out of time',
      'overhear: incomplete: aia-linear, in some training: x',
    ])
    complained.mockClear()
    audits.found = documentWith([failed('E_VALUE')], { questions: questions.slice(0, 1) })
    expect(await runAudit([file])).toBe(4)
    expect(complaints()).toEqual([
      'overhear: incomplete: aia-model, in some training: it ran out of time',
      'overhear: incomplete: aia-linear failed, too steep',
    ])
    expect(await runAudit([file, '--allow-untested'])).toBe(0)
  })

  test('is 4 where a training ran away', async () => {
    audits.found = documentWith([resultWith()], { diverged: { mlp: 'from round 3 on' } as never })
    expect(await runAudit([file])).toBe(4)
    expect(complaints()).toEqual(['overhear: incomplete: mlp, from round 3 on'])
    expect(await runAudit([file, '--allow-untested'])).toBe(0)
  })

  test('is 3 where a rule is violated or untested, unless what is untested is let be', async () => {
    audits.found = documentWith([failed('E_TIME')], { questions: [questionWith()] })
    expect(await runAudit([file, '--fail-on', 'attribute.record>0.05'])).toBe(3)
    expect(complaints()).toEqual([expect.stringMatching(/^overhear: --fail-on attribute\.record>0\.05/)])
    expect(await runAudit([file, '--fail-on', 'attribute.record>0.5', '--allow-untested'])).toBe(0)
    complained.mockClear()
    expect(await runAudit([file, '--fail-on', 'members.record>0.5'])).toBe(3)
    expect(complaints()).toEqual([expect.stringMatching(/^overhear: --fail-on members\.record>0\.5/)])
    expect(await runAudit([file, '--fail-on', 'members.record>0.5', '--allow-untested'])).toBe(0)
    expect(await runAudit([file, '--fail-on', 'attribute.record>0.05', '--allow-untested'])).toBe(3)
  })

  test('is 130 where it was interrupted, before or after it was whole', async () => {
    audits.found = documentWith([failed('E_TIME')], { complete: false, questions: [questionWith()] })
    expect(await runAudit([file, '--fail-on', 'attribute.record>0.05'])).toBe(130)
    audits.found = documentWith([resultWith()])
    audits.during = () => process.listeners('SIGINT').at(-1)!('SIGINT')
    expect(await runAudit([file])).toBe(130)
    expect(optionsAt(1).signal?.aborted).toBe(true)
  })
})

describe('what is asked of an audit', () => {
  test('has nothing that nobody said', async () => {
    await runAudit([file])
    expect(audits.asked[0]!.subject).toMatchObject({ name: 'tiny', seed: 7 })
    expect(Object.keys(optionsAt(0)).sort()).toEqual(['ports', 'report', 'signal'])
    expect(audits.ports).toEqual([{}])
    expect(printed[0]).toContain('every step: --details')
  })

  test('is what the flags say', async () => {
    const flags = ['--observer', 'server', '--workers', '2', '--repeats', '3', '--seed', '0', '--resume', '--repair']
    const more = [
      '--seconds-per-attack',
      '9',
      '--out',
      'o',
      '--data-dir',
      'd',
      '--set',
      'training.rounds=3',
      '--details',
    ]
    await runAudit([file, ...flags, ...more])
    expect(audits.asked[0]!.subject).toMatchObject({ seed: 0, repeats: 3, training: { rounds: 3 } })
    expect(optionsAt(0)).toMatchObject({
      secondsPerAttack: 9,
      observers: ['server'],
      seed: 0,
      resume: true,
      repair: true,
    })
    expect(audits.ports).toEqual([{ out: 'o', dataDir: 'd', workers: 2 }])
    expect(printed[0]).not.toContain('every step: --details')
    await runAudit([file, '--observer', 'all'])
    expect(optionsAt(1).observers).toBe('all')
  })

  test('of a recording is where its files are', async () => {
    const flags = ['--knowledge', 'k.json', '--truth', 't', '--target', '4', '--model', 'm.json', '--clients', '5']
    await runAudit(['--transcript', 'r', ...flags])
    const subject = { transcript: 'r', knowledge: 'k.json', truth: 't', target: '4', model: 'm.json' }
    expect(audits.asked[0]!.subject).toEqual(subject)
    expect(optionsAt(0).mostTargets).toBe(5)
    await runAudit(['--transcript', 'r'])
    expect(audits.asked[1]!.subject).toEqual({ transcript: 'r' })
  })

  test.each([
    [['--target', '4'], '--target was given without --transcript; a scenario names its own'],
    [['--model', 'm'], '--model was given without --transcript'],
    [['--clients', '4'], '--clients was given without --transcript'],
    [['--advise', '--transcript', 'r'], '--advise was given with --transcript; variants are of a scenario'],
    [['--budget', '5m'], '--budget was given without --advise; it is how long what-ifs may take'],
    [['--advise', '--budget', 'x'], '--budget is "x"'],
    [['--fail-on', 'nobody.record>0'], 'nobody'],
    [['--fail-on', 'attribute.record'], '--fail-on is "attribute.record"'],
    [['--seeds', '3'], '--seeds was given; an audit trains --repeats N times'],
    [['x.yaml', '--transcript', 'r'], 'both a scenario (x.yaml) and --transcript were given; give one of the two'],
    [['--data', 't.csv'], '--data was given without --transcript; a scenario names its data itself'],
    [['--transcript', 'r', '--set', 'seed=1'], '--set was given with --transcript; it changes scenarios'],
    [['--transcript', 'r', '--repeats', '2'], '--repeats was given with --transcript; a recording is one training'],
    [
      ['--transcript', 'r', '--plan'],
      '--plan was given with --transcript; a recording is one training, whatever it holds',
    ],
    [
      ['--transcript', 'r', '--data', 't.csv', '--label', 'y', '--client-column', 'c', '--truth', 't'],
      '--data was given with --knowledge or --truth',
    ],
  ])('%j is refused before anything runs', async (args, message) => {
    await expect(runAudit(args)).rejects.toThrow(message)
    expect(audits.asked).toEqual([])
  })
})

describe('what an audit leaves', () => {
  const claim = { kind: 'attribute', client: '0', name: 'union', values: [0.125, 1] } as const
  const people = () => documentWith([resultWith({ claim })], { report: join(folder, 'run', 'report.html') })

  test('is for pipelines a file each, which names what was audited from here', async () => {
    audits.found = people()
    const [sarif, junit] = [join(folder, 'a.sarif'), join(folder, 'a.xml')]
    const uriOf = async (...args: string[]): Promise<string[]> => {
      audits.found = documentWith([resultWith()], { questions: [questionWith()], report: join(folder, 'report.html') })
      await runAudit([...args, '--sarif', sarif, '--junit', junit, '--quiet'])
      return [...new Set(readFileSync(sarif, 'utf8').match(/"uri": "[^"]*\.(json|yaml)"/g))]
    }
    expect(await uriOf(file)).toEqual([`"uri": "${resolve(file)}"`])
    expect(await uriOf()).toEqual([`"uri": "${join(folder, 'scenario.json')}"`])
    expect(await uriOf('scenarios/default.yaml')).toEqual(['"uri": "scenarios/default.yaml"'])
    expect(await uriOf('--transcript', 'r')).toEqual(['"uri": "r/transcript.json"'])
    expect(readFileSync(junit, 'utf8')).toContain('<testsuite')
    expect(readFileSync(sarif, 'utf8')).toMatch(/^\{\n {2}"/)
  })

  test('is printed with people, and without them where that is asked for; so is the report', async () => {
    audits.found = people()
    await runAudit([file, '--json'])
    expect(printed[0]).toContain('0.125')
    expect(optionsAt(0).report!(people() as AuditDocument)).toContain('0.125')
    await runAudit([file, '--json', '--redact'])
    expect(printed[1]).not.toContain('0.125')
    expect(optionsAt(1).report!(people() as AuditDocument)).not.toContain('0.125')
    expect(JSON.parse(printed[1]!)).not.toHaveProperty('advice')
  })

  test('has advice where it is asked for, in the folder of the run, whose report then shows it', async () => {
    const run = mkdtempSync(join(folder, 'run-'))
    const report = join(run, 'report.html')
    audits.found = { ...people(), report }
    await runAudit([file, '--advise', '--budget', '2m', '--workers', '2', '--data-dir', 'd', '--quiet'])
    const [[scenario, options]] = audits.searched as [[Scenario, SearchOptions]]
    expect(scenario.name).toBe('tiny')
    expect(options).toMatchObject({ out: join(run, 'advise'), keptIn: run, quiet: true, budget: 120 })
    expect(options.around).toEqual({ dataDir: 'd', workers: 2 })
    expect(printed[0]).toMatch(/\n\ntake noise$/)
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ advice: { best: 'noise' } })
    expect(readFileSync(report, 'utf8')).toContain('0.125')
    await runAudit([file, '--advise', '--json', '--redact'])
    expect((audits.searched[1] as [Scenario, SearchOptions])[1]).toMatchObject({ quiet: false })
    expect(JSON.parse(printed[1]!)).toMatchObject({ advice: { best: 'noise' } })
    expect(readFileSync(report, 'utf8')).not.toContain('0.125')
  })

  test('has none where the audit is not whole, or keeps nothing', async () => {
    const report = join(folder, 'none.html')
    audits.found = { ...people(), report, complete: false }
    await runAudit([file, '--advise'])
    audits.found = { ...people(), report: null }
    await runAudit([file, '--advise'])
    expect([audits.searched, existsSync(report)]).toEqual([[], false])
  })
})

describe('a plan', () => {
  test('reads the table that a scenario names', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `${i % 7},${i % 5},${i % 2}`)
    writeFileSync(join(folder, 't.csv'), `a,b,y\n${rows.join('\n')}\n`)
    const table = join(folder, 'table.yaml')
    const data = { name: 'csv', params: { file: 't.csv', label: 'y' } }
    writeFileSync(table, JSON.stringify({ ...tiny, data, partition: { name: 'iid', params: { clients: 3 } } }))
    expect(await runAudit([table, '--plan', '--json', '--set', 'training.rounds=2'])).toBe(0)
    expect(JSON.parse(printed[0]!)).toMatchObject({ trainings: expect.any(Number) })
    expect(audits.asked).toEqual([])
  })
})
