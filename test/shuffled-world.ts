/** An attack in a world where there is nothing to find: what it hears has nothing to do with the truth any more. */
import { type Attack, Inapplicable } from '../src/attacks/attack.js'
import type { AttackResult } from '../src/audit/attack-result.js'
import { worstFinding } from '../src/audit/attack-result.js'
import { foundLift } from '../src/audit/controls.js'
import type { Score } from '../src/metrics/score.js'

/** The attack, which sees the shuffled world in place of its own. */
export function shuffledAttack(attack: Attack, draw: number): Attack {
  const { shuffle } = attack
  return {
    ...attack,
    async run(view, context) {
      if (typeof shuffle === 'object') throw new Inapplicable([], shuffle.none)
      const { params, rng } = context
      const world = await shuffle({ view, params, rng: rng.fork('shuffle', draw) })
      const claimOf: typeof context.claimOf = async (id, given) => world.claims?.[id] ?? context.claimOf(id, given)
      return attack.run(world.view, { ...context, claimOf })
    },
  }
}

/** Worlds that are drawn when the first one looks as if there were something to find. */
const draws = 7

/** A lift that is too much: more for a single number, which a prior that happens to suit the truth may lift in every world. */
const tooMuch = (score: Score): number => (score.interval === null ? foundLift : 0.1)

/**
 * What it shares with the truth beyond chance, in units of what is too much: in the middle world, or on average where that is
 * less. Whoever reads the truth is at 2 or more.
 */
export async function excessWithoutTruth(play: (draw: number) => Promise<AttackResult>): Promise<number> {
  const found: number[] = []
  while (found.length === 0 || (found.length < draws && found[0]! >= 1)) found.push(excessOf(await play(found.length)))
  found.sort((a, b) => a - b)
  return Math.min(found[Math.floor((found.length - 1) / 2)]!, found.reduce((sum, x) => sum + x, 0) / found.length)
}

/** What an interval does not exclude from chance is none. */
function excessOf(result: AttackResult): number {
  if (result.status === 'failed') throw new Error(`${result.attack} failed: ${result.error?.message}`)
  const score = worstFinding(result)?.score
  if (score?.lift == null || score.chance === null) return 0
  const { interval, better, chance } = score
  const excluded = interval === null || (better === 'higher' ? interval[0] > chance : interval[1] < chance)
  return (excluded ? score.lift : Math.min(score.lift, 0)) / tooMuch(score)
}
