/** [labels] Fig. 6.1: the mean label of a batch from the gradient of the last bias, by five estimates of the mean prediction. */
import { epochPart } from '../central-training.js'
import { defineStudy, type Measure } from '../study.js'
import { salaryBatch, salaryEpochs } from './salary-batch.js'

/** The names of the thesis, and the estimates of `label-mean`. */
const ways = {
  basic_0: 'zero',
  basic_zeros: 'zeros',
  basic_ones: 'ones',
  basic_randn: 'normal',
  basic_aux: 'auxiliary',
} as const
const panel = 'raw inputs'
const dummies = ['basic_zeros', 'basic_ones', 'basic_randn'] as const

export const labelsFigure61 = defineStudy({
  id: 'labels-figure-6-1',
  title: 'The mean salary of a batch from one gradient (Salary; titles sorted into roles by patterns of our own)',
  paper: 'labels',
  where: 'Fig. 6.1',
  data: ['salary'],
  unit: 'absolute error of the mean label, in units of 10,000',
  axis: 'epoch',
  seconds: { quick: 10, full: 350 },
  seeds: { quick: 5, full: 100 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed, quick, ports }) {
    const run = await salaryBatch({ scale: 'raw', seed, quick, ports, hidden: [48, 48, 24] })
    const found: Measure[] = []
    for (const x of salaryEpochs({ quick })) {
      for (const [series, estimate] of Object.entries(ways)) {
        const { value } = await run.score('label-mean', { target: '0', params: { estimate }, part: epochPart(x) })
        found.push({ panel, series, x, value })
      }
    }
    return found
  },
  published: dummies.map((series) => ({ panel, series, x: 5, mean: 10 })),
  notes: Object.fromEntries(
    dummies.map((series) => [series, 'the thesis has the order of magnitude, 10^1, in its text']),
  ),
  departs: ['--quick: 5 experiments in place of 100, epochs 0, 1, 5 and 10.'],
  claims: [
    {
      text: 'auxiliary records give a much better estimate than dummies: a tenth of the error or less at epoch 5',
      holds(figures) {
        const [ours, ...others] = ['basic_aux', ...dummies].map((series) => figures(panel, series, 5)?.median)
        if (ours === undefined || others.some((one) => one === undefined)) return null
        return others.every((one) => ours <= one! / 10)
      },
    },
    {
      text: 'every variant is best at the first round, while the model is untrained',
      holds(figures) {
        const pairs = Object.keys(ways).map((series) => [0, 10].map((x) => figures(panel, series, x)?.median))
        if (pairs.some(([first, later]) => first === undefined || later === undefined)) return null
        return pairs.every(([first, later]) => first! < later!)
      },
    },
  ],
})
