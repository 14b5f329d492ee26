/** Controls for attacks on properties: sums in which it is plain to see, and rounds that are somebody else's. */

import { addScaledInto } from '../../numeric/linalg/vector.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Aggregate, Participation } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import { type ControlWorld, Inapplicable } from '../attack.js'
import { type FeatureOptions, type PropertyView, simulation } from './detector/feature-sums.js'
import { type DetectorParams, featureOptions, propertyNeeds, propertyUses } from './property-attack.js'
import { sumsOf } from './usable-sums.js'

/** Made-up updates that a planted one is the mean of: many without the property, as their error enters most often. */
const meanOf = { having: 8, lacking: 24 } as const

/** Every client returns the same update as the others of its kind: the mean of a few made-up ones. */
export async function plantedSums<V extends PropertyView>(
  { view, truth, rng }: { readonly view: V; readonly truth: Truth; readonly rng: Rng },
  options: FeatureOptions,
): Promise<ControlWorld<V>> {
  const having = truth.property(options.property)
  if (having === undefined) {
    throw new Inapplicable([`properties.${options.property}`], `the truth does not say who has "${options.property}"`)
  }
  const sums = sumsOf(view)
  const { ids, A, rounds, unit } = sums
  const guilty = new Set(having)
  const world = await simulation(view, sums, { ...options, rng: rng.fork('world') })
  const planted = new Map<number, Aggregate>()
  try {
    for (const [r, round] of rounds.entries()) {
      const simulate = await world.at(r, rng.fork('round', round))
      let dThetaSum: Float64Array | undefined
      for (const has of [true, false]) {
        let weight = 0
        for (let p = A.rowStart[r]!; p < A.rowStart[r + 1]!; p++) {
          if (guilty.has(ids[A.column[p]!]!) === has) weight += A.value[p]! * unit
        }
        const count = meanOf[has ? 'having' : 'lacking']
        for (let k = 0; k < count; k++) {
          const update = simulate(has, k)
          dThetaSum ??= new Float64Array(update.length)
          addScaledInto(dThetaSum, update, weight / count)
        }
      }
      planted.set(round, { round, dThetaSum: dThetaSum!, derived: true })
    }
  } finally {
    world.release()
  }
  const aggregates = { rounds, read: async (round: number) => planted.get(round)! }
  return { view: { ...view, aggregates } }
}

/** Every round is said to be that of others: as many, drawn anew from all clients. */
export async function strangersRounds<V extends { readonly participation: readonly Participation[] }>({
  view,
  rng,
}: {
  readonly view: V
  readonly rng: Rng
}): Promise<ControlWorld<V>> {
  const ids = [...new Set(view.participation.flatMap(({ participants }) => participants))].sort()
  const participation = view.participation.map((one) => {
    const drawn = rng.fork('round', one.round).sample(ids.length, one.participants.length)
    return { ...one, participants: Array.from(drawn, (i) => ids[i]!) }
  })
  return { view: { ...view, participation } }
}

type Named = PropertyView & { readonly property?: { readonly name: string } }
interface Planting<V> {
  readonly view: V
  readonly truth: Truth
  readonly rng: Rng
  readonly params: DetectorParams
}

/** What the attacks on a property that is given by name have in common. */
export const onProperty = {
  paper: 'prolin',
  target: 'property',
  needs: propertyNeeds,
  uses: propertyUses,
  plant: <V extends Named>(input: Planting<V>) => plantedSums(input, featureOptions(input.view, input.params, {})),
  shuffle: strangersRounds,
} as const
