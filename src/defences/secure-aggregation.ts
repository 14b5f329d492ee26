/** Secure aggregation as a defence: the server learns the sum of a round's updates and never has one of them. */
import { OverhearError } from '../errors.js'
import type { ClientSide } from '../federation/exchange.js'
import type { Defence, Plain, SumExchange } from '../federation/hooks.js'
import { choice, number, readParams, type ValuesOf, whole } from '../params.js'
import { checkedExchange } from './checked-aggregation/checked-exchange.js'
import { checkedSeat } from './checked-aggregation/checked-seat.js'
import { checkBounds } from './checked-aggregation/graph-bounds.js'
import type { CheckedTapped } from './checked-aggregation/steps.js'
import type { Policy } from './checked-aggregation/terms.js'
import { defineDefence } from './defence-entry.js'
import { curiousExchange } from './secure-aggregation/curious-exchange.js'
import { checkDegree } from './secure-aggregation/mask-graph.js'
import { type Bytes, openPrimitives, type Primitives, primitivesHere } from './secure-aggregation/primitives.js'
import { checkRange } from './secure-aggregation/quantise.js'
import { secureSeat } from './secure-aggregation/secure-seat.js'
import type { SecureSum } from './secure-aggregation/secure-sum.js'
import type { SharedNoise } from './secure-aggregation/shared-noise.js'

/** What people choose of it. */
export const secureAggregationParams = {
  server: choice({
    default: 'malicious',
    choices: ['malicious', 'honest-but-curious'],
    doc: 'the server that it withstands: one that may send what it likes, or one that keeps to the protocol',
  }),
  variant: choice({
    default: 'pairs',
    choices: ['pairs', 'graph'],
    doc: 'masks between every pair of clients, or along a random graph (SecAgg+)',
  }),
  least: whole({ default: 3, min: 2, doc: 'server malicious: clients refuse a sum of fewer' }),
  directory: choice({
    default: 'given',
    choices: ['given', 'first-use'],
    doc: "server malicious: whose keys clients take for others': those of a directory, or those they saw first",
  }),
  corrupt: number({
    default: 0.05,
    min: 0,
    below: 1,
    doc: 'server malicious, variant graph: share of clients that may be in league with the server; sizes the graph',
  }),
  vanishing: number({
    default: 0.1,
    min: 0,
    below: 1,
    doc: 'server malicious, variant graph: share of clients that may vanish in a round; sizes the graph',
  }),
  secureBits: whole({
    default: 40,
    min: 1,
    max: 128,
    doc: 'server malicious, variant graph: the graph protects everybody but with probability 2^-this',
  }),
  neighbours: whole({
    default: 32,
    min: 2,
    doc: 'server honest-but-curious, variant graph: clients that each one masks with; even',
  }),
  threshold: number({
    default: 0,
    min: 0,
    max: 1,
    doc: 'server honest-but-curious: share of the holders of a secret that can give it back; 0: just above half',
  }),
  clip: number({ default: 8, min: 0, doc: 'values of an update beyond it are cut off' }),
  bits: whole({
    default: null,
    min: 1,
    max: 30,
    orNull: 'as many as the sum has room for; 22 where the server is honest-but-curious',
    doc: 'an update is rounded to so many bits a value',
  }),
  lateProb: number({ default: 0, min: 0, max: 1, doc: 'probability that a client vanishes once it sent its update' }),
} as const

type Values = ValuesOf<typeof secureAggregationParams>

export interface SecureAggregationOptions extends Partial<Values> {
  /** Who does the cryptography of the server, and of clients in the same thread; WebCrypto unless told. */
  readonly primitives?: Primitives
  /** Clients clip their changes and add noise to them (distributed-dp). */
  readonly noise?: SharedNoise
  /** Told of every round: bytes, who was in the sum, and how many values the clients cut off (only they know). */
  onSum?(sum: SecureSum & { readonly round: number; readonly clipped: number }): void
  /** Sees every message between clients and server; may return another in its place. */
  tap?(message: CheckedTapped): Bytes | undefined
}

/** What only one of the two protocols obeys. */
const obeyedBy: Readonly<Record<Values['server'], readonly (keyof Values)[]>> = {
  malicious: ['least', 'directory', 'corrupt', 'vanishing', 'secureBits'],
  'honest-but-curious': ['neighbours', 'threshold'],
}

/** Refuses a value that would change nothing. */
function checkObeyed(values: Values): void {
  for (const [server, keys] of Object.entries(obeyedBy)) {
    const idle =
      server === values.server ? undefined : keys.find((key) => values[key] !== secureAggregationParams[key].default)
    if (idle === undefined) continue
    const found = `defence secure-aggregation: ${idle} is ${values[idle]} with server ${values.server}`
    throw new OverhearError('E_VALUE', found, `only server ${server} obeys it: leave it out, or set server`)
  }
}

const correctBits = 10

/** What clients hold to under these parameters. */
export const policyOf = ({ variant, least, directory, corrupt, vanishing, secureBits }: Values): Policy => ({
  ...{ variant, least, directory, corrupt, secureBits, correctBits },
  dropouts: vanishing,
})

/**
 * [bonawitz2017], or with variant graph [bell2020]: in each round the whole protocol runs, on bytes, between the clients
 * where their pool plays them and the server in the thread of the federation. Clients that the federation lists as
 * dropped vanish in one of the phases up to their update. A round in which too few are left has no sum, and the run goes on.
 */
export function secureAggregation({
  primitives = primitivesHere(),
  noise,
  onSum,
  tap,
  ...given
}: SecureAggregationOptions = {}): Defence {
  const values = readParams(secureAggregationParams, given, 'defence secure-aggregation')
  const { clip, bits, lateProb } = values
  const quantisation = { clip, levels: 1 << (bits ?? 22) }
  checkRange(quantisation, 1)
  checkObeyed(values)
  checkBounds({ corrupt: values.corrupt, dropouts: values.vanishing })
  if (values.variant === 'graph') checkDegree(values.neighbours)
  const told = { lateProb, ...(onSum !== undefined && { onSum }), ...(tap !== undefined && { tap }) }
  const under = (own: Primitives): SumExchange => {
    const plain =
      values.server === 'malicious'
        ? checkedExchange({ ...told, primitives: own, policy: policyOf(values), clip, bits })
        : curiousExchange({ ...told, primitives: own, ...values, quantisation })
    if (noise === undefined) return plain
    const policy = { noise: { ...noise }, policy: plain.policy ?? null }
    return { ...plain, policy, client: clientSideOf(own, policy) }
  }
  const openly = (): SumExchange => {
    const exchange = under(openPrimitives())
    return { ...exchange, policy: { open: true, policy: exchange.policy ?? null } }
  }
  const exchange = { ...under(primitives), openly }
  return { name: 'secure-aggregation', protocol: { secureAggregation: true }, exchange }
}

/** The client's side in a worker thread, by what the exchange hands on. */
export function clientSideOf(primitives: Primitives, policy: Plain, noise?: SharedNoise): ClientSide {
  if (policy === null) return secureSeat(primitives, noise)
  const { open, policy: below = null, noise: own } = policy as { open?: Plain; policy?: Plain; noise?: Plain }
  if (open === true) return clientSideOf(openPrimitives(), below, noise)
  if (own !== undefined) return clientSideOf(primitives, below, own as unknown as SharedNoise)
  return checkedSeat(primitives, policy as unknown as Policy, noise)
}

export const secureAggregationEntry = defineDefence({
  id: 'secure-aggregation',
  title: 'the server learns sums of updates only',
  paper: 'bonawitz2017',
  params: secureAggregationParams,
  create: (values) => secureAggregation(values),
  clientSide: clientSideOf,
})
