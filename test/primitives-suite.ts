/** What every provider of the cryptography must give: published vectors, another library's bytes, and refusals. */
import { ctr, gcm } from '@noble/ciphers/aes.js'
import { ed25519, x25519 } from '@noble/curves/ed25519.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Bytes, Primitives } from '../src/defences/secure-aggregation/primitives.js'

const unhex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (two) => Number.parseInt(two, 16))
const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export function describePrimitives(name: string, primitives: Primitives): void {
  describe(name, () => {
    test('X25519: RFC 7748, section 6.1', async () => {
      const alice = await primitives.keyPair(unhex('77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a'))
      const bob = await primitives.keyPair(unhex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'))
      expect(hex(alice.publicKey)).toBe('8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a')
      expect(hex(bob.publicKey)).toBe('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f')
      const shared = '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742'
      expect(hex(await alice.agree(bob.publicKey))).toBe(shared)
      expect(hex(await bob.agree(alice.publicKey))).toBe(shared)
    })

    test('a public key of low order, or of another length, is refused', async () => {
      const { agree } = await primitives.keyPair(primitives.random(32))
      await expect(agree(new Uint8Array(32))).rejects.toThrow(/refused a public key/)
      // u = 1 has order 4.
      await expect(agree(Uint8Array.from({ length: 32 }, (_, k) => (k === 0 ? 1 : 0)))).rejects.toThrow(/refused/)
      await expect(agree(new Uint8Array(31))).rejects.toThrow(/refused/)
    })

    test('Ed25519: RFC 8032, section 7.1, test 2; nothing else is taken for a signature', async () => {
      const { publicKey, sign } = await primitives.signer(
        unhex('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'),
      )
      expect(hex(publicKey)).toBe('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
      const text = unhex('72')
      const signature = await sign(text)
      expect(hex(signature)).toBe(
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
          '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      )
      expect(await primitives.verify({ publicKey, text, signature })).toBe(true)
      expect(await primitives.verify({ publicKey, text: unhex('73'), signature })).toBe(false)
      for (const length of [0, 63, 65]) {
        expect(await primitives.verify({ publicKey, text, signature: new Uint8Array(length) })).toBe(false)
      }
      expect(await primitives.verify({ publicKey: new Uint8Array(31), text, signature })).toBe(false)
      const [secret, other] = [primitives.random(32), primitives.random(70)]
      const own = await primitives.signer(secret)
      expect(await own.sign(other)).toEqual(new Uint8Array(ed25519.sign(other, secret)))
    })

    test('HKDF: RFC 5869, test cases 1 and 3', async () => {
      const secret = new Uint8Array(22).fill(0x0b)
      const one = { salt: unhex('000102030405060708090a0b0c'), info: unhex('f0f1f2f3f4f5f6f7f8f9'), bytes: 42 }
      expect(hex(await primitives.derive(secret, one))).toBe(
        '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
      )
      const three = { salt: new Uint8Array(0), info: new Uint8Array(0), bytes: 42 }
      expect(hex(await primitives.derive(secret, three))).toBe(
        '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
      )
    })

    test('AES-CTR from counter 0: blocks of known answers', async () => {
      // The GCM specification's test cases 13 and 14 hold AES-256 of 0 and of 1 under the key 0.
      expect(hex(await primitives.stream(new Uint8Array(32), 32))).toBe(
        'dc95c078a2408989ad48a21492842087530f8afbc74536b9a963b4f1c4cb738b',
      )
      // NIST AESAVS, KeySbox, 256 bits: AES-256 of 0.
      const key = unhex('c47b0294dbbbee0fec4757f22ffeee3587ca4730c3d33b691df38bab076bc558')
      expect(hex(await primitives.stream(key, 20)).slice(0, 32)).toBe('46f2fb342d6f0ab477476fc501242c5f')
      expect((await primitives.stream(key, 0)).length).toBe(0)
    })

    test('AES-GCM: test case 14, and nothing that was changed is opened', async () => {
      const [key, text, beside] = [new Uint8Array(32), new Uint8Array(16), new Uint8Array(0)]
      const sealed = await primitives.seal(key, text, { beside })
      expect(hex(sealed)).toBe('cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919')
      expect(await primitives.open(key, sealed, { beside })).toEqual(text)
      for (const at of [0, 15, 16, 31]) {
        const changed = sealed.slice()
        changed[at]! ^= 1
        await expect(primitives.open(key, changed, { beside })).rejects.toThrow(/refused a share/)
      }
      await expect(primitives.open(key, sealed, { beside: Uint8Array.of(1) })).rejects.toThrow(/refused/)
      await expect(primitives.open(new Uint8Array(32).fill(1), sealed, { beside })).rejects.toThrow(/refused/)
      await expect(primitives.open(key, sealed.slice(0, 10), { beside })).rejects.toThrow(/refused/)
    })

    test('SHA-256 of "abc": FIPS 180-4', async () => {
      expect(hex(await primitives.hash(new TextEncoder().encode('abc')))).toBe(
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      )
    })

    test('the bytes of @noble, whatever the secrets, names and lengths', async () => {
      const bytes = (min: number, max: number) =>
        fc.uint8Array({ minLength: min, maxLength: max }).map((drawn) => Uint8Array.from(drawn))
      const secret = bytes(32, 32)
      await fc.assert(
        fc.asyncProperty(secret, secret, bytes(0, 70), bytes(0, 40), async (a, b, text, beside) => {
          const [own, other] = [await primitives.keyPair(a), await primitives.keyPair(b)]
          expect(own.publicKey).toEqual(x25519.getPublicKey(a))
          expect(await own.agree(other.publicKey)).toEqual(x25519.getSharedSecret(a, other.publicKey))
          const derived = await primitives.derive(a, { salt: beside, info: text, bytes: 64 })
          expect(derived).toEqual(hkdf(sha256, a, beside, text, 64))
          const zeros = new Uint8Array(text.length)
          expect(await primitives.stream(b, text.length)).toEqual(ctr(b, new Uint8Array(16)).encrypt(zeros))
          const sealed = await primitives.seal(b, text, { beside })
          expect(sealed).toEqual(gcm(b, new Uint8Array(12), beside).encrypt(text))
          expect(await primitives.open(b, sealed, { beside })).toEqual(text)
          expect(await primitives.hash(text)).toEqual(sha256(text))
        }),
        { numRuns: 40 },
      )
    })

    test('draws never repeat', () => {
      expect(hex(primitives.random(16))).not.toBe(hex(primitives.random(16)))
      expect(primitives.random(0).length).toBe(0)
    })
  })
}
