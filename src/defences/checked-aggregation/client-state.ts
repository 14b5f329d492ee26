/** What a client who checks knows of a sum under way. */
import type { PairKeys } from '../secure-aggregation/pair-keys.js'
import type { Bytes, KeyPair, Primitives, Signer } from '../secure-aggregation/primitives.js'
import type { Directory } from './directory.js'
import type { Facts, Roster } from './signed-texts.js'
import type { Invited } from './terms.js'

export interface CheckedSetup extends Invited {
  readonly identity: Signer
  readonly directory: Directory
  readonly primitives: Primitives
  readonly facts: Facts
  readonly pairKeys: PairKeys
  /** The least number of clients in a sum. */
  readonly least: number
}

export interface Seals {
  readonly sealing: Bytes
  readonly opening: Bytes
}

export interface ClientState extends CheckedSetup {
  next: number
  digest: Bytes
  readonly sealSecret: Bytes
  readonly maskSecret: Bytes
  readonly seed: Bytes
  pairs: { readonly seal: KeyPair; readonly mask: KeyPair } | undefined
  roster: Roster | undefined
  /** Whom it has chosen to hold its shares, and who has chosen it. */
  out: ReadonlySet<number>
  readonly in: Set<number>
  /** What seals shares for a client, and opens those from it. */
  readonly seals: Map<number, Seals>
  /** What others let it hold, and its own: (share of the mask key, share of the seed) by owner. */
  readonly held: Map<number, { readonly key: Bytes; readonly seed: Bytes }>
  sharers: ReadonlySet<number>
  survivors: ReadonlySet<number>
  list: Bytes
}
