/** An attack in a world where there is nothing to find: what it hears has nothing to do with the truth any more. */
import { type Attack, Inapplicable } from '../src/attacks/attack.js'
import type { AttackResult } from '../src/audit/attack-result.js'
import { worstFinding } from '../src/audit/attack-result.js'

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

/** What it shares with the truth beyond chance: the lift in the middle world, or on average where that is less. */
export async function liftWithoutTruth(play: (draw: number) => Promise<AttackResult>): Promise<number> {
  const lifts: number[] = []
  while (lifts.length === 0 || (lifts.length < draws && lifts[0]! >= 0.1)) {
    lifts.push(liftOf(await play(lifts.length)))
  }
  lifts.sort((a, b) => a - b)
  return Math.min(lifts[Math.floor((lifts.length - 1) / 2)]!, lifts.reduce((sum, x) => sum + x, 0) / lifts.length)
}

/** A lift that the interval excludes chance for; one without an interval counts as it is. */
function liftOf(result: AttackResult): number {
  if (result.status === 'failed') throw new Error(`${result.attack} failed: ${result.error?.message}`)
  const score = worstFinding(result)?.score
  if (score?.lift == null || score.chance === null) return 0
  const { interval, better, chance } = score
  const excluded = interval === null || (better === 'higher' ? interval[0] > chance : interval[1] < chance)
  return excluded ? score.lift : Math.min(score.lift, 0)
}
