import { mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keptFiles } from './kept-files.js'

const fresh = (): Promise<string> => mkdtemp(join(tmpdir(), 'overhear-kept-'))
const bytes = Uint8Array.of(1, 2, 3)

test('what one writes another reads, and nothing else is left', async () => {
  const folder = join(await fresh(), 'kept')
  const [one, two] = [keptFiles(folder), keptFiles(folder)]
  expect(await two.read('a')).toBeUndefined()
  expect(await one.claim('a')).toBe(true)
  await one.write('a', bytes)
  expect(Uint8Array.from((await two.read('a'))!)).toEqual(bytes)
  expect(await readdir(folder)).toEqual(['a'])
})

test('a claim is one thread, until it has made it or given up', async () => {
  const folder = await fresh()
  const [one, two] = [keptFiles(folder), keptFiles(folder)]
  expect([await one.claim('a'), await two.claim('a')]).toEqual([true, false])
  const waiting = two.wait('a')
  await one.write('a', bytes)
  expect(Uint8Array.from((await waiting)!)).toEqual(bytes)
  expect([await one.claim('b'), await two.claim('b')]).toEqual([true, false])
  const given = two.wait('b')
  await one.drop('b')
  expect(await given).toBeUndefined()
  expect(await two.claim('b')).toBe(true)
})

test('a claim that was left behind is not waited for', async () => {
  const folder = await fresh()
  const files = keptFiles(folder, { patience: 2000 })
  expect(await files.claim('a')).toBe(true)
  const old = new Date(Date.now() - 3000)
  await utimes(join(folder, 'a.claim'), old, old)
  expect(await files.wait('a')).toBeUndefined()
})

test('a folder that cannot be written is as if there were none', async () => {
  const file = join(await fresh(), 'file')
  await writeFile(file, 'no folder')
  const files = keptFiles(file)
  expect(await files.claim('a')).toBe(true)
  await files.write('a', bytes)
  expect(await files.read('a')).toBeUndefined()
  await files.drop('a')
  expect(await files.wait('a')).toBeUndefined()
})

test('who gave a claim up may still write, and so may who never had one', async () => {
  const folder = await fresh()
  const files = keptFiles(folder)
  expect(await files.claim('a')).toBe(true)
  await files.drop('a')
  await files.write('a', bytes)
  await files.write('b', bytes)
  expect([await files.read('a'), await files.read('b')].map((read) => Uint8Array.from(read!))).toEqual([bytes, bytes])
  expect((await readdir(folder)).sort()).toEqual(['a', 'b'])
})

test('what was made takes a claim away that somebody left behind', async () => {
  const folder = await fresh()
  const [gone, here] = [keptFiles(folder), keptFiles(folder)]
  expect(await gone.claim('a')).toBe(true)
  await here.write('a', bytes)
  expect(await readdir(folder)).toEqual(['a'])
})

test('what was made may be made anew by the same thread', async () => {
  const folder = await fresh()
  const files = keptFiles(folder)
  expect(await files.claim('a')).toBe(true)
  await files.write('a', bytes)
  await files.write('a', Uint8Array.of(9))
  expect([...(await files.read('a'))!]).toEqual([9])
  expect(await readdir(folder)).toEqual(['a'])
})
