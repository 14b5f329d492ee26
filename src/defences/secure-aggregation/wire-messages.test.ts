import { describe, expect, test } from 'vitest'
import type { OverhearError } from '../../errors.js'
import type { Bytes } from './primitives.js'
import {
  bodyOf,
  checkClients,
  decodeInvitation,
  decodeList,
  decodePlaces,
  encodeInvitation,
  encodeList,
  encodeMessage,
  joined,
  kindOf,
  oneShare,
  purpose,
  sealedBytes,
  termsIn,
} from './wire-messages.js'

const bytes = (...values: number[]): Bytes => Uint8Array.from(values)
const session = Uint8Array.from({ length: 16 }, (_, k) => k + 1)
const refusal = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return `${(error as OverhearError).code} ${(error as Error).message}`
  }
  return 'not refused'
}

test('a share of 32 bytes takes 34, a bit more for every two; two of them are sealed with a tag of 16', () => {
  expect([oneShare, sealedBytes]).toEqual([34, 84])
})

describe('a message', () => {
  const about = { kind: 'masked', session, place: 0x1234 } as const
  const message = encodeMessage({ ...about, body: bytes(7, 8, 9) })

  test('is its kind, the session, the place with the low byte first, and the body', () => {
    expect([...message]).toEqual([5, ...session, 0x34, 0x12, 7, 8, 9])
    expect([...bodyOf(message, about)]).toEqual([7, 8, 9])
    expect(kindOf(message)).toBe('masked')
    expect(kindOf(bytes(14))).toBeUndefined()
    expect(kindOf(bytes(0))).toBeUndefined()
  })

  test('may have no body', () => {
    const empty = encodeMessage({ ...about, body: bytes() })
    expect(empty.length).toBe(19)
    expect([...bodyOf(empty, about)]).toEqual([])
    expect(refusal(() => bodyOf(empty.subarray(0, 18), about))).toContain('a message that is no "masked"')
  })

  test('of another kind, session or place is refused', () => {
    expect(refusal(() => bodyOf(message, { ...about, kind: 'keys' }))).toContain('a message that is no "keys"')
    for (const k of [0, 7, 15]) {
      const other = session.slice()
      other[k]! += 1
      expect(refusal(() => bodyOf(message, { ...about, session: other }))).toContain('a "masked" of another session')
    }
    expect(refusal(() => bodyOf(message, { ...about, place: 0x1235 }))).toContain(
      'a "masked" of place 4660 where that of 4661 was due',
    )
    expect(refusal(() => bodyOf(message, { ...about, place: 0x1334 }))).toContain('of place 4660')
  })

  test('goes to places that two bytes can say', () => {
    expect([...encodeMessage({ kind: 'keys', session, place: 65535, body: bytes() }).subarray(17)]).toEqual([255, 255])
    expect([...encodeMessage({ kind: 'keys', session, place: 0, body: bytes() }).subarray(17)]).toEqual([0, 0])
    for (const place of [-1, 65536, Number.NaN]) {
      const found = refusal(() => encodeMessage({ kind: 'keys', session, place, body: bytes() }))
      expect(found).toContain('E_VALUE')
      expect(found).toContain(`place ${place}`)
    }
  })
})

test('as many clients can sum as there are places', () => {
  expect(() => checkClients(65535)).not.toThrow()
  const found = refusal(() => checkClients(65536))
  expect(found).toContain('E_VALUE 65536 clients in one sum')
  expect(found).toContain('at most 65535 can sum')
})

describe('an invitation', () => {
  const terms = { threshold: 0x0203, quantisation: { clip: 0.75, levels: 0x01020304 }, largest: 12.5 }
  const invitation = encodeInvitation({ session, place: 259, terms })

  test('is read as it was written, and its terms are the 22 bytes after the head', () => {
    expect(decodeInvitation(invitation)).toEqual({ session, place: 259, terms })
    const written = new Uint8Array(22)
    written.set([3, 2])
    written.set(new Uint8Array(Float64Array.of(0.75).buffer), 2)
    written.set([4, 3, 2, 1], 10)
    written.set(new Uint8Array(Float64Array.of(12.5).buffer), 14)
    expect(termsIn(invitation)).toEqual(written)
    expect([...invitation.subarray(0, 19)]).toEqual([8, ...session, 3, 1])
  })

  test('is read where it lies in a larger memory, and the session outlives it', () => {
    const memory = new Uint8Array(100)
    memory.set(invitation, 5)
    const read = decodeInvitation(memory.subarray(5, 5 + invitation.length))
    memory.fill(0)
    expect(read).toEqual({ session, place: 259, terms })
  })

  test('of another length or kind is none', () => {
    for (const other of [invitation.slice(0, -1), joined(invitation, bytes(0)), bytes(1, ...invitation.slice(1))]) {
      expect(refusal(() => decodeInvitation(other))).toContain('a first message that is no "invite"')
    }
  })

  test('has weights that are positive and finite, a clip and levels that make sense', () => {
    const read = (change: object) => () =>
      decodeInvitation(encodeInvitation({ session, place: 1, terms: { ...terms, ...change } }))
    for (const largest of [0, -1, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(refusal(read({ largest }))).toContain(`an invitation with a weight of ${largest}`)
    }
    expect(read({ largest: Number.MIN_VALUE })().terms.largest).toBe(Number.MIN_VALUE)
    expect(refusal(read({ quantisation: { clip: 0, levels: 2 } }))).toContain('clip is 0')
    expect(refusal(read({ quantisation: { clip: 1, levels: 1 } }))).toContain('levels is 1')
    // One participant alone has room for every level that the message can hold.
    expect(read({ quantisation: { clip: 1, levels: 0xffffffff } })().terms.quantisation.levels).toBe(0xffffffff)
  })

  test('is for a place and a threshold of two bytes', () => {
    const write = (place: number, threshold: number) => () =>
      encodeInvitation({ session, place, terms: { ...terms, threshold } })
    expect(decodeInvitation(write(65535, 65535)())).toMatchObject({ place: 65535, terms: { threshold: 65535 } })
    for (const [place, threshold] of [
      [65536, 2],
      [1, 65536],
    ] as const) {
      // biome-ignore format: one line
      const found = refusal(write(place, threshold))
      expect(found).toContain(`E_VALUE place ${place}, threshold ${threshold}`)
      expect(found).toContain('at most 65535 clients can sum')
    }
  })
})

describe('a list', () => {
  const entries = [
    { place: 1, bytes: bytes(10, 11, 12) },
    { place: 258, bytes: bytes(20, 21, 22) },
    { place: 259, bytes: bytes(30, 31, 32) },
  ]
  const list = encodeList(entries, 3)

  test('is each place and its bytes', () => {
    expect([...list]).toEqual([1, 0, 10, 11, 12, 2, 1, 20, 21, 22, 3, 1, 30, 31, 32])
    expect(decodeList(list, 3)).toEqual(entries)
    expect([...encodeList([], 3)]).toEqual([])
    expect(decodeList(bytes(), 3)).toEqual([])
  })

  test('of another width is refused', () => {
    expect(refusal(() => decodeList(list, 4))).toContain('a list of 15 bytes, 6 each')
    expect(refusal(() => decodeList(list.subarray(1), 3))).toContain('a list of 14 bytes, 5 each')
    // Five bytes each and three bytes each both divide it: the places then are out of order.
    expect(refusal(() => decodeList(list, 1))).toContain('out of order')
  })

  test('with place 0, a place twice or one that falls is refused', () => {
    const of = (...places: number[]) => encodeList(places.map((place) => ({ place, bytes: bytes(0) })), 1) // biome-ignore format: one line
    expect(refusal(() => decodeList(of(0, 1), 1))).toContain('a list with place 0 out of order')
    expect(refusal(() => decodeList(of(3, 3), 1))).toContain('a list with place 3 out of order')
    expect(refusal(() => decodeList(of(3, 5, 4), 1))).toContain('a list with place 4 out of order')
    expect(decodeList(of(1, 2), 1).map(({ place }) => place)).toEqual([1, 2])
  })

  test('of places alone is a set of them, rising from 1', () => {
    expect([...decodePlaces(bytes(1, 0, 2, 0, 0, 1))]).toEqual([1, 2, 256])
    expect([...decodePlaces(bytes())]).toEqual([])
    expect(refusal(() => decodePlaces(bytes(1, 0, 2)))).toContain('a list of 3 bytes, 2 each')
    expect(refusal(() => decodePlaces(bytes(0, 0)))).toContain('a list with place 0 out of order')
    expect(refusal(() => decodePlaces(bytes(5, 0, 5, 0)))).toContain('a list with place 5 out of order')
    expect(refusal(() => decodePlaces(bytes(5, 0, 4, 0)))).toContain('a list with place 4 out of order')
  })
})

test('a purpose is its name and the places, and no two are alike', () => {
  const text = (what: string) => [...new TextEncoder().encode(what)]
  expect([...purpose('seal', 1, 515)]).toEqual([...text('overhear seal '), 1, 0, 3, 2])
  expect([...purpose('mask', 2)]).toEqual([...text('overhear mask '), 2, 0])
  expect([...purpose('self')]).toEqual(text('overhear self '))
})

test('parts are joined in their order', () => {
  expect([...joined(bytes(1, 2), bytes(), bytes(3), bytes(4, 5))]).toEqual([1, 2, 3, 4, 5])
  expect([...joined()]).toEqual([])
})
