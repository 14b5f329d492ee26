import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TrialLine } from '../../sweep/trial-line.js'
import { writeTables } from './sweep-outputs.js'
import { querySweeps, sweepFolders, writeParquet } from './sweep-query.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'overhear-sweeps-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const sweepIn = (...names: string[]) => {
  mkdirSync(join(root, ...names), { recursive: true })
  writeFileSync(join(root, ...names, 'trials.jsonl'), '')
  return join(root, ...names)
}

describe('sweeps', () => {
  test('are those below a folder, by their names, or the folder itself', () => {
    expect(() => sweepFolders(join(root, 'none'))).toThrow(
      `there is no folder ${join(root, 'none')}; name that of a sweep by --runs`,
    )
    mkdirSync(join(root, 'empty'))
    writeFileSync(join(root, 'file'), '')
    expect(() => sweepFolders(root)).toThrow(`${root} holds no sweep; run "overhear sweep", or name its folder by --runs`)
    const [b, a] = [sweepIn('b'), sweepIn('a')]
    const deep = sweepIn('empty', 'deep')
    expect(sweepFolders(root)).toEqual([a, b])
    expect(sweepFolders(join(root, 'empty'))).toEqual([deep])
    expect(sweepFolders(a)).toEqual([a])
  }) // biome-ignore format: lines
})

async function* lines(...all: TrialLine[]) {
  yield* all
}

describe('tables', () => {
  const line = (id: string, x: number) =>
    ({ id, seed: 1, at: { x }, reason: null, result: { level: 'l', tested: 1, notTested: 0, questions: [], scores: [{ attack: id }, { attack: 'b' }], utility: [] } }) as unknown as TrialLine // biome-ignore format: a line

  test('are written whole, in the order of the lines', async () => {
    const folder = join(root, 'tables', 'below')
    const paths = await writeTables(folder, ['x'], lines(line('i', 3), line('j', 4)))
    expect(paths).toEqual(
      Object.fromEntries(['trials', 'questions', 'scores', 'utility'].map((name) => [name, join(folder, `${name}.csv`)])),
    )
    expect(readdirSync(folder).sort()).toEqual(['questions.csv', 'scores.csv', 'trials.csv', 'utility.csv'])
    expect(readFileSync(paths.trials, 'utf8').split('\n')).toEqual([
      'trial,seed,x,status,reason,level,tested,notTested',
      'i,1,3,done,,l,1,0',
      'j,1,4,done,,l,1,0',
      '',
    ])
    const scores = readFileSync(paths.scores, 'utf8').trim().split('\n')
    expect(scores.map((text) => text.split(',').slice(0, 5))).toEqual([
      ['trial', 'seed', 'x', 'observer', 'attack'],
      ...[['i', 3, 'i'], ['i', 3, 'b'], ['j', 4, 'j'], ['j', 4, 'b']].map(([id, x, attack]) => [id, '1', String(x), '', attack]), // biome-ignore format: a line
    ])
    expect(readFileSync(paths.utility, 'utf8').split('\n')).toHaveLength(2)
  }) // biome-ignore format: lines

  test('wait for a slow disk, and name the file that cannot be written', async () => {
    const many = Array.from({ length: 2000 }, (_, i) => line(`trial-${i}`, i))
    const paths = await writeTables(join(root, 'many'), ['x'], lines(...many))
    expect(readFileSync(paths.trials, 'utf8').trim().split('\n')).toHaveLength(2001)
    const folder = join(root, 'blocked')
    mkdirSync(join(folder, 'scores.csv.tmp'), { recursive: true })
    await expect(writeTables(folder, ['x'], lines(...many))).rejects.toThrow('scores.csv is a folder; name a file')
  })
})

describe('a query', () => {
  test('gives rows, or writes a file of the kind that its name says', async () => {
    const folder = sweepIn('s')
    expect(await querySweeps([folder], "select 1 as a, 'x' as b")).toMatchObject({
      columns: ['a', 'b'],
      rows: [[1, 'x']],
    })
    const [csv, parquet] = [join(root, "it's.csv"), join(root, 'o.parquet')]
    for (const out of [csv, parquet]) await querySweeps([folder], "select 1 as a, 'x' as b", out)
    expect(readFileSync(csv, 'utf8')).toBe('a,b\n1,x\n')
    expect(readFileSync(parquet).subarray(0, 4).toString()).toBe('PAR1')
    await writeTables(folder, [], lines())
    await writeParquet(folder)
    expect(readFileSync(join(folder, 'trials.parquet')).subarray(0, 4).toString()).toBe('PAR1')
  })
})
