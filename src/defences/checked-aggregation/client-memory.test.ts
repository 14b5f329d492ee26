import { expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { clientMemory } from './client-memory.js'
import type { Policy, Terms } from './terms.js'

const primitives = nativePrimitives()
const given: Policy = {
  ...{ variant: 'pairs', least: 3, directory: 'given' },
  ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
}
const guest = (place: number, enrolment = 7) => ({
  ...seated({ place, weight: 1, change: () => new Float64Array(1) }),
  enrolment: new Uint8Array(32).fill(enrolment),
})

test('a client signs with what follows from its enrolment and its name alone', async () => {
  const memory = clientMemory(primitives, given)
  const { publicKey } = await memory.signer(guest(1))
  const info = new TextEncoder().encode('overhear identity c1')
  const secret = await primitives.derive(new Uint8Array(32).fill(7), { salt: new Uint8Array(0), info, bytes: 32 })
  expect(publicKey).toEqual((await primitives.signer(secret)).publicKey)
  expect((await memory.signer(guest(2))).publicKey).not.toEqual(publicKey)
  expect((await memory.signer(guest(1, 8))).publicKey).not.toEqual(publicKey)
})

test('its key is found once, and the secret behind it is overwritten', async () => {
  const secrets: Uint8Array[] = []
  const memory = clientMemory(
    {
      ...primitives,
      async derive(from, options) {
        const secret = await primitives.derive(from, options)
        secrets.push(secret)
        return secret
      },
    },
    given,
  )
  expect(memory.signer(guest(1))).toBe(memory.signer(guest(1)))
  await memory.signer(guest(1))
  expect(secrets).toEqual([new Uint8Array(32)])
})

test('a directory that was given is the same for all who were enrolled together, and knows them all', async () => {
  const memory = clientMemory(primitives, given)
  const directory = memory.directory(guest(1))
  expect(memory.directory(guest(2))).toBe(directory)
  expect(memory.directory(guest(2, 8))).not.toBe(directory)
  const { publicKey } = await memory.signer(guest(5))
  await directory.check(new Map([['c5', publicKey]]))
  await expect(directory.check(new Map([['c4', publicKey]]))).rejects.toThrow('another key for client c4')
})

test('on first use, everybody sees with its own eyes, and remembers', async () => {
  const memory = clientMemory(primitives, { ...given, directory: 'first-use' })
  const [first, second] = [memory.directory(guest(1)), memory.directory(guest(2))]
  expect(first).not.toBe(second)
  expect(memory.directory(guest(1))).toBe(first)
  expect(memory.directory(guest(1, 8))).not.toBe(first)
  await first.check(new Map([['c5', new Uint8Array(32)]]))
  await second.check(new Map([['c5', new Uint8Array(32).fill(1)]]))
  await expect(first.check(new Map([['c5', new Uint8Array(32).fill(1)]]))).rejects.toThrow('than it had before')
})

test('a client takes part in each round of a training once, and in none that lies before', () => {
  const memory = clientMemory(primitives, given)
  const enter = (round: number, { place = 1, enrolment = 7, run = 'a' } = {}) =>
    memory.enter(guest(place, enrolment), { run, round } as Terms)
  enter(0)
  expect(() => enter(0)).toThrow('round 0: client c1 took part in round 0')
  enter(2)
  expect(() => enter(1)).toThrow('round 1: client c1 took part in round 2')
  expect(() => enter(2)).toThrow('round 2: client c1 took part in round 2')
  enter(3)
  enter(0, { place: 2 })
  enter(0, { enrolment: 8 })
  enter(0, { run: 'b' })
  expect(() => enter(0, { run: 'b' })).toThrow('took part in round 0')
})
