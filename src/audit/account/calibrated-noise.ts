/** Noise that a scenario leaves to a target: the least for which every client keeps to the epsilon that is claimed. */
import { noiseFor } from '../../accounting/calibrate.js'
import { OverhearError } from '../../errors.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { AuditFiles } from '../ports.js'
import { scenarioSetup } from './scenario-setup.js'
import type { Setup } from './setup.js'
import { clientSteps } from './spent.js'

type Spec = Scenario['defences'][number]

const isOpen = ({ params }: Spec): boolean => params.noiseMultiplier === null

/** The scenario with a figure wherever `noiseMultiplier` is null; the epsilon that it follows from stays beside it, as a claim. */
export async function withNoise(scenario: Scenario, files?: AuditFiles): Promise<Scenario> {
  const open = scenario.defences.filter(isOpen)
  if (open.length === 0) return scenario
  for (const { name, params } of open) {
    if (typeof params.epsilon === 'number') continue
    const found = `${name} has neither a noiseMultiplier nor an epsilon`
    throw new OverhearError('E_INPUT', found, 'give one: the noise follows from epsilon')
  }
  // How often a record is read does not depend on the noise.
  const some = { ...scenario, defences: scenario.defences.map((one) => (isOpen(one) ? noised(one, 1) : one)) }
  const setup = await scenarioSetup(some, { ...(files !== undefined && { files }), raw: {} })
  return { ...scenario, defences: scenario.defences.map((one) => (isOpen(one) ? noised(one, leastFor(setup)) : one)) }
}

const noised = ({ name, params }: Spec, noiseMultiplier: number): Spec => ({
  name,
  params: { ...params, noiseMultiplier },
})

/** Of all clients the one that needs most: of those who are read at the same rate, whoever takes the most steps. */
function leastFor(setup: Setup): number {
  const { epsilon, delta } = setup.privacy ?? {}
  if (typeof epsilon !== 'number' || typeof delta !== 'number' || !(delta > 0)) {
    const found = `epsilon is ${epsilon ?? 'not stated'} at delta ${delta ?? 'not stated'}`
    throw new OverhearError('E_INPUT', found, 'noise follows from both: state them')
  }
  const busiest = new Map<string, Parameters<typeof noiseFor>>()
  for (const client of setup.clients) {
    const { mechanism, neighbours } = clientSteps(setup, client)
    if (mechanism.kind !== 'gaussian')
      throw new OverhearError('E_INPUT', `no noise is known for ${mechanism.kind} steps`, 'give a noiseMultiplier')
    const { sampleRate, steps } = mechanism
    const key = `${sampleRate} ${neighbours}`
    if (steps > (busiest.get(key)?.[1].steps ?? 0))
      busiest.set(key, [
        { epsilon, delta, neighbours },
        { sampleRate, steps },
      ])
  }
  return Math.max(0, ...[...busiest.values()].map((asked) => noiseFor(...asked)))
}
