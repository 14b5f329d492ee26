/** [labels] Fig. 6.7: mean labels of groups from batches of several sizes. */
import { measured, type Spot } from '../claims.js'
import { naive, steep } from './group-errors.js'
import { type PanelOf, salaryRobustness } from './salary-robustness.js'

const sizes = [10, 20, 40, 80, 160] as const
const nameOf = (K: number): string => `K = ${K}`
const ends = (panelOf: PanelOf, series: string): Spot[] =>
  [10, 160].map((K) => [panelOf(nameOf(K)), series, 10] as const)

export const labelsFigure67 = salaryRobustness({
  id: 'labels-figure-6-7',
  where: 'Fig. 6.7',
  what: 'by the size of the batch',
  changes: Object.fromEntries(sizes.map((K) => [nameOf(K), { K }])),
  departs: ['K = 40 stands beside the four sizes of the figure.'],
  seconds: { quick: 60, full: 1000 },
  claims: (panelOf) => [
    {
      text: 'the sizes give similar results: the largest error at the last epoch is at most twice the smallest',
      believed:
        'With few records a group the means of the batch themselves lie far from those of the file: the naive attack changes with K as much as the others do. We believe that both come from that.',
      holds: measured(
        sizes.map((K) => [panelOf(nameOf(K)), steep, 10] as const),
        (errors) => Math.max(...errors) <= 2 * Math.min(...errors),
        { least: sizes.length, of: 'median' },
      ),
    },
    {
      text: 'the regularised attack gets slightly better with K at the last epoch (160 beside 10)',
      holds: measured(ends(panelOf, steep), ([few, many]) => many! < few!, { least: 2, of: 'median' }),
    },
    {
      text: 'so does the naive attack',
      holds: measured(ends(panelOf, naive), ([few, many]) => many! < few!, { least: 2, of: 'median' }),
    },
  ],
})
