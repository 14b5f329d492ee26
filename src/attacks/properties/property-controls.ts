/** Controls for attacks on properties: sums in which it is plain to see, and rounds that are somebody else's. */

import { addScaledInto } from '../../numeric/linalg/vector.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Aggregate, Participation } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import { type ControlWorld, Inapplicable } from '../attack.js'
import { type Derive, deriveHere } from '../derivation.js'
import { type FeatureOptions, madeUp, type PropertyView, roundItems } from './detector/feature-sums.js'
import { meanUpdates } from './detector/made-up-rounds.js'
import { requireTold, type Telling } from './participation/told-turns.js'
import { type DetectorParams, featureOptions, propertyNeeds, propertyUses } from './property-attack.js'
import { sumsOf } from './usable-sums.js'

interface PlantedIn<V> {
  readonly view: V
  readonly truth: Truth
  readonly rng: Rng
  readonly derive?: Derive | undefined
}

/** Every client returns the same update as the others of its kind: the mean of a few made-up ones. */
export async function plantedSums<V extends Telling<PropertyView>>(
  { view: given, truth, rng, derive = deriveHere(rng) }: PlantedIn<V>,
  options: FeatureOptions,
): Promise<ControlWorld<V>> {
  requireTold(given)
  const view = given as V & PropertyView
  const having = truth.property(options.property)
  if (having === undefined) {
    throw new Inapplicable([`properties.${options.property}`], `the truth does not say who has "${options.property}"`)
  }
  const sums = sumsOf(view)
  const { ids, A, rounds, unit } = sums
  const guilty = new Set(having)
  const planted = new Map<number, Aggregate>()
  await derive(meanUpdates, {
    view,
    settings: await madeUp(view, sums, options),
    items: roundItems(sums, options.property),
    onItem(r, [having, lacking]) {
      const dThetaSum = new Float64Array(having!.length)
      for (let p = A.rowStart[r]!; p < A.rowStart[r + 1]!; p++) {
        const has = guilty.has(ids[A.column[p]!]!)
        addScaledInto(dThetaSum, (has ? having : lacking)!, A.value[p]! * unit)
      }
      planted.set(rounds[r]!, { round: rounds[r]!, dThetaSum, derived: true })
    },
  })
  const aggregates = { rounds, read: async (round: number) => planted.get(round)! }
  return { view: { ...view, aggregates }, params: withoutCurve }
}

/** Nobody reads the curve of a control. */
const withoutCurve = { curve: 0 }

/** Every round is said to be that of others: as many, drawn anew from all clients. */
export async function strangersRounds<V extends { readonly participation?: readonly Participation[] }>({
  view,
  rng,
}: {
  readonly view: V
  readonly rng: Rng
}): Promise<ControlWorld<V>> {
  requireTold(view)
  const told = view.participation!
  const ids = [...new Set(told.flatMap(({ participants }) => participants))].sort()
  const participation = told.map((one) => {
    const drawn = rng.fork('round', one.round).sample(ids.length, one.participants.length)
    return { ...one, participants: Array.from(drawn, (i) => ids[i]!) }
  })
  return { view: { ...view, participation }, params: withoutCurve }
}

type Named = Telling<PropertyView> & { readonly property?: { readonly name: string } }
interface Planting<V> extends PlantedIn<V> {
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
