/** The cryptography that secure aggregation stands on, by name; WebCrypto provides it in Node and browsers alike. */
import { OverhearError } from '../../errors.js'

export type Bytes = Uint8Array<ArrayBuffer>

/** One side of X25519. */
export interface KeyPair {
  readonly publicKey: Bytes
  /** The secret shared with the owner of another public key; one of low order is refused. */
  agree(publicKey: Bytes): Promise<Bytes>
}

/** One side of Ed25519. */
export interface Signer {
  readonly publicKey: Bytes
  sign(text: Bytes): Promise<Bytes>
}

export interface Signed {
  readonly publicKey: Bytes
  readonly text: Bytes
  readonly signature: Bytes
}

export interface Sealed {
  /** What else must be as it was, though it is not hidden. */
  readonly beside: Bytes
}

/** To other threads that simulate clients of the same federation; the server's is none of them. */
export interface KeyLine {
  post(records: Bytes): void
  /** What they have posted since. */
  take(): Iterable<Bytes>
}

export interface Primitives {
  /** Where clients are simulated by several threads: a line to the others. */
  readonly line?: KeyLine
  random(bytes: number): Bytes
  /** The key pair of 32 secret bytes. */
  keyPair(secret: Bytes): Promise<KeyPair>
  /** Who signs with 32 secret bytes. */
  signer(secret: Bytes): Promise<Signer>
  /** Whether the owner of the public key signed the text. */
  verify(signed: Signed): Promise<boolean>
  /** HKDF with SHA-256. */
  derive(secret: Bytes, options: { readonly salt: Bytes; readonly info: Bytes; readonly bytes: number }): Promise<Bytes>
  /** The key stream of AES-CTR from counter 0: key of 32 bytes. */
  stream(key: Bytes, bytes: number): Promise<Bytes>
  /** AES-GCM. A key seals one message only, so that the nonce may be zero. */
  seal(key: Bytes, text: Bytes, sealed: Sealed): Promise<Bytes>
  /** Refuses what was not sealed with this key and `beside`. */
  open(key: Bytes, sealedText: Bytes, sealed: Sealed): Promise<Bytes>
  /** SHA-256. */
  hash(bytes: Bytes): Promise<Bytes>
}

/** A key that WebCrypto holds. */
type HeldKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const agreement = { name: 'X25519' }
const signature = { name: 'Ed25519' }
/** 32 secret bytes in the PKCS #8 form of a key on a curve (RFC 8410): 0x6e is X25519, 0x70 Ed25519. */
function pkcs8(secret: Bytes, curve: 0x6e | 0x70): Bytes {
  const form = new Uint8Array(48)
  form.set([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, curve, 4, 0x22, 4, 0x20])
  form.set(secret, 16)
  return form
}
const mostKept = 4096

export function webCrypto(): Primitives {
  const { subtle } = crypto
  const publicKeys = new Map<string, Promise<HeldKey>>()
  /** Public keys are met by many: they are read once. */
  const publicKeyOf = (bytes: Bytes): Promise<HeldKey> => {
    const name = bytes.join()
    let key = publicKeys.get(name)
    if (key === undefined) {
      if (publicKeys.size >= mostKept) publicKeys.clear()
      key = subtle.importKey('raw', bytes, agreement, true, [])
      publicKeys.set(name, key)
    }
    return key
  }
  const base = new Uint8Array(32)
  base[0] = 9
  const nonce = new Uint8Array(12)
  const agreed = async (own: HeldKey, publicKey: Bytes): Promise<Bytes> => {
    let shared: Bytes
    try {
      const peer = await publicKeyOf(publicKey)
      shared = new Uint8Array(await subtle.deriveBits({ ...agreement, public: peer }, own, 256))
    } catch {
      throw refused('a public key that no honest client has')
    }
    if (shared.every((byte) => byte === 0)) throw refused('a public key of low order')
    return shared
  }
  return {
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    async keyPair(secret) {
      const form = pkcs8(secret, 0x6e)
      const own = await subtle.importKey('pkcs8', form, agreement, false, ['deriveBits'])
      form.fill(0)
      return { publicKey: await agreed(own, base), agree: (publicKey) => agreed(own, publicKey) }
    },
    async signer(secret) {
      const form = pkcs8(secret, 0x70)
      const own = await subtle.importKey('pkcs8', form, signature, true, ['sign'])
      form.fill(0)
      const { x } = await subtle.exportKey('jwk', own)
      const text = atob(x!.replaceAll('-', '+').replaceAll('_', '/'))
      return {
        publicKey: Uint8Array.from(text, (letter) => letter.charCodeAt(0)),
        sign: async (bytes) => new Uint8Array(await subtle.sign(signature, own, bytes)),
      }
    },
    async verify({ publicKey, text, signature: found }) {
      try {
        const key = await subtle.importKey('raw', publicKey, signature, false, ['verify'])
        return await subtle.verify(signature, key, found, text)
      } catch {
        return false
      }
    },
    async derive(secret, { salt, info, bytes }) {
      const key = await subtle.importKey('raw', secret, { name: 'HKDF' }, false, ['deriveBits'])
      return new Uint8Array(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, 8 * bytes))
    },
    async stream(key, bytes) {
      const cipher = await subtle.importKey('raw', key, { name: 'AES-CTR' }, false, ['encrypt'])
      const options = { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 }
      return new Uint8Array(await subtle.encrypt(options, cipher, new Uint8Array(bytes)))
    },
    async seal(key, text, { beside }) {
      const cipher = await subtle.importKey('raw', key, { name: 'AES-GCM' }, false, ['encrypt'])
      return new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData: beside }, cipher, text))
    },
    async open(key, sealedText, { beside }) {
      const cipher = await subtle.importKey('raw', key, { name: 'AES-GCM' }, false, ['decrypt'])
      try {
        const options = { name: 'AES-GCM', iv: nonce, additionalData: beside }
        return new Uint8Array(await subtle.decrypt(options, cipher, sealedText))
      } catch {
        throw refused('a share that was changed on the way, or sealed with another key')
      }
    },
    hash: async (bytes) => new Uint8Array(await subtle.digest('SHA-256', bytes)),
  }
}

let provider: () => Primitives = webCrypto

/** What is used unless something else is given: WebCrypto, or what this machine has that gives the same bytes sooner. */
export const primitivesHere = (): Primitives => provider()

export function providePrimitives(make: () => Primitives): void {
  provider = make
}

/**
 * Nothing secret and nothing checked: public keys are the secrets, masks are 0, every signature holds. The messages, who is
 * counted and the sum are those of the real ones, at a fraction of the work: for trainings of which only sums are read.
 */
export function openPrimitives(): Primitives {
  const { random, hash } = primitivesHere()
  let zeros = new Uint8Array(0)
  const keyPair = async (secret: Bytes): Promise<KeyPair> => {
    const publicKey = secret.slice()
    return { publicKey, agree: async (other) => other.map((byte, k) => byte ^ publicKey[k]!) }
  }
  return {
    random,
    hash,
    keyPair,
    signer: async (secret) => ({ publicKey: secret.slice(), sign: async () => new Uint8Array(64) }),
    verify: async () => true,
    async derive(_, { info, bytes }) {
      const found = new Uint8Array(bytes)
      found.set((await hash(info)).subarray(0, bytes))
      return found
    },
    async stream(_, bytes) {
      if (zeros.length < bytes) zeros = new Uint8Array(bytes)
      return zeros.subarray(0, bytes)
    },
    async seal(_, text) {
      const sealed = new Uint8Array(text.length + 16)
      sealed.set(text)
      return sealed
    },
    open: async (_, sealedText) => sealedText.slice(0, -16),
  }
}

/** What a client or the server does with a message that breaks the rules: nothing, and it says so. */
export function refused(what: string): OverhearError {
  return new OverhearError('E_INPUT', `secure aggregation refused ${what}`)
}
