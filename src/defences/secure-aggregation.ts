/** Secure aggregation as a defence: the server learns the sum of a round's updates and never forms one of them. */
import { OverhearError } from '../errors.js'
import type { Defence, SumContext } from '../federation/hooks.js'
import { changeOf } from '../federation/updates.js'
import { choice, number, readParams, type ValuesOf, whole } from '../params.js'
import { defineDefence } from './definition.js'
import { everyPair, type Neighbours, regularGraph } from './secure-aggregation/graph.js'
import { type Primitives, webCrypto } from './secure-aggregation/primitives.js'
import { type Phase, type SecureSum, secureSum } from './secure-aggregation/run.js'

const params = {
  variant: choice({
    default: 'pairs',
    choices: ['pairs', 'graph'],
    doc: 'masks between every pair of clients, or along a random regular graph (SecAgg+)',
  }),
  neighbours: whole({ default: 32, min: 2, doc: 'variant graph: clients that each one masks with; even' }),
  threshold: number({
    ...{ default: 0, min: 0, max: 1 },
    doc: 'share of the holders of a secret that can give it back; 0: just above half',
  }),
  clip: number({ default: 8, min: 0, doc: 'values of an update beyond it are cut off' }),
  bits: whole({ default: 22, min: 1, max: 30, doc: 'an update is rounded to so many bits a value' }),
  lateProb: number({ default: 0, min: 0, max: 1, doc: 'probability that a client vanishes once it sent its update' }),
} as const

export interface SecureAggregationOptions extends Partial<ValuesOf<typeof params>> {
  /** Who does the cryptography; WebCrypto unless told. */
  readonly primitives?: Primitives
  /** Told of every round: bytes, who was in the sum, values cut off. */
  onSum?(sum: SecureSum & { readonly round: number }): void
}

/**
 * [bonawitz2017], or with variant graph [bell2020]: in each round the whole protocol runs, on bytes. It works on the
 * updates themselves, so that it stands before other defences on the sum. Clients that the federation lists as dropped
 * vanish in one of the first three phases.
 */
export function secureAggregation({
  primitives = webCrypto(),
  onSum,
  ...given
}: SecureAggregationOptions = {}): Defence {
  const values = readParams(params, given, 'defence secure-aggregation')
  return {
    name: 'secure-aggregation',
    protocol: { secureAggregation: true },
    async aggregate(context) {
      const { round, updates, weights, dropped, global, learningRate, rng } = context
      const ids = [...updates.keys(), ...dropped]
      const n = ids.length
      const neighbours = graphOf(n, values, context)
      const largest = Math.max(...weights.values())
      const changes = [...updates.values()].map((update) => changeOf(update, { received: global, learningRate }))
      const found = await secureSum({
        ...{ neighbours, primitives, length: global.length, vanish: vanishing(ids, updates.size, values, rng) },
        updates: [...changes, ...dropped.map(() => null)],
        scales: ids.map((id) => (weights.get(id) ?? 1) / largest),
        threshold: thresholdOf(values.threshold, (neighbours[0]?.length ?? 0) + 1),
        quantisation: { clip: values.clip, levels: 1 << values.bits },
      })
      if (found.survivors.length !== updates.size) {
        const who = `${found.survivors.length} updates are in the sum of round ${round}`
        throw new OverhearError('E_INTERNAL', `internal: ${who}, ${updates.size} were sent`)
      }
      onSum?.({ ...found, round })
      return { dThetaSum: found.sum.map((x) => x * largest) }
    },
  }
}

function graphOf(n: number, { variant, neighbours }: ValuesOf<typeof params>, { round, rng }: SumContext): Neighbours {
  if (n < 3) {
    const found = `round ${round}: secure aggregation of ${n} clients`
    throw new OverhearError('E_VALUE', found, 'with fewer than 3 a sum gives an update away')
  }
  return variant === 'pairs' ? everyPair(n) : regularGraph(n, neighbours, rng.fork('graph'))
}

/** More than half, so that no secret can be had from two disjoint groups. */
function thresholdOf(share: number, holders: number): number {
  const least = Math.floor(holders / 2) + 1
  const wanted = share === 0 ? least : Math.ceil(share * holders)
  if (wanted >= least) return wanted
  const found = `a threshold of ${wanted} for ${holders} holders`
  throw new OverhearError('E_VALUE', found, `at least ${least} are needed: more than half`)
}

/** Who vanishes before which message: the dropped before their update, and some others after it. */
function vanishing(
  ids: readonly string[],
  present: number,
  { lateProb }: ValuesOf<typeof params>,
  rng: SumContext['rng'],
): Map<number, Phase> {
  const early: readonly Phase[] = ['keys', 'shares', 'masked']
  const vanish = new Map<number, Phase>()
  for (const [i, id] of ids.entries()) {
    const own = rng.fork('vanish', id)
    if (i >= present) vanish.set(i + 1, early[own.integer(early.length)]!)
    else if (lateProb > 0 && own.uniform() < lateProb) vanish.set(i + 1, 'reveal')
  }
  return vanish
}

export const secureAggregationEntry = defineDefence({
  id: 'secure-aggregation',
  title: 'the server learns sums of updates only',
  paper: 'bonawitz2017',
  params,
  create: (values) => secureAggregation(values),
})
