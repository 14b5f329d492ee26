/** Hooks that do something simple and keep a memory, for tests of a federation. */
import type { Adversary, Defence } from '../src/federation/hooks.js'
import { modelAfter, scaledUpdate } from '../src/federation/updates.js'

/** Sends one client the model it returned last time; its memory is that model. */
export function echo(target: string): Adversary {
  let last: Float64Array | null = null
  return {
    sendTo: ({ client }) => (client === target && last !== null ? last : undefined),
    received({ client, sent, update }) {
      if (client === target) last = modelAfter(update, { received: sent, learningRate: 1 })
    },
    state: () => ({ last }),
    restore(state) {
      last = (state as { last: Float64Array | null }).last
    },
  }
}

/** Halves every update, and adds to it how many it has halved so far: a turn hook with a memory. */
export function halving(): Defence {
  let count = 0
  return {
    name: 'halving',
    turn(update, at) {
      count++
      return scaledUpdate(update, 0.5 + count * 1e-3 + at.rng.uniform() * 1e-6, at)
    },
    state: () => count,
    restore(state) {
      count = (state ?? 0) as number
    },
  }
}

/** Adds noise to the sum and says that it hides the updates. */
export function noisySum(): Defence {
  return {
    name: 'noisy-sum',
    protocol: { secureAggregation: true, aggregation: 'noisy-sum' },
    aggregate({ dThetaSum, rng }) {
      return { dThetaSum: dThetaSum().map((x) => x + rng.normal({ std: 0.01 })) }
    },
  }
}
