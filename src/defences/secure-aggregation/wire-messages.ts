/** The messages of secure aggregation as bytes: what kind, of which session, from whom, and lists of fixed width. */
import { OverhearError } from '../../errors.js'
import { type Bytes, refused } from './primitives.js'
import { checkRange, type Quantisation } from './quantise.js'
import { shareBytes } from './shamir.js'

export const kinds = {
  invite: 8, // server: the terms of this sum
  keys: 1, // client: its two public keys
  roster: 2, // server: the keys of those to mask with
  shares: 3, // client: sealed shares of its two secrets, one a holder, and a commitment to the second
  inbox: 4, // server: the shares for one holder
  masked: 5, // client: its masked update
  survivors: 6, // server: whose masked updates arrived
  reveal: 7, // client: of each neighbour one share, never both
  // Between clients and a server whom they do not trust:
  held: 9, // client: whose shares it could not open
  sharers: 10, // server: whose secrets enough others hold
  signed: 11, // client: its signature under the list of survivors
  agreed: 12, // server: the signatures of others
  refusal: 13, // client: why it goes no further
} as const
export type Kind = keyof typeof kinds

export const sessionBytes = 16
export const keyBytes = 32
export const secretBytes = 32
export const oneShare = shareBytes(secretBytes)
/** Two shares and AES-GCM's tag. */
export const sealedBytes = 2 * oneShare + 16
const headBytes = 1 + sessionBytes + 2

/** Which sum a message belongs to. */
export type Session = Bytes

/** What a client must know before it takes part. */
export interface Terms {
  /** Shares that give a secret back. */
  readonly threshold: number
  readonly quantisation: Quantisation
  /** The largest weight of any client: updates count by their weight's share of it, so that they fit between the clips. */
  readonly largest: number
}

export interface Message {
  readonly kind: Kind
  readonly session: Session
  /** Place of the client that it comes from or goes to, from 1. */
  readonly place: number
  readonly body: Bytes
}

export function encodeMessage({ kind, session, place, body }: Message): Bytes {
  const bytes = new Uint8Array(headBytes + body.length)
  bytes[0] = kinds[kind]
  bytes.set(session, 1)
  writePlace(bytes, 1 + sessionBytes, place)
  bytes.set(body, headBytes)
  return bytes
}

/** The body, as a view, provided that kind, session and place are the expected ones: anything else is an old or a stray message. */
export function bodyOf(bytes: Bytes, { kind, session, place }: Omit<Message, 'body'>): Bytes {
  if (bytes.length < headBytes || bytes[0] !== kinds[kind]) throw refused(`a message that is no "${kind}"`)
  if (!session.every((byte, k) => bytes[1 + k] === byte)) throw refused(`a "${kind}" of another session`)
  const found = readPlace(bytes, 1 + sessionBytes)
  if (found !== place) throw refused(`a "${kind}" of place ${found} where that of ${place} was due`)
  return bytes.subarray(headBytes)
}

/** The kind that a message says it is. */
export function kindOf(bytes: Bytes): Kind | undefined {
  return (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind] === bytes[0])
}

const termsBytes = 2 + 8 + 4 + 8
export const mostPlaces = 0xffff

/** Refuses more clients than places have names. */
export function checkClients(n: number): void {
  if (n > mostPlaces) throw new OverhearError('E_VALUE', `${n} clients in one sum`, `at most ${mostPlaces} can sum`)
}

export function encodeInvitation({ session, place, terms }: Omit<Message, 'kind' | 'body'> & { terms: Terms }): Bytes {
  const body = new Uint8Array(termsBytes)
  const { threshold, quantisation, largest } = terms
  if (place > mostPlaces || threshold > mostPlaces) {
    throw new OverhearError(
      'E_VALUE',
      `place ${place}, threshold ${threshold}`,
      `at most ${mostPlaces} clients can sum`,
    )
  }
  const at = new DataView(body.buffer)
  at.setUint16(0, threshold, true)
  at.setFloat64(2, quantisation.clip, true)
  at.setUint32(10, quantisation.levels, true)
  at.setFloat64(14, largest, true)
  return encodeMessage({ kind: 'invite', session, place, body })
}

/** The only message whose session and place the client does not know yet. */
export function decodeInvitation(bytes: Bytes): Omit<Message, 'kind' | 'body'> & { readonly terms: Terms } {
  if (bytes.length !== headBytes + termsBytes || kindOf(bytes) !== 'invite') {
    throw refused('a first message that is no "invite"')
  }
  const at = new DataView(bytes.buffer, bytes.byteOffset + headBytes, termsBytes)
  const quantisation = { clip: at.getFloat64(2, true), levels: at.getUint32(10, true) }
  checkRange(quantisation, 1)
  const [threshold, largest] = [at.getUint16(0, true), at.getFloat64(14, true)]
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) throw refused(`an invitation with a weight of ${largest}`)
  const place = readPlace(bytes, 1 + sessionBytes)
  return { session: bytes.slice(1, 1 + sessionBytes), place, terms: { threshold, quantisation, largest } }
}

/** The terms of an invitation as they came: all clients must have had the same. */
export const termsIn = (invitation: Bytes): Bytes => invitation.slice(headBytes)

export interface Entry {
  readonly place: number
  readonly bytes: Bytes
}

/** A list of entries of one width: places, each followed by its bytes. */
export function encodeList(entries: readonly Entry[], width: number): Bytes {
  const body = new Uint8Array(entries.length * (2 + width))
  for (const [k, { place, bytes }] of entries.entries()) {
    writePlace(body, k * (2 + width), place)
    body.set(bytes, k * (2 + width) + 2)
  }
  return body
}

/** Places alone, rising. */
export function decodePlaces(body: Bytes): Set<number> {
  if (body.length % 2 !== 0) throw refused(`a list of ${body.length} bytes, 2 each`)
  const places = new Set<number>()
  for (let at = 0, last = 0; at < body.length; at += 2) {
    const place = readPlace(body, at)
    if (place <= last) throw refused(`a list with place ${place} out of order`)
    places.add(place)
    last = place
  }
  return places
}

/** Refuses lists of another width, out of order or with somebody twice. */
export function decodeList(body: Bytes, width: number): Entry[] {
  if (body.length % (2 + width) !== 0) throw refused(`a list of ${body.length} bytes, ${2 + width} each`)
  const entries = Array.from({ length: body.length / (2 + width) }, (_, k): Entry => {
    const at = k * (2 + width)
    return { place: readPlace(body, at), bytes: body.slice(at + 2, at + 2 + width) }
  })
  const bad = entries.find(({ place }, k) => place === 0 || (k > 0 && place <= entries[k - 1]!.place))
  if (bad !== undefined) throw refused(`a list with place ${bad.place} out of order`)
  return entries
}

function writePlace(bytes: Bytes, at: number, place: number): void {
  if (!(place >= 0 && place <= mostPlaces)) {
    throw new OverhearError('E_VALUE', `place ${place}`, `at most ${mostPlaces} clients can sum`)
  }
  bytes[at] = place & 0xff
  bytes[at + 1] = place >>> 8
}

function readPlace(bytes: Bytes, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8)
}

const nameOf = (what: string): Bytes => new TextEncoder().encode(`overhear ${what} `)
const purposes = { seal: nameOf('seal'), mask: nameOf('mask'), self: nameOf('self') }

/** Names what a derived key is for: nothing is ever derived twice with one name. */
export function purpose(what: keyof typeof purposes, ...places: readonly number[]): Bytes {
  const name = purposes[what]
  const bytes = new Uint8Array(name.length + 2 * places.length)
  bytes.set(name)
  for (const [k, place] of places.entries()) writePlace(bytes, name.length + 2 * k, place)
  return bytes
}

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
