/** Properties of clients under secure aggregation: the best linear prediction, in closed form. */
import { defineAttack } from '../attack.js'
import { attackProperty, propertyParams, shareParam } from './property-attack.js'
import { onProperty } from './property-controls.js'
import { byBlup } from './property-estimators.js'

export const propertyBlup = defineAttack({
  ...onProperty,
  id: 'property-blup',
  effort: 20,
  title: 'Properties of clients, by best linear prediction from features of the sums',
  where: 'the model of Appendix A; docs/property-inference.md',
  beyond: true,
  params: { ...propertyParams, share: shareParam },
  run: (view, context) => attackProperty(view, context, { estimate: (sums) => byBlup(sums, context.params) }),
})
