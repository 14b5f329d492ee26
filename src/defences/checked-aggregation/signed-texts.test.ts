import { expect, test } from 'vitest'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { encodeList } from '../secure-aggregation/wire-messages.js'
import { advertBytes, advertise, factsOf } from './signed-texts.js'

const primitives = nativePrimitives()

async function rosterOf(digest: Uint8Array<ArrayBuffer>) {
  const adverts = [1, 2].map(async (place) => {
    const [seal, mask] = [primitives.random(32), primitives.random(32)]
    const signer = await primitives.signer(primitives.random(32))
    return { place, bytes: await advertise({ seal, mask }, signer, { digest, place }) }
  })
  return encodeList(await Promise.all(adverts), advertBytes)
}

test('a roster is verified once for all who are handed the same bytes, and again for other terms', async () => {
  let verified = 0
  const counting = {
    ...primitives,
    verify(signed: Parameters<typeof primitives.verify>[0]) {
      verified++
      return primitives.verify(signed)
    },
  }
  const facts = factsOf(counting)
  const digest = primitives.random(32)
  const cohort = ['a', 'b']
  const bytes = await rosterOf(digest)
  const first = await facts.roster(bytes, { digest, cohort })
  expect([...first.identities.keys()]).toEqual(cohort)
  expect(await facts.roster(bytes, { digest: digest.slice(), cohort })).toBe(first)
  expect(await facts.roster(bytes.slice(), { digest, cohort })).toBe(first)
  expect(verified).toBe(2)
  await expect(facts.roster(bytes, { digest: primitives.random(32), cohort })).rejects.toThrow('has not signed')
  expect(verified).toBe(3)
})
