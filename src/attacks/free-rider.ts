/** Free riders under secure aggregation: clients whose updates look like none, old or noisy ones. */
import { choice } from '../params.js'
import { defineAttack } from './attack.js'
import { byPosterior } from './properties/estimators.js'
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

export const freeRider = defineAttack({
  id: 'free-rider',
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
      choices: ['any', 'zero', 'stale', 'noise'],
      doc: 'what riders return: nothing, the last change of the global model, noise, or any of these',
    }),
    ...samplerParams,
  },
  run: (view, context) => {
    const { riding } = context.params
    const estimate: Estimator = (sums, tools) => byPosterior(sums, context.params, tools)
    return attackProperty(view, context, { property, riding, estimate })
  },
  plant: (input) => {
    return plantedSums(input, featureOptions(input.view, input.params, { property, riding: input.params.riding }))
  },
  shuffle: strangersRounds,
})
