import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recordingAt } from './about-upload.js'
import { runList } from './run-list.js'
import { prepareResume, prepareStart, startedTranscript } from './start-audit.js'
import { studyList } from './sweeps/study-list.js'
import { uploads } from './uploads.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'overhear-start-'))
  mkdirSync(join(root, 'uploads'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const write = (path: string, text = ''): void => {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}
const starting = () => ({ runs: runList(root, () => null), uploads: uploads(root), always: ['--workers', '1'] })

const yaml = `name: mine
data: { name: csv, params: { file: t.csv, label: wage } }
models: [{ kind: linear }]
training: { rounds: 2 }
`

describe('an audit of the page', () => {
  test('has a folder of its own, with its scenario and its table', async () => {
    write('uploads/t.csv', 'age,wage\n1,2\n')
    const { id, args } = await prepareStart({ yaml }, starting())
    expect(id).toMatch(/^mine-\d{8}-\d{6}-[0-9a-f]{4}$/)
    const folder = join(root, id)
    expect(args).toEqual([join(folder, 'scenario.yaml'), '--out', folder, '--workers', '1'])
    expect(readFileSync(join(folder, 'scenario.yaml'), 'utf8')).toBe(yaml)
    expect(readFileSync(join(folder, 't.csv'), 'utf8')).toBe('age,wage\n1,2\n')
    expect(JSON.parse(readFileSync(join(folder, 'started.json'), 'utf8'))).toEqual({ args: [args[0]] })
    const modes = [folder, join(folder, 'scenario.yaml'), join(folder, 'started.json')].map((path) => statSync(path).mode & 0o777) // biome-ignore format: a line
    expect(modes).toEqual([0o700, 0o600, 0o600])
    // The same again, for what is finished counts.
    expect(prepareResume(id, starting())).toEqual({
      id,
      args: [args[0], '--out', folder, '--resume', '--workers', '1'],
    })
    expect(startedTranscript(folder)).toBeNull()
  })

  test('needs its table to be there, and makes no folder before', async () => {
    await expect(prepareStart({ yaml }, starting())).rejects.toThrow('there is no upload "t.csv"')
    const plain = yaml.replace(/data:.*/, 'data: { name: cps-wages, rows: 20 }')
    const { args } = await prepareStart({ yaml: plain }, starting())
    expect(existsSync(args[0]!)).toBe(true)
  })

  test('that was begun elsewhere is not resumed here', () => {
    write('other/run.json', '{}')
    expect(() => prepareResume('other', starting())).toThrow(
      'other was not started from a page; resume it by "overhear audit --resume"',
    )
    expect(() => prepareResume('none', starting())).toThrow('there is no run "none"')
  })

  test('may be of a recording, which is told by what it was started with', () => {
    const of = (args: unknown): string | null => {
      write('r/started.json', JSON.stringify({ args }))
      return startedTranscript(join(root, 'r'))
    }
    expect(startedTranscript(join(root, 'none'))).toBeNull()
    expect(of(['--transcript', '/t', '--label=x'])).toBe('/t')
    expect(of(['x', '--transcript'])).toBeNull()
    expect(of(['s.yaml'])).toBeNull()
    expect(of('--transcript')).toBeNull()
  })

  test('is not of a table alone', async () => {
    write('uploads/t.csv', 'age,wage\n1,2\n2,3\n')
    await expect(prepareStart({ recording: 't.csv' }, starting())).rejects.toThrow(
      't.csv is a table; start a scenario that names it',
    )
    write('uploads/t.doc', '')
    await expect(prepareStart({ recording: 't.doc' }, starting())).rejects.toThrow(
      'it cannot be told what "t.doc" is; a table (.csv), the folder of a recording (transcript.json), or .npz',
    )
  })
})

test('a recording is a folder with its manifest, or what simulate writes', () => {
  write('own/transcript.json')
  expect(recordingAt(join(root, 'own'))).toEqual({ transcript: join(root, 'own') })
  expect(recordingAt(root)).toBeNull()
  write('whole/transcript/transcript.json')
  const at = join(root, 'whole')
  expect(recordingAt(at)).toEqual({ transcript: join(at, 'transcript') })
  write('whole/knowledge.json')
  expect(recordingAt(at)).toEqual({ transcript: join(at, 'transcript'), knowledge: join(at, 'knowledge.json') })
  write('whole/truth/truth.json')
  rmSync(join(at, 'knowledge.json'))
  expect(recordingAt(at)).toEqual({ transcript: join(at, 'transcript'), truth: join(at, 'truth') })
})

describe('stored studies', () => {
  const study = (over: object = {}) => ({
    ...{ study: 'mine', title: 'T', paper: 'lmra', where: 'W', unit: 'u', axis: null, rows: [], claims: [], departs: [] },
    run: { quick: false, seeds: [1], cells: 1, planned: 1, seconds: 1, version: '1', date: 'then', trouble: [] },
    ...over,
  }) // biome-ignore format: lines
  const own = () => studyList(root).list().filter(({ run }) => run !== null) // biome-ignore format: a line

  test('are those beside a log of cells, by plain names', () => {
    write('r1/cells.jsonl')
    for (const name of ['mine', 'b-2', 'Mine', '.x', 'torn']) write(`r1/${name}.json`, JSON.stringify(study({ title: name }))) // biome-ignore format: a line
    write('r1/torn.json', '{')
    write('r1/odd.json', '{}')
    write('r1/notes.txt', '')
    write('r2/mine.json', JSON.stringify(study()))
    write('.hidden/cells.jsonl')
    write('.hidden/mine.json', JSON.stringify(study()))
    mkdirSync(join(root, 'r1/folder.json'))
    expect(own().map(({ key, run, title }) => [key, run, title])).toEqual([['r1.b-2', 'r1', 'b-2'], ['r1.mine', 'r1', 'mine']]) // biome-ignore format: a line
    expect(studyList(root).study('r1.mine')).toMatchObject({ study: 'mine', title: 'mine' })
    expect(() => studyList(root).study('r1.torn')).toThrow(/^r1\/torn\.json: /)
    expect(() => studyList(root).study('r1.odd')).toThrow('study')
    expect(() => studyList(root).study('r2.mine')).toThrow('there is no study "r2.mine"')
  })

  test('are none where there is no folder of runs', () => {
    rmSync(root, { recursive: true })
    expect(own()).toEqual([])
  })
})
