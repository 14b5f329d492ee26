import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolders } from './make-folder.js'

const work = mkdtempSync(join(tmpdir(), 'overhear-folder-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
const modeOf = (path: string): number => statSync(path).mode & 0o777

test('every folder that it makes is for its owner alone; one that was there stays as it is', async () => {
  const there = join(work, 'there')
  mkdirSync(there)
  chmodSync(there, 0o755)
  await makeFolders(join(there, 'a', 'b'))
  expect([there, join(there, 'a'), join(there, 'a', 'b')].map(modeOf)).toEqual([0o755, 0o700, 0o700])
  await makeFolders(join(there, 'a', 'b'))
  expect(modeOf(join(there, 'a', 'b'))).toBe(0o700)
})

test('a file in the way is said to be one', async () => {
  writeFileSync(join(work, 'file'), '')
  await expect(makeFolders(join(work, 'file'))).rejects.toThrow('is there already, and no folder')
})

test('a link to nowhere in the way is no folder that was made meanwhile', async () => {
  symlinkSync(join(work, 'nowhere'), join(work, 'link'))
  await expect(makeFolders(join(work, 'link'))).rejects.toThrow('is there already, and no folder')
})
