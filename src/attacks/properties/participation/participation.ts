/** Who took part in which round of secure sums, where participants are not named. */
import { addScaledInto } from '../../../numeric/linalg/vector.js'
import { medianOf } from '../../../numeric/special/summaries.js'
import { whole } from '../../../params.js'
import type { Aggregate } from '../../../threat/granted-keys.js'
import { claimed, defineAttack, Inapplicable } from '../../attack.js'
import { doubtsOf, reconstructedTurns } from './reconstructed-turns.js'

/** How hard columns are looked for. */
const searchParams = {
  starts: whole({ default: 30, min: 1, doc: 'how often the search for a column begins anew' }),
  steps: whole({ default: 300, min: 1, doc: 'swaps of a one and a zero from each beginning' }),
} as const

export const participation = defineAttack({
  id: 'participation',
  effort: 3,
  title: 'Who took part in which round, from sums and how often clients did',
  paper: 'lam2021',
  where: 'docs/property-inference.md, "Participants that nobody names"',
  target: 'participation',
  needs: ['aggregates', 'turnCounts'],
  params: searchParams,
  async run(view, { params, rng, tick }) {
    const found = await reconstructedTurns(view, { ...params, rng: rng.fork('columns'), tick })
    const { ids, rounds, windows, took, misfit, strangers, ambiguous, alike, space } = found
    return claimed(
      {
        kind: 'participation',
        rounds,
        windows,
        clients: ids.map((id, i) => ({ id, took: Array.from(took[i]!, (one) => one === 1) })),
      },
      {
        warnings: doubtsOf(found),
        details: {
          rounds: rounds.length,
          clients: ids.length,
          rank: space.rank,
          outside: space.left,
          levelled: space.levelled,
          misfit: medianOf(misfit),
          strangers: strangers.length === 0 ? null : medianOf(strangers),
          ambiguous,
          alike: alike.map((group) => [...group]),
        },
      },
    )
  },
  /** Every client returns the same update whenever it takes part. */
  plant({ view, truth, rng }) {
    const { participation: rows } = truth
    if (rows === undefined) throw new Inapplicable(['participation'], 'the truth does not say who took part')
    const rounds = view.aggregates.rounds.filter((round) => rows.has(round))
    const ids = [...new Set([...rows.values()].flat())].sort()
    const length = Math.max(64, ids.length)
    const updates = new Map(ids.map((id) => [id, rng.fork('update', id).normals(length)]))
    const read = async (round: number): Promise<Aggregate> => {
      const dThetaSum = new Float64Array(length)
      for (const id of rows.get(round)!) addScaledInto(dThetaSum, updates.get(id)!, 1)
      return { round, dThetaSum, derived: true }
    }
    return { view: { ...view, aggregates: { rounds, read } } }
  },
  /** The sums of the rounds in another order. */
  shuffle({ view, rng }) {
    const { aggregates } = view
    const { rounds } = aggregates
    const order = rng.fork('order').permutation(rounds.length)
    const place = new Map(rounds.map((round, k) => [round, rounds[order[k]!]!]))
    const read = async (round: number): Promise<Aggregate> => ({ ...(await aggregates.read(place.get(round)!)), round })
    return { view: { ...view, aggregates: { rounds, read } } }
  },
})
