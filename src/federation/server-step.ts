/** The server's half of a round: from what came back to the next model. */
import { OverhearError } from '../errors.js'
import { firstNonFinite } from '../numeric/linalg/vector.js'
import type { Rng } from '../numeric/random/rng.js'
import { totalOf } from '../numeric/special/summaries.js'
import type { Notes, Seats } from './exchange.js'
import type { Defence, ExchangeContext, Excluded, SumContext, SumExchange, Summed } from './hooks.js'
import { changeSum, divergenceHint, meanModel } from './updates.js'

export interface ServerStep {
  readonly next: Float64Array
  /** Where a defence has replaced the sum. */
  readonly aggregate?: Float64Array
  /** Why an exchange ended without a sum. */
  readonly aborted?: string
  /** What the clients of an exchange noticed. */
  readonly notes?: Notes
  /** Whose updates an exchange has summed, where that is not everybody who was to stay; and who lost its place in it. */
  readonly inSum?: ReadonlySet<string>
  readonly excluded?: readonly Excluded[]
}

type Returned = Omit<SumContext, 'dThetaSum' | 'weightSum' | 'rng'>

interface Server {
  readonly defences: readonly Defence[]
  readonly root: Rng
  /** The clients of an exchange, where there is one. */
  readonly sitting: Sitting | undefined
}

interface Sitting extends Pick<ExchangeContext, 'invited' | 'staying'> {
  sit(): Promise<Seats>
}

/** A round that nobody answered, or that has no sum, leaves the model as it was. */
export async function serverStep(context: Returned, { defences, root, sitting }: Server): Promise<ServerStep> {
  const { round, global, learningRate, updates, weights } = context
  if (weights.size === 0) return { next: global }
  const parts = { global, learningRate, weights: [...weights.values()] }
  const onSum = defences.filter(({ exchange, aggregate }) => exchange !== undefined || aggregate !== undefined)
  if (onSum.length === 0) return checked({ next: meanModel([...updates.values()], parts) }, context)
  let weightSum = totalOf(parts.weights)
  let sum: Float64Array | undefined
  let told: Pick<Summed, 'notes' | 'inSum' | 'excluded'> = {}
  for (const defence of onSum) {
    const rng = root.fork('round', round, 'sum', 'defence', defence.name)
    const before = sum
    const dThetaSum = (): Float64Array => before?.slice() ?? changeSum([...updates.values()], parts)
    const summed =
      defence.exchange === undefined
        ? await defence.aggregate!({ ...context, dThetaSum, weightSum, rng })
        : await exchanged(defence.exchange, { round, length: global.length, rng }, sitting!)
    if ('aborted' in summed) return { next: global, ...summed }
    sum = summed.dThetaSum
    weightSum = summed.weightSum ?? weightSum
    told = { ...told, ...toldBy(summed) }
    if (sum.length !== global.length || !(weightSum > 0)) {
      const found = `round ${round}, defence ${defence.name}: a sum of ${sum.length} values over ${weightSum}`
      throw new OverhearError('E_SHAPE', found, `${global.length} values over a positive number are needed`)
    }
  }
  const next = global.map((x, j) => x + sum![j]! / weightSum)
  return checked({ next, aggregate: sum!, ...told }, context)
}

function toldBy({ notes, inSum, excluded }: Summed): Pick<Summed, 'notes' | 'inSum' | 'excluded'> {
  return {
    ...(notes !== undefined && { notes }),
    ...(inSum !== undefined && { inSum }),
    ...(excluded !== undefined && { excluded }),
  }
}

async function exchanged(
  exchange: SumExchange,
  context: Pick<ExchangeContext, 'round' | 'length' | 'rng'>,
  { sit, ...sitting }: Sitting,
): ReturnType<SumExchange['serve']> {
  const seats = await sit()
  try {
    return await exchange.serve({ ...context, ...sitting, seats })
  } finally {
    await seats.leave()
  }
}

function checked(step: ServerStep, { round, learningRate }: { round: number; learningRate: number }): ServerStep {
  const bad = firstNonFinite(step.next)
  if (bad < 0) return step
  const found = `round ${round}: training diverged: the new global model's theta[${bad}] is ${step.next[bad]}`
  throw new OverhearError('E_NON_FINITE', found, divergenceHint(learningRate))
}
