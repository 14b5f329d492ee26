/** One sum from invitation to unmasking, between clients who do not trust the server and a server who expects faults. */

import { OverhearError } from '../../errors.js'
import type { Seats } from '../../federation/exchange.js'
import { SumAborted } from '../secure-aggregation/aborted.js'
import type { Bytes, Primitives } from '../secure-aggregation/primitives.js'
import { checkRange, dequantiseSum, type Quantisation } from '../secure-aggregation/quantise.js'
import { checkClients, sessionBytes } from '../secure-aggregation/wire-messages.js'
import { checkedServer } from './checked-server.js'
import type { Exclusion } from './server-state.js'
import { challengeBytes } from './share-check.js'
import { type CheckedTapped, type Step, steps } from './steps.js'
import { encodeTerms, type Policy, sizeFor, type Terms, toHex } from './terms.js'

export interface CheckedSumOptions {
  readonly seats: Seats
  /** Who is invited, by place. */
  readonly cohort: readonly string[]
  readonly policy: Policy
  /** Names the training; a client takes part in each of its rounds once. */
  readonly run: Bytes
  readonly round: number
  readonly length: number
  readonly quantisation: Quantisation
  /** No weight is larger. */
  readonly largest: number
  readonly primitives: Primitives
  /** By place: before which message a client vanishes. */
  readonly vanish?: ReadonlyMap<number, Step>
  /** Sees every message; may return another in its place. */
  tap?(message: CheckedTapped): Bytes | undefined
}

export interface CheckedSum {
  /** The sum of w_i times the update, over the largest weight; and that of the weights. */
  readonly sum: Float64Array
  readonly weightSum: number
  readonly survivors: readonly number[]
  readonly excluded: readonly Exclusion[]
  readonly bytesToServer: number
  readonly bytesToClients: number
}

/** An aborted sum, with those who lost their place until then. */
export class CheckedAborted extends SumAborted {
  readonly excluded: readonly Exclusion[]
  constructor(reason: string, excluded: readonly Exclusion[]) {
    super(reason)
    this.excluded = excluded
  }
}

export async function checkedSum(options: CheckedSumOptions): Promise<CheckedSum> {
  const { seats, cohort, policy, round, length, quantisation, largest, primitives, vanish, tap } = options
  const n = cohort.length
  checkClients(n)
  checkRange(quantisation, n)
  if (n * largest > 0xffffffff) {
    throw new OverhearError('E_VALUE', `weights of up to ${largest} for ${n} clients`, 'their sum must stay below 2^32')
  }
  if (n < policy.least) throw new CheckedAborted(`${n} clients are left where ${policy.least} are needed`, [])
  const session = primitives.random(sessionBytes)
  const challenge = primitives.random(challengeBytes)
  const ids = {
    ...{ session: toHex(session), run: toHex(options.run), round },
    challenge: toHex(await primitives.hash(challenge)),
  }
  const terms: Terms = { ...ids, ...sizeFor(n, policy), ...quantisation, largest, length, cohort: [...cohort] }
  const invitations = encodeTerms(terms)
  const digest = await primitives.hash(invitations.get(1)!.slice(1 + sessionBytes + 2))
  const server = checkedServer({ terms, session, digest, challenge, primitives })
  const tapped = (message: CheckedTapped): Bytes => tap?.(message) ?? message.bytes
  let [up, down] = [0, 0]
  let sent: ReadonlyMap<number, Bytes> = invitations
  try {
    for (const phase of steps) {
      const here = [...sent].filter(([place]) => !gone(vanish?.get(place), phase))
      const asked = here.map(([place, bytes]): [number, Bytes] => [
        place,
        tapped({ to: 'client', phase, place, bytes }),
      ])
      down += asked.reduce((total, [, { length: bytes }]) => total + bytes, 0)
      await seats.ask(new Map(asked), (place, answer) => {
        const bytes = tapped({ to: 'server', phase, place, bytes: answer })
        up += bytes.length
        server.receive(place, bytes)
      })
      sent = await server.next()
    }
    const { sum, survivors } = await server.sum()
    const counts = { survivors, excluded: server.excluded(), bytesToServer: up, bytesToClients: down }
    return { sum: dequantiseSum(sum.subarray(1), quantisation, survivors.length), weightSum: sum[0]!, ...counts }
  } catch (error) {
    if (error instanceof SumAborted) throw new CheckedAborted(error.reason, server.excluded())
    throw error
  }
}

const gone = (from: Step | undefined, now: Step): boolean =>
  from !== undefined && steps.indexOf(from) <= steps.indexOf(now)
