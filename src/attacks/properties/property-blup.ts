/** Properties of clients under secure aggregation: the best linear prediction, in closed form. */
import { choice } from '../../params.js'
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
  params: {
    ...propertyParams,
    decision: choice({
      default: 'rank',
      choices: ['rank', 'f1'],
      doc: 'rank: nobody is accused; f1: those of the best expected F1, of whom somebody always is',
    }),
    share: shareParam,
  },
  run: (view, context) => {
    const { params } = context
    return attackProperty(view, context, {
      ranksOnly: params.decision === 'rank',
      estimate: (sums) => byBlup(sums, params),
    })
  },
})
