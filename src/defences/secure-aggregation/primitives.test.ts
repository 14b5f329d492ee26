import { expect, test, vi } from 'vitest'
import { describePrimitives } from '../../../test/primitives-suite.js'
import { webCrypto } from './primitives.js'

describePrimitives('WebCrypto', webCrypto())

test('a secret is handed over as RFC 8410 has it: version 0, X25519, an octet string of an octet string; and overwritten', async () => {
  const importKey = crypto.subtle.importKey.bind(crypto.subtle) as (...given: unknown[]) => Promise<never>
  const [forms, seen]: [Uint8Array[], number[][]] = [[], []]
  const read = vi.spyOn(crypto.subtle, 'importKey').mockImplementation((...given: unknown[]) => {
    if (given[0] === 'pkcs8') {
      forms.push(given[1] as Uint8Array)
      seen.push([...(given[1] as Uint8Array)])
    }
    return importKey(...given)
  })
  try {
    await webCrypto().keyPair(new Uint8Array(32).fill(7))
    const sequence = (...inside: number[]) => [0x30, inside.length, ...inside]
    const octets = (...inside: number[]) => [0x04, inside.length, ...inside]
    const secret = new Array<number>(32).fill(7)
    // The object identifier 1.3.101.110
    const algorithm = sequence(0x06, 3, 40 * 1 + 3, 101, 110)
    expect(seen).toEqual([sequence(0x02, 1, 0, ...algorithm, ...octets(...octets(...secret)))])
    expect([...forms[0]!]).toEqual(new Array<number>(48).fill(0))
  } finally {
    read.mockRestore()
  }
})
