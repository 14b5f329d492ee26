/** What if a client's whole change was private? Inside secure sums where they can be had, else on the device. */
import { noiseFor } from '../../../accounting/calibrate.js'
import { rdpEpsilon } from '../../../accounting/rdp-account.js'
import { roundingShare } from '../../../defences/secure-aggregation/shared-noise.js'
import { clientsIn } from '../../../federation/sampling/sampling.js'
import type { Scenario } from '../../../scenario/scenario-schema.js'
import { type Around, type Change, defended, has, type WhatIf } from '../what-if.js'

/** A weak and a strong promise. */
const epsilons = [10, 1] as const
const maxNorm = 0.3
const [sums, inSums, onDevice] = ['secure-aggregation', 'distributed-dp', 'local-dp'] as const
/** Of those asked in a round so many must be in the sum: what the checked protocol asks for. */
const staying = 2 / 3
const fewest = 3

export const privateClients: WhatIf = {
  id: 'private-clients',
  title: 'client-level differential privacy',
  changes: (scenario, around) =>
    [inSums, onDevice, 'central-dp', 'dp-ftrl', 'dp-sgd'].some((name) => has(scenario, name))
      ? []
      : epsilons.map((epsilon) => change(epsilon, around)),
}

const change = (epsilon: number, around: Around): Change => ({
  id: `client-epsilon-${epsilon}`,
  words: `hide each client's whole change, epsilon ${epsilon} for a client, changes clipped at ${maxNorm}: noise inside secure sums, or on the device where too few take part`,
  apply: (from) => hidden(from, epsilon, around),
})

async function hidden(from: Scenario, epsilon: number, { setupOf }: Around): Promise<Scenario> {
  const { clients } = await setupOf(from)
  const delta = 0.1 / Math.max(1, clients.length)
  const { rounds, sampling } = from.training
  const noise = noiseFor({ epsilon, delta }, { sampleRate: 1, steps: rounds })
  const asked = inRound(sampling, clients.length)
  if (asked < fewest) return defended(from, onDevice, { maxNorm, delta, noiseMultiplier: noise })
  const noiseMultiplier = noiseInSums({ epsilon, delta, rounds, from: noise })
  const least = Math.max(fewest, Math.floor(staying * asked))
  const clip = Math.max(8, 1.1 * maxNorm * (1 + (8 * noiseMultiplier) / least))
  const before = from.defences.find(({ name }) => name === sums)?.params ?? {}
  const others = { ...from, defences: from.defences.filter(({ name }) => name !== sums) }
  const { server } = before as { readonly server?: unknown }
  const shared = server === 'honest-but-curious' ? { sharers: fewest } : { least, sharers: least }
  return defended(others, inSums, { ...before, ...shared, clip, maxNorm, delta, noiseMultiplier })
}

/** Bounds by Rényi divergences ask for a little more noise than a Gaussian's own. */
function noiseInSums({
  epsilon,
  delta,
  rounds,
  from,
}: {
  epsilon: number
  delta: number
  rounds: number
  from: number
}) {
  let z = from
  while (rdpEpsilon([{ kind: 'gaussian', noiseMultiplier: z, sampleRate: 1, steps: rounds }], delta).epsilon > epsilon)
    z *= 1.01
  return (1 + roundingShare) * z
}

/** Clients of a round, where every round has as many. */
function inRound({ name, params }: Scenario['training']['sampling'], count: number): number {
  const { fraction } = params as { readonly fraction?: unknown }
  if (name === 'all') return count
  return name === 'fraction' && typeof fraction === 'number' ? clientsIn(fraction, { count }) : fewest
}
