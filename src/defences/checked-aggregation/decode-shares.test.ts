import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import type { Bytes } from '../secure-aggregation/primitives.js'
import { share } from '../secure-aggregation/shamir.js'
import { decodeShares } from './decode-shares.js'

/** Bytes that depend on the seed alone. */
const drawing = (seed: number) => {
  const draws = rng(seed)
  return (n: number): Bytes => Uint8Array.from({ length: n }, () => draws.integer(256))
}
const rightOnly = (secret: Bytes) => async (found: Bytes) => found.join() === secret.join()

describe('a secret of shares of which some are wrong', () => {
  test('is had while the spare ones are twice as many, and the wrong ones are named', async () => {
    const sizes = fc.record({
      t: fc.integer({ min: 1, max: 9 }),
      spare: fc.integer({ min: 0, max: 8 }),
      seed: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), async ({ t, spare, seed }, many) => {
        const holders = [...rng(seed).sample(300, t + spare)].map((x) => x + 1)
        const secret = drawing(seed)(32)
        const shares = share(secret, { threshold: t, holders, random: drawing(seed + 1) })
        const bad = many % (Math.floor(spare / 2) + 1)
        const sent = shares.map((one, i) => ({
          at: one.at,
          values: i < bad ? one.values.map((x) => (x + 1 + i) % 65537) : one.values,
        }))
        const found = await decodeShares(sent, { threshold: t, isRight: rightOnly(secret) })
        expect(found?.secret).toEqual(secret)
        expect([...found!.wrong].sort()).toEqual(holders.slice(0, bad).sort())
      }),
      { numRuns: 60 },
    )
  })

  test('is not had of too few shares, or when too many are wrong; never another one without spare shares', async () => {
    const secret = drawing(1)(32)
    const holders = [1, 2, 3, 4, 5]
    const shares = share(secret, { threshold: 4, holders, random: drawing(2) })
    const isRight = rightOnly(secret)
    expect(await decodeShares(shares.slice(0, 3), { threshold: 4, isRight })).toBeUndefined()
    const spoilt = shares.map((one, i) => (i === 0 ? { ...one, values: one.values.map((x) => x ^ 1) } : one))
    expect(await decodeShares(spoilt.slice(0, 4), { threshold: 4, isRight })).toBeUndefined()
    expect(await decodeShares(spoilt, { threshold: 4, isRight })).toBeUndefined()
    // Whoever is known to send wrong ones comes last: four others are enough.
    const found = await decodeShares(spoilt, { threshold: 4, isRight, suspects: new Set([1]) })
    expect(found?.secret).toEqual(secret)
  })

  test('is what spare shares agree on, though another was committed to', async () => {
    const secret = drawing(3)(32)
    const shares = share(secret, { threshold: 3, holders: [1, 2, 3, 4], random: drawing(4) })
    const never = { threshold: 3, isRight: async () => false }
    expect((await decodeShares(shares, never))?.secret).toEqual(secret)
    expect(await decodeShares(shares.slice(1), never)).toBeUndefined()
  })
})
