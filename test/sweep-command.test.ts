import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit, memoryPorts } from 'overhear'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { resultOf } from '../src/sweep/trial-result.js'
import { captured } from './captured-command.js'

const work = mkdtempSync(join(tmpdir(), 'overhear-sweep-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
const file = join(work, 'sweep.yaml')
const example = readFileSync(new URL('./sweeps/tiny.yaml', import.meta.url), 'utf8')
const write = (change: (sweep: Record<string, unknown>) => object): void => {
  const sweep = parse(example) as Record<string, unknown>
  writeFileSync(file, JSON.stringify({ ...sweep, ...change(sweep) }))
}
const sweep = (out: string, ...more: string[]) => captured('sweep', file, '--out', join(work, out), '--quiet', ...more)
const lines = (out: string) =>
  readFileSync(join(work, out, 'trials.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          id: string
          seed: number
          at: Record<string, unknown>
          result: unknown
          reason: string | null
        },
    )

describe('overhear sweep', () => {
  beforeAll(async () => {
    write(() => ({ axes: { 'training.rounds': [1, 2], 'training.localEpochs': [1, 2] }, seeds: 1 }))
    const { code, out } = await sweep('one', '--workers', '1', '--json')
    expect([code, JSON.parse(out)]).toMatchObject([0, { total: 4, done: 4, failed: 0, before: 0, complete: true }])
  })

  test('keeps what an audit of the same scenario finds, and nothing of clocks', async () => {
    const { scenario } = parse(example) as { scenario: Record<string, unknown> & { training: object } }
    const line = lines('one').find(({ at }) => at['training.rounds'] === 2 && at['training.localEpochs'] === 2)!
    const training = { ...scenario.training, rounds: 2, localEpochs: 2 }
    const audited = await audit({ ...scenario, training, seed: 1 } as never, { ports: memoryPorts() }).result
    const { hash: _, ...found } = resultOf(audited)
    expect(line.result).toMatchObject(JSON.parse(JSON.stringify(found)))
    expect(JSON.stringify(line.result)).not.toContain('millis')
  })

  test('runs nothing twice, goes on where more is asked for, and refuses to forget', async () => {
    const before = readFileSync(join(work, 'one', 'trials.jsonl'), 'utf8')
    const table = readFileSync(join(work, 'one', 'scores.csv'), 'utf8')
    const refused = await sweep('one')
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('holds 4 finished trials; give --resume')])
    const again = await sweep('one', '--resume', '--json')
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { done: 4, before: 4 }])
    expect(readFileSync(join(work, 'one', 'trials.jsonl'), 'utf8')).toBe(before)
    expect(readFileSync(join(work, 'one', 'scores.csv'), 'utf8')).toBe(table)
    // The name changes nothing; a value of another axis is a trial more, and what does not go together fails as one.
    const algorithm = { variants: { averages: {}, gradients: { 'training.algorithm': 'fedsgd' } } }
    write(() => ({
      name: 'other',
      axes: { 'training.localEpochs': [1, 2], algorithm, 'training.rounds': [1] },
      seeds: 1,
    }))
    const more = await sweep('one', '--resume', '--json')
    expect([more.code, JSON.parse(more.out)]).toMatchObject([4, { total: 4, done: 3, failed: 1, before: 2 }])
    expect(lines('one')).toHaveLength(6)
    expect(lines('one').find(({ result }) => result === null)!.reason).toContain('which fedsgd does not obey')
  })

  test('leaves tables in the order of the sweep, and a page', () => {
    const rows = readFileSync(join(work, 'one', 'trials.csv'), 'utf8')
      .trim()
      .split('\n')
    expect(rows[0]).toBe(
      'trial,seed,training.localEpochs,algorithm,training.rounds,status,reason,level,tested,notTested',
    )
    expect(rows.slice(1).map((row) => row.split(',').slice(2, 6).join(' '))).toEqual([
      '1 averages 1 done',
      '1 gradients 1 done',
      '2 averages 1 done',
      '2 gradients 1 failed',
    ])
    expect(readFileSync(join(work, 'one', 'sweep.html'), 'utf8')).toContain('<title>Sweep other</title>')
    expect(existsSync(join(work, 'one', 'lock'))).toBe(false)
  })

  test('is asked by SQL', async () => {
    const query = 'select status, count(*) as n from trials group by 1 order by 1'
    const { code, out } = await captured('query', query, '--runs', work, '--json')
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        columns: ['status', 'n'],
        rows: [
          ['done', 5],
          ['failed', 1],
        ],
      },
    ])
    const wide = await captured(
      'query',
      'select sweep, "training.rounds" as r, round(avg(value), 6) as v from utility group by 1, 2 order by 2',
      '--runs',
      join(work, 'one'),
    )
    expect(wide.out.split('\n')).toHaveLength(4)
    expect(wide.out).toContain('one')
    const parquet = join(work, 'all.parquet')
    expect(await captured('query', 'from scores;', '--runs', work, '--out', parquet)).toMatchObject({ code: 0 })
    expect(readFileSync(parquet).subarray(0, 4).toString()).toBe('PAR1')
    const wrong = await captured('query', 'select nothing from trials', '--runs', work)
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('the query failed: Binder Error')])
    expect((await captured('query', 'select 1', '--runs', join(work, 'nowhere'))).err).toContain('there is no folder')
  })
})

test.each([
  [() => ({ axes: { 'training.rounds': [1, -1] } }), 'axes.training.rounds, -1'],
  [() => ({ axes: { 'training.ronds': [1] } }), 'training.ronds'],
  [() => ({ axes: {}, search: { method: 'tpe', points: 2, score: 'attribute.record' } }), 'a search without axes'],
  [() => ({ search: { method: 'tpe', points: 2 } }), 'search.score is missing'],
  [() => ({ search: { method: 'tpe', points: 2, score: 'utility.speed' } }), 'the score "utility.speed" is none'],
  [() => ({ scenario: 'nowhere.yaml' }), 'nowhere.yaml: there is no such file'],
  [
    (one: Record<string, unknown>) => ({ scenario: { ...(one.scenario as object), secondsPerAttack: 5 } }),
    'its scenario has secondsPerAttack 5',
  ],
])('a sweep that is wrong is refused before anything runs: %#', async (change, why) => {
  write(change)
  const { code, err } = await sweep('wrong')
  expect([code, err]).toEqual([2, expect.stringContaining(why)])
})
