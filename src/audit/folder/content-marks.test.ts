import { describe, expect, test } from 'vitest'
import { disk } from '../../../test/simulated-disk.js'
import type { FileStore } from '../../transcript/store.js'
import { changedFiles, contentMarks, type Marks } from './content-marks.js'

describe('what differs', () => {
  const marks = (...pairs: [string, string][]): Marks =>
    Object.fromEntries(pairs.map(([name, sha256]) => [name, { sha256 }]))

  test('in words', () => {
    expect(changedFiles(marks(['a', '1'], ['b', '2'], ['c', '3']), marks(['a', '1'], ['b', '9'], ['d', '4']))).toEqual([
      'b was changed',
      'c is gone',
      'd is new',
    ])
  })

  test('eight of them are told, of more the rest is counted', () => {
    const of = (n: number) => changedFiles({}, marks(...Array.from({ length: n }, (_, i): [string, string] => [`${i}`, '1']))) // biome-ignore format: a line
    expect(of(8)).toHaveLength(8)
    expect(of(10)).toHaveLength(9)
    expect(of(10).at(-1)).toBe('2 more')
  })
})

describe('marks', () => {
  const text = (words: string) => new TextEncoder().encode(words)
  function recording(stamps?: (path: string) => string | undefined) {
    const { store, files } = disk()
    const put = (path: string, words: string) => files.set(path, text(words))
    const opened: string[] = []
    const own: FileStore = {
      size: store.size,
      read: store.read,
      open: (path) => {
        opened.push(path)
        return store.open(path)
      },
      ...(stamps !== undefined && { stamp: async (path: string) => stamps(path) }),
    }
    put('transcript.json', '{}')
    put('round', 'round 0')
    put('knowledge.json', '{"records":{"file":"own.csv","name":"not this"},"list":[{"heldBack":"held.csv"}],"optimum":{"a":"theta.npy","b":3},"file":5}')
    put('own.csv', 'x')
    const ports = { locate: async (path: string, usual: string) => (path === 'none' ? undefined : { store: own, path: usual }) }
    const rounds = (sha256?: string) => ({ rounds: () => [{ file: 'round', ...(sha256 !== undefined && { sha256 }) }] })
    const of = (more: object, known: Marks = {}, sha256?: string) =>
      contentMarks({ transcript: 't', ...more }, rounds(sha256) as never, { ports: ports as never, known })
    return { of, opened, put }
  } // biome-ignore format: lists

  test('name every file that an audit may read, once', async () => {
    const { of, put } = recording()
    expect(Object.keys(await of({}))).toEqual(['transcript/transcript.json', 'transcript/round'])
    put('rounds.jsonl', '')
    expect(Object.keys(await of({ truth: 'none' }))).toEqual(['transcript/transcript.json', 'transcript/rounds.jsonl', 'transcript/round']) // biome-ignore format: a line
    const all = await of({ knowledge: 'k', knowledgeOf: { a: 'ka' } })
    const named = ['knowledge.json', 'own.csv', 'held.csv', 'theta.npy']
    expect(Object.keys(all).slice(3)).toEqual(['knowledge', 'knowledge/a'].flatMap((part) => named.map((one) => `${part}/${one}`))) // biome-ignore format: a line
    expect(all['knowledge/held.csv']).toEqual({ sha256: 'not there' })
    expect(all['knowledge/own.csv']!.sha256).toMatch(/^2d711642b726b044/)
  })

  test('a round that was changed since is an error', async () => {
    const { of } = recording()
    const { sha256 } = (await of({}))['transcript/round']!
    expect((await of({}, {}, sha256))['transcript/round']).toEqual({ sha256 })
    await expect(of({}, {}, 'other')).rejects.toThrow('t: round was changed after it was recorded')
  })

  test('what has its old stamp is not read again', async () => {
    const { of, opened } = recording((path) => (path === 'round' ? 'now' : undefined))
    const known = {
      'transcript/round': { sha256: 'kept', stamp: 'now' },
      'transcript/transcript.json': { sha256: 'old' },
    }
    const marks = await of({}, known)
    expect(marks['transcript/round']).toEqual({ sha256: 'kept', stamp: 'now' })
    expect(opened).toEqual(['transcript.json'])
    expect(Object.keys(marks['transcript/transcript.json']!)).toEqual(['sha256'])
    const again = await of({}, { 'transcript/round': { sha256: 'kept', stamp: 'before' } })
    expect(again['transcript/round']).toMatchObject({ stamp: 'now' })
    expect(again['transcript/round']!.sha256).not.toBe('kept')
  })
})
