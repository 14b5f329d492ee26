import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { memoryFolder } from './memory-folder.js'
import { bytesSource, insidePath, memoryStore, readBytes, readText } from './store.js'
import { check, shown, some } from './validate.js'

const bytes = (...values: number[]) => Uint8Array.from(values)

describe('bytes in memory', () => {
  test('are read up to their very end, and no further', async () => {
    const source = bytesSource(bytes(1, 2, 3), 'file')
    expect(source.size).toBe(3)
    for (const [
      offset,
      length,
      found,
    ] of [[0, 3, [1, 2, 3]], [3, 0, []], [1, 1, [2]], [2, 1, [3]], [0, 0, []]] as const) // biome-ignore format: a list
      expect([...(await source.read(offset, length))]).toEqual(found)
    for (const [offset, length] of [[0, 4], [3, 1], [-1, 1], [0, -1], [4, 0]] as const) // biome-ignore format: a list
      await expect(source.read(offset, length)).rejects.toThrow(`file: ${length} bytes from ${offset} were asked of 3`)
  })

  test('a path stays inside, and short', () => {
    for (const path of ['a', 'a/b.json', 'x'.repeat(1024)]) expect(insidePath(path, 'here')).toBe(path)
    for (const path of ['', '/a', 'a/', 'a//b', '.', 'a/./b', '../a', 'a:b', 'a\\b', 'a\nb', 'x'.repeat(1025)])
      expect(() => insidePath(path, 'here'), path).toThrow('here: the path is')
  })

  test('what is no text, no file or too much is refused by name', async () => {
    const store = memoryStore(new Map([['a/one', bytes(104, 105)], ['a/bad', bytes(255)], ['b', bytes(1)]])) // biome-ignore format: a list
    expect(await readText(store, 'a/one')).toBe('hi')
    await expect(readText(store, 'a/bad')).rejects.toThrow('a/bad: the bytes are not UTF-8 text')
    await expect(readBytes(store, 'c')).rejects.toThrow('there is no file "c"')
    expect(await store.list!('a')).toEqual(['a/one', 'a/bad'])
    const huge = (size: number) => ({ ...store, size: async () => size, read: async () => bytes(1) })
    expect(await readBytes(huge(500_000_000), 'b')).toEqual(bytes(1))
    await expect(readBytes(huge(500_000_001), 'b')).rejects.toThrow('b has 500000001 bytes')
  })

  test.each(['', 'root', 'root/deep'])('a folder "%s" of files is read, written, cut and listed', async (root) => {
    const files = new Map<string, Uint8Array>()
    const folder = memoryFolder(files, root)
    const under = root === '' ? '' : `${root}/`
    await folder.append('log/a', bytes(1, 2))
    await folder.append('log/a', bytes(3))
    expect([...files.keys()]).toEqual([`${under}log/a`])
    expect(await folder.list!('log')).toEqual(['log/a'])
    expect(await folder.size('log/a')).toBe(3)
    await folder.truncate('log/a', 3)
    await expect(folder.truncate('log/a', 4)).rejects.toThrow('log/a has 3 bytes, not 4')
    await folder.truncate('log/a', 2)
    expect(await folder.read('log/a')).toEqual(bytes(1, 2))
    const copy = await folder.read('log/a')
    copy[0] = 9
    expect(await folder.read('log/a')).toEqual(bytes(1, 2))
    await folder.rename('log/a', 'log/b')
    expect([...files.keys()]).toEqual([`${under}log/b`])
    for (const gone of [folder.read('log/a'), folder.truncate('log/a', 0), folder.rename('log/a', 'c')])
      await expect(gone).rejects.toThrow('there is no file "log/a"')
    expect(await (await folder.open('log/b')).read(1, 1)).toEqual(bytes(2))
  })
})

describe('what a schema says of a value', () => {
  const schema = z.object({
    name: z.string().min(2).max(4).optional(),
    list: z.array(z.number().min(1).max(5)).min(1).max(2).optional(),
    share: z.number().gt(0).lt(1).optional(),
    choice: z.enum(['a', 'b']).optional(),
    either: z.union([z.number(), z.object({ deep: z.object({ at: z.string() }) })]).optional(),
    kind: z.discriminatedUnion('kind', [z.object({ kind: z.literal('x') }), z.object({ kind: z.literal('y') })]).optional(),
    mail: z.string().regex(/^m/).optional(),
    id: z.email().optional(),
    yes: z.literal(3).optional(),
  }) // biome-ignore format: a list
  const refusal = (value: unknown): string => {
    try {
      return JSON.stringify(check(schema, value, 'f').value)
    } catch (error) {
      return (error as Error).message
    }
  }
  test.each([
    [{ name: 'a' }, 'f: name is "a"; allowed: at least 2 long'],
    [{ name: 'abcde' }, 'f: name is "abcde"; allowed: at most 4 long'],
    [{ name: 4 }, 'f: name is 4; allowed: a string'],
    [{ list: [] }, 'f: list is a list of 0; allowed: at least 1 long'],
    [{ list: [1, 2, 3] }, 'f: list is a list of 3; allowed: at most 2 long'],
    [{ list: [1, 0] }, 'f: list[1] is 0; allowed: a number from 1'],
    [{ list: [6] }, 'f: list[0] is 6; allowed: a number up to 5'],
    [{ share: 0 }, 'f: share is 0; allowed: a number above 0'],
    [{ share: 1 }, 'f: share is 1; allowed: a number below 1'],
    [{ choice: 'c' }, 'f: choice is "c"; allowed: "a", "b"'],
    [{ either: 'c' }, 'f: either is "c"; allowed: a finite number, or an object'],
    [{ either: { deep: { at: 3 } } }, 'f: either.deep.at is 3; allowed: a string'],
    [{ kind: { kind: 'z' } }, 'f: kind.kind is "z"; allowed: "x", "y"'],
    [{ mail: 'x' }, 'f: mail is "x"; allowed: a string that matches /^m/'],
    [{ yes: 4 }, 'f: yes is 4; allowed: 3'],
    [7, 'f: the whole is 7; allowed: an object'],
    [null, 'f: the whole is null; allowed: an object'],
  ])('%j', (value, said) => {
    expect(refusal(value)).toBe(said)
  })

  test('unknown keys are told one by one up to twenty, then together', () => {
    const keys = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`key${i}`, 1]))
    expect(check(schema, { nam: 'abc' }, 'f').warnings).toEqual([
      'f: unknown key nam is kept and ignored (did you mean "name"?)',
    ])
    expect(check(schema, keys(20), 'f').warnings).toHaveLength(20)
    expect(check(schema, keys(21), 'f').warnings.slice(19)).toEqual([
      'f: unknown key key19 is kept and ignored',
      'f: more unknown keys follow',
    ])
    expect(check(schema, keys(40), 'f').warnings).toHaveLength(21)
    const nested = { either: { deep: { at: 'x', odd: 1 }, more: 2 }, kind: { kind: 'y', z: 1 } }
    expect(check(schema, nested, 'f').warnings.map((text) => text.split(' ')[3])).toEqual([
      'either.deep.odd',
      'either.more',
      'kind.z',
    ])
  })

  test('values and names in errors are short', () => {
    expect(shown('x'.repeat(98))).toBe(`"${'x'.repeat(98)}"`)
    expect(shown('x'.repeat(99))).toBe(`"${'x'.repeat(99)}...`)
    expect([undefined, [1, 2], {}, null, 3, Symbol.iterator].map((value) => shown(value))).toEqual(
      ['missing', 'a list of 2', 'an object', 'null', '3', 'Symbol(Symbol.iterator)'], // biome-ignore format: a list
    )
    expect(some(['x'.repeat(40), 'y'.repeat(41)])).toBe(`${'x'.repeat(40)}, ${'y'.repeat(40)}...`)
    expect(some(Array.from({ length: 30 }, (_, i) => `${i}`)).split(', ')).toHaveLength(20)
  })
})
