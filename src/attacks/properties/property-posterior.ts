/** Properties of clients under secure aggregation: the posterior that PROLIN approximates, by collapsed Gibbs sampling. */
import { choice, whole } from '../../params.js'
import { defineAttack } from '../attack.js'
import { attackProperty, propertyParams, shareParam } from './property-attack.js'
import { onProperty } from './property-controls.js'
import { byPosterior } from './property-estimators.js'

/** Parameters of the sampler. */
export const samplerParams = {
  decision: choice({
    default: 'fdr',
    choices: ['fdr', 'f1'],
    doc: 'fdr: of those accused one in twenty may be expected to be innocent; f1: the best expected F1, which always accuses',
  }),
  share: shareParam,
  chains: whole({ default: 4, min: 2, doc: 'chains that must agree' }),
  sweeps: whole({ default: 250, min: 20, doc: 'sweeps of the first run of a chain; doubled until the chains agree' }),
  maxSweeps: whole({ default: 8000, min: 20, doc: 'sweeps of a chain at most' }),
} as const

export const propertyPosterior = defineAttack({
  ...onProperty,
  id: 'property-posterior',
  effort: 25,
  title: 'Properties of clients, by their posterior given features of the sums',
  where: 'the model of Appendix A; docs/property-inference.md',
  beyond: true,
  params: { ...propertyParams, ...samplerParams },
  run: (view, context) => {
    return attackProperty(view, context, { estimate: (sums, tools) => byPosterior(sums, context.params, tools) })
  },
})
