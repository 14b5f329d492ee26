import { expect, test, vi } from 'vitest'
import { describePrimitives } from '../../../test/primitives-suite.js'
import { webCrypto } from './primitives.js'

describePrimitives('WebCrypto', webCrypto())

test('a secret is handed over as RFC 8410 has it: version 0, X25519, an octet string of an octet string', async () => {
  const read = vi.spyOn(crypto.subtle, 'importKey')
  try {
    await webCrypto().keyPair(new Uint8Array(32).fill(7))
    const form = read.mock.calls.find(([format]) => format === 'pkcs8')?.[1] as unknown as Uint8Array
    const sequence = (...inside: number[]) => [0x30, inside.length, ...inside]
    const octets = (...inside: number[]) => [0x04, inside.length, ...inside]
    const secret = new Array<number>(32).fill(7)
    // The object identifier 1.3.101.110
    const algorithm = sequence(0x06, 3, 40 * 1 + 3, 101, 110)
    expect([...form]).toEqual(sequence(0x02, 1, 0, ...algorithm, ...octets(...octets(...secret))))
  } finally {
    read.mockRestore()
  }
})
