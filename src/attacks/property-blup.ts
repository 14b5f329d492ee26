/** Properties of clients under secure aggregation: the best linear prediction, in closed form. */
import { defineAttack } from './attack.js'
import { byBlup } from './properties/estimators.js'
import {
  attackProperty,
  featureOptions,
  propertyNeeds,
  propertyParams,
  propertyUses,
  shareParam,
} from './properties/property-attack.js'
import { plantedSums, strangersRounds } from './properties/property-controls.js'

export const propertyBlup = defineAttack({
  id: 'property-blup',
  title: 'Properties of clients, by best linear prediction from features of the sums',
  paper: 'prolin',
  where: 'the model of Appendix A; docs/property-inference.md',
  target: 'property',
  beyond: true,
  needs: propertyNeeds,
  uses: propertyUses,
  params: { ...propertyParams, share: shareParam },
  run: (view, context) => attackProperty(view, context, { estimate: (sums) => byBlup(sums, context.params) }),
  plant: (input) => plantedSums(input, featureOptions(input.view, input.params, {})),
  shuffle: strangersRounds,
})
