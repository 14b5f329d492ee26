/** A client as its pool seats it: its memory of earlier rounds, bytes in, bytes out, a refusal in place of an error. */

import { OverhearError } from '../../errors.js'
import type { ClientSide, Own } from '../../federation/exchange.js'
import type { Rng } from '../../numeric/random/rng.js'
import { pairKeys } from '../secure-aggregation/pair-keys.js'
import { type Bytes, type Primitives, refused } from '../secure-aggregation/primitives.js'
import { quantiseAtRandom } from '../secure-aggregation/quantise.js'
import { clippedChange, type SharedNoise, withSharedNoise } from '../secure-aggregation/shared-noise.js'
import { kindOf, kinds } from '../secure-aggregation/wire-messages.js'
import { type CheckedClient, checkedClient } from './checked-client.js'
import { clientMemory } from './client-memory.js'
import { factsOf } from './signed-texts.js'
import { checkTerms, type Policy, type Terms, termsReader } from './terms.js'

export function checkedSeat(primitives: Primitives, policy: Policy, noise?: SharedNoise): ClientSide {
  const shared = { facts: factsOf(primitives), pairKeys: pairKeys(primitives) }
  const read = termsReader()
  const memory = clientMemory(primitives, policy)
  return (own) => {
    let seated: { readonly client: CheckedClient; readonly terms: Terms } | undefined
    let clipped = 0
    const sit = async (bytes: Bytes): Promise<Bytes> => {
      const invited = read(bytes)
      checkTerms(invited, policy, own)
      memory.enter(own, invited.terms)
      const [identity, directory] = [await memory.signer(own), memory.directory(own)]
      const client = checkedClient({ ...invited, ...shared, identity, directory, primitives, least: policy.least })
      seated = { client, terms: invited.terms }
      return client.keys()
    }
    const answer = async (bytes: Bytes): Promise<Bytes> => {
      if (seated === undefined) return sit(bytes)
      const { client, terms } = seated
      switch (kindOf(bytes)) {
        case 'roster':
          return client.shares(bytes)
        case 'inbox':
          return client.held(bytes)
        case 'sharers':
          return client.masked(bytes, () => {
            const found = encodeUpdate(own, terms, noise)
            clipped = found.clipped
            return found.values
          })
        case 'survivors':
          return client.signed(bytes)
        case 'agreed':
          return client.reveal(bytes)
        default:
          throw refused('a message that no client waits for')
      }
    }
    return {
      async answer(bytes) {
        try {
          return await answer(bytes)
        } catch (error) {
          // What the protocol forbids is said; a training that went wrong is no matter of the protocol.
          if (!(error instanceof OverhearError) || !/^secure aggregation (refused|aborted)/.test(error.message))
            throw error
          return refusal(error.message)
        }
      },
      notes: () => ({ clipped }),
    }
  }
}

const refusal = (reason: string): Bytes => Uint8Array.of(kinds.refusal, ...new TextEncoder().encode(reason))

/** [w, w * update]: its weight, then its values, which count by their weight's share of the largest. */
function encodeUpdate(
  { weight, change, rounding }: Own,
  terms: Terms,
  noise: SharedNoise | undefined,
): { readonly values: Uint32Array; readonly clipped: number } {
  const rng = rounding() as Rng
  const trained = noise === undefined ? change() : clippedChange(change(), noise)
  const rounded = quantiseAtRandom(trained, terms, { scale: weight / terms.largest, rng })
  const { values, clipped } =
    noise === undefined ? rounded : withSharedNoise(rounded, terms, { noise, rng: rng.fork('noise') })
  const all = new Uint32Array(values.length + 1)
  all[0] = weight
  all.set(values, 1)
  return { values: all, clipped }
}
