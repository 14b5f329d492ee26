import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { documentWith, questionWith, resultWith } from './audit-results.js'
import { captured } from './captured-command.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-report-'))
afterAll(() => rmSync(folder, { recursive: true }))

function run(name: string, document: unknown): string {
  const path = join(folder, name)
  mkdirSync(path)
  writeFileSync(join(path, 'audit.json'), typeof document === 'string' ? document : JSON.stringify(document))
  return path
}
const asked = (level: 'leaks-records' | 'none-found') =>
  documentWith([resultWith()], { questions: [questionWith({ level, exposed: { ids: ['ann-1987'], of: 9 } })] })
const [leaking, quiet] = [run('leaking', asked('leaks-records')), run('quiet', asked('none-found'))]

describe('overhear report', () => {
  test('makes the report of a run again, whole or without people', async () => {
    expect(await captured('report', leaking)).toMatchObject({ code: 0 })
    expect(readFileSync(join(leaking, 'report.html'), 'utf8')).toContain('ann-1987')
    const { out } = await captured('report', leaking, '--redact', '--json')
    const { report, redacted } = JSON.parse(out) as { report: string; redacted: boolean }
    expect([report.endsWith('report-redacted.html'), redacted]).toEqual([true, true])
    expect(readFileSync(join(leaking, 'report-redacted.html'), 'utf8')).not.toContain('ann-1987')
  })

  test('shows what was tried to change it, from its folder or from elsewhere, and nothing of another federation', async () => {
    const scenario = { name: 'w', seed: 1, data: { name: 'cps-wages' }, partition: { name: 'iid', params: { clients: 3 } }, models: [{ kind: 'linear' }], training: { rounds: 3 }, defences: [] } // biome-ignore format: a line
    const document = { ...asked('leaks-records'), scenario }
    const path = run('advised', document)
    const worst = { about: 'union of client 0', step: 'record', observer: 'server', size: 0.3, interval: null, closed: false }
    const tried = (id: string, size: number, useLost: number) => ({ id, changes: [{ id, words: `try ${id}` }], repeats: 3, worst: { ...worst, size }, rungs: [], open: [], use: [], useLost, cost: { messages: 1, localSteps: 1 }, epsilon: null, sure: null, seconds: 1 })
    const advice = { scenario: document.scenario, target: 0.05, budget: 1, asItIs: tried('as-it-is', 0.3, 0), tried: [tried('noise', 0.02, 0.1), tried('as-it-is', 0.3, 0)], front: ['as-it-is', 'noise'], recommended: 'noise', confirmation: null, unconfirmed: [], nearest: 'noise', refused: [], complete: true }
    const file = join(folder, 'elsewhere.json')
    writeFileSync(file, JSON.stringify(advice))
    const pareto = 'the Pareto front of what was tried'
    await captured('report', path)
    expect(readFileSync(join(path, 'report.html'), 'utf8')).not.toContain(pareto)
    await captured('report', path, '--advice', file)
    expect(readFileSync(join(path, 'report.html'), 'utf8')).toContain(pareto)
    writeFileSync(join(path, 'advice.json'), JSON.stringify({ ...advice, tried: [] }))
    expect(await captured('report', path)).toMatchObject({ code: 0 })
    for (const [text, words] of [
      [JSON.stringify({ ...advice, scenario: { ...document.scenario, training: { rounds: 1 } } }), 'about another federation'],
      ['{}', 'is no advice'],
      ['{', 'advice.json'],
    ] as const) {
      writeFileSync(join(path, 'advice.json'), text)
      const { code, err } = await captured('report', path)
      expect([code, err]).toEqual([2, expect.stringContaining(words)])
    }
    expect((await captured('report', path, '--advice', join(folder, 'nowhere'))).err).toContain('there is no such file')
  }) // biome-ignore format: tables

  test('says what is no run, and what is no place', async () => {
    const cases: [string[], string][] = [
      [[], 'report what?'],
      [[join(folder, 'nowhere')], 'there is no such file'],
      [[run('torn', '{"questions": [')], 'audit.json'],
      [[run('other', '[]')], 'is no document of an audit'],
      [[run('lacking', { questions: [], observers: [{}], verdict: {}, utility: {} })], 'not written by this version'],
      [[leaking, '--redact', '--whole'], 'choose one'],
      [[leaking, '--out', join(folder, 'no', 'such', 'place.html')], 'place.html'],
    ]
    for (const [args, words] of cases) {
      const { code, err } = await captured('report', ...args)
      expect([code, err]).toEqual([2, expect.stringContaining(words)])
    }
  })

  const browser = existsSync('/usr/bin/chromium')
  test.skipIf(!browser)(
    'prints a PDF without people where Chromium is installed',
    async () => {
      const { code, out } = await captured('report', leaking, '--pdf')
      expect([code, out]).toEqual([0, expect.stringMatching(/report\.pdf, without people$/)])
      expect(readFileSync(join(leaking, 'report.pdf')).subarray(0, 5).toString()).toBe('%PDF-')
    },
    120_000,
  )

  test('without a browser it says what to do', async () => {
    const { PATH } = process.env
    process.env.PATH = folder
    try {
      const { code, err } = await captured('report', quiet, '--pdf')
      expect([code, err]).toEqual([2, expect.stringContaining('no browser was found that prints PDF')])
    } finally {
      process.env.PATH = PATH
    }
    expect(existsSync(join(quiet, 'report.pdf'))).toBe(false)
  })
})

test('overhear compare: words and steps of two runs, as text and as JSON', async () => {
  const { code, out } = await captured('compare', leaking, quiet)
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^verdict: LEAKS RECORDS -> NO LEAK FOUND\n0 new alarms, 1 gone/),
  ])
  const { out: json } = await captured('compare', leaking, quiet, '--json')
  expect(JSON.parse(json)).toMatchObject({ raised: 0, settled: 1, sameSeed: false })
  expect(await captured('compare', leaking)).toMatchObject({ code: 2 })
})
