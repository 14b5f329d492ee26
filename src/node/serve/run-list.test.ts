import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runList } from './run-list.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-'))
afterAll(() => rmSync(folder, { recursive: true }))
const put = (root: string, path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('runs of a folder, the latest first, and nothing else', () => {
  const root = join(folder, 'runs')
  const { list, summary, place, folder: at, detail } = runList(root, (id) => (id === 'b' ? ({ id } as never) : null))
  expect(list()).toEqual([])
  put(root, 'a-0123456789ab/run.json', '{}')
  put(root, 'b/started.json', '{}')
  put(root, 'b/scenario.yaml', 'seed: 1')
  put(root, 'uploads/run.json', '{}')
  put(root, 'none/other.json', '{}')
  put(root, 'file.json', '{}')
  put(root, '.hidden/run.json', '{}')
  symlinkSync(join(root, 'b'), join(root, 'link'))
  utimesSync(join(root, 'a-0123456789ab'), 1000, 1000)
  utimesSync(join(root, 'b'), 2000, 2000)
  expect(list().map(({ id }) => id)).toEqual(['b', 'a-0123456789ab'])
  utimesSync(join(root, 'a-0123456789ab'), 2000, 2000)
  expect(list().map(({ id }) => id)).toEqual(['a-0123456789ab', 'b'])
  expect(summary('b')).toEqual({ id: 'b', name: 'b', level: null, complete: false, tested: 0, notTested: 0, sentence: null, resumable: true, changed: 2_000_000, job: { id: 'b' } }) // biome-ignore format: a line
  expect(summary('a-0123456789ab')).toMatchObject({ name: 'a', resumable: false, job: null })
  expect(detail('b')).toMatchObject({
    verdict: null,
    questions: { total: 0, questions: [] },
    utility: [],
    versions: {},
    yaml: 'seed: 1',
  })
  expect(detail('a-0123456789ab').yaml).toBeNull()
  expect(at('b')).toBe(join(root, 'b'))
  expect(place('new')).toBe(join(root, 'new'))
  for (const id of ['..', 'uploads', '.hidden', 'a/b', '']) expect(() => place(id)).toThrow('is no name of a run')
  for (const id of ['none', 'link', 'nobody', 'file.json']) expect(() => at(id)).toThrow(`there is no run "${id}"`)
})

test('one that cannot be read is in the list, with the reason, until it changes', () => {
  const root = join(folder, 'broken')
  put(root, 'x-20260101-101010-abcd/audit.json', 'no JSON')
  const { summary } = runList(root, () => null)
  const id = 'x-20260101-101010-abcd'
  expect(summary(id)).toMatchObject({ name: 'x', level: null, complete: false, resumable: false })
  expect(summary(id).sentence).toMatch(/JSON/)
  expect(summary(id)).toEqual(summary(id))
})
