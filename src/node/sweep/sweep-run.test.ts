import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { running } from '../../scenario/running.js'
import type { SweepEvent, SweepOptions, SweepPlan, SweepSummary } from '../../sweep/sweep.js'
import type { TrialLine } from '../../sweep/trial-line.js'
import { type AskedSweep, sweepFile } from './sweep-run.js'
import type { LogOptions } from './trial-log-file.js'

/** A sweep that does what a test says, and what it was asked. */
const sweeps = vi.hoisted(() => ({
  loaded: [] as unknown[],
  crews: [] as unknown[],
  tables: [] as unknown[],
  pages: [] as unknown[],
  parquet: [] as string[],
  closed: 0,
  begun: [] as unknown[],
  run: async (_emit: (event: unknown) => void, _options: unknown): Promise<unknown> => undefined,
}))
const printed = vi.hoisted((): string[] => [])
vi.mock('../../sweep/sweep.js', () => ({
  sweep: (_: SweepPlan, options: SweepOptions) => {
    sweeps.begun.push(options)
    return running<SweepEvent, unknown>((emit) => sweeps.run(emit as never, options))
  },
}))
vi.mock('./sweep-file.js', () => ({
  async loadSweep(path: string, { ports: _, ...options }: Readonly<Record<string, unknown>>) {
    sweeps.loaded.push([path, options])
    const file = { secondsPerTrial: 9, megabytesPerWorker: 300 }
    return { plan: { name: 'tiny' }, axes: ['rounds'], file, scenarioOf: () => 'a scenario', data: {} }
  },
}))
vi.mock('./local-crew.js', async (actual) => ({
  ...(await actual<typeof import('./local-crew.js')>()),
  localCrew: (options: object) => sweeps.crews.push(options),
}))
vi.mock('./sweep-outputs.js', () => ({
  async writeTables(out: string, axes: readonly string[], lines: AsyncIterable<TrialLine>) {
    const all: TrialLine[] = []
    for await (const line of lines) all.push(line)
    sweeps.tables.push([out, axes, all.map(({ id, at }) => [id.slice(0, 1), at])])
  },
}))
vi.mock('./sweep-query.js', () => ({ writeParquet: async (out: string) => sweeps.parquet.push(out) }))
vi.mock('../../report/sweep-page.js', () => ({
  sweepPage(picture: object) {
    sweeps.pages.push(picture)
    return '<html>'
  },
}))
vi.mock('../../sweep/trial-figures.js', () => ({ drawnOf: ({ id, at }: TrialLine) => [id.slice(0, 1), at] }))
vi.mock('./trial-log-file.js', async (actual) => {
  const { openTrialLog } = await actual<typeof import('./trial-log-file.js')>()
  return {
    async openTrialLog(folder: string, options?: LogOptions) {
      const log = await openTrialLog(folder, options)
      const close = async (): Promise<void> => {
        sweeps.closed++
        await log.close()
      }
      return new Proxy(log, { get: (of, key) => (key === 'close' ? close : Reflect.get(of, key)) })
    },
  }
})
vi.mock('../print.js', () => ({
  print: async (text: string) => printed.push(text),
  printJson: async (value: unknown) => printed.push(JSON.stringify(value)),
}))

let folder = ''
const bar = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
const bars = (): string[] => bar.mock.calls.map(([text]) => String(text).replace(/ \([\d.]+\/s[^)]*\)/, ''))
const processes = {} as AskedSweep['processes']
const asked = (parts: Partial<AskedSweep> = {}): AskedSweep => ({
  out: folder,
  quiet: false,
  json: false,
  parquet: false,
  resume: false,
  retryFailed: false,
  processes,
  ...parts,
})
const trial = (letter: string, rounds: number) => ({
  id: letter.repeat(64),
  number: 0,
  seed: 1,
  point: { shown: { rounds }, set: { rounds } },
})
/** Trials of this sweep: the second has failed. */
const trials = [trial('a', 3), trial('b', 4), trial('c', 5)]
const took = { seconds: 1, attempts: 1, worker: 'w' }
const line = ({ id, seed }: (typeof trials)[number], reason: string | null): TrialLine =>
  ({
    format: 'overhear-trial/1',
    id,
    seed,
    at: { other: 1 },
    result: reason === null ? {} : null,
    reason,
    took,
  }) as never
const summary = (parts: Partial<SweepSummary> = {}): SweepSummary =>
  ({ name: 'tiny', trials, total: 3, done: 1, failed: 0, before: 0, complete: true, ...parts }) as never

/** Keeps what is told of, and ends in this. */
function runs(parts: Partial<SweepSummary> = {}, lines: readonly TrialLine[] = [line(trials[0]!, null)]): void {
  sweeps.run = async (emit, options) => {
    const { log, crew } = options as SweepOptions
    emit({ kind: 'planned', total: 3, finished: parts.before ?? 0 })
    await crew()
    for (const one of lines) {
      await log.add(one)
      emit({ kind: 'begun', trial: trials[0], doing: 'begun' })
      emit({ kind: 'ended', trial: trials[0], reason: one.reason, doing: '1: at work' })
    }
    return summary(parts)
  }
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-sweep-run-'))
  const { loaded, crews, tables, pages, parquet, begun } = sweeps
  for (const list of [loaded, crews, tables, pages, parquet, begun, printed]) list.length = 0
  sweeps.closed = 0
  bar.mockClear()
  runs()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a sweep', () => {
  test('is followed to its end, and leaves its log, tables and a page', async () => {
    expect(await sweepFile('s.yaml', asked())).toBe(0)
    expect(sweeps.loaded).toEqual([['s.yaml', { quiet: false }]])
    expect(sweeps.crews).toMatchObject([{ limits: { seconds: 9, megabytes: 300 }, processes }])
    expect(sweeps.crews[0]).not.toHaveProperty('workers')
    expect(sweeps.tables).toEqual([[folder, ['rounds'], [['a', { rounds: 3 }]]]])
    const drawn = [['a', { rounds: 3 }]]
    expect(sweeps.pages).toEqual([{ name: 'tiny', axes: ['rounds'], drawn, total: 3, failed: 0 }])
    expect(printed).toEqual([
      `tiny: 1 of 3 trials done, 0 failed\n  ${folder}: trials.jsonl, and trials, questions, scores and utility as CSV; sweep.html`,
    ])
    expect(readdirSync(folder).sort()).toEqual(['sweep.html', 'trials.jsonl'])
    expect([sweeps.closed, sweeps.parquet]).toEqual([1, []])
    expect(sweeps.begun).toMatchObject([{ retryFailed: false }])
  })

  test('counts on a bar what ended, what failed of it, and what was there before', async () => {
    const lines = [line(trials[0]!, null), line(trials[1]!, 'no such thing'), line(trials[2]!, null)]
    runs({ done: 2, failed: 1 }, lines)
    expect(await sweepFile('s.yaml', asked())).toBe(4)
    expect(bars().at(-1)).toBe('trials 3/3 1 failed; 1: at work\n')
    bar.mockClear()
    // What is there is not read again: it is no result.
    runs({ trials: [], done: 2, failed: 1, before: 1 }, lines.slice(1))
    await sweepFile('s.yaml', asked({ resume: true }))
    expect(bars().at(-1)).toBe('trials 2/2 1 failed, 1 before; 1: at work\n')
    bar.mockClear()
    await sweepFile('s.yaml', asked({ resume: true, quiet: true }))
    expect(bars()).toEqual([])
  })

  test('tells what failed by its place, twenty at most, and how much was done before', async () => {
    const many = Array.from({ length: 22 }, (_, i) => ({ ...trial('a', i), id: `${i}`.padStart(64, 'f') }))
    const lines = many.map((one) => line(one, 'no such thing'))
    runs({ trials: many as never, done: 0, failed: 22, before: 2 }, lines)
    expect(await sweepFile('s.yaml', asked({ json: true }))).toBe(4)
    const told = JSON.parse(printed[0]!)
    expect(told).toMatchObject({ name: 'tiny', planned: 22, done: 0, failed: 22, before: 2, complete: true, folder })
    expect(told.failures).toHaveLength(20)
    expect(told.failures[0]).toMatchObject({ at: { rounds: 0 }, seed: 1, reason: 'no such thing' })
    expect(told).not.toHaveProperty('trials')
    expect(printed).toHaveLength(1)
    await sweepFile('s.yaml', asked({ resume: true }))
    const text = printed[1]!.split('\n')
    expect(text.slice(0, 2)).toEqual([
      'tiny: 0 of 22 trials done, 22 failed, 2 of them before',
      '  failed: rounds=0 seed 1: no such thing',
    ])
    expect(text).toHaveLength(22)
  })

  test('that is interrupted says that it can go on', async () => {
    runs({ complete: false })
    expect(await sweepFile('s.yaml', asked())).toBe(130)
    expect(printed[0]).toContain('tiny: 1 of 3 trials done, 0 failed; interrupted, --resume goes on\n')
    expect((sweeps.begun[0] as SweepOptions).signal?.aborted).toBe(false)
  })

  test('refuses a folder with finished trials, unless it is told to go on or to try again; both let go of it', async () => {
    await sweepFile('s.yaml', asked())
    await expect(sweepFile('s.yaml', asked())).rejects.toThrow(
      `${folder} holds 1 finished trials; give --resume to go on with them, or take another --out`,
    )
    expect(sweeps.closed).toBe(2)
    expect(readdirSync(folder).sort()).toEqual(['sweep.html', 'trials.jsonl'])
    runs({ trials: [] }, [])
    expect(await sweepFile('s.yaml', asked({ retryFailed: true }))).toBe(0)
    expect(sweeps.begun.at(-1)).toMatchObject({ retryFailed: true })
  })

  test('takes what its flags say', async () => {
    const out = join(folder, 'elsewhere')
    await sweepFile('s.yaml', asked({ out, dataDir: 'd', workers: 3, seed: 0, seeds: 2, parquet: true, quiet: true }))
    expect(sweeps.loaded).toEqual([['s.yaml', { quiet: true, dataDir: 'd', seed: 0, seeds: 2 }]])
    expect(sweeps.crews).toMatchObject([{ workers: 3, dataDir: 'd' }])
    expect(sweeps.parquet).toEqual([out])
    expect(existsSync(join(out, 'trials.jsonl'))).toBe(true)
  })

  test('that fails lets go of its folder and its log', async () => {
    sweeps.run = async () => {
      throw new Error('no room')
    }
    await expect(sweepFile('s.yaml', asked())).rejects.toThrow('no room')
    expect([sweeps.closed, readdirSync(folder)]).toEqual([1, ['trials.jsonl']])
  })
})
