/** The server's half of a round: from what came back to the next model. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/rng.js'
import { firstNonFinite } from '../numeric/vector.js'
import type { Defence, SumContext } from './hooks.js'
import { changeSum, meanModel } from './updates.js'

export interface ServerStep {
  readonly next: Float64Array
  /** Where a defence has replaced the sum. */
  readonly aggregate?: Float64Array
}

/** A round that nobody answered leaves the model as it was. */
export async function serverStep(
  context: Omit<SumContext, 'dThetaSum' | 'rng'>,
  defences: readonly Defence[],
  root: Rng,
): Promise<ServerStep> {
  const { round, global, learningRate, updates, weights } = context
  if (updates.size === 0) return { next: global }
  const parts = { global, learningRate, weights: [...weights.values()] }
  const onSum = defences.filter(({ aggregate }) => aggregate !== undefined)
  if (onSum.length === 0) return checked({ next: meanModel([...updates.values()], parts) }, context)
  let weightSum = parts.weights.reduce((sum, w) => sum + w, 0)
  let sum: Float64Array | undefined
  for (const defence of onSum) {
    const before = sum
    const dThetaSum = (): Float64Array => before?.slice() ?? changeSum([...updates.values()], parts)
    const rng = root.fork('round', round, 'sum', 'defence', defence.name)
    const summed = await defence.aggregate!({ ...context, dThetaSum, rng })
    sum = summed.dThetaSum
    weightSum = summed.weightSum ?? weightSum
    if (sum.length !== global.length || !(weightSum > 0)) {
      const found = `round ${round}, defence ${defence.name}: a sum of ${sum.length} values over ${weightSum}`
      throw new OverhearError('E_SHAPE', found, `${global.length} values over a positive number are needed`)
    }
  }
  const next = global.map((x, j) => x + sum![j]! / weightSum)
  return checked({ next, aggregate: sum! }, context)
}

function checked(step: ServerStep, { round, learningRate }: { round: number; learningRate: number }): ServerStep {
  const bad = firstNonFinite(step.next)
  if (bad < 0) return step
  const found = `round ${round}: training diverged: the new global model's theta[${bad}] is ${step.next[bad]}`
  throw new OverhearError('E_NON_FINITE', found, `lower the learning rate (${learningRate}) or scale the data`)
}
