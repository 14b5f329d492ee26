/** What clients keep from one round to the next: their own keys, whom they know, which rounds they took part in. */
import type { Own } from '../../federation/exchange.js'
import { type Bytes, type Primitives, refused, type Signer } from '../secure-aggregation/primitives.js'
import { type Directory, firstUse, givenKeys } from './directory.js'
import { type Policy, type Terms, toHex } from './terms.js'

export interface ClientMemory {
  /** A client's own key, from what it was given when it was enrolled. */
  signer(own: Pick<Own, 'id' | 'enrolment'>): Promise<Signer>
  directory(own: Own): Directory
  /** Refuses a round of a training that the client took part in already, or that lies before one. */
  enter(own: Own, terms: Terms): void
}

const mostSigners = 4096

/** The memory of all clients of a thread, each by its name and enrolment. */
export function clientMemory(primitives: Primitives, policy: Policy): ClientMemory {
  const signers = new Map<string, Promise<Signer>>()
  const directories = new Map<string, Directory>()
  const rounds = new Map<string, number>()
  const signer: ClientMemory['signer'] = ({ id, enrolment }) => {
    const name = `${toHex(enrolment)} ${id}`
    let found = signers.get(name)
    if (found === undefined) {
      // They can be had again: a crowd of a million need not be kept.
      if (signers.size >= mostSigners) signers.clear()
      const info = new TextEncoder().encode(`overhear identity ${id}`)
      found = primitives.derive(enrolment, { salt: new Uint8Array(0), info, bytes: 32 }).then(async (secret) => {
        const own = await primitives.signer(secret)
        secret.fill(0)
        return own
      })
      signers.set(name, found)
    }
    return found
  }
  /** Whoever was enrolled with the same secret is in it. */
  const given = (enrolment: Bytes): Directory => givenKeys(async (id) => (await signer({ id, enrolment })).publicKey)
  return {
    signer,
    directory({ id, enrolment }) {
      // One that was given is the same for all; what was seen first is each client's own.
      const name = policy.directory === 'given' ? toHex(enrolment) : `${toHex(enrolment)} ${id}`
      const found = directories.get(name) ?? (policy.directory === 'given' ? given(enrolment) : firstUse())
      directories.set(name, found)
      return found
    },
    enter({ id, enrolment }, { run, round }) {
      const name = `${toHex(enrolment)} ${id} ${run}`
      const last = rounds.get(name) ?? -1
      if (round <= last) throw refused(`round ${round}: client ${id} took part in round ${last}`)
      rounds.set(name, round)
    },
  }
}
