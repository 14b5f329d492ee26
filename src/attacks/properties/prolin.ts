/** PROLIN: properties of clients under secure aggregation, jointly with the features that make up the sums. */
import { OverhearError } from '../../errors.js'
import { choice, number, whole } from '../../params.js'
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
import { byProlin } from './property-estimators.js'

export const prolin = defineAttack({
  ...onProperty,
  id: 'prolin',
  effort: 25,
  title: 'Properties of clients and their features jointly (PROLIN)',
  where: 'Section 5.2; Table 1',
  params: {
    ...propertyParams,
    decision: rankParam,
    units: unitsParam,
    weights: weightsParam,
    lambda: number({
      default: 5,
      min: 0,
      doc: 'weight of the squared norm in the regression that starts it, for weights=paper',
    }),
    likelihood: choice({
      default: 'paper',
      choices: ['paper', 'code'],
      doc: 'products over the rounds of a client, or log1p of every entry as in the published code',
    }),
    losses: choice({
      default: 'corrected',
      choices: ['corrected', 'printed'],
      doc: 'sums inside the squares of L_reg and L_lstsq, or outside as they are printed, which solver=mtadam alone can do',
    }),
    solver: choice({ default: 'exact', choices: ['exact', 'mtadam'], doc: 'solved exactly, or by steps as published' }),
    gamma: number({ default: 1, min: 0, doc: 'weight of the loss that holds features to their regression' }),
    steps: whole({ default: 3000, min: 1, doc: 'steps of solver=mtadam; published: up to 200,000' }),
  },
  run: (view, context) => {
    const { decision, ...options } = context.params
    if (options.losses === 'printed' && options.solver === 'exact') {
      throw new OverhearError(
        'E_VALUE',
        'losses=printed with solver=exact',
        'the exact solution is that of the corrected losses; ask for solver=mtadam',
      )
    }
    const estimate: Estimator = (sums, tools) => byProlin(sums, options, tools)
    return attackProperty(view, context, { separate: true, ranksOnly: decision === 'rank', estimate })
  },
})
