import { expect, test } from 'vitest'
import { pairKeys } from './pair-keys.js'
import { webCrypto } from './primitives.js'

const primitives = webCrypto()
const derivation = { salt: primitives.random(16), info: primitives.random(8), bytes: 64 }

test('two who sit in one thread have the same key, found once and not kept; a stranger has the same without it', async () => {
  let agreements = 0
  const pair = async () => {
    const own = await primitives.keyPair(primitives.random(32))
    const agree: typeof own.agree = (other) => {
      agreements++
      return own.agree(other)
    }
    return { ...own, agree }
  }
  const [a, b, c] = await Promise.all([pair(), pair(), pair()])
  const [here, there] = [pairKeys(primitives), pairKeys(primitives)]
  for (const own of [a, b]) here.seat(own)
  there.seat(c)
  const first = await here.between(a, b.publicKey, derivation)
  const due = first.slice()
  first.fill(0) // whoever gets a key may overwrite it
  expect(await here.between(b, a.publicKey, derivation)).toEqual(due)
  expect(agreements).toBe(1)
  expect(await here.between(b, a.publicKey, derivation)).toEqual(due)
  expect(agreements).toBe(2)
  expect(await here.between(a, c.publicKey, derivation)).toEqual(await there.between(c, a.publicKey, derivation))
  expect(agreements).toBe(4)
  for (const own of [a, b]) here.leave(own) // what was left for them is gone, and nothing more is kept
  await here.between(a, b.publicKey, derivation)
  await here.between(b, a.publicKey, derivation)
  expect(agreements).toBe(6)
})
