/** What canaries show of a scenario's own training: its data, model, protocol and defences, with some more columns for them. */
import { OverhearError } from '../../errors.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { defencesOf, stageOf } from '../../scenario/simulate-model.js'
import type { AuditFiles } from '../ports.js'
import { canaryBound, heardCanaries, widened } from './canary-training.js'
import { type Setup, stepsOfTurn } from './setup.js'
import { clientSteps, type Spent, spentBy } from './spent.js'

export interface MeasuredOptions {
  readonly files: AuditFiles
  readonly canaries: number
  readonly confidence: number
  /** Of the coins. */
  readonly seed: number
  readonly delta?: number
}

/** A lower bound beside the accountant's, for the same training. */
export interface MeasuredEpsilon {
  readonly unit: 'record' | 'client'
  readonly canaries: number
  readonly confidence: number
  /** At least so much, by what was heard of the canaries. */
  readonly epsilon: number
  /** What is accounted for the client that holds them, or for one of them. */
  readonly accounted: Spent
}

/** Trains the scenario's first model once, with canaries in its first client, or among its clients where they are what is protected. */
export async function measuredEpsilon(
  scenario: Scenario,
  setup: Setup,
  { files, canaries, confidence, seed, delta: asked }: MeasuredOptions,
): Promise<MeasuredEpsilon> {
  const defences = defencesOf(scenario)
  if (defences.some(({ exchange }) => exchange !== undefined)) {
    const found = 'canaries under secure aggregation'
    throw new OverhearError('E_INPUT', found, 'leave it out for this: noise that is measured behind it says less')
  }
  const unit = setup.privacy?.unit ?? 'record'
  const delta = asked ?? setup.privacy?.delta ?? null
  if (delta === null || !(delta > 0 && delta < 1))
    throw new OverhearError('E_INPUT', `delta is ${delta ?? 'not stated'}`, 'give --delta')
  const fixed = sameTurns(scenario, setup)
  const steady = { ...scenario, training: { ...scenario.training, ...fixed } }
  const { spec, population, world } = await stageOf(steady, 0, {
    ...(files.dataset !== undefined && { files: files.dataset(scenario.data.name) }),
  })
  const among = unit === 'record' ? ({ unit, client: 0 } as const) : ({ unit } as const)
  const wide = widened(spec, population, { canaries })
  const heard = await heardCanaries({ ...wide, defences, among, seed })
  // The client as it trained: with the canaries that were in.
  const client = { id: world.clients[0]!.id, records: heard.records ?? population.samples(0), turns: spec.rounds }
  const { mechanism, neighbours } = clientSteps({ ...setup, ...fixed }, client)
  return {
    unit,
    canaries,
    confidence,
    epsilon: canaryBound(heard, { delta, confidence }),
    accounted: spentBy([mechanism], { delta, neighbours }),
  }
}

/** Canaries make Poisson batches larger, and turns no longer: what is accounted for is what the client spends without them. */
function sameTurns({ training }: Scenario, setup: Setup) {
  const { privacy, clients } = setup
  const sampled = (privacy?.unit ?? 'record') === 'record' && (privacy?.sampleRate ?? 0) > 0
  const steps = stepsOfTurn(setup, clients[0]?.records ?? null)
  if (!sampled || steps === null || training.localSteps !== null || training.algorithm === 'fedsgd') return {}
  return { localEpochs: null, localSteps: steps }
}
