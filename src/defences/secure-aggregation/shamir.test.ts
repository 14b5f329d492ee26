import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import type { Bytes } from './primitives.js'
import { combine, decodeShare, encodeShare, share, shareBytes } from './shamir.js'

const drawer = (seed: number) => {
  const draws = rng(seed)
  return (bytes: number): Bytes => Uint8Array.from({ length: bytes }, () => draws.integer(256))
}
const places = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

describe('sharing a secret', () => {
  test('any threshold of the holders give it back', () => {
    const secrets = fc.uint8Array({ minLength: 0, maxLength: 16 }).filter((bytes) => bytes.length % 2 === 0)
    fc.assert(
      fc.property(
        secrets,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 5 }),
        fc.nat(),
        (s, t, more, seed) => {
          const secret = Uint8Array.from(s)
          const shares = share(secret, { threshold: t, holders: places(t + more), random: drawer(seed) })
          const order = rng(seed)
            .fork('order')
            .permutation(t + more)
          expect(
            combine(
              Array.from(order, (i) => shares[i]!),
              t,
            ),
          ).toEqual(secret)
        },
      ),
    )
  })

  test('by hand: as many draws as coefficients, those that name no element drawn again', () => {
    const asked: number[] = []
    const drawing = (list: number[]) => (bytes: number) => {
      asked.push(bytes)
      return Uint8Array.from({ length: bytes }, () => list.shift() ?? 0)
    }
    // 1 + 3 x and 2 + 65536 x, then 1 + 5 x + 2 x^2; the third byte counts by its last bit.
    const two = { threshold: 2, holders: [1, 2, 10], random: drawing([3, 0, 2, 9, 0, 0, 3, 9]) }
    const lines = share(Uint8Array.of(1, 0, 2, 0), two)
    expect(lines.map(({ at, values }) => [at, ...values])).toEqual([[1, 4, 1], [2, 7, 0], [10, 31, 65_529]]) // biome-ignore format: one line
    expect(asked.splice(0)).toEqual([8])
    const three = { threshold: 3, holders: [1, 2, 3], random: drawing([5, 0, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0]) }
    expect(share(Uint8Array.of(1, 0), three).map(({ values }) => [...values])).toEqual([[8], [19], [34]])
    expect(asked.splice(0)).toEqual([8, 4])
    const one = share(Uint8Array.of(7, 1), { threshold: 1, holders: [4], random: drawing([]) })
    expect([...one[0]!.values]).toEqual([263])
    expect(asked).toEqual([])
  })

  test('extreme secrets, far places', () => {
    for (const byte of [0, 255]) {
      const secret = new Uint8Array(32).fill(byte)
      const shares = share(secret, { threshold: 3, holders: [1, 300, 65_536, 9], random: drawer(4) })
      expect(combine([shares[2]!, shares[0]!, shares[1]!], 3)).toEqual(secret)
    }
  })

  test('fewer than the threshold look the same whatever the secret is', () => {
    // Chi-square over 16 bins of one share of a threshold of two, 4,000 draws: 99.9 % lie below 37.7 at 15 degrees.
    for (const secret of [Uint8Array.of(0, 0), Uint8Array.of(255, 255), Uint8Array.of(7, 1)]) {
      const random = drawer(11)
      const bins = new Array<number>(16).fill(0)
      for (let k = 0; k < 4000; k++) {
        const [one] = share(secret, { threshold: 2, holders: [3, 5], random })
        bins[Math.floor((one!.values[0]! * 16) / 65_537)]! += 1
      }
      const chi = bins.reduce((sum, count) => sum + (count - 250) ** 2 / 250, 0)
      expect(chi).toBeLessThan(37.7)
    }
  })

  test('a wrong share gives another secret or none', () => {
    const secret = Uint8Array.from({ length: 32 }, (_, k) => k)
    const shares = share(secret, { threshold: 3, holders: places(3), random: drawer(1) })
    const wrong = { at: 2, values: shares[1]!.values.map((v, c) => (c === 0 ? (v + 1) % 65_537 : v)) }
    let found: unknown
    try {
      found = combine([shares[0]!, wrong, shares[2]!], 3)
    } catch {
      found = 'none'
    }
    expect(found).not.toEqual(secret)
  })

  test('what makes no sense is refused', () => {
    const random = drawer(1)
    const secret = new Uint8Array(4)
    expect(() => share(secret, { threshold: 3, holders: [1, 2], random })).toThrow(/threshold of 3 for 2/)
    expect(() => share(secret, { threshold: 0, holders: [1, 2], random })).toThrow(/threshold of 0/)
    expect(() => share(secret, { threshold: 1, holders: [0], random })).toThrow(/place 0/)
    expect(() => share(secret, { threshold: 1, holders: [2, 2], random })).toThrow(/place 2/)
    expect(() => share(new Uint8Array(3), { threshold: 1, holders: [1], random })).toThrow(/3 bytes/)
    const shares = share(secret, { threshold: 2, holders: [1, 2], random })
    expect(() => combine(shares.slice(0, 1), 2)).toThrow(/1 shares of a secret; 2 are needed/)
    expect(() => combine([shares[0]!, shares[0]!], 2)).toThrow(/place 1/)
  })
})

describe('a share as bytes', () => {
  test('comes back, the element 65,536 included', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 65_536 }), { minLength: 16, maxLength: 16 }), (list) => {
        const values = Uint32Array.from(list)
        const bytes = encodeShare({ values })
        expect(bytes.length).toBe(shareBytes(32))
        expect(decodeShare(bytes, { at: 5, secretBytes: 32 })).toEqual({ at: 5, values })
      }),
    )
  })
  test('of another length, or above the field, is refused', () => {
    expect(() => decodeShare(new Uint8Array(33), { at: 1, secretBytes: 32 })).toThrow(/33 bytes/)
    const above = new Uint8Array(34)
    above[0] = 1
    above[32] = 1
    expect(() => decodeShare(above, { at: 1, secretBytes: 32 })).toThrow(/65537/)
  })
})
