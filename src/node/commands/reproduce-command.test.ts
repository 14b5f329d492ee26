import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ToldStudy } from '../../report/study-text.js'
import { studies } from '../../studies/index.js'
import type { Study } from '../../studies/study.js'
import { lockName } from '../files/folder-lock.js'
import type { CellCrew, LocalCells } from '../studies/cell-crew.js'
import { runReproduce } from './reproduce-command.js'

/** Crews that are asked for, and what they answer. */
const crews = vi.hoisted(() => ({
  hired: [] as unknown[],
  ran: [] as unknown[][],
  answer: (_: number): unknown => undefined,
  absent: (_: string): string | undefined => undefined,
}))
const printed = vi.hoisted((): string[] => [])
vi.mock('../studies/cell-crew.js', () => ({
  localCells(options: LocalCells): CellCrew {
    crews.hired.push(options)
    return {
      size: 1,
      run: (async (...given: unknown[]) => crews.answer(crews.ran.push(given))) as CellCrew['run'],
      close: async () => {},
    }
  },
}))
vi.mock('../studies/reproduction.js', async (actual) => ({
  ...(await actual<typeof import('../studies/reproduction.js')>()),
  whyNot: ({ id }: { readonly id: string }) => crews.absent(id),
}))
vi.mock('../print.js', () => ({
  print: async (text: string) => printed.push(text),
  printJson: async (value: unknown) => printed.push(JSON.stringify(value)),
}))

/** Two small studies in the place of all. */
const small = (id: string, seconds: number): Study =>
  ({
    id,
    title: `the ${id}`,
    paper: 'lmra',
    where: 'Table 0',
    data: [],
    unit: 'error',
    seconds: { quick: seconds, full: 10 * seconds },
    seeds: { quick: 1, full: 2 },
    points: () => [{ at: { n: 1 }, effort: 1 }],
    measure: async () => [],
    published: [],
    departs: [],
    claims: [],
    params: {},
  }) as unknown as Study
const kept = { ...studies }
const all = studies as unknown as Record<string, Study>
for (const id of Object.keys(all)) delete all[id]
Object.assign(all, { one: small('one', 130), two: small('two', 1) })
afterAll(() => void Object.assign(studies, kept))

let folder = ''
let out = ''
const complained = vi.spyOn(console, 'error').mockImplementation(() => {})
const bar = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
const bars = (): string[] => bar.mock.calls.map(([text]) => String(text).replace(/ \([\d.]+\/s[^)]*\)/, ''))
const done = { kind: 'done', result: { measures: [{ panel: 'p', series: 's', value: 2 }], seconds: 3 } }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-reproduce-command-'))
  out = join(folder, 'out')
  for (const list of [crews.hired, crews.ran, printed]) list.length = 0
  crews.answer = () => done
  crews.absent = () => undefined
  complained.mockClear()
  bar.mockClear()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('reproduce', () => {
  test('says how much there is to do, follows the cells, and leaves a page, a text and JSON for each', async () => {
    expect(await runReproduce(['all', '--out', out, '--workers', '3'])).toBe(0)
    expect(complained.mock.calls).toEqual([['overhear: 2 studies, 4 of 4 cells to run, about 8 min with 3 workers']])
    expect(bars().at(-1)).toBe('cells 4/4 0 failed\n')
    expect(printed).toHaveLength(1)
    expect(printed[0]).toMatch(/the one.*\n\n.*the two.*\n\n.*: reproductions\.html, reproductions\.md$/s)
    const files = ['cells.jsonl', 'one.json', 'reproductions.html', 'reproductions.md', 'two.json']
    expect(readdirSync(out).sort()).toEqual(files)
    expect(readFileSync(join(out, 'reproductions.md'), 'utf8')).toMatch(/the one.*the two.*\n$/s)
    expect(readFileSync(join(out, 'one.json'), 'utf8')).toMatch(/^\{\n ".*\}\n$/s)
    expect(crews.hired).toEqual([{ limits: { seconds: 21_600, megabytes: 8000 }, workers: 3 }])
  })

  test('of one study prints it alone as JSON, and of several a list', async () => {
    await runReproduce(['one', '--out', out, '--json', '--quick', '--seed', '4', '--data-dir', 'd', '--quiet'])
    const { study, run } = JSON.parse(printed[0]!) as ToldStudy
    expect(study).toBe('one')
    expect(run).toMatchObject({ quick: true, seeds: [4], cells: 1, planned: 1, trouble: [] })
    expect([complained.mock.calls, bars()]).toEqual([[], []])
    expect(crews.hired).toMatchObject([{ dataDir: 'd' }])
    await runReproduce(['all', '--out', join(folder, 'both'), '--json', '--quick', '--seeds', '3'])
    const both = JSON.parse(printed[1]!) as ToldStudy[]
    expect(both.map(({ study: id, run: { seeds } }) => [id, seeds])).toEqual([
      ['one', [1, 2, 3]],
      ['two', [1, 2, 3]],
    ])
    expect(printed).toHaveLength(2)
  })

  test('counts what failed, and ends with 4', async () => {
    crews.answer = (n) => (n === 2 ? { kind: 'refused', reason: 'no such thing' } : done)
    expect(await runReproduce(['all', '--out', out, '--json', '--quick', '--workers', '1'])).toBe(4)
    expect(complained.mock.calls).toEqual([['overhear: 2 studies, 2 of 2 cells to run, about 3 min with 1 worker']])
    expect(bars().at(-1)).toBe('cells 2/2 1 failed\n')
    const told = JSON.parse(printed[0]!) as ToldStudy[]
    expect(told.map(({ run: { trouble } }) => trouble)).toEqual([[], ['{"n":1}, seed 1: no such thing']])
  })

  test('goes on with what is finished where that is said, and refuses to otherwise', async () => {
    await runReproduce(['two', '--out', out, '--quick', '--quiet', '--json'])
    await expect(runReproduce(['all', '--out', out, '--quick'])).rejects.toThrow(
      `${out} holds 1 finished cells; give --resume to go on with them, or take another --out`,
    )
    expect(readdirSync(out)).not.toContain(lockName)
    crews.ran.length = 0
    expect(await runReproduce(['all', '--out', out, '--quick', '--resume', '--workers', '9'])).toBe(0)
    expect(crews.ran.map(([cell]) => (cell as { study: string }).study)).toEqual(['one'])
    expect(complained.mock.calls).toEqual([['overhear: 2 studies, 1 of 2 cells to run, about 3 min with 1 worker']])
    complained.mockClear()
    await runReproduce(['two', '--out', out, '--quick', '--resume', '--workers', '9'])
    expect(complained.mock.calls).toEqual([['overhear: 1 study, 0 of 1 cells to run, about 0 min with 1 worker']])
  })

  test('skips what cannot run here, and says why', async () => {
    crews.absent = (id) => (id === 'one' ? 'its data are not here' : undefined)
    expect(await runReproduce(['all', '--out', out, '--quick', '--json', '--workers', '2'])).toBe(4)
    expect(complained.mock.calls).toEqual([
      ['overhear: one is skipped: its data are not here'],
      ['overhear: 2 studies, 1 of 2 cells to run, about 1 min with 1 worker'],
    ])
    const [one, two] = JSON.parse(printed[0]!) as ToldStudy[]
    expect([one!.run.trouble, two!.run.trouble]).toEqual([['its data are not here'], []])
  })

  test('that is interrupted writes what there is, and says that it can go on', async () => {
    crews.answer = () => {
      process.listeners('SIGINT').at(-1)!('SIGINT')
      return { kind: 'stopped' }
    }
    expect(await runReproduce(['all', '--out', out, '--quiet', '--json'])).toBe(130)
    expect(complained.mock.calls).toEqual([['overhear: interrupted; what was finished is kept, --resume goes on']])
    expect(crews.ran).toHaveLength(1)
    expect(readdirSync(out)).toContain('reproductions.html')
  })
})
