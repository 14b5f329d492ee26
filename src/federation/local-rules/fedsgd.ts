/** FedSGD: one step on all records per turn; the gradient itself may be shared. */
import { defineLocalRule } from './local-rule.js'

export const fedsgd = defineLocalRule({
  id: 'fedsgd',
  title: 'one step on all records per turn',
  paper: 'mcmahan2017',
  shares: ['parameters', 'delta', 'gradient'],
  obeys: ['learningRate', 'clipNorm'],
  plan: ({ learningRate: eta, clipNorm }) => ({
    learningRate: eta,
    localEpochs: null,
    localSteps: 1,
    batchSize: null,
    shuffle: 'never',
    momentum: 0,
    proxMu: 0,
    clipNorm,
  }),
})
