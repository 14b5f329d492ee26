/** The cryptography of secure aggregation from Node's own module: the same bytes as WebCrypto, without its waiting. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'
import { type Bytes, type Primitives, refused } from '../defences/secure-aggregation/primitives.js'

/** What stands before 32 bytes in the forms that Node reads (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b656e04220420', 'hex')
const spkiHead = Buffer.from('302a300506032b656e032100', 'hex')
const mostKept = 4096
const tagBytes = 16

/** Every call works at once, in the thread that makes it. */
export function nativePrimitives(): Primitives {
  const publicKeys = new Map<string, KeyObject>()
  /** Public keys are met by many: they are read once. */
  const publicKeyOf = (bytes: Bytes): KeyObject => {
    const name = Buffer.from(bytes).toString('latin1')
    let key = publicKeys.get(name)
    if (key === undefined) {
      if (publicKeys.size >= mostKept) publicKeys.clear()
      key = createPublicKey({ key: Buffer.concat([spkiHead, bytes]), format: 'der', type: 'spki' })
      publicKeys.set(name, key)
    }
    return key
  }
  const nonce = new Uint8Array(12)
  const counter = new Uint8Array(16)
  return {
    random: (bytes) => randomFillSync(new Uint8Array(bytes)),
    async keyPair(secret) {
      const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Head, secret]), format: 'der', type: 'pkcs8' })
      const form = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
      return {
        publicKey: new Uint8Array(form.subarray(spkiHead.length)),
        async agree(publicKey) {
          try {
            return new Uint8Array(diffieHellman({ privateKey, publicKey: publicKeyOf(publicKey) }))
          } catch {
            throw refused('a public key that no honest client has')
          }
        },
      }
    },
    derive: async (secret, { salt, info, bytes }) => new Uint8Array(hkdfSync('sha256', secret, salt, info, bytes)),
    async stream(key, bytes) {
      const found = createCipheriv('aes-256-ctr', key, counter).update(new Uint8Array(bytes))
      return new Uint8Array(found.buffer as ArrayBuffer, found.byteOffset, found.length)
    },
    async seal(key, text, { beside }) {
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(beside)
      return new Uint8Array(Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]))
    },
    async open(key, sealedText, { beside }) {
      const end = sealedText.length - tagBytes
      try {
        const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(beside)
        cipher.setAuthTag(sealedText.subarray(end))
        return new Uint8Array(Buffer.concat([cipher.update(sealedText.subarray(0, end)), cipher.final()]))
      } catch {
        throw refused('a share that was changed on the way, or sealed with another key')
      }
    },
    hash: async (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  }
}
