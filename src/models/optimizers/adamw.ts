/** AdamW: Adam whose weight decay shrinks the model beside the step. */
import { adamParams, stepByAdam } from './adam-step.js'
import { defineOptimizer } from './optimizer.js'

export const adamw = defineOptimizer({
  id: 'adamw',
  title: 'as adam, with weight decay that is no part of the gradient',
  paper: 'loshchilov2019',
  params: adamParams,
  remembers: 2,
  decoupled: true,
  step: stepByAdam,
})
