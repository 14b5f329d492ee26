import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileStore } from './file-store.js'
import { filesIn, importPorts } from './import-source.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-reads-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const bytesOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 255)
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const whole = 2 ** 20

describe('a file, small or large', () => {
  test.each([0, 1, whole - 1, whole, whole + 1, 2 * whole + 3])('of %d bytes is read as it is', async (size) => {
    const bytes = bytesOf(size)
    writeFileSync(join(folder, 'a'), bytes)
    const store = fileStore(folder)
    expect(await store.size('a')).toBe(size)
    expect(digest(await store.read('a'))).toBe(digest(bytes))
    const source = await store.open('a')
    expect(source.size).toBe(size)
    expect(await source.sha256!()).toBe(digest(bytes))
    for (const [from, length] of [[0, size], [size, 0], [0, 0], [size >> 1, size - (size >> 1)], [size >> 1, 0]] as const) // biome-ignore format: a line
      expect(digest(await source.read(from, length))).toBe(digest(bytes.slice(from, from + length)))
    for (const [from, length] of [[0, size + 1], [size, 1], [size + 1, 0], [-1, 1], [1, -1]] as const)
      await expect(source.read(from, length)).rejects.toThrow(`a ends before byte ${from + length}; it is cut off`)
    await source.close?.()
  }) // biome-ignore format: lines

  test('that is cut off while it is read is an error, and has another digest', async () => {
    const size = whole + 10
    writeFileSync(join(folder, 'a'), bytesOf(size))
    const source = await fileStore(folder).open('a')
    truncateSync(join(folder, 'a'), 5)
    await expect(source.read(0, 6)).rejects.toThrow('a ends before byte 6; it is cut off')
    expect([...(await source.read(1, 4))]).toEqual([...bytesOf(5).slice(1)])
    expect(await source.sha256!()).toBe(digest(bytesOf(5)))
    await source.close?.()
    await expect(source.read(0, 1)).rejects.toThrow()
  })
})

describe('a folder', () => {
  test.each([true, false])('is written to, and told of (lasting: %s)', async (lasting) => {
    const store = fileStore(folder, { lasting })
    await store.makeFolder('b/c')
    await store.write('b/c/x', Uint8Array.of(1, 2, 3))
    await store.append('b/c/x', Uint8Array.of(4))
    await store.rename('b/c/x', 'b/y')
    expect([...readFileSync(join(folder, 'b/y'))]).toEqual([1, 2, 3, 4])
    await store.truncate('b/y', 2)
    expect([...readFileSync(join(folder, 'b/y'))]).toEqual([1, 2])
    await store.syncFolder('b')
    await fileStore(folder, { lasting: !lasting }).syncFolder('b')
    expect([...(await store.list!('b'))].sort()).toEqual(['b/c', 'b/y'])
    await expect(fileStore(folder).syncFolder('none')).rejects.toThrow('there is no file "none"')
    await expect(store.read('b')).rejects.toThrow('"b" is no regular file')
    await expect(store.open('b/y/z')).rejects.toThrow('there is no file "b/y/z"')
    expect(await store.size('b/y/z')).toBeUndefined()
    await expect(store.write('b', Uint8Array.of(1))).rejects.toThrow('the file "b" is a folder; name a file')
    await expect(store.append('none/y', Uint8Array.of(1))).rejects.toThrow('there is no file "none/y"')
    for (const size of [0, whole, whole + 1]) {
      await store.write('large', bytesOf(size))
      await store.append('large', bytesOf(size))
      expect(digest(readFileSync(join(folder, 'large')))).toBe(digest(Buffer.concat([bytesOf(size), bytesOf(size)])))
    }
  })

  test('may be a link or all of the disk, and a link in it is read where it leads', async () => {
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real/a'), 'a')
    symlinkSync('a', join(folder, 'real/alias'))
    symlinkSync('real', join(folder, 'link'))
    const real = await fileStore(join(folder, 'real')).realPath('a')
    expect(await fileStore(join(folder, 'link')).realPath('a')).toBe(real)
    expect(await fileStore(folder).realPath('link/alias')).toBe(real)
    expect(await fileStore('/').realPath(real.slice(1))).toBe(real)
  })

  test('stamps a file once it is old enough for its times to tell a change', async () => {
    const store = fileStore(folder)
    writeFileSync(join(folder, 'a'), 'a')
    expect(await store.stamp!('a')).toBeUndefined()
    const { now } = performance
    try {
      performance.now = () => now.call(performance) + 2500
      const stamp = await store.stamp!('a')
      expect(stamp).toMatch(/^1-\d+-\d+-\d+-\d+$/)
      expect(await store.stamp!('a')).toBe(stamp)
      writeFileSync(join(folder, 'a'), 'bc')
      expect(await store.stamp!('a')).toMatch(/^2-/)
    } finally {
      performance.now = now
    }
  })

  test('that is imported is looked through to its end, without folders and links', () => {
    mkdirSync(join(folder, 'b/c'), { recursive: true })
    for (const name of ['a', 'b/x', 'b/c/y']) writeFileSync(join(folder, name), '')
    symlinkSync('a', join(folder, 'alias'))
    expect(filesIn(folder).sort()).toEqual(['a', 'b/c/y', 'b/x'])
    const { kind, inflate } = importPorts('npz', folder)
    const packed = Uint8Array.of(0x4b, 0x4c, 0x4a, 0x06, 0x00) // "abc", deflated
    expect(kind).toBe('npz')
    expect(Buffer.from(inflate(packed, 3)).toString()).toBe('abc')
    expect(() => inflate(packed, 2)).toThrow()
    // Of nothing at least one byte is allowed: none is no limit that is known.
    expect([...inflate(Uint8Array.of(0x03, 0x00), 0)]).toEqual([])
  })
})
