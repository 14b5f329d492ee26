/** The few globals that Node and browsers share and that the pure part of the package may use. */

declare function atob(base64: string): string
declare function btoa(bytes: string): string
declare const performance: { now(): number }
/** A key that WebCrypto holds. */
interface CryptoKeyLike {
  readonly type: string
}
type CryptoBytes = Uint8Array<ArrayBuffer>
type CryptoAlgorithm = { readonly name: string; readonly [option: string]: unknown }

declare const crypto: {
  getRandomValues(bytes: CryptoBytes): CryptoBytes
  readonly subtle: {
    digest(algorithm: 'SHA-256', bytes: CryptoBytes): Promise<ArrayBuffer>
    importKey(
      format: 'raw' | 'pkcs8',
      bytes: CryptoBytes,
      algorithm: CryptoAlgorithm,
      extractable: boolean,
      usages: readonly string[],
    ): Promise<CryptoKeyLike>
    exportKey(format: 'jwk', key: CryptoKeyLike): Promise<{ readonly x?: string }>
    sign(algorithm: CryptoAlgorithm, key: CryptoKeyLike, bytes: CryptoBytes): Promise<ArrayBuffer>
    verify(algorithm: CryptoAlgorithm, key: CryptoKeyLike, signature: CryptoBytes, bytes: CryptoBytes): Promise<boolean>
    deriveBits(algorithm: CryptoAlgorithm, key: CryptoKeyLike, bits: number): Promise<ArrayBuffer>
    encrypt(algorithm: CryptoAlgorithm, key: CryptoKeyLike, bytes: CryptoBytes): Promise<ArrayBuffer>
    decrypt(algorithm: CryptoAlgorithm, key: CryptoKeyLike, bytes: CryptoBytes): Promise<ArrayBuffer>
  }
}

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}

declare class TextDecoder {
  constructor(label?: 'utf-8', options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}

interface PortLike {
  onmessage: (() => void) | null
  postMessage(message: null): void
  close(): void
}

declare class MessageChannel {
  readonly port1: PortLike
  readonly port2: PortLike
}

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>)
  }
  class Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>)
    readonly exports: Record<string, unknown>
  }
}
