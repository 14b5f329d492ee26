import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fileFinder, serveFiles } from './file-exchange.js'
import { queueName } from './queue-job.js'
import type { Redis } from './queue-packages.js'

const root = mkdtempSync(join(tmpdir(), 'overhear-exchange-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const hashOf = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const keyOf = (sha256: string) => `overhear:${queueName}:file:${sha256}`

/** What a server keeps, and the seconds that it is asked to keep each for. */
function server() {
  const kept = new Map<string, string | Buffer>()
  const seconds = new Map<string, number>()
  const wanted = new Set<string>()
  const redis = {
    smembers: async () => [...wanted],
    srem: async (_: string, one: string) => void wanted.delete(one),
    exists: async (key: string) => (kept.has(key) ? 1 : 0),
    async set(key: string, value: string | Buffer, unit: string, keep: number) {
      expect(unit).toBe('EX')
      kept.set(key, typeof value === 'string' ? value : Buffer.from(value))
      seconds.set(key, keep)
    },
    get: async (key: string) => kept.get(key) ?? null,
    getBuffer: async (key: string) => kept.get(key) ?? null,
  } as unknown as Redis
  return { kept, seconds, wanted, redis }
}

describe('files that workers ask for', () => {
  test('are put up in pieces of 4 MiB, and their number last, for the shorter time', async () => {
    const { kept, seconds, wanted, redis } = server()
    const bytes = Buffer.alloc(2 ** 22 + 3, 'abcdefg')
    const [sha256, place] = [hashOf(bytes), join(root, 'large')]
    writeFileSync(place, bytes)
    wanted.add(sha256)
    await serveFiles(redis, (asked) => (asked === sha256 ? place : undefined))
    expect([...kept.keys()]).toEqual([`${keyOf(sha256)}:0`, `${keyOf(sha256)}:1`, keyOf(sha256)])
    expect(kept.get(keyOf(sha256))).toBe('2')
    expect([0, 1].map((i) => kept.get(`${keyOf(sha256)}:${i}`)!.length)).toEqual([2 ** 22, 3])
    expect(hashOf(Buffer.concat([0, 1].map((i) => kept.get(`${keyOf(sha256)}:${i}`) as Buffer)))).toBe(sha256)
    expect([...seconds.values()]).toEqual([4200, 4200, 3600])
    expect(wanted.size).toBe(0)
  })

  test('are put up once, and stay asked for where they are not here', async () => {
    const { kept, wanted, redis } = server()
    kept.set(keyOf('a'), '1')
    wanted.add('elsewhere').add('a')
    await serveFiles(redis, (asked) => (asked === 'a' ? join(root, 'not-read') : undefined))
    expect([...wanted]).toEqual(['elsewhere'])
    expect([...kept]).toEqual([[keyOf('a'), '1']])
  })

  test('of no bytes are no pieces', async () => {
    const { kept, wanted, redis } = server()
    writeFileSync(join(root, 'empty'), '')
    wanted.add('e')
    await serveFiles(redis, () => join(root, 'empty'))
    expect([...kept]).toEqual([[keyOf('e'), '0']])
  })
})

describe('a worker finds files', () => {
  const [cache, dataDir] = [join(root, 'cache'), join(root, 'data')]
  const text = 'age,wage\n31,5\n'
  const sha256 = hashOf(text)
  const putUp = (kept: Map<string, string | Buffer>, ...pieces: string[]) => {
    kept.set(keyOf(sha256), String(pieces.length))
    for (const [i, piece] of pieces.entries()) kept.set(`${keyOf(sha256)}:${i}`, Buffer.from(piece))
  }

  test('where they lie with the content that is asked for', async () => {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'here.csv'), text)
    const { redis } = server()
    const find = fileFinder(redis, { dataDir, cache, patience: -1 })
    expect(await find({ 'here.csv': sha256 })).toEqual({ 'here.csv': join(dataDir, 'here.csv') })
    expect(await find({})).toEqual({})
    const other = hashOf('other')
    await expect(find({ 'here.csv': other })).rejects.toThrow(
      `here.csv (sha256 ${other}) is not on this machine, and no coordinator put it up; put it into a folder of datasets`,
    )
  })

  test('through the queue, and keeps them under their hash', async () => {
    const { kept, redis } = server()
    putUp(kept, text.slice(0, 4), text.slice(4))
    const place = join(cache, `${sha256}-my_wages_1_.csv`)
    const asked = { 'folder/my wages(1).csv': sha256 }
    expect(await fileFinder(redis, { cache, patience: -1 })(asked)).toEqual({ 'folder/my wages(1).csv': place })
    expect(readFileSync(place, 'utf8')).toBe(text)
    expect(readdirSync(cache)).toEqual([`${sha256}-my_wages_1_.csv`])
    // Another worker of this machine finds it there, as long as it is what it was.
    const away = server()
    const again = fileFinder(away.redis, { cache, patience: -1 })
    expect(await again(asked)).toEqual({ 'folder/my wages(1).csv': place })
    writeFileSync(place, 'torn')
    await expect(fileFinder(away.redis, { cache, patience: -1 })(asked)).rejects.toThrow('is not on this machine')
    putUp(away.kept, text)
    expect(readFileSync((await fileFinder(away.redis, { cache })(asked))['folder/my wages(1).csv']!, 'utf8')).toBe(text)
    rmSync(cache, { recursive: true })
  })

  test('not with another content, and asks again the next time', async () => {
    const { kept, redis } = server()
    const find = fileFinder(redis, { cache, patience: -1 })
    putUp(kept, 'something else')
    await expect(find({ a: sha256 })).rejects.toThrow(
      'a came through the queue with another content; it is fetched anew the next time',
    )
    // A piece that the server no longer has.
    putUp(kept, text, '')
    kept.delete(`${keyOf(sha256)}:0`)
    await expect(find({ a: sha256 })).rejects.toThrow('a came through the queue with another content')
    expect(readdirSync(cache)).toEqual([])
    putUp(kept, text)
    expect(await find({ a: sha256 })).toEqual({ a: join(cache, `${sha256}-a`) })
    // What was found once is not looked for again.
    kept.clear()
    rmSync(cache, { recursive: true })
    expect(await find({ a: sha256 })).toEqual({ a: join(cache, `${sha256}-a`) })
  })
})
