import { describe, expect, test } from 'vitest'
import type { RecordingPaths } from '../open-recording.js'
import { recordedTargets } from './recorded-targets.js'

/** A recording whose rounds hold these clients' messages. */
const sources = (ids: readonly string[], heard: readonly string[], target?: string) =>
  ({
    transcript: {
      manifest: { clients: ids.map((id) => ({ id })), recordedFor: { kind: 'server' } },
      rounds: () => [{ round: 0 }],
      contents: async () => ({ clients: new Set(heard) }),
    },
    ...(target !== undefined && { knowledge: { target } }),
  }) as never
const paths: RecordingPaths = { transcript: 't' }
const many = Array.from({ length: 22 }, (_, i) => `c${i}`)

describe('without knowledge of single clients', () => {
  test('whoever is named', async () => {
    const { targets, notes, pathsOf } = await recordedTargets(paths, sources(['a', 'b'], ['a', 'b'], 'b'))
    expect([targets, notes, pathsOf('b'), pathsOf(null)]).toEqual([['b'], [], paths, paths])
  })

  test('each who was heard, twenty at most unless told', async () => {
    const { targets, notes, pathsOf } = await recordedTargets(paths, sources(many, many))
    expect(targets).toEqual(many.slice(0, 20))
    expect(notes).toEqual(['no target is named: the first 20 clients were attacked, 2 not (--clients N, or --target)'])
    expect([pathsOf('c1'), pathsOf(null)]).toEqual([{ ...paths, target: 'c1' }, paths])
    expect((await recordedTargets(paths, sources(many, many), 22)).notes).toEqual([])
  })
})

describe('with knowledge of single clients', () => {
  const of = (known: readonly string[], source: never, most?: number) =>
    recordedTargets({ ...paths, knowledgeOf: Object.fromEntries(known.map((id) => [id, `of ${id}`])) }, source, most)

  test('those who are in the table and were heard; the others are told', async () => {
    const { targets, notes, pathsOf } = await of(['a', 'b', 'x'], sources(['a', 'b', 'c', 'd'], ['a', 'c', 'd']))
    expect(targets).toEqual(['a'])
    expect(notes).toEqual([
      'in the table and not in the recording: client x',
      'in the table and never heard in the recording: client b',
      'heard in the recording and not in the table, so not attacked: 2 clients c, d',
    ])
    expect(pathsOf('a')).toEqual({ transcript: 't', knowledge: 'of a' })
    expect(pathsOf(null)).toEqual({ transcript: 't', knowledge: 'of a' })
  })

  test('of sums the first stands for all', async () => {
    const { targets, notes } = await of(['a', 'b'], sources(['a', 'b'], []))
    expect([targets, notes]).toEqual([['a'], []])
  })

  test('whoever is named, or as many as are asked for', async () => {
    const named = await of(['a', 'b'], sources(['a', 'b'], ['a', 'b'], 'b'))
    expect([named.targets, named.notes]).toEqual([['b'], ['in the table and not in the recording: client a']])
    const two = await of(['a', 'b', 'c'], sources(['a', 'b', 'c'], ['a', 'b', 'c']), 2)
    expect(two.targets).toEqual(['a', 'b'])
    expect(two.notes).toEqual(['no target is named: the first 2 clients were attacked, 1 not (--clients N, or --target)']) // biome-ignore format: a line
  })

  test('nobody is in both', async () => {
    await expect(of(['x'], sources(['a'], ['a']))).rejects.toThrow(
      'the table has records of the clients x, and the recording has the clients a',
    )
  })
})
