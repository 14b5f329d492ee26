/** The setup of a scenario that has not run: what it says, and how many records each client will train on. */
import { createDefence, type DefenceSpec } from '../../defences/index.js'
import { OverhearError } from '../../errors.js'
import { idsOfRounds } from '../../federation/sampling/sample-schedule.js'
import { parameterCount } from '../../models/model.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { buildWorld, chooseModel, type World } from '../../scenario/world.js'
import type { Privacy } from '../../transcript/manifest.js'
import type { AuditFiles } from '../ports.js'
import type { Setup, SetupClient } from './setup.js'

const unsaid = { maxNorm: null, noiseMultiplier: null, sampleRate: null, delta: null } as const

/** Without its data the clients are those of nobody: one of unknown size, who takes part in every round. */
export async function scenarioSetup(
  scenario: Scenario,
  { files, raw }: { readonly files?: AuditFiles; readonly raw: Readonly<Record<string, unknown>> },
): Promise<Setup> {
  const { training, defences } = scenario
  const made = defences.map(({ name, params }) => createDefence({ name, ...params } as DefenceSpec))
  const world = await worldOf(scenario, files)
  const clients: SetupClient[] =
    world === undefined
      ? [{ id: '*', records: null, turns: training.rounds }]
      : world.clients.map(({ id, rows }) => ({ id, records: rows.length, turns: training.rounds }))
  const planned = plannedRounds(scenario, new Set(clients.map(({ id }) => id)))
  const privacy = made.map((one) => one.protocol?.differentialPrivacy).find((one) => one !== undefined) ?? null
  return {
    from: 'scenario',
    clients,
    rounds: training.rounds,
    participants: planned,
    privacy: privacy === null ? null : { ...unsaid, ...(privacy as Partial<Privacy> & Pick<Privacy, 'mechanism'>) },
    secureAggregation: made.some((one) => one.protocol?.secureAggregation === true),
    batchSize: training.batchSize,
    localEpochs: training.localSteps === null ? (training.localEpochs ?? 1) : null,
    localSteps: training.localSteps,
    dropLast: training.dropLast,
    share: training.share,
    ...shapeOf(scenario, world),
    raw,
  }
}

/** Who takes part where that is written down beforehand and nobody vanishes; null where it is drawn. */
function plannedRounds({ training }: Scenario, known: ReadonlySet<string>): string[][] | null {
  const { rounds: text } = training.sampling.params as { readonly rounds?: unknown }
  if (training.sampling.name !== 'schedule' || typeof text !== 'string' || training.dropouts > 0) return null
  const list = idsOfRounds(text)
  if (list.flat().some((id) => !known.has(id))) return null
  return Array.from({ length: training.rounds }, (_, round) => list[round % list.length]!)
}

/** The scenario's first model. */
function shapeOf(scenario: Scenario, world: World | undefined): Pick<Setup, 'model' | 'loss'> {
  const [first] = scenario.models
  if (world === undefined || first === undefined)
    return { model: { kind: first?.kind ?? 'opaque', parameters: 0 }, loss: '' }
  const { model, loss } = chooseModel(first, world, scenario.training.learningRate)
  return { model: { kind: first.kind, parameters: parameterCount(model) }, loss }
}

/** A dataset that is not on this machine is no fault of the scenario's. */
async function worldOf(scenario: Scenario, files: AuditFiles | undefined): Promise<World | undefined> {
  try {
    return await buildWorld(scenario, files?.dataset?.(scenario.data.name))
  } catch (error) {
    if (error instanceof OverhearError && error.code === 'E_INPUT') return undefined
    throw error
  }
}
