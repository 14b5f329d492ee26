/** The worlds that test an attack: one with a leak planted in it, one with nothing to find. */
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
import { meanOf } from '../numeric/special/summaries.js'
import { grant } from '../threat/grant.js'
import type { Truth } from '../transcript/truth-file.js'
import type { ControlResult, Controls } from './attack-result.js'
import { contextOf, type Given, type Surroundings, settled } from './run-attack.js'
import { aboveChance, leakLift } from './standing.js'

/** Lift that an attack must reach where the leak was planted. */
export const foundLift = 0.5

export interface ControlOptions {
  readonly around: Surroundings
  readonly truth: Truth
  /** Grades what was claimed; null when the truth lacks what it takes. */
  grade(outcome: Claimed): Promise<Score | null>
}

export async function runControls(attack: Attack, params: Given, options: ControlOptions): Promise<Controls> {
  const granted = await grant(options.around.sources, options.around.observer, attack.needs, attack.uses)
  if (granted.view === undefined) {
    const none = noControl(`not applicable: it lacks ${granted.missing.join(', ')}`)
    return { planted: none, shuffled: none }
  }
  const view = granted.view as AnyView
  const { around, truth } = options
  const play = async (world: ControlWorld<AnyView>): Promise<Played> => {
    const own = { ...params, ...world.params }
    const result = await settled(() => attack.run(world.view, contextOf(attack, own, around, world.claims)))
    if (result.status === 'failed') return { why: result.error.message, failed: true }
    if (result.status === 'not-applicable') return { why: result.why ?? `it lacks ${result.missing.join(', ')}` }
    const score = await options.grade(result)
    return score === null ? { why: 'the truth lacks what it takes to grade it' } : { score }
  }
  const rng = around.rng.fork('control', attack.id)
  const { plant, shuffle } = attack
  const derive = around.derive === undefined ? {} : { derive: around.derive }
  return {
    planted: await judged(plant, judgePlanted, async (make) => [
      await play(await make({ view, params, truth, rng: rng.fork('plant'), ...derive })),
    ]),
    shuffled: await judged(shuffle, judgeShuffled, async (make) => {
      const played: Played[] = []
      // One number may beat chance by luck: only then more worlds are drawn, and it must on average.
      while (played.length === 0 || (played.length < shuffles && beats(played[0]!))) {
        played.push(await play(await make({ view, params, rng: rng.fork('shuffle', played.length) })))
      }
      return played
    }),
  }
}

/** Shuffled worlds that are drawn when the first one looks as if there were something to find. */
export const shuffles = 7

const beats = ({ score }: Played): boolean => score !== undefined && aboveChance(score) && score.lift >= leakLift

interface Played {
  readonly score?: Score
  readonly why?: string
  readonly failed?: boolean
}

const noControl = (reason: string): ControlResult => ({ status: 'none', score: null, reason })

async function judged<Make>(
  control: Make | NoControl,
  judge: (scores: readonly Score[]) => ControlResult,
  play: (make: Make) => Promise<readonly Played[]>,
): Promise<ControlResult> {
  if (isNone(control)) return noControl(control.none)
  try {
    const played = await play(control)
    const scores = played.flatMap(({ score }) => score ?? [])
    if (scores.length > 0) return judge(scores)
    const { why = '', failed = false } = played[0]!
    return failed ? { status: 'failed', score: null, reason: why } : noControl(why)
  } catch (error) {
    if (error instanceof Inapplicable) return noControl(error.message)
    if (!(error instanceof OverhearError) || error.code === 'E_INTERRUPTED' || error.code === 'E_INTERNAL') throw error
    return { status: 'failed', score: null, reason: error.message }
  }
}

const isNone = <Make>(control: Make | NoControl): control is NoControl =>
  typeof control === 'object' && control !== null && 'none' in control

function judgePlanted([score]: readonly Score[]): ControlResult {
  if (score!.lift === null) return { ...noControl('chance leaves no room above it'), score: score! }
  const found = score!.lift >= foundLift
  // Chance near perfection, few records: what was found cannot be told from luck, and no attack could do better.
  if (found && !aboveChance(score!)) return { ...noControl('found, but chance is too near to tell'), score: score! }
  const reason = found ? 'found what was planted' : 'a leak was planted and not found: the attack is broken here'
  return { status: found ? 'passed' : 'broken', score: score!, reason }
}

function judgeShuffled(scores: readonly Score[]): ControlResult {
  const ranked = [...scores].sort((a, b) => (a.lift ?? 0) - (b.lift ?? 0))
  const score = ranked[Math.floor((ranked.length - 1) / 2)]!
  // The middle one and the mean: counts of a few records are often lifted a little by luck, and at other times far off.
  const mean = meanOf(ranked.map(({ lift }) => lift ?? 0))
  const above = beats({ score }) && mean >= leakLift
  const reason = above ? 'beats chance where there is nothing to find: it reads the truth' : 'falls to chance'
  return { status: above ? 'broken' : 'passed', score, reason }
}
