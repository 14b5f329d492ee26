import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { printedBy } from '../../test/printed-by.js'
import { print, printJson, writeOut } from './print.js'

const root = mkdtempSync(join(tmpdir(), 'overhear-print-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const { NO_COLOR } = process.env
const { isTTY } = process.stdout
afterEach(() => {
  Object.assign(process.stdout, { isTTY })
  if (NO_COLOR === undefined) delete process.env.NO_COLOR
  else process.env.NO_COLOR = NO_COLOR
})

const red = (text: string): string => `\x1b[31m${text}\x1b[0m`
const painted = async (terminal: boolean | undefined, wish: string | undefined, text = 'a\nb') => {
  Object.assign(process.stdout, { isTTY: terminal })
  if (wish === undefined) delete process.env.NO_COLOR
  else process.env.NO_COLOR = wish
  return (await printedBy(() => print(text, red))).out
}

describe('a text', () => {
  test('has colours on a terminal that wants them', async () => {
    expect(await painted(true, undefined)).toBe('\x1b[31ma\nb\x1b[0m\n')
    expect(await painted(true, '')).toBe('\x1b[31ma\nb\x1b[0m\n')
    expect(await painted(true, '1')).toBe('a\nb\n')
    expect(await painted(false, undefined)).toBe('a\nb\n')
    expect(await painted(undefined, undefined)).toBe('a\nb\n')
    Object.assign(process.stdout, { isTTY: true })
    expect((await printedBy(() => print('a'))).out).toBe('a\n')
  })

  test("never steers the terminal with a stranger's signs", async () => {
    expect(await painted(true, undefined, 'x\x1b[2J')).toBe('\x1b[31mx\\u001b[2J\x1b[0m\n')
  })
})

test('a document is one line end behind its pieces, and its signs are escapes', async () => {
  const { out } = await printedBy(() => printJson({ a: [1, 'x\u2028\x7f'] }))
  expect(out.endsWith('\n') && !out.endsWith('\n\n')).toBe(true)
  expect(out).toContain('\\u2028\\u007f')
  expect(JSON.parse(out)).toEqual({ a: [1, 'x\u2028\x7f'] })
})

test('what cannot be written at once is an error of the output', async () => {
  const thrown = (error: Error) =>
    printedBy(async () => {
      process.stdout.write = () => {
        throw error
      }
      return print('a').then(() => 'printed', (told: Error) => told.message) // biome-ignore format: a line
    })
  expect((await thrown(Object.assign(new Error('no'), { code: 'EIO' }))).value).toMatch(/^the output could not be used/)
  expect((await thrown(Object.assign(new Error('no'), { code: 'EPIPE' }))).value).toBe('printed')
  expect((await thrown(new Error('odd'))).value).toBe('odd')
})

test('a file is written where one is asked for, and made for nobody else', () => {
  writeOut(undefined, () => expect.fail('nobody asked'))
  writeOut(join(root, 'a'), () => 'text')
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('text')
  expect(() => writeOut(join(root, 'none/a'), () => 'text')).toThrow(/none\/a: ENOENT.*; name a file that can be written$/)
}) // biome-ignore format: a line
