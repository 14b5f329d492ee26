/** Free riders under secure aggregation: clients who return nothing, noise, or an old change of the global model. */
import { choice } from '../params.js'
import { type Claimed, claimed, defineAttack, type Outcome } from './attack.js'
import { byPosterior } from './properties/estimators.js'
import { bestForF1 } from './properties/f1-decision.js'
import {
  attackProperty,
  detectorParams,
  type Estimator,
  featureOptions,
  propertyNeeds,
  propertyUses,
} from './properties/property-attack.js'
import { plantedSums, strangersRounds } from './properties/property-controls.js'
import { samplerParams } from './property-posterior.js'

const property = 'free-rider'
const ridings = ['zero', 'noise', 'stale'] as const

export const freeRider = defineAttack({
  id: property,
  title: 'Free riders, by their posterior given features of the sums',
  paper: 'prolin',
  where: 'Section 7, future work; docs/property-inference.md',
  target: 'property',
  beyond: true,
  needs: propertyNeeds,
  uses: propertyUses,
  params: {
    ...detectorParams,
    riding: choice({
      default: 'any',
      choices: ['any', ...ridings],
      doc: 'what riders return: nothing, noise, the last change of the global model; any: each is looked for',
    }),
    ...samplerParams,
  },
  /** Riders of each kind look different, and one detector for all sees none of them: each kind has its own. */
  async run(view, context) {
    const { riding } = context.params
    const estimate: Estimator = (sums, tools) => byPosterior(sums, context.params, tools)
    if (riding !== 'any') return attackProperty(view, context, { property, riding, estimate })
    const found: [string, Claimed][] = []
    for (const [k, kind] of ridings.entries()) {
      const own = {
        ...context,
        rng: context.rng.fork(kind),
        tick: (done: number, total: number) => context.tick(k * total + done, ridings.length * total),
      }
      const outcome = await attackProperty(view, own, { property, riding: kind, estimate })
      if (outcome.status !== 'claimed') return outcome
      found.push([kind, outcome])
    }
    return likeliest(found)
  },
  plant: (input) => {
    const riding = input.params.riding === 'any' ? 'zero' : input.params.riding
    return plantedSums(input, featureOptions(input.view, input.params, { property, riding }))
  },
  shuffle: strangersRounds,
})

/** Of each client the kind of riding that it is likeliest guilty of. */
function likeliest(found: readonly (readonly [string, Claimed])[]): Outcome {
  const lists = found.map(([, { claims }]) => {
    const [claim] = claims
    return claim?.kind === 'property' ? claim.clients : []
  })
  const probability = Float64Array.from(lists[0]!, (_, i) => Math.max(...lists.map((list) => list[i]!.probability)))
  const positive = bestForF1(probability)
  const clients = lists[0]!.map(({ id }, i) => ({ id, probability: probability[i]!, positive: positive[i]! }))
  return claimed(
    { kind: 'property', property, clients },
    {
      warnings: [...new Set(found.flatMap(([, { warnings }]) => warnings))],
      details: Object.fromEntries(found.map(([kind, { details }]) => [kind, details])),
    },
  )
}
