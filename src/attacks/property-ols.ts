/** Properties of clients under secure aggregation: expected features by plain least squares. */
import { defineAttack } from './attack.js'
import { byOls } from './properties/estimators.js'
import {
  attackProperty,
  featureOptions,
  featuresParam,
  propertyNeeds,
  propertyParams,
  propertyUses,
} from './properties/property-attack.js'
import { plantedSums, strangersRounds } from './properties/property-controls.js'

export const propertyOls = defineAttack({
  id: 'property-ols',
  title: 'Properties of clients, by least squares on features of the sums',
  paper: 'prolin',
  where: 'Section 6.3.1, OLS',
  target: 'property',
  needs: propertyNeeds,
  uses: propertyUses,
  params: { ...propertyParams, features: featuresParam },
  run: (view, context) => {
    const { features } = context.params
    return attackProperty(view, context, { features, estimate: (sums) => byOls(sums) })
  },
  plant: (input) => plantedSums(input, featureOptions(input.view, input.params, {})),
  shuffle: strangersRounds,
})
