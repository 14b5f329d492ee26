/**
 * How many records clients hold where nobody says it and sums are weighted by it. The model of the next round is the sum over its
 * total weight: so each total is seen, and with who took part in which round the totals are equations for the weights.
 */
import { leastSquares } from '../../../numeric/linalg/least-squares.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import { Inapplicable } from '../../attack.js'
import type { SumsView } from '../usable-sums.js'

/** A sum that is further from the change of the model than this share of it is weighed by something else besides. */
const mostApart = 1e-3
/** Numbers of records are whole: what is further from it than this is none. */
const mostBroken = 0.1

export interface ToldWeights<V> {
  readonly view: V
  readonly warnings: readonly string[]
}

export async function toldWeights<V extends SumsView>(view: V): Promise<ToldWeights<V>> {
  const { protocol, sampleCounts, participation } = view
  if (protocol.aggregateWeights !== 'samples') return { view, warnings: [] }
  if (sampleCounts !== undefined && 'count' in sampleCounts && sampleCounts.samples !== null)
    return { view, warnings: [] }
  const listed = Array.isArray(sampleCounts) ? (sampleCounts as { id: string; samples: number | null }[]) : []
  const told = new Map(listed.flatMap(({ id, samples }) => (samples === null ? [] : [[id, samples] as const])))
  const seen = [...new Set(participation.flatMap(({ participants }) => participants))].sort()
  const open = seen.filter((id) => !told.has(id))
  if (open.length === 0) return { view, warnings: [] }
  const totals = await totalWeights(view)
  const rounds = participation.filter(({ round, participants }) => totals.has(round) && participants.length > 0)
  const found = solved(open, { rounds, totals, told })
  const counts = [
    ...listed.map(({ id, samples }) => ({ id, samples: samples ?? found.get(id) ?? null })),
    ...open.flatMap((id) => (listed.some((one) => one.id === id) ? [] : [{ id, samples: found.get(id)! }])),
  ]
  const whose = open.length === 1 ? `client ${open[0]}` : `${open.length} clients`
  return {
    view: { ...view, sampleCounts: counts },
    warnings: [
      `numbers of records of ${whose} are not told: they follow from the total weights of ${rounds.length} sums`,
    ],
  }
}

/** The total weight of each round whose sum and next model are there: by how many times the sum is longer than the change. */
async function totalWeights({ aggregates, globals }: SumsView): Promise<Map<number, number>> {
  const models = new Set(globals.rounds)
  const totals = new Map<number, number>()
  for (const round of aggregates.rounds) {
    if (!models.has(round) || !models.has(round + 1)) continue
    const [before, after] = [await globals.read(round), await globals.read(round + 1)]
    const { dThetaSum } = await aggregates.read(round)
    const change = after.map((value, j) => value - before[j]!)
    const total = dot(dThetaSum, change) / dot(change, change)
    const apart = norm(dThetaSum.map((value, j) => value - total * change[j]!)) / norm(dThetaSum)
    // A sum of nothing moves nothing, and tells nothing.
    if (Number.isNaN(total)) continue
    if (!(apart <= mostApart && total > 0)) {
      const why = `updates are weighted by numbers of records that are not known, and the model after round ${round} is not the sum over its total weight`
      throw new Inapplicable(['sampleCounts'], why)
    }
    totals.set(round, total)
  }
  return totals
}

interface Equations {
  readonly rounds: readonly { readonly round: number; readonly participants: readonly string[] }[]
  readonly totals: ReadonlyMap<number, number>
  readonly told: ReadonlyMap<string, number>
}

function solved(open: readonly string[], { rounds, totals, told }: Equations): Map<string, number> {
  const place = new Map(open.map((id, i) => [id, i]))
  const took = matrix(rounds.length, open.length)
  const left = matrix(rounds.length, 1)
  for (const [r, { round, participants }] of rounds.entries()) {
    left.data[r] = totals.get(round)!
    for (const id of participants) {
      const at = place.get(id)
      if (at === undefined) left.data[r]! -= told.get(id)!
      else took.data[r * open.length + at] = 1
    }
  }
  const refuse = (why: string) =>
    new Inapplicable(['sampleCounts'], `updates are weighted by numbers of records that are not known, and ${why}`)
  if (rounds.length < open.length)
    throw refuse(`${rounds.length} sums with their next models are too few for the weights of ${open.length} clients`)
  const { X, rank } = leastSquares(took, left)
  if (rank < open.length) throw refuse(`who took part leaves ${open.length - rank} of ${open.length} weights open`)
  return new Map(
    open.map((id, i) => {
      const weight = Math.round(X.data[i]!)
      if (!(weight > 0 && Math.abs(X.data[i]! - weight) <= mostBroken))
        throw refuse(`that of client ${id} would be ${X.data[i]!.toPrecision(4)}, which no number of records is`)
      return [id, weight] as const
    }),
  )
}
