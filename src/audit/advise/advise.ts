/**
 * What to change: what-ifs that are run, not guessed. Every change alone in few trainings, then the most promising pairs, then the
 * best of all in as many trainings as an audit takes; all of them on the same deals of the same records. What is chosen is
 * audited again on other deals: the best of many looks better on those that it was chosen by than it is.
 */
import { OverhearError } from '../../errors.js'
import { type Running, running, type StopSignal } from '../../scenario/running.js'
import type { Scenario, ScenarioInput } from '../../scenario/scenario-schema.js'
import { scenarioSetup } from '../account/scenario-setup.js'
import { oracles } from '../oracles/index.js'
import { readScenario } from '../read-scenario.js'
import {
  type AdviseEvent,
  type AdvisePorts,
  type AttemptOptions,
  type Attempts,
  asItIs,
  attempt,
  idOf,
  noAttempts,
  type Refusal,
} from './attempts.js'
import { promisingPairs, type Single } from './pairs.js'
import { cheaper, front, keeps, safer, type Tried } from './tried.js'
import type { Change } from './what-if.js'
import { whatIfs } from './what-ifs/index.js'

export interface AdviseOptions {
  readonly ports: AdvisePorts
  /** The largest step that is to be left: of AUC, or the share of an error that is removed; 0.05 unless told. */
  readonly target?: number
  /** Seconds that the search may take, 300 unless told; what runs is not cut off. */
  readonly budget?: number
  readonly signal?: StopSignal
}

/** What the search ends in: plain data that survives JSON. */
export interface Advice {
  readonly scenario: Scenario
  readonly target: number
  readonly budget: number
  readonly asItIs: Tried
  /** The latest audit of every variant, the safest first. */
  readonly tried: readonly Tried[]
  /** Ids of those that nothing else beats in both leak and use, the most useful first. */
  readonly front: readonly string[]
  /** The cheapest that keeps to the target, there and on other deals; null where none does. */
  readonly recommended: string | null
  /** Its audit on other deals; null where there was no time for one. */
  readonly confirmation: Tried | null
  /** Ids of those that kept to the target only on the deals that they were chosen by. */
  readonly unconfirmed: readonly string[]
  /** The safest that was tried, whether it keeps to the target or not. */
  readonly nearest: string | null
  /** Variants that cannot be trained, and why. */
  readonly refused: readonly Refusal[]
  /** Whether everything was tried that was planned: false where the time was over, or somebody stopped it. */
  readonly complete: boolean
}

/** Trainings of a first try; pairs that are tried; what goes into the last round. */
const few = 3
const mostPairs = 5
const finalists = 3
/** When single changes, pairs, and the last round must be done with, as shares of the budget; the rest is for confirmation. */
const shares = { singles: 0.45, pairs: 0.65, finals: 0.85 } as const

/** Searches at once: read its events with `for await`, and the advice from `result`. Best so far when the time is over. */
export function advise(input: ScenarioInput | Scenario, options: AdviseOptions): Running<AdviseEvent, Advice> {
  return running((emit) => search(readScenario(input), options, emit))
}

async function search(read: Scenario, options: AdviseOptions, emit: (event: AdviseEvent) => void): Promise<Advice> {
  const { ports, target = 0.05, budget = 300, signal } = options
  if (!(target > 0 && target < 1))
    throw new OverhearError('E_VALUE', `a target of ${target}`, 'it lies between 0 and 1')
  const begin = ports.now()
  const scenario = trial(read)
  const { files } = ports.portsFor(asItIs)
  const setupOf = (one: Scenario) => scenarioSetup(one, { files, raw: {} })
  const kinds = whatIfs.map((one) => ({ kind: one.id, changes: one.changes(scenario, { setupOf }) }))
  const often = scenario.repeats ?? 10
  const repeats = Math.min(few, often)
  const singles = kinds.flatMap(({ changes }) => changes).length
  const state = noAttempts(2 + singles + mostPairs + (often > repeats ? 1 + finalists : 0))
  const own: AttemptOptions = { scenario, ports, target, setupOf, emit, ...(signal !== undefined && { signal }) }
  const until = (share: number): number => begin + share * budget * 1000

  if ((await attempt(state, { changes: [], repeats, until: until(1) }, own)) === undefined)
    throw new OverhearError('E_INTERRUPTED', 'interrupted before anything was tried')
  const alone: Single[] = []
  for (const { kind, changes } of kinds) {
    for (const change of changes) {
      const one = await attempt(state, { changes: [change], repeats, until: until(shares.singles) }, own)
      if (one !== undefined) alone.push({ kind, change, tried: one })
    }
  }
  const pairs = promisingPairs(alone, { target, most: mostPairs }).map(({ changes }) => changes)
  state.planned -= mostPairs - pairs.length
  for (const changes of pairs) await attempt(state, { changes, repeats, until: until(shares.pairs) }, own)
  const variants = [...alone.map(({ change }) => [change]), ...pairs]
  if (often > repeats) await lastRound(state, variants, { ...own, repeats: often, until: until(shares.finals) })
  await confirm(state, variants, { ...own, repeats: often, until: until(1) })
  return conclude(state, { scenario, target, budget, aborted: signal?.aborted ?? false })
}

/** The safest of all, and the scenario as it is, in as many trainings as an audit takes. */
async function lastRound(
  state: Attempts,
  variants: readonly (readonly Change[])[],
  { repeats, until, ...own }: AttemptOptions & { readonly repeats: number; readonly until: number },
): Promise<void> {
  const best = [...state.latest.values()].filter(({ id }) => id !== asItIs).sort(safer(own.target))
  const chosen = best.slice(0, finalists).map(({ id }) => variants.find((changes) => idOf(changes) === id)!)
  for (const changes of [[], ...chosen]) await attempt(state, { changes, repeats, until }, own)
}

/** Those that keep to the target in as many trainings as any was tried in, the cheapest first. */
function candidates({ latest }: Attempts, target: number): Tried[] {
  const changed = [...latest.values()].filter(({ id }) => id !== asItIs)
  // What few trainings say is not held against what many say.
  const most = Math.max(0, ...changed.map(({ repeats }) => repeats))
  return changed.filter((one) => one.repeats === most && keeps(one, target)).sort(cheaper)
}

/** Candidates on other deals, one after the other, until one keeps to the target there too. */
async function confirm(
  state: Attempts,
  variants: readonly (readonly Change[])[],
  { repeats, until, ...own }: AttemptOptions & { readonly repeats: number; readonly until: number },
): Promise<void> {
  for (const { id } of candidates(state, own.target).slice(0, finalists)) {
    const changes = variants.find((some) => idOf(some) === id)!
    const again = await attempt(state, { changes, repeats, until, fresh: true }, own)
    if (again === undefined || keeps(again, own.target)) return
  }
}

/** What is audited of a variant: no control, no oracle, nothing that the verdict does not rest on. */
function trial(scenario: Scenario): Scenario {
  if (scenario.attacks === 'all') return { ...scenario, controls: false }
  const attacks = scenario.attacks.filter((one) => !((typeof one === 'string' ? one : one.id) in oracles))
  return { ...scenario, controls: false, ...(attacks.length > 0 && { attacks }) }
}

interface About extends Pick<Advice, 'scenario' | 'target' | 'budget'> {
  readonly aborted: boolean
}

function conclude(state: Attempts, { aborted, ...about }: About): Advice {
  const { latest, confirmed, refused, missed } = state
  const { target } = about
  const all = [...latest.values()].sort(safer(target))
  const changed = all.filter(({ id }) => id !== asItIs)
  // What few trainings say is not held against what many say.
  const most = Math.max(0, ...changed.map(({ repeats }) => repeats))
  const surest = changed.filter(({ repeats }) => repeats === most)
  const lost = [...confirmed.values()].filter((one) => !keeps(one, target)).map(({ id }) => id)
  const left = candidates(state, target).filter(({ id }) => !lost.includes(id))
  // Of those that nobody had time to confirm the first is named; after one that failed no other is, unless it was confirmed.
  const recommended = left.find(({ id }) => confirmed.has(id)) ?? (lost.length === 0 ? left[0] : undefined)
  return {
    ...about,
    asItIs: latest.get(asItIs)!,
    tried: all,
    front: front(all).map(({ id }) => id),
    recommended: recommended?.id ?? null,
    confirmation: confirmed.get(recommended?.id ?? '') ?? null,
    unconfirmed: lost,
    nearest: surest[0]?.id ?? null,
    refused,
    complete: missed === 0 && !aborted,
  }
}
