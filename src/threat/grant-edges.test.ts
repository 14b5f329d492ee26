import { describe, expect, test } from 'vitest'
import { grant, type Sources, viewKey } from './grant.js'
import type { Channel, Grant } from './granted-keys.js'
import { defineObserver, hearsUpdates } from './observer.js'
import type { ObserverName } from './observers.js'

interface Entry {
  readonly round: number
  readonly participants: readonly string[] | null
  readonly dropped?: readonly string[]
  /** Whose messages the round holds. */
  readonly clients?: readonly string[]
}
function sourcesOf(entries: readonly Entry[], more: { target?: string; channel?: Channel } = {}): Sources {
  const { target, channel } = more
  return {
    transcript: {
      manifest: { recordedFor: { kind: 'server' }, protocol: {}, clients: [{ id: 'a', samples: 10 }] },
      rounds: () => entries.map((one) => ({ dropped: [], ...one })),
      contents: async (round: number) => ({ clients: new Set(entries.find((one) => one.round === round)!.clients) }),
    },
    knowledge: { ...(target !== undefined && { target }) },
    ...(channel && { channel }),
  } as unknown as Sources
}
const granted = async <K extends Grant>(key: K, sources: Sources, observer: ObserverName = 'malicious-server') =>
  (await grant(sources, observer, [key])).view?.[key]

describe('the round of a target', () => {
  const first = (entries: readonly Entry[], target: string | undefined = 'a') =>
    granted('round', sourcesOf(entries, { ...(target !== '' && { target }) }))

  test('is the first in which it took part, by the list of the round or by its messages', async () => {
    expect(
      await first([
        { round: 3, participants: ['b'] },
        { round: 5, participants: ['b', 'a'] },
      ]),
    ).toBe(5)
    expect(await first([{ round: 3, participants: null, clients: ['b'] }, { round: 5, participants: null, clients: ['a'] }])).toBe(5) // biome-ignore format: a line
    expect(await first([{ round: 3, participants: ['b'], clients: ['a'] }])).toBeUndefined()
    expect(await first([{ round: 3, participants: ['a'] }], '')).toBeUndefined()
  })
})

describe('who took part', () => {
  const rows = (...entries: Entry[]) => granted('participation', sourcesOf(entries))

  test('is in the list of each round, or follows from whose messages it holds', async () => {
    expect(await rows({ round: 3, participants: ['b'], dropped: ['c'] })).toEqual([{ round: 3, participants: ['b'], dropped: ['c'] }]) // biome-ignore format: a line
    expect(
      await rows({ round: 0, participants: null, clients: ['a'] }, { round: 1, participants: [], clients: ['a'] }),
    ).toEqual([
      { round: 0, participants: ['a'], dropped: [] },
      { round: 1, participants: [], dropped: [] },
    ])
  })

  test('is unknown as soon as one round says nothing, and where there are no rounds', async () => {
    expect(await rows({ round: 0, participants: ['a'] }, { round: 1, participants: null, clients: [] })).toBeUndefined()
    expect(await rows()).toBeUndefined()
  })
})

describe('a channel', () => {
  const asked: unknown[] = []
  const full: Channel = async (client, theta) => {
    asked.push([client, [...theta]])
    theta.fill(9)
    return theta
  }
  full.restart = () => async () => Float64Array.of(7)
  full.pass = (rounds) => void asked.push(rounds)

  test('begins anew and lets rounds pass where the line can, and not where it cannot', async () => {
    const line = (await granted('channel', sourcesOf([], { channel: full })))!
    const sent = Float64Array.of(1, 2)
    expect(await line('a', sent)).toEqual(Float64Array.of(9, 9))
    expect(sent).toEqual(Float64Array.of(1, 2))
    line.pass!(4)
    expect(asked).toEqual([['a', [1, 2]], 4])
    const again = line.restart!()
    expect(await again('a', sent)).toEqual(Float64Array.of(7))
    expect([again.restart, again.pass]).toEqual([undefined, undefined])
    expect(Object.isFrozen(line)).toBe(true)
  })
})

describe('the key of a view', () => {
  const key = (needs: readonly Grant[], observer: ObserverName, where: Partial<Parameters<typeof viewKey>[2]> = {}) =>
    viewKey({ needs, uses: [] }, observer, { recordedFor: 'server', ...where })

  test('is another for whoever hears nothing in the recording', () => {
    expect(key(['model'], 'server')).toBe(key(['model'], 'secagg-server'))
    const sums = { recordedFor: 'secagg-server' } as const
    expect(key(['model'], 'server', sums)).not.toBe(key(['model'], 'secagg-server', sums))
    expect(key(['model'], 'server', sums)).toMatch(/^not heard,/)
    expect(key(['model'], 'server')).toMatch(/^heard,/)
  })

  test('tells the models on one line from those of all, sums as such from those that follow from models', () => {
    expect(key(['globals'], 'eavesdropper')).not.toBe(key(['globals'], 'server').replace('not heard', 'heard'))
    expect(key(['globals'], 'eavesdropper')).toContain('globals true')
    expect(key(['globals'], 'server')).toContain('globals false')
  })

  test('tells who knows the round of a target: by who took part, or by its messages where these are no sums', () => {
    const knows = (observer: ObserverName, secureAggregation?: boolean) =>
      key(['round'], observer, { ...(secureAggregation !== undefined && { secureAggregation }) }).endsWith('round true')
    expect(['server', 'secagg-server', 'eavesdropper'].map((one) => knows(one))).toEqual([true, true, true]) // biome-ignore format: a line
    expect(['server', 'secagg-server', 'eavesdropper'].map((one) => knows(one, false))).toEqual([true, true, true]) // biome-ignore format: a line
    expect(['server', 'secagg-server', 'eavesdropper'].map((one) => knows(one, true))).toEqual([true, true, false]) // biome-ignore format: a line
  })
})

test('updates are heard by whoever has those of all, or those of one', () => {
  const of = (...hears: Grant[]) =>
    hearsUpdates(defineObserver({ id: 'x', title: '', line: 'all', heardIn: ['server'], hears }))
  expect([of('exchanges'), of('updates'), of('exchanges', 'updates'), of('globals')]).toEqual([true, true, true, false])
})
