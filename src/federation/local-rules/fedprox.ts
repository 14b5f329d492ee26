/** FedProx: as FedAvg, with mu/2 times the squared distance from the received model added to the local loss. */
import { defineLocalRule, planOf, severalSteps } from './local-rule.js'

export const fedprox = defineLocalRule({
  id: 'fedprox',
  title: 'as fedavg, held near the received model',
  paper: 'li2020',
  shares: ['parameters', 'delta'],
  obeys: [...severalSteps, 'proxMu'],
  // [li2020] Eq. (2): h(w; w_t) = F(w) + mu/2 |w - w_t|^2
  plan: ({ proxMu, ...settings }) => ({ ...planOf(settings), proxMu }),
})
