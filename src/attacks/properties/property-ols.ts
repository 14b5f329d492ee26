/** Properties of clients under secure aggregation: expected features by plain least squares. */
import { defineAttack } from '../attack.js'
import { attackProperty, type Estimator, propertyParams, rankParam, unitsParam } from './property-attack.js'
import { onProperty } from './property-controls.js'
import { byOls } from './property-estimators.js'

export const propertyOls = defineAttack({
  ...onProperty,
  id: 'property-ols',
  effort: 20,
  title: 'Properties of clients, by least squares on features of the sums',
  where: 'Section 6.3.1, OLS',
  params: { ...propertyParams, decision: rankParam, units: unitsParam },
  run: (view, context) => {
    const { units, decision } = context.params
    const estimate: Estimator = (sums) => byOls(sums, { units })
    return attackProperty(view, context, { separate: true, ranksOnly: decision === 'rank', estimate })
  },
})
