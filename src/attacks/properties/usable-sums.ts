/** The rounds that can be used, and who weighs how much in each one's sum: the participation matrix A. */
import { type SparseMatrix, sparseFromTriplets, type Triplet } from '../../numeric/linalg/sparse.js'
import { meanOf } from '../../numeric/special/summaries.js'
import type { View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'

export type SumsView = View<'aggregates' | 'globals' | 'participation' | 'protocol'> & Partial<View<'sampleCounts'>>

/** b_r = unit * sum over i of A_ri (theta_i - theta); the weights in A are about 1. */
export interface Sums {
  /** Clients that took part at least once, in a fixed order. */
  readonly ids: readonly string[]
  /** Known clients that never took part. */
  readonly neverSeen: readonly string[]
  readonly rounds: readonly number[]
  readonly A: SparseMatrix
  /** The mean weight, which was taken out of A. */
  readonly unit: number
}

/** The first `most` rounds whose sum, model and participants are known; all when `most` is 0. */
export function sumsOf(view: SumsView, most = 0): Sums {
  const weight = weightsOf(view)
  const heard = new Set(view.aggregates.rounds)
  const models = new Set(view.globals.rounds)
  const usable = view.participation.filter(
    ({ round, participants }) => heard.has(round) && models.has(round) && participants.length > 0,
  )
  const used = most > 0 ? usable.slice(0, most) : usable
  if (used.length === 0) {
    throw new Inapplicable(['aggregates'], 'no round has a sum, the model it began with and a list of participants')
  }
  const seen = new Set(used.flatMap(({ participants }) => participants))
  const { sampleCounts } = view
  const known = sampleCounts !== undefined && Array.isArray(sampleCounts) ? sampleCounts.map(({ id }) => id) : []
  const listed = new Set(known)
  const ids = [...known.filter((id) => seen.has(id)), ...[...seen].filter((id) => !listed.has(id)).sort()]
  const place = new Map(ids.map((id, i) => [id, i]))
  const unit = meanOf(ids.map((id) => weight(id)))
  const triplets = used.flatMap(({ participants }, r) =>
    participants.map((id): Triplet => [r, place.get(id)!, weight(id) / unit]),
  )
  return {
    ids,
    neverSeen: known.filter((id) => !seen.has(id)),
    rounds: used.map(({ round }) => round),
    A: sparseFromTriplets({ rows: used.length, cols: ids.length }, triplets),
    unit,
  }
}

/** What a client's update is multiplied by before it is summed. */
function weightsOf({ protocol, sampleCounts }: SumsView): (id: string) => number {
  if (protocol.aggregateWeights === 'one') return () => 1
  if (sampleCounts === undefined) {
    throw new Inapplicable(['sampleCounts'], 'updates are weighted by numbers of records that are not known')
  }
  const samples = samplesOf(sampleCounts)
  return (id) => {
    const n = samples(id)
    if (n !== undefined && n > 0) return n
    throw new Inapplicable(['sampleCounts'], `the number of records of client "${id}" is not known`)
  }
}

function samplesOf(counts: View<'sampleCounts'>['sampleCounts']): (id: string) => number | undefined {
  if ('count' in counts) return () => counts.samples ?? undefined
  const byId = new Map(counts.map(({ id, samples }) => [id, samples]))
  return (id) => byId.get(id) ?? undefined
}

/** The numbers of records that clients hold, whether they took part or not: what made-up clients are given. */
export function clientSizes({ sampleCounts }: SumsView): readonly number[] {
  if (sampleCounts === undefined) return []
  const sizes = 'count' in sampleCounts ? [sampleCounts.samples] : sampleCounts.map(({ samples }) => samples)
  return sizes.flatMap((n) => (n !== null && n > 0 ? [n] : []))
}
