/** Properties of clients under secure aggregation: expected features by weighted ridge regression. */
import { number } from '../../params.js'
import { defineAttack } from '../attack.js'
import {
  attackProperty,
  type Estimator,
  propertyParams,
  rankParam,
  unitsParam,
  weightsParam,
} from './property-attack.js'
import { onProperty } from './property-controls.js'
import { byReg } from './property-estimators.js'

export const propertyReg = defineAttack({
  ...onProperty,
  id: 'property-reg',
  effort: 20,
  title: 'Properties of clients, by weighted ridge regression on features of the sums',
  where: 'Eq. (9); Section 6.3.1, REG',
  params: {
    ...propertyParams,
    decision: rankParam,
    units: unitsParam,
    weights: weightsParam,
    lambda: number({ default: 5, min: 0, doc: 'weight of the squared norm of the features, for weights=paper' }),
  },
  run: (view, context) => {
    const { lambda, units, weights, decision } = context.params
    const estimate: Estimator = (sums) => byReg(sums, { lambda, units, weights })
    return attackProperty(view, context, { separate: true, ranksOnly: decision === 'rank', estimate })
  },
})
