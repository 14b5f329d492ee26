/** FedProx: as FedAvg, with mu/2 times the squared distance from the received model added to the local loss. */
import { number } from '../../params.js'
import { defineLocalRule, planOf, severalSteps } from './local-rule.js'

export const fedprox = defineLocalRule({
  id: 'fedprox',
  title: 'as fedavg, held near the received model',
  paper: 'li2020',
  shares: ['parameters', 'delta'],
  // [li2020] Eq. (2): h(w; w_t) = F(w) + mu/2 |w - w_t|^2
  params: { ...severalSteps, proxMu: number({ default: 0.1, min: 0, doc: 'mu, the weight of the proximal term' }) },
  plan: ({ proxMu, ...values }) => ({ ...planOf(values), proxMu }),
})
