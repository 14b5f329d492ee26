/** FedAvg: epochs or steps of SGD on batches; departs from the paper in reshuffling every epoch unless told. */
import { defineLocalRule, planOf, severalSteps } from './local-rule.js'

export const fedavg = defineLocalRule({
  id: 'fedavg',
  title: 'several steps of SGD on batches a turn',
  paper: 'mcmahan2017',
  shares: ['parameters', 'delta'],
  obeys: severalSteps,
  plan: planOf,
})
