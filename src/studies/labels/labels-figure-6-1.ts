/** [labels] Fig. 6.1: the mean label of a batch from the gradient of the last bias, by five estimates of the mean prediction. */
import { epochPart } from '../central-training.js'
import { always } from '../claims.js'
import { defineStudy, type Measure } from '../study.js'
import { type Scale, salaryBatch, salaryEpochs, salaryStudy } from './salary-batch.js'

/** The names of the thesis, and the estimates of `label-mean`. */
const ways = {
  basic_0: 'zero',
  basic_zeros: 'zeros',
  basic_ones: 'ones',
  basic_randn: 'normal',
  basic_aux: 'auxiliary',
} as const
const panelOf = (scale: Scale): string => `${scale} inputs`
const both: readonly Scale[] = ['raw', 'standardised']
const dummies = ['basic_zeros', 'basic_ones', 'basic_randn'] as const

export const labelsFigure61 = defineStudy({
  ...salaryStudy,
  id: 'labels-figure-6-1',
  title: 'The mean salary of a batch from one gradient (Salary; titles sorted into roles by patterns of our own)',
  where: 'Fig. 6.1',
  unit: 'absolute error of the mean label, in units of 10,000',
  async measure({ scale }, { seed, quick, ports }) {
    const run = await salaryBatch({ scale, seed, quick, ports, hidden: [48, 48, 24] })
    const found: Measure[] = []
    for (const x of salaryEpochs({ quick })) {
      for (const [series, estimate] of Object.entries(ways)) {
        const { value } = await run.score('label-mean', { target: '0', params: { estimate }, part: epochPart(x) })
        found.push({ panel: panelOf(scale), series, x, value })
      }
    }
    return found
  },
  published: both.flatMap((scale) => dummies.map((series) => ({ panel: panelOf(scale), series, x: 5, mean: 10 }))),
  notes: Object.fromEntries(
    dummies.map((series) => [series, 'the thesis has the order of magnitude, 10^1, in its text']),
  ),
  departs: [
    'The thesis does not say how age and experience are scaled: raw and standardised here.',
    '--quick: 5 experiments in place of 100, epochs 0, 1, 5 and 10.',
  ],
  claims: both.flatMap((scale) => {
    const [panel, inputs] = [panelOf(scale), `${panelOf(scale)}: `]
    return [
      {
        text: `${inputs}auxiliary records give a much better estimate than dummies: a tenth of the error or less at epoch 5`,
        believed:
          'Raw inputs give the 10^1 of the thesis for all dummies; of standardised ones the errors at epoch 5 are 8 with zeros, 41 with ones and 1 with normal inputs. We believe that the thesis has raw inputs.',
        holds: always(
          dummies.map((series) => [[panel, 'basic_aux', 5] as const, [panel, series, 5] as const]),
          (ours, dummy) => ours <= dummy / 10,
          'median',
        ),
      },
      {
        text: `${inputs}every variant is best at the first round, while the model is untrained`,
        holds: always(
          Object.keys(ways).map((series) => [[panel, series, 0] as const, [panel, series, 10] as const]),
          (first, later) => first < later,
          'median',
        ),
      },
    ]
  }),
})
