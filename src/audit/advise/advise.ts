/**
 * What to change: what-ifs that are run, not guessed. Every change alone in few trainings, then the most promising pairs, all of
 * them on the same deals of the same records. The best are audited again on other deals: what these are sure of is recommended.
 */
import { OverhearError } from '../../errors.js'
import { type Running, running, type StopSignal } from '../../scenario/running.js'
import type { Scenario, ScenarioInput } from '../../scenario/scenario-schema.js'
import { withNoise } from '../account/calibrated-noise.js'
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
  noAttempts,
  type Refusal,
} from './attempts.js'
import { confirm, finalists } from './confirm.js'
import { typicalGradient } from './gradient-size.js'
import { promisingPairs, type Single } from './pairs.js'
import { front, safer, type Tried } from './tried.js'
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
  /** The cheapest that surely keeps to the target on other deals, `as-it-is` where nothing needs to change; null where none does. */
  readonly recommended: string | null
  /** The audit on other deals of what is recommended, or else of the nearest; null where there was none. */
  readonly confirmation: Tried | null
  /** Ids of those that were audited on other deals, and are not surely under the target there. */
  readonly unconfirmed: readonly string[]
  /** The safest, on other deals where any was audited there. */
  readonly nearest: string | null
  /** Variants that cannot be trained, and why. */
  readonly refused: readonly Refusal[]
  /** Whether everything was tried that was planned: false where the time was over, or somebody stopped it. */
  readonly complete: boolean
}

/** Trainings of a first try, and pairs that are tried. */
const few = 3
const mostPairs = 5
/** When single changes and pairs must be done with, as shares of the budget; the rest is for other deals. */
const shares = { singles: 0.4, pairs: 0.55 } as const

/** Searches at once: read its events with `for await`, and the advice from `result`. Best so far when the time is over. */
export function advise(input: ScenarioInput | Scenario, options: AdviseOptions): Running<AdviseEvent, Advice> {
  return running((emit) => search(readScenario(input), options, emit))
}

async function search(read: Scenario, options: AdviseOptions, emit: (event: AdviseEvent) => void): Promise<Advice> {
  const { ports, target = 0.05, budget = 300, signal } = options
  if (!(target > 0 && target < 1))
    throw new OverhearError('E_VALUE', `a target of ${target}`, 'it lies between 0 and 1')
  const begin = ports.now()
  const { files } = ports.portsFor(asItIs)
  const scenario = trial(await withNoise(read, files))
  const setupOf = (one: Scenario) => scenarioSetup(one, { files, raw: {} })
  const gradientOf = (one: Scenario) => typicalGradient(one, files)
  const kinds = whatIfs.map((one) => ({ kind: one.id, changes: one.changes(scenario, { setupOf, gradientOf }) }))
  const often = scenario.repeats ?? 10
  const repeats = Math.min(few, often)
  const singles = kinds.flatMap(({ changes }) => changes).length
  const state = noAttempts(1 + singles + mostPairs + finalists)
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
  const variants = [[], ...alone.map(({ change }) => [change]), ...pairs]
  const recommended = await confirm(state, variants, { ...own, repeats: often, until: until(1) })
  return conclude(state, { scenario, target, budget, recommended, aborted: signal?.aborted ?? false })
}

/** What is audited of a variant: no control, no oracle, nothing that the verdict does not rest on. */
function trial(scenario: Scenario): Scenario {
  if (scenario.attacks === 'all') return { ...scenario, controls: false }
  const attacks = scenario.attacks.filter((one) => !((typeof one === 'string' ? one : one.id) in oracles))
  return { ...scenario, controls: false, ...(attacks.length > 0 && { attacks }) }
}

interface About extends Pick<Advice, 'scenario' | 'target' | 'budget' | 'recommended'> {
  readonly aborted: boolean
}

function conclude(state: Attempts, { aborted, ...about }: About): Advice {
  const { latest, confirmed, refused, missed } = state
  const all = [...latest.values()].sort(safer(about.target))
  const onOthers = [...confirmed.values()].sort(safer(about.target))
  const recommended = about.recommended === null ? undefined : confirmed.get(about.recommended)
  const nearest = onOthers[0] ?? all.find(({ id }) => id !== asItIs)
  return {
    ...about,
    asItIs: latest.get(asItIs)!,
    tried: all,
    front: front(all).map(({ id }) => id),
    confirmation: recommended ?? onOthers[0] ?? null,
    unconfirmed: onOthers.filter((one) => one !== recommended).map(({ id }) => id),
    nearest: nearest?.id ?? null,
    refused,
    complete: missed === 0 && !aborted,
  }
}
