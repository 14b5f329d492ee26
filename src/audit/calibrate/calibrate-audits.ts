/** How often an audit of this size errs: null worlds and plants of one's own scenario, audited and counted. */
import { OverhearError } from '../../errors.js'
import { binomialInterval } from '../../numeric/special/binomial-interval.js'
import { type Running, running, type StopSignal } from '../../scenario/running.js'
import type { Scenario, ScenarioInput } from '../../scenario/scenario-schema.js'
import type { AttackResult, ControlResult, Power } from '../attack-result.js'
import { audit } from '../audit.js'
import type { AuditDocument } from '../document.js'
import type { Question } from '../ladder/question.js'
import { holdsBack } from '../ladder/trainings.js'
import type { AuditPorts } from '../ports.js'
import { readScenario } from '../read-scenario.js'
import { falseAlarms, type NullWorld, nullWorlds } from './null-worlds.js'
import { type Calibrated, statedConfidence } from './stated-confidence.js'

/** The machine as a calibration sees it. */
export interface CalibratePorts {
  /** Ports of one audit, whose folder is called so. */
  portsFor(name: string): AuditPorts
}

export interface CalibrateOptions {
  readonly ports: CalibratePorts
  /** Audits of null worlds, the kinds in turn; 12 unless told. */
  readonly audits?: number
  readonly signal?: StopSignal
}

/** One audit is done. */
export interface CalibrateEvent {
  readonly kind: 'audited'
  readonly number: number
  readonly total: number
  readonly world: string
  /** Null of the scenario as it is: what it finds may be there. */
  readonly alarms: number | null
}

/** One audit of a world in which nothing can be found. */
export interface NullAudit {
  readonly world: string
  readonly seed: number
  /** Questions for which the world is empty and that were tested. */
  readonly tested: number
  readonly alarms: readonly Pick<Question, 'observer' | 'model' | 'kind' | 'name' | 'level'>[]
}

/** How one attack did on the plants. */
export interface AttackPower extends Pick<AttackResult, 'attack' | 'params' | 'observer' | 'model'> {
  readonly status: ControlResult['status']
  readonly power: Power | null
}

/** What came of it, in one document. */
export interface Calibration {
  readonly scenario: Scenario
  readonly worlds: readonly { readonly id: string; readonly words: string }[]
  readonly nulls: readonly NullAudit[]
  readonly falseAlarms: {
    /** Audits with at least one. */
    readonly audits: number
    readonly of: number
    /** Of their share, at 95 %, exact. */
    readonly interval: readonly [low: number, high: number]
    /** What the scenario allows. */
    readonly alpha: number
  }
  readonly power: readonly AttackPower[]
  readonly confidence: readonly Calibrated[]
  readonly complete: boolean
}

/** Audits of null worlds unless told. */
export const usualAudits = 12

/** Begins at once: read its events with `for await`, and the document from `result`. The same call again goes on. */
export function calibrate(
  input: ScenarioInput | Scenario,
  options: CalibrateOptions,
): Running<CalibrateEvent, Calibration> {
  return running((emit) => count(readScenario(input), options, emit))
}

async function count(
  scenario: Scenario,
  { ports, signal, audits = usualAudits }: CalibrateOptions,
  emit: (event: CalibrateEvent) => void,
): Promise<Calibration> {
  if (!holdsBack(scenario))
    throw new OverhearError('E_VALUE', 'heldBack is 0', 'without held-back records nothing is tested: set heldBack=0.5')
  const worlds = nullWorlds.filter((one) => one.of(scenario) !== undefined)
  const total = audits + 1
  /** Undefined where it was stopped. */
  const run = async (name: string, of: Scenario, empty?: Scenario['empty']): Promise<AuditDocument | undefined> => {
    const own = { ports: ports.portsFor(name), resume: true, ...(empty !== undefined && { empty }) }
    try {
      const made = await audit(of, { ...own, ...(signal !== undefined && { signal }) }).result
      return made.complete ? made : undefined
    } catch (error) {
      if (error instanceof OverhearError && error.code === 'E_INTERRUPTED') return undefined
      throw error
    }
  }
  const planted = await run('as-it-is', { ...scenario, controls: true })
  if (planted === undefined) throw new OverhearError('E_INTERRUPTED', 'interrupted before anything was counted')
  emit({ kind: 'audited', number: 1, total, world: 'as-it-is', alarms: null })
  const nulls: NullAudit[] = []
  for (let i = 0; i < audits && !signal?.aborted; i++) {
    const world = worlds[i % worlds.length]!
    // Every audit has records, clients and draws of its own.
    const seed = scenario.seed + 1 + i
    const changed = { ...world.of(scenario)!, seed, controls: false }
    const audited = await run(`${world.id}-${i}`, changed, world.empty)
    if (audited === undefined) break
    nulls.push(nullAudit(audited.questions, { world, seed }))
    emit({ kind: 'audited', number: i + 2, total, world: world.id, alarms: nulls.at(-1)!.alarms.length })
  }
  const alarmed = nulls.filter(({ alarms }) => alarms.length > 0).length
  const { low, high } = binomialInterval({ successes: alarmed, trials: nulls.length, confidence: 0.95 })
  return {
    scenario,
    worlds: worlds.map(({ id, words }) => ({ id, words })),
    nulls,
    falseAlarms: { audits: alarmed, of: nulls.length, interval: [low, high], alpha: scenario.alpha },
    power: powersOf(planted),
    confidence: statedConfidence(planted),
    complete: nulls.length === audits,
  }
}

function nullAudit(
  questions: readonly Question[],
  { world, seed }: { readonly world: NullWorld; readonly seed: number },
): NullAudit {
  const own = questions.filter((one) => one.sameAs === undefined && world.isNull(one))
  return {
    world: world.id,
    seed,
    tested: own.filter(({ level }) => level !== 'not-tested').length,
    alarms: falseAlarms(questions, world).map(({ observer, model, kind, name, level }) => ({
      ...{ observer, model, kind, name, level },
    })),
  }
}

/** Plants are tried on the first target, and what came of it stands beside the others too: it is told once. */
function powersOf({ observers }: AuditDocument): AttackPower[] {
  const found = new Map<string, AttackPower>()
  for (const { attack, params, observer, model, sameAs, controls, power } of observers.flatMap((one) => one.attacks)) {
    const key = JSON.stringify([attack, params, observer, model])
    if (sameAs !== undefined || controls === undefined || found.has(key)) continue
    found.set(key, { attack, params, observer, model, status: controls.planted.status, power: power ?? null })
  }
  return [...found.values()]
}
