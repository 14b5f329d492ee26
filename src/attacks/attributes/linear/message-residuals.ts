/** What messages leave over once shares are believed, and what records that nobody knows add to them. */
import { dot } from '../../../numeric/linalg/vector.js'
import { meanOf } from '../../../numeric/special/summaries.js'
import { allShares, type Problem } from './linear-problem.js'
import type { Pass } from './weighted-squares.js'

/** For each p the sum of all records' gradients at theta, in shares of their values: p over the unknowns, value 0 the rest. */
export function sumsAt(
  { factors, gradients }: Pick<Problem, 'factors' | 'gradients'>,
  theta: Float64Array,
  p: readonly Float64Array[],
): Float64Array[] {
  if (factors === undefined) return p.map((one) => gradients.weighted(theta, allShares(one, gradients.records)))
  const columns = factors.at(theta)
  const sums = factors.sums(columns, p)
  for (const sum of sums) for (let j = 0; j < sum.length; j++) sum[j]! += columns.base[j]!
  return sums
}

/** By round: the sum of gradients when records have their values in these shares. */
export const sumsOf = (problem: Problem, p: Float64Array): Float64Array[] =>
  problem.rounds.map(({ at }) => sumsAt(problem, at, [p])[0]!)

/** Records that nobody knows add to the sum as many means of the known ones. */
export function strangers(problem: Problem, p: Float64Array | undefined): Float64Array[] {
  const { rounds, gradients, samples } = problem
  const { records: n, values, size } = gradients
  if (samples === n) return rounds.map(() => new Float64Array(size))
  const even = new Float64Array(n * (values - 1)).fill(1 / values)
  return sumsOf(problem, p ?? even).map((sum) => sum.map((x) => (x * (samples - n)) / n))
}

export interface Fitted {
  readonly sums: readonly Float64Array[]
  readonly offsets: readonly Float64Array[]
  readonly rates: readonly number[]
}

/** By round: what the sums of gradients, the offsets and the rates leave of its message. */
export function residualsOf({ rounds, samples }: Problem, { sums, offsets, rates }: Fitted): Float64Array[] {
  return rounds.map(({ mean }, t) => {
    const [sum, offset, by] = [sums[t]!, offsets[t]!, rates[t]! * samples]
    return mean.map((x, j) => by * x - offset[j]! - sum[j]!)
  })
}

export interface Outcome {
  readonly sums: readonly Float64Array[]
  readonly rates: readonly number[]
  readonly pass: Pass
}

/** |residual| / |message|, the mean over rounds. */
export function misfitOf(messages: readonly Float64Array[], { sums, rates, pass }: Outcome): number {
  const shares = messages.map((m, t) => {
    const r = m.map((x, j) => rates[t]! * x - pass.offsets[t]![j]! - sums[t]![j]!)
    return Math.sqrt(dot(r, r) / Math.max(dot(m, m) * rates[t]! * rates[t]!, 1e-300))
  })
  return meanOf(shares)
}
