import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TrialLine } from '../../sweep/trial-line.js'
import { openTrialLog } from './trial-log-file.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-trials-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const id = (n: number): string => n.toString(16).padStart(64, '0')
const result = { hash: 'ë', level: 'none-found', tested: 1, notTested: 0, questions: [], scores: [], utility: [] }
const line = (n: number, over: Partial<TrialLine> = {}): TrialLine => ({
  format: 'overhear-trial/1',
  id: id(n),
  seed: n,
  at: { 'training.rounds': n },
  result,
  reason: null,
  took: { seconds: 1, attempts: 1, worker: 'w' },
  ...over,
})
const failed = (n: number): TrialLine => line(n, { result: null, reason: 'it crashed' })

async function write(...lines: TrialLine[]): Promise<void> {
  const log = await openTrialLog(folder)
  await Promise.all(lines.map((one) => log.add(one)))
  await log.close()
}

async function read(...numbers: number[]): Promise<(TrialLine | undefined)[]> {
  const log = await openTrialLog(folder)
  const found: (TrialLine | undefined)[] = []
  for (const n of numbers) found.push(await log.read(id(n)))
  await log.close()
  return found
}
const file = () => join(folder, 'trials.jsonl')

describe('the log of a sweep', () => {
  test('keeps every line, those that come together too, and finds each again', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? failed(i) : line(i)))
    await write(...lines)
    expect(await read(...lines.keys())).toEqual(lines)
    expect(readFileSync(file(), 'utf8').trim().split('\n')).toHaveLength(40)
  })

  test('goes on when it has come to rest, and knows what it holds', async () => {
    const log = await openTrialLog(folder)
    for (const n of [1, 2, 3]) await log.add(n === 2 ? failed(n) : line(n))
    expect([log.size, [...log.ids()]]).toEqual([3, [id(1), id(2), id(3)]])
    expect([1, 2, 4].map((n) => log.state(id(n)))).toEqual(['done', 'failed', undefined])
    expect(await log.read(id(3))).toEqual(line(3))
    await log.close()
  })

  test('never changes what is done; what failed may be done later', async () => {
    await write(line(1), failed(2))
    await write(line(1, { seed: 9 }), failed(1), line(2))
    expect(await read(1, 2)).toEqual([line(1), line(2)])
    expect(readFileSync(file(), 'utf8').trim().split('\n')).toHaveLength(3)
  })

  test('cuts a torn line off, wherever it was torn, and goes on behind the last whole one', async () => {
    await write(line(1))
    const whole = readFileSync(file())
    for (const cut of [1, 30, whole.indexOf('ë') + 1, whole.length - 1]) {
      writeFileSync(file(), Buffer.concat([whole, whole.subarray(0, cut)]))
      expect(await read(1, 2)).toEqual([line(1), undefined])
      expect(readFileSync(file())).toEqual(whole)
    }
    appendFileSync(file(), whole.subarray(0, 20))
    await write(line(2))
    expect(await read(1, 2)).toEqual([line(1), line(2)])
  })

  test('leaves lines of another format alone, and refuses what is no JSON by its number', async () => {
    writeFileSync(file(), `{"format":"overhear-trial/0","id":"${id(1)}"}\nnull\n\n`)
    await write(line(2))
    expect(await read(1, 2)).toEqual([undefined, line(2)])
    appendFileSync(file(), 'oops\n')
    await expect(openTrialLog(folder)).rejects.toThrow('trials.jsonl, line 5 is not JSON; delete that line')
  })

  test('in a place that is none says so', async () => {
    await expect(openTrialLog(join(folder, 'nowhere'))).rejects.toThrow('is not there')
  })
})
