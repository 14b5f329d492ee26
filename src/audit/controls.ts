/** The world that tests an attack on a recording: a copy of its messages with a leak planted in them, which it must find. */
import {
  type AnyView,
  type Attack,
  type Claimed,
  type ControlWorld,
  Inapplicable,
  type NoControl,
} from '../attacks/attack.js'
import { OverhearError } from '../errors.js'
import type { Score } from '../metrics/score.js'
import { grant } from '../threat/grant.js'
import type { Truth } from '../transcript/truth-file.js'
import type { ControlResult, Controls } from './attack-result.js'
import { contextOf, type Given, type Surroundings, settled } from './run-attack.js'

/** Lift that an attack must reach where the leak was planted. */
export const foundLift = 0.5

export interface ControlOptions {
  readonly around: Surroundings
  readonly truth: Truth
  /** Grades what was claimed; null when the truth lacks what it takes. */
  grade(outcome: Claimed): Promise<Score | null>
}

export async function runControls(attack: Attack, params: Given, options: ControlOptions): Promise<Controls> {
  const { around, truth } = options
  const granted = await grant(around.sources, around.observer, attack.needs, attack.uses)
  if (granted.view === undefined) {
    return { planted: noControl(`not applicable: it lacks ${granted.missing.join(', ')}`) }
  }
  const view = granted.view as AnyView
  const play = async (world: ControlWorld<AnyView>): Promise<Played> => {
    const own = { ...params, ...world.params }
    const result = await settled(() => attack.run(world.view, contextOf(attack, own, around, world.claims)))
    if (result.status === 'failed') return { why: result.error.message, failed: true }
    if (result.status === 'not-applicable') return { why: result.why ?? `it lacks ${result.missing.join(', ')}` }
    const score = await options.grade(result)
    return score === null ? { why: 'the truth lacks what it takes to grade it' } : { score }
  }
  const { plant } = attack
  if (isNone(plant)) return { planted: noControl(plant.none) }
  const rng = around.rng.fork('control', attack.id).fork('plant')
  const derive = around.derive === undefined ? {} : { derive: around.derive }
  return { planted: await judged(async () => play(await plant({ view, params, truth, rng, ...derive }))) }
}

interface Played {
  readonly score?: Score
  readonly why?: string
  readonly failed?: boolean
}

export const noControl = (reason: string): ControlResult => ({ status: 'none', score: null, reason })

async function judged(play: () => Promise<Played>): Promise<ControlResult> {
  try {
    const { score, why = '', failed = false } = await play()
    if (score !== undefined) return judgePlanted(score)
    return failed ? { status: 'failed', score: null, reason: why } : noControl(why)
  } catch (error) {
    if (error instanceof Inapplicable) return noControl(error.message)
    if (!(error instanceof OverhearError) || error.code === 'E_INTERRUPTED' || error.code === 'E_INTERNAL') throw error
    return { status: 'failed', score: null, reason: error.message }
  }
}

const isNone = (control: Attack['plant']): control is NoControl => typeof control === 'object'

function judgePlanted(score: Score): ControlResult {
  if (score.lift === null) return { ...noControl('chance leaves no room above it'), score }
  const found = score.lift >= foundLift
  // Chance near perfection, few records: what was found cannot be told from luck, and no attack could do better.
  if (found && !chanceExcluded(score)) return { ...noControl('found, but chance is too near to tell'), score }
  // Where all records have one value, an area under the curve tells nothing apart, however right every claim is.
  if (!found && score.accuracy === 1) return { ...noControl('found, but the records are too alike to tell'), score }
  const reason = found ? 'found what was planted' : 'a leak was planted and not found: the attack is broken here'
  return { status: found ? 'passed' : 'broken', score, reason }
}

/** Chance lies outside the interval, on the worse side; a number without an interval excludes it by its lift. */
export function chanceExcluded({ chance, interval, better }: Score): boolean {
  if (interval === null || chance === null) return true
  return better === 'higher' ? interval[0] > chance : interval[1] < chance
}
