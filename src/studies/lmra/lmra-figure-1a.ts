/** [lmra] Fig. 1a: how far the local optima of clients lie apart, where three of them hold the doctors of Adult. */
import { readScenario } from '../../audit/read-scenario.js'
import { optimaApart } from '../../metrics/theory/optima-apart.js'
import { functionsOf } from '../../models/functions.js'
import { poolsOf } from '../../scenario/simulate.js'
import { stageOf } from '../../scenario/simulate-model.js'
import { defineStudy } from '../study.js'

const doctors = 3
const panel = 'Adult'
const [across, among, between] = [
  'doctors (clients 0 to 2) to the others (3 to 9)',
  'among the others',
  'among the doctors',
] as const

export const lmraFigure1a = defineStudy({
  id: 'lmra-figure-1a',
  title: 'Distances of local optima (Adult, whose public files do not give the numbers of records of the paper)',
  paper: 'lmra',
  where: 'Fig. 1a',
  data: ['adult'],
  unit: 'mean of |a - b| / max(|a|, |b|) over pairs of clients',
  seconds: { quick: 5, full: 30 },
  seeds: { quick: 1, full: 3 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed, ports }) {
    const scenario = readScenario({
      name: 'lmra-figure-1a',
      seed,
      heldBack: 0.1,
      data: { name: 'adult', validation: 0, auxiliary: 0 },
      partition: { name: 'adult-phd', params: { clients: 10 } },
      models: [{ kind: 'logistic' }],
    })
    const { choice, population } = await stageOf(scenario, 0, { pools: await poolsOf(scenario, ports) })
    const functions = functionsOf(choice.model, { loss: choice.loss })
    const clients = Array.from({ length: population.count }, (_one, c) => population.records(c))
    const { distances } = optimaApart({ functions, clients, classes: true, penalty: 1e-3 })
    const sums = new Map<string, { sum: number; n: number }>()
    for (let a = 0; a < clients.length; a++) {
      for (let b = 0; b < a; b++) {
        const series = b >= doctors ? among : a < doctors ? between : across
        const { sum, n } = sums.get(series) ?? { sum: 0, n: 0 }
        sums.set(series, { sum: sum + distances.data[a * distances.cols + b]!, n: n + 1 })
      }
    }
    return [across, among, between].map((series) => {
      const { sum, n } = sums.get(series)!
      return { panel, series, value: sum / n }
    })
  },
  published: [],
  departs: [
    'The figure is a picture of a matrix without numbers: its sentence is the claim below.',
    'A penalty of 0.001 |theta|^2 / 2: without one the one-hot columns leave no single optimum to measure from.',
  ],
  claims: [
    {
      text: 'the local models of the first three clients are quite far from the rest: 1.2 times the distance among the rest, or more',
      holds(figures) {
        const [far, near] = [figures(panel, across)?.mean, figures(panel, among)?.mean]
        return far === undefined || near === undefined ? null : far >= 1.2 * near
      },
    },
  ],
})
