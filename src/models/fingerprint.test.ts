import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { digestOf, fingerprintTraining } from './fingerprint.js'

test('a digest is the SHA-256 of the bytes, whatever they are a part of', async () => {
  const values = Float64Array.of(9, 1, -2.5, 1e300, 9).subarray(1, 4)
  const expected = createHash('sha256')
    .update(Buffer.from(Float64Array.from(values).buffer))
    .digest('hex')
  expect(await digestOf(values)).toBe(expected)
})

// As in test/same-bits.test.ts, which has the same from the built package, threads and a browser.
test.each([
  ['mlp', '4ea18ebd91dbd21f8c070d2a6ce783401215ebc0d48933b36952f0e58a294e94'],
  ['lenet', '164ed976bf5a454d84bac79899b4b3b6d374380374d340bdfa6dd4a5bc5c5684'],
] as const)('the training of %s', async (network, digest) => {
  expect(await digestOf(fingerprintTraining({ network }))).toBe(digest)
})

test('is an MLP of so many steps unless told', async () => {
  expect(fingerprintTraining({ steps: 2 })).toEqual(fingerprintTraining({ network: 'mlp', steps: 2, seed: 1 }))
  expect(fingerprintTraining({ steps: 2 })).not.toEqual(fingerprintTraining({ steps: 3 }))
  expect(fingerprintTraining({ steps: 2 })).not.toEqual(fingerprintTraining({ steps: 2, seed: 2 }))
})
