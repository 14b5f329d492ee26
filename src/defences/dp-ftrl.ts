/**
 * Client-level privacy at the server over many rounds: the noise of a running sum comes from a binary tree, so that after
 * t rounds the model carries the noise of the binary digits of t, not of t rounds. [kairouz2021] Alg. 1, without momentum
 * departs: from the sum's noise being scaled to a fixed number of clients: what is noised is the server's step, and a
 * client moves it by C times the largest share that anybody has had so far.
 */
import { nodeLength } from '../accounting/tree-sums.js'
import type { Plain, SumContext } from '../federation/hooks.js'
import { defineDefence } from './defence-entry.js'
import { clientPrivacyParams, clippedUpdate, noised } from './noisy-change.js'

/** The nodes whose sum the last running sum was, longest first. */
interface Tree {
  readonly rounds: number
  readonly largestShare: number
  readonly nodes: readonly { readonly length: number; readonly noise: Float64Array }[]
}

const empty: Tree = { rounds: 0, largestShare: 0, nodes: [] }

export const dpFtrlEntry = defineDefence({
  id: 'dp-ftrl',
  title: "client-level differential privacy at the server: changes clipped, a running sum's noise from a binary tree",
  paper: 'kairouz2021',
  params: clientPrivacyParams,
  create({ maxNorm, noiseMultiplier, delta }) {
    let tree = empty
    return {
      turn: (update, at) => clippedUpdate(update, at, { maxNorm }),
      aggregate(sum) {
        const before = tree
        tree = grown(before, sum, noiseMultiplier * maxNorm)
        const [had, has] = [noiseOf(before, sum.global.length), noiseOf(tree, sum.global.length)]
        return { dThetaSum: sum.dThetaSum().map((x, j) => x + sum.weightSum * (has[j]! - had[j]!)) }
      },
      state: () => tree as unknown as Plain,
      restore(kept) {
        tree = (kept as unknown as Tree | null) ?? empty
      },
      protocol: {
        differentialPrivacy: {
          mechanism: 'dp-ftrl',
          unit: 'client',
          sampling: 'none',
          maxNorm,
          noiseMultiplier,
          delta,
        },
      },
    }
  },
})

/** One round more: its node takes the place of those that it sums. */
function grown({ rounds, largestShare, nodes }: Tree, sum: SumContext, std: number): Tree {
  const share = Math.max(largestShare, Math.max(...sum.weights.values()) / sum.weightSum)
  const length = nodeLength(rounds + 1)
  const noise = noised(new Float64Array(sum.global.length), sum, std * share)
  return {
    rounds: rounds + 1,
    largestShare: share,
    nodes: [...nodes.filter((node) => node.length > length), { length, noise }],
  }
}

function noiseOf({ nodes }: Tree, d: number): Float64Array {
  const total = new Float64Array(d)
  for (const { noise } of nodes) for (let j = 0; j < d; j++) total[j]! += noise[j]!
  return total
}
