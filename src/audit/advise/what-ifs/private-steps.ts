/** What if every local step was private, with the noise that a target epsilon asks for? */
import { noiseFor } from '../../../accounting/calibrate.js'
import { OverhearError } from '../../../errors.js'
import type { Scenario } from '../../../scenario/scenario-schema.js'
import { stepsOfTurn } from '../../account/setup.js'
import { type Around, type Change, defended, has, type WhatIf } from '../what-if.js'

const name = 'dp-sgd'
/** A weak and a strong promise; each with a generous and a tight clipping norm, in lengths of a usual gradient: the better one shows itself. */
const epsilons = [10, 1] as const
const norms = [10, 1] as const

export const privateSteps: WhatIf = {
  id: 'private-steps',
  title: 'record-level differential privacy',
  changes: (scenario, around) =>
    has(scenario, name) ? [] : epsilons.flatMap((epsilon) => norms.map((norm) => change(epsilon, norm, around))),
}

const change = (epsilon: number, norm: number, around: Around): Change => ({
  id: `epsilon-${epsilon}-norm-${norm}`,
  words: `train with DP-SGD, epsilon ${epsilon} for a record, gradients clipped at ${norm === 1 ? '' : `${norm} times `}the length that they have at first on held-out rows`,
  apply: async (from) => {
    const maxNorm = norm * (await around.gradientOf(from))
    return defended(from, name, { maxNorm, ...(await noiseOf(from, epsilon, around)) })
  },
})

/** For the client that spends most: one that takes part in every round. Delta is a tenth of one over the largest client's records. */
async function noiseOf(scenario: Scenario, epsilon: number, { setupOf }: Around) {
  const setup = await setupOf(scenario)
  const sizes = setup.clients.flatMap(({ records }) => records ?? [])
  if (sizes.length === 0)
    throw new OverhearError('E_INPUT', 'it is not known how many records clients have', 'the noise follows from that')
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
  const { batchSize } = scenario.training
  const sampleRate = batchSize === null ? 1 : Math.min(1, batchSize / least)
  const steps = scenario.training.rounds * Math.max(1, ...sizes.map((n) => stepsOfTurn(setup, n) ?? 1))
  const delta = 0.1 / most
  return { sampleRate, delta, noiseMultiplier: noiseFor({ epsilon, delta }, { sampleRate, steps }) }
}
