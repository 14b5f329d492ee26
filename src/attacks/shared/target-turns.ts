/** The target's turns as numbers: what it received, what it returned, whatever was shared. */
import type { Exchange, View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'

/** One turn. theta is undefined when the recording lacks it; what cannot be known is undefined too. */
export interface Turn {
  readonly round: number
  /** The model received. */
  readonly theta: Float64Array
  /** The model returned, theta_c. */
  readonly returned: Float64Array
  /** theta - theta_c: what was descended. */
  readonly descent: Float64Array
  readonly learningRate: number | null
}

/** All turns of the target (or those of `rounds`), as received and returned models. */
export async function turnsOf(
  { exchanges }: View<'exchanges'>,
  { rounds = exchanges.rounds }: { readonly rounds?: readonly number[] } = {},
): Promise<Turn[]> {
  const turns: Turn[] = []
  for (const round of rounds) turns.push(turnOf(await exchanges.read(round)))
  return turns
}

/** theta_c = theta + delta, or theta - eta grad for a shared gradient. */
export function turnOf({ round, received, update, learningRate }: Exchange): Turn {
  if (received === undefined) throw new Inapplicable(['globals'], `round ${round} lacks the model that was sent`)
  const theta = received
  switch (update.kind) {
    case 'parameters': {
      const returned = update.theta
      return { round, theta, returned, descent: theta.map((v, j) => v - returned[j]!), learningRate }
    }
    case 'delta': {
      const { dTheta } = update
      return {
        round,
        theta,
        learningRate,
        returned: theta.map((v, j) => v + dTheta[j]!),
        descent: dTheta.map((v) => -v),
      }
    }
    case 'gradient': {
      if (learningRate === null)
        throw new Inapplicable(['learningRate'], 'a shared gradient needs the step to become a model')
      const { grad } = update
      const descent = grad.map((g) => learningRate * g)
      return { round, theta, returned: theta.map((v, j) => v - descent[j]!), descent, learningRate }
    }
  }
}
