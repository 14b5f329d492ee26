import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { uploads } from './uploads.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const made = (limits = { file: 10, bytes: 25, files: 3 }) => {
  const root = join(folder, `${count++}`)
  return { root, top: join(root, 'uploads'), ...uploads(root, limits) }
}
const body = (...texts: string[]) => Readable.toWeb(Readable.from(texts.map((text) => new TextEncoder().encode(text)))) as unknown as ReadableStream<Uint8Array> // biome-ignore format: a line

test('a file is kept under its name, or in a folder of that name', async () => {
  const { put, path, names, top, remove } = made()
  expect(names()).toEqual([])
  await put('a.csv', [], body('12', '345'))
  await put('f', ['g', 'b.csv'], body('x'))
  expect(readFileSync(join(top, 'a.csv'), 'utf8')).toBe('12345')
  expect(readFileSync(join(path('f'), 'g', 'b.csv'), 'utf8')).toBe('x')
  expect(names().sort()).toEqual(['a.csv', 'f'])
  await put('empty', [], null)
  expect(readFileSync(path('empty'), 'utf8')).toBe('')
  remove('f')
  expect(names().sort()).toEqual(['a.csv', 'empty'])
  expect(() => path('f')).toThrow('there is no upload "f"')
  expect(readdirSync(top).filter((name) => name.startsWith('.part'))).toEqual([])
})

test('names lead nowhere else', async () => {
  const { put, path, top } = made()
  for (const name of ['..', '.x', 'a/b', '', 'ü']) await expect(put(name, [], body('1'))).rejects.toThrow('is no name for a file')
  await expect(put('a', ['..', 'x'], body('1'))).rejects.toThrow('".." is no name for a file')
  await put('a', ['1', '2', '3', '4', '5', 'x'], body('1'))
  await expect(put('a', ['1', '2', '3', '4', '5', '6', 'x'], body('1'))).rejects.toThrow('lies too deep')
  symlinkSync('/etc', join(top, 'link'))
  expect(() => path('link')).toThrow('there is no upload "link"')
}) // biome-ignore format: lists

test('so many bytes of one file, of all, and so many files', async () => {
  const { put, remove } = made()
  await put('a', [], body('1234567890'))
  await expect(put('b', [], body('12345', '678901'))).rejects.toThrow('larger than the 10 bytes')
  await put('a', [], body('12')) // in its own place
  await put('b', [], body('1234567890'))
  await put('c', [], body('1234567890'))
  await expect(put('a', [], body('1'))).rejects.toThrow('there are 3 uploaded files')
  remove('a')
  await put('d', [], body('12345'))
  remove('d')
  await expect(put('e', [], body('123456'))).rejects.toThrow('larger than the 5 bytes')
  await put('e', [], body('12345'))
})

test('nothing stays of a file that was too large, not even a little later', async () => {
  const { put, top } = made()
  for (let k = 0; k < 20; k++) {
    await expect(put('a', [], body('12345678901'))).rejects.toThrow('larger than the 10 bytes')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  expect(readdirSync(top)).toEqual([])
})

test('what lay there before counts', async () => {
  const { put, top } = made()
  mkdirSync(join(top, 'f'), { recursive: true })
  writeFileSync(join(top, 'f', 'x'), 'x'.repeat(24))
  await expect(put('a', [], body('12'))).rejects.toThrow('larger than the 1 bytes')
  await put('a', [], body('1'))
})

test('a file goes into the folder of a run, a folder does not', async () => {
  const { put, into, root } = made()
  await put('a.csv', [], body('1'))
  await put('f', ['x'], body('1'))
  const run = join(root, 'run')
  mkdirSync(run)
  await into('a.csv', run)
  expect(readFileSync(join(run, 'a.csv'), 'utf8')).toBe('1')
  await into('a.csv', run) // it is there already
  await expect(into('f', run)).rejects.toThrow('f is no file')
  expect(existsSync(join(run, 'f'))).toBe(false)
})
