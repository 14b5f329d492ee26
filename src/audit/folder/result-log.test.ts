import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resultWith } from '../../../test/audit-results.js'
import { fileStore } from '../../node/files/file-store.js'
import { resultFormat } from './result-format.js'
import { openResultLog } from './result-log.js'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-log-'))
  path = join(folder, 'results.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const one = resultWith({ target: 'Zoë' })
const two = resultWith({ attack: 'dlg' })

/** Writes some results and closes. */
async function write(entries: Readonly<Record<string, typeof one>>, fresh = false): Promise<void> {
  const log = await openLog(fresh)
  await Promise.all(Object.entries(entries).map(([hash, result]) => log.add(hash, result)))
}
const openLog = (fresh = false, place = folder) => openResultLog(fileStore(place), 'results.jsonl', { fresh })
const read = async (): Promise<[string, typeof one][]> => [...(await openLog()).finished]

describe('a log of results', () => {
  test('begins empty, and reads back what was added', async () => {
    expect(await read()).toEqual([])
    await write({ a: one, b: two })
    await write({ c: one })
    expect(await read()).toEqual([
      ['a', one],
      ['b', two],
      ['c', one],
    ])
  })

  test('holds each result as soon as it is added', async () => {
    const log = await openLog()
    await log.add('a', one)
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify({ format: resultFormat, hash: 'a', result: one })}\n`)
    expect(log.finished.get('a')).toEqual(one)
  })

  test('keeps what was claimed before its controls ran, apart from what is finished', async () => {
    const log = await openLog()
    await log.addClaim('a', one)
    expect([...(await openLog()).claimed]).toEqual([['a', one]])
    expect(await read()).toEqual([])
    await log.add('a', two)
    expect(await read()).toEqual([['a', two]])
  })

  test('keeps lines whole and in order when several are added at once', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`h${i}`, i % 2 === 0 ? one : two]))
    await write(many)
    expect(await read()).toEqual(Object.entries(many))
  })

  test('that is fresh forgets what was there', async () => {
    await write({ a: one })
    await write({ b: two }, true)
    expect(await read()).toEqual([['b', two]])
  })

  test('drops a torn last line wherever it was torn, and goes on behind the last whole one', async () => {
    await write({ a: one })
    const whole = statSync(path).size
    const line = Buffer.from(`${JSON.stringify({ format: resultFormat, hash: 'b', result: one })}\n`)
    for (const cut of [1, 10, line.indexOf('ë') + 1, line.length - 1]) {
      appendFileSync(path, line.subarray(0, cut))
      expect(await read()).toEqual([['a', one]])
      expect(statSync(path).size).toBe(whole)
    }
    appendFileSync(path, line.subarray(0, 20))
    await write({ c: two })
    expect(await read()).toEqual([
      ['a', one],
      ['c', two],
    ])
  })

  test('of a torn line alone is empty', async () => {
    writeFileSync(path, '{"hash":"a","res')
    expect(await read()).toEqual([])
  })

  test('the last of two results with one name counts', async () => {
    await write({ a: one })
    await write({ a: two })
    expect(await read()).toEqual([['a', two]])
  })

  test('leaves results of another format alone, as if they were not there', async () => {
    const { findings: _, ...old } = { ...one, claim: one.findings[0]!.claim, score: one.findings[0]!.score }
    const lines = [{ hash: 'a', result: old }, { format: 'overhear-result/3', hash: 'b', result: one }, null, 7]
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const before = readFileSync(path, 'utf8')
    expect(await read()).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(before)
    await write({ a: two })
    expect(await read()).toEqual([['a', two]])
  })

  test('with a line that is no JSON is refused with its number, and left as it is', async () => {
    await write({ a: one })
    appendFileSync(path, 'oops\n')
    const before = readFileSync(path, 'utf8')
    await expect(read()).rejects.toThrow(
      `results.jsonl, line 2 is not JSON; give --repair to do without such lines, or begin again without --resume`,
    )
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  test('in a folder that is not there is an error', async () => {
    await expect(openLog(false, join(folder, 'nowhere'))).rejects.toThrow('there is no file "results.jsonl"')
  })
})
