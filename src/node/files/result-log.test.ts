import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resultWith } from '../../../test/audit-results.js'
import { openResultLog, resultFormat } from './result-log.js'

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
function write(entries: Readonly<Record<string, typeof one>>, fresh = false): void {
  const log = openResultLog(path, { fresh })
  for (const [hash, result] of Object.entries(entries)) log.add(hash, result)
  log.close()
}
function read(): [string, typeof one][] {
  const log = openResultLog(path, { fresh: false })
  log.close()
  return [...log.finished]
}

describe('a log of results', () => {
  test('begins empty, and reads back what was added', () => {
    expect(read()).toEqual([])
    write({ a: one, b: two })
    write({ c: one })
    expect(read()).toEqual([
      ['a', one],
      ['b', two],
      ['c', one],
    ])
  })

  test('holds each result as soon as it is added', () => {
    const log = openResultLog(path, { fresh: false })
    log.add('a', one)
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify({ format: resultFormat, hash: 'a', result: one })}\n`)
    expect(log.finished.get('a')).toEqual(one)
    log.close()
  })

  test('that is fresh forgets what was there', () => {
    write({ a: one })
    write({ b: two }, true)
    expect(read()).toEqual([['b', two]])
  })

  test('drops a torn last line wherever it was torn, and goes on behind the last whole one', () => {
    write({ a: one })
    const whole = statSync(path).size
    const line = Buffer.from(`${JSON.stringify({ format: resultFormat, hash: 'b', result: one })}\n`)
    for (const cut of [1, 10, line.indexOf('ë') + 1, line.length - 1]) {
      appendFileSync(path, line.subarray(0, cut))
      expect(read()).toEqual([['a', one]])
      expect(statSync(path).size).toBe(whole)
    }
    appendFileSync(path, line.subarray(0, 20))
    write({ c: two })
    expect(read()).toEqual([
      ['a', one],
      ['c', two],
    ])
  })

  test('of a torn line alone is empty', () => {
    writeFileSync(path, '{"hash":"a","res')
    expect(read()).toEqual([])
  })

  test('the last of two results with one name counts', () => {
    write({ a: one })
    write({ a: two })
    expect(read()).toEqual([['a', two]])
  })

  test('leaves results of another format alone, as if they were not there', () => {
    const { findings: _, ...old } = { ...one, claim: one.findings[0]!.claim, score: one.findings[0]!.score }
    const lines = [{ hash: 'a', result: old }, { format: 'overhear-result/3', hash: 'b', result: one }, null, 7]
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const before = readFileSync(path, 'utf8')
    expect(read()).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(before)
    write({ a: two })
    expect(read()).toEqual([['a', two]])
  })

  test('with a line that is no JSON is refused with its number, and left as it is', () => {
    write({ a: one })
    appendFileSync(path, 'oops\n')
    const before = readFileSync(path, 'utf8')
    expect(() => read()).toThrow(`${path}, line 2 is not JSON; delete the line, or begin again without --resume`)
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  test('in a folder that is not there is an error', () => {
    path = join(folder, 'nowhere', 'results.jsonl')
    expect(() => read()).toThrow('ENOENT')
  })
})
