import { describe, expect, test } from 'vitest'
import { type Bytes, openPrimitives } from '../secure-aggregation/primitives.js'
import { encodeMessage, joined, keyBytes } from '../secure-aggregation/wire-messages.js'
import { checkedServer } from './checked-server.js'
import { signatureBytes } from './signed-texts.js'
import type { Terms } from './terms.js'

/** Every signature holds, and public keys are secrets: whose keys are whose is all that the server looks at. */
const primitives = openPrimitives()
const session = new Uint8Array(16)
const key = (of: number): Bytes => new Uint8Array(keyBytes).fill(of)

/** What the server says of those who sent these keys to seal, to mask and to sign with, the first of them in place 1. */
async function excluded(...keys: readonly (readonly [number, number, number])[]) {
  const terms = { threshold: 2, degree: null, shares: 2, roster: 2, length: 1, cohort: keys.map((_, i) => `c${i}`) }
  const server = checkedServer({
    ...{ terms: terms as unknown as Terms, session, primitives },
    ...{ digest: new Uint8Array(32), challenge: new Uint8Array(16) },
  })
  // Mail that comes in another order is looked at by place.
  for (const [i, own] of [...keys.entries()].reverse()) {
    const body = joined(...own.map(key), new Uint8Array(signatureBytes))
    server.receive(i + 1, encodeMessage({ kind: 'keys', session, place: i + 1, body }))
  }
  const roster = await server.next()
  return { out: server.excluded(), left: [...roster.keys()] }
}
const taken = (place: number) => ({ place, phase: 'keys', reason: expect.stringMatching(/a key that somebody has already/) }) // biome-ignore format: a line

describe('keys', () => {
  test('that nobody else has are taken', async () => {
    expect(await excluded([1, 2, 3], [4, 5, 6], [7, 8, 9])).toEqual({ out: [], left: [1, 2, 3] })
  })
  test.each([
    ['to seal', [1, 8, 9]],
    ['to mask', [7, 2, 9]],
    ['to sign', [7, 8, 3]],
    ['to seal, for masks', [7, 1, 9]],
    ['to mask, for signatures', [7, 8, 5]],
  ] as const)('of somebody before cost the later one its place: %s', async (_, own) => {
    expect(await excluded([1, 2, 3], [4, 5, 6], own)).toEqual({ out: [taken(3)], left: [1, 2] })
  })
  test.each([[[4, 4, 6]], [[4, 5, 4]], [[4, 5, 5]]] as const)(
    'that serve for two things cost their owner its place: %j',
    async (own) => {
      expect(await excluded([1, 2, 3], own, [7, 8, 9])).toEqual({ out: [taken(2)], left: [1, 3] })
    },
  )
  test('of those who lost their place may be those of others', async () => {
    expect(await excluded([1, 2, 3], [1, 5, 6], [4, 5, 6])).toEqual({ out: [taken(2)], left: [1, 3] })
  })
})
