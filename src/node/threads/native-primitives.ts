/** The cryptography of secure aggregation from Node's own module: the same bytes as WebCrypto, without its waiting. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  randomFillSync,
  sign,
  verify,
} from 'node:crypto'
import { type Bytes, type Primitives, refused } from '../../defences/secure-aggregation/primitives.js'

const mostKept = 16384
const tagBytes = 16

/** X25519 keys in JSON, the form that Node reads and writes fastest (RFC 8037). */
const curve = { kty: 'OKP', crv: 'X25519' }
const signing = { kty: 'OKP', crv: 'Ed25519' }
const inText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const hmac = (key: Uint8Array, ...texts: readonly Uint8Array[]): Buffer => {
  const under = createHmac('sha256', key)
  for (const text of texts) under.update(text)
  return under.digest()
}

/** HKDF (RFC 5869) of its two steps: Node's own takes twice as long to start. */
function derived(secret: Bytes, { salt, info, bytes }: Parameters<Primitives['derive']>[1]): Bytes {
  const key = hmac(salt, secret)
  const found = new Uint8Array(bytes)
  let last: Uint8Array = new Uint8Array(0)
  for (let k = 1, at = 0; at < bytes; k++) {
    last = hmac(key, last, info, Uint8Array.of(k))
    found.set(last.subarray(0, bytes - at), at)
    at += last.length
  }
  key.fill(0)
  return found
}

/** Every call works at once, in the thread that makes it. */
export function nativePrimitives(): Primitives {
  const publicKeys = new Map<string, KeyObject>()
  /** Public keys are met by many: they are read once. */
  const publicKeyOf = (bytes: Bytes, form: typeof curve): KeyObject => {
    const name = form.crv + Buffer.from(bytes).toString('latin1')
    let key = publicKeys.get(name)
    if (key === undefined) {
      if (publicKeys.size >= mostKept) publicKeys.clear()
      key = createPublicKey({ key: { ...form, x: inText(bytes) }, format: 'jwk' })
      publicKeys.set(name, key)
    }
    return key
  }
  const nonce = new Uint8Array(12)
  const counter = new Uint8Array(16)
  let zeros = new Uint8Array(0)
  return {
    random: (bytes) => randomFillSync(new Uint8Array(bytes)),
    async keyPair(secret) {
      // Node takes the secret alone, but wants to see a public key beside it.
      const key = { ...curve, d: inText(secret), x: inText(new Uint8Array(32)) }
      const privateKey = createPrivateKey({ key, format: 'jwk' })
      const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
      return {
        publicKey: new Uint8Array(Buffer.from(x as string, 'base64url')),
        async agree(publicKey) {
          try {
            return new Uint8Array(diffieHellman({ privateKey, publicKey: publicKeyOf(publicKey, curve) }))
          } catch {
            throw refused('a public key that no honest client has')
          }
        },
      }
    },
    async signer(secret) {
      const key = { ...signing, d: inText(secret), x: inText(new Uint8Array(32)) }
      const privateKey = createPrivateKey({ key, format: 'jwk' })
      const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
      return {
        publicKey: new Uint8Array(Buffer.from(x as string, 'base64url')),
        sign: async (text) => new Uint8Array(sign(null, text, privateKey)),
      }
    },
    async verify({ publicKey, text, signature }) {
      try {
        return verify(null, text, publicKeyOf(publicKey, signing), signature)
      } catch {
        return false
      }
    },
    derive: async (secret, options) => derived(secret, options),
    async stream(key, bytes) {
      if (zeros.length < bytes) zeros = new Uint8Array(bytes)
      const found = createCipheriv('aes-256-ctr', key, counter).update(zeros.subarray(0, bytes))
      return new Uint8Array(found.buffer as ArrayBuffer, found.byteOffset, found.length)
    },
    async seal(key, text, { beside }) {
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(beside)
      const found = new Uint8Array(text.length + tagBytes)
      found.set(cipher.update(text))
      cipher.final()
      found.set(cipher.getAuthTag(), text.length)
      return found
    },
    async open(key, sealedText, { beside }) {
      const end = sealedText.length - tagBytes
      try {
        const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(beside)
        cipher.setAuthTag(sealedText.subarray(end))
        const text = cipher.update(sealedText.subarray(0, end))
        cipher.final()
        return new Uint8Array(text.buffer as ArrayBuffer, text.byteOffset, text.length)
      } catch {
        throw refused('a share that was changed on the way, or sealed with another key')
      }
    },
    hash: async (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  }
}
