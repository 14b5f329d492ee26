/** Trying variants one after the other: each audited in a folder of its own, weighed beside the scenario as it is. */
import { OverhearError } from '../../errors.js'
import type { StopSignal } from '../../scenario/running.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { Setup } from '../account/setup.js'
import { audit } from '../audit.js'
import type { AuditPorts } from '../ports.js'
import { costOf, promisedBy } from './costs.js'
import { type Tried, tried } from './tried.js'
import { type Weight, weigh } from './weigh.js'
import type { Change } from './what-if.js'

/** The machine as a search for advice sees it. */
export interface AdvisePorts {
  /** Ports of the audit of one variant, whose folder is called so. */
  portsFor(name: string): AuditPorts
  /** Milliseconds. */
  now(): number
}

/** What is told on the way. */
export type AdviseEvent =
  | { readonly kind: 'trying'; readonly id: string; readonly number: number; readonly total: number }
  | { readonly kind: 'tried'; readonly number: number; readonly total: number; readonly tried: Tried }
  /** The same again on other deals. */
  | { readonly kind: 'confirmed'; readonly number: number; readonly total: number; readonly tried: Tried }
  | { readonly kind: 'refused'; readonly id: string; readonly why: string }

export interface Refusal {
  readonly id: string
  readonly why: string
}

export const asItIs = 'as-it-is'
export const idOf = (changes: readonly Change[]): string =>
  changes.length === 0 ? asItIs : changes.map(({ id }) => id).join('+')

export interface AttemptOptions {
  readonly scenario: Scenario
  readonly ports: AdvisePorts
  readonly target: number
  readonly signal?: StopSignal
  setupOf(scenario: Scenario): Promise<Setup>
  emit(event: AdviseEvent): void
}

/** What has been tried so far. */
export interface Attempts {
  /** The latest audit of every variant. */
  readonly latest: Map<string, Tried>
  /** Audits of some on deals that chose nothing. */
  readonly confirmed: Map<string, Tried>
  readonly refused: Refusal[]
  /** Variants that were passed over because there was no time for them. */
  missed: number
  /** Trainings to come, by plan; for whoever shows progress. */
  planned: number
  begun: number
  trained: { trainings: number; millis: number }
  /** The scenario as it is, which the others are weighed beside. */
  before: Weight | undefined
}

export const noAttempts = (planned: number): Attempts => ({
  latest: new Map(),
  confirmed: new Map(),
  refused: [],
  missed: 0,
  planned,
  begun: 0,
  trained: { trainings: 0, millis: 0 },
  before: undefined,
})

export interface Attempted {
  readonly changes: readonly Change[]
  readonly repeats: number
  /** When it must probably be done, in milliseconds of the clock. */
  readonly until: number
  /** Whether it is audited on deals of another seed, which had no part in choosing it. */
  readonly fresh?: boolean
}

/** How far the seed of a confirmation lies from the scenario's. */
const otherSeed = 104_729

/** Audits the scenario with these changes; undefined where there is no time for it, or where it cannot be trained. */
export async function attempt(state: Attempts, one: Attempted, options: AttemptOptions): Promise<Tried | undefined> {
  const { ports, emit, signal } = options
  const id = idOf(one.changes)
  const { trainings, millis } = state.trained
  const before = state.confirmed.get(id) ?? state.latest.get(id)
  const each = before === undefined ? millis / Math.max(1, trainings) : (1000 * before.seconds) / before.repeats
  const expected = each * one.repeats
  if (signal?.aborted || (trainings > 0 && ports.now() + expected > one.until)) {
    state.missed++
    return undefined
  }
  state.begun++
  const place = { number: state.begun, total: Math.max(state.planned, state.begun) }
  emit({ kind: 'trying', id, ...place })
  try {
    const found = await auditVariant(state, one, options)
    if (found === undefined) state.missed++
    else {
      const { fresh = false } = one
      ;(fresh ? state.confirmed : state.latest).set(id, found)
      emit({ kind: fresh ? 'confirmed' : 'tried', ...place, tried: found })
    }
    return found
  } catch (error) {
    // A change that does not fit this world, such as a sum of too few: that is worth knowing, and the rest goes on.
    if (!(error instanceof OverhearError) || error.code === 'E_INTERRUPTED' || one.changes.length === 0) throw error
    state.refused.push({ id, why: error.message })
    emit({ kind: 'refused', id, why: error.message })
    return undefined
  }
}

async function auditVariant(
  state: Attempts,
  { changes, repeats, fresh = false }: Attempted,
  { scenario, ports, target, signal, setupOf }: AttemptOptions,
): Promise<Tried | undefined> {
  const begin = ports.now()
  let changed = fresh ? { ...scenario, seed: scenario.seed + otherSeed } : scenario
  for (const { apply } of changes) changed = await apply(changed)
  const setup = await setupOf(changed)
  const own = {
    ports: ports.portsFor(`${idOf(changes)}-${repeats}${fresh ? '-confirmed' : ''}`),
    repeats,
    resume: true,
  }
  const audited = await audit(changed, { ...own, ...(signal !== undefined && { signal }) }).result
  if (!audited.complete) return undefined
  const millis = ports.now() - begin
  state.trained.trainings += repeats
  state.trained.millis += millis
  if (changes.length === 0) state.before = weigh(audited)
  const { before } = state
  return tried({
    id: idOf(changes),
    changes: changes.map(({ id, words }) => ({ id, words })),
    repeats,
    cost: costOf(changed, setup),
    epsilon: promisedBy(setup),
    seconds: millis / 1000,
    weight: weigh(audited, before),
    before: before!,
    target,
  })
}
