/**
 * [aia] C.4: DP-SGD at a target epsilon, its clipping norm the one of a list with the least validation loss of the last global
 * model; and the recording of a federation of which only what attacks read is written down.
 */
import { noiseFor } from '../../accounting/calibrate.js'
import { readScenario } from '../../audit/read-scenario.js'
import type { Records } from '../../data/records.js'
import { OverhearError } from '../../errors.js'
import { federate, runToEnd } from '../../federation/federate.js'
import { manifestFor } from '../../federation/manifest-for.js'
import { utilityOf } from '../../federation/utility.js'
import { parametersOf } from '../../models/index.js'
import type { Scenario, ScenarioInput } from '../../scenario/scenario-schema.js'
import { poolsOf } from '../../scenario/simulate.js'
import { defencesOf, type Stage, stageOf } from '../../scenario/simulate-model.js'
import { writeKnowledges, writeTruths } from '../../scenario/write-world.js'
import { openWriter } from '../../transcript/write-transcript.js'
import type { Recorder } from '../recorded-run.js'
import type { StudyPorts } from '../study.js'

export interface PrivateOptions {
  readonly epsilon: number
  readonly delta: number
  /** Clipping norms to choose from. */
  readonly norms: readonly number[]
}

/** A scenario whose steps are private, and what was chosen for it. */
export interface PrivateScenario {
  readonly input: ScenarioInput
  readonly maxNorm: number
  readonly noiseMultiplier: number
  /** R2 of the last global model on the rows kept back. */
  readonly r2: number
}

const stageFor = async (scenario: Scenario, ports: StudyPorts): Promise<Stage> =>
  stageOf(scenario, 0, { pools: await poolsOf(scenario, ports) })

/** How the last global model does on the rows kept back; a training that diverges has no figure. */
async function heldOutOf(
  scenario: Scenario,
  { spec, population }: Stage,
  heldOut: Records,
): Promise<{ readonly loss: number; readonly r2: number }> {
  try {
    const { theta } = await runToEnd(federate(spec, { population, defences: defencesOf(scenario) }))
    const { loss, r2 } = utilityOf(spec, { heldOut })(theta).heldOut!
    return { loss, r2: r2 ?? Number.NaN }
  } catch (error) {
    if (!(error instanceof OverhearError) || error.code !== 'E_NON_FINITE') throw error
    return { loss: Number.POSITIVE_INFINITY, r2: Number.NaN }
  }
}

/**
 * Noise for the client that needs most: every client draws batches at the rate of the smallest, for as many steps as the
 * busiest takes. So epsilon holds for everybody.
 */
export async function privately(
  input: ScenarioInput,
  { epsilon, delta, norms }: PrivateOptions,
  ports: StudyPorts,
): Promise<PrivateScenario> {
  const plain = readScenario(input)
  const { training } = plain
  // Defences change nothing of who holds what: one stage serves all norms.
  const stage = await stageFor(plain, ports)
  const { population, world } = stage
  const heldOut = world.encode(world.validation).records
  const sizes = Array.from({ length: population.count }, (_, k) => population.samples(k))
  const { localSteps, rounds } = training
  const batch = training.batchSize ?? Math.min(...sizes)
  const sampleRate = Math.min(1, localSteps === null ? batch / Math.min(...sizes) : 1 / localSteps)
  const turn = localSteps ?? Math.ceil(Math.max(...sizes) / batch)
  const noiseMultiplier = noiseFor({ epsilon, delta }, { sampleRate, steps: rounds * turn })
  let best: (PrivateScenario & { readonly loss: number }) | undefined
  for (const maxNorm of norms) {
    const params = { maxNorm, noiseMultiplier, sampleRate, delta }
    const own = { ...input, defences: [{ name: 'dp-sgd', params }] }
    const { loss, r2 } = await heldOutOf(readScenario(own), stage, heldOut)
    if (best === undefined || loss < best.loss) best = { input: own, maxNorm, noiseMultiplier, loss, r2 }
  }
  if (best === undefined) throw new OverhearError('E_VALUE', 'no clipping norm to choose from')
  return best
}

/** The folder of what was heard on the line of one client. */
export const heardPart = (id: string): string => `heard-${id}`
/** The folder of the last round of everybody. */
export const lastPart = 'last-round'

/** All rounds of the clients that are listed, and the last of everybody: of a large federation the rest would fill the memory. */
export function sparseRecorder(listed: readonly string[], ports: StudyPorts): Recorder {
  return async (scenario, folder) => {
    const { world, spec, population } = await stageFor(scenario, ports)
    const defences = defencesOf(scenario)
    await writeKnowledges(folder(''), scenario, world)
    await writeTruths(folder('truth'), scenario, { world, batches: [], properties: {} })
    const told = (part: string, recordedFor: 'server' | `eavesdropper:${string}`) =>
      openWriter(folder(part), manifestFor(spec, population, { defences, recordedFor }), { parametersOf })
    const ears = await Promise.all(
      listed.map(async (id) => ({ id, writer: await told(heardPart(id), `eavesdropper:${id}`) })),
    )
    const last = await told(lastPart, 'server')
    for await (const { round, participants, global, updates } of federate(spec, { population, defences })) {
      for (const { id, writer } of ears) {
        const clients = new Map([[id, updates.get(id)!]])
        await writer.append({ round, participants: [id], global, clients })
      }
      if (round + 1 === spec.rounds) await last.append({ round, participants, global, clients: updates })
    }
    return { targets: world.clients.map(({ id }) => id) }
  }
}

/** How many records each client of a scenario trains on. */
export async function regionSizes(
  input: ScenarioInput,
  ports: StudyPorts,
): Promise<{ readonly id: string; readonly records: number }[]> {
  const { world } = await stageFor(readScenario(input), ports)
  return world.clients.map(({ id, rows }) => ({ id, records: rows.length }))
}
