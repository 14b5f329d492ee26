/** What messages leave over once shares are believed, and what records that nobody knows add to them. */
import { dot } from '../../../numeric/linalg/vector.js'
import { meanOf } from '../../../numeric/special/summaries.js'
import { allShares, type Problem } from './linear-problem.js'
import type { Pass } from './weighted-squares.js'

/** Records that nobody knows add to the sum as many means of the known ones. */
export function strangers({ rounds, gradients, samples }: Problem, p: Float64Array | undefined): Float64Array[] {
  const { records: n, values, size } = gradients
  if (samples === n) return rounds.map(() => new Float64Array(size))
  const even = new Float64Array(n * (values - 1)).fill(1 / values)
  const shares = allShares(p ?? even, n)
  return rounds.map(({ at }) =>
    gradients.weighted(
      at,
      shares.map((c) => (c * (samples - n)) / n),
    ),
  )
}

export interface Fitted {
  readonly p: Float64Array
  readonly offsets: readonly Float64Array[]
  readonly rates: readonly number[]
}

/** By round: what the shares, the offsets and the rates leave of its message. */
export function residualsOf({ rounds, gradients, samples }: Problem, { p, offsets, rates }: Fitted): Float64Array[] {
  const shares = allShares(p, gradients.records)
  return rounds.map(({ at, mean }, t) => {
    const sum = gradients.weighted(at, shares)
    return mean.map((x, j) => rates[t]! * samples * x - offsets[t]![j]! - sum[j]!)
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
