/** A client as its pool seats it: its memory of earlier rounds, bytes in, bytes out, a refusal in place of an error. */

import { OverhearError } from '../../errors.js'
import type { ClientSide, Own } from '../../federation/exchange.js'
import type { Rng } from '../../numeric/random/rng.js'
import { type Bytes, type Primitives, refused, type Signer } from '../secure-aggregation/primitives.js'
import { quantiseAtRandom } from '../secure-aggregation/quantise.js'
import { kindOf, kinds } from '../secure-aggregation/wire-messages.js'
import { type CheckedClient, checkedClient } from './checked-client.js'
import { type Directory, firstUse, givenKeys } from './directory.js'
import { factsOf } from './signed-texts.js'
import { checkTerms, decodeTerms, type Policy, type Terms, toHex } from './terms.js'

/** What a client keeps from one round to the next. */
interface Memory {
  readonly identity: Promise<Signer>
  readonly directory: Directory
  /** By training: the last round that it took part in. */
  readonly rounds: Map<string, number>
}

export function checkedSeat(primitives: Primitives, policy: Policy): ClientSide {
  const facts = factsOf(primitives)
  const memories = new Map<string, Memory>()
  const signers = new Map<string, Promise<Signer>>()
  /** A client's own key, from what it was given when it was enrolled. */
  const signerOf = (enrolment: Bytes, id: string): Promise<Signer> => {
    const name = `${toHex(enrolment)} ${id}`
    let found = signers.get(name)
    if (found === undefined) {
      const info = new TextEncoder().encode(`overhear identity ${id}`)
      found = primitives.derive(enrolment, { salt: new Uint8Array(0), info, bytes: 32 }).then(primitives.signer)
      signers.set(name, found)
    }
    return found
  }
  const memoryOf = ({ id, enrolment }: Own): Memory => {
    const name = `${toHex(enrolment)} ${id}`
    let memory = memories.get(name)
    if (memory === undefined) {
      // Whoever was enrolled with it is in the directory.
      const given = givenKeys(async (other) => (await signerOf(enrolment, other)).publicKey)
      const directory = policy.directory === 'given' ? given : firstUse()
      memory = { identity: signerOf(enrolment, id), directory, rounds: new Map() }
      memories.set(name, memory)
    }
    return memory
  }
  return (own) => {
    let seated: { readonly client: CheckedClient; readonly terms: Terms } | undefined
    let clipped = 0
    const sit = async (bytes: Bytes): Promise<Bytes> => {
      const invited = decodeTerms(bytes)
      checkTerms(invited, policy, own)
      const { identity, directory, rounds } = memoryOf(own)
      const { run, round } = invited.terms
      const last = rounds.get(run) ?? -1
      if (round <= last) throw refused(`round ${round}: client ${own.id} took part in round ${last}`)
      rounds.set(run, round)
      const client = checkedClient({
        ...invited,
        identity: await identity,
        directory,
        primitives,
        facts,
        least: policy.least,
      })
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
            const found = encodeUpdate(own, terms)
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
): { readonly values: Uint32Array; readonly clipped: number } {
  const { values, clipped } = quantiseAtRandom(change(), terms, {
    scale: weight / terms.largest,
    rng: rounding() as Rng,
  })
  const all = new Uint32Array(values.length + 1)
  all[0] = weight
  all.set(values, 1)
  return { values: all, clipped }
}
