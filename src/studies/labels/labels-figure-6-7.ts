/** [labels] Fig. 6.7: mean labels of groups from batches of several sizes. */
import { measured, type Spot } from '../claims.js'
import { naive, steep } from './group-errors.js'
import { salaryRobustness } from './salary-robustness.js'

const sizes = [10, 20, 40, 80, 160] as const
const panelOf = (K: number): string => `K = ${K}`
const ends = (series: string): Spot[] => [10, 160].map((K) => [panelOf(K), series, 10] as const)

export const labelsFigure67 = salaryRobustness({
  id: 'labels-figure-6-7',
  where: 'Fig. 6.7',
  what: 'by the size of the batch',
  changes: Object.fromEntries(sizes.map((K) => [panelOf(K), { K }])),
  departs: ['K = 40 stands beside the four sizes of the figure.'],
  claims: [
    {
      text: 'the sizes give similar results: the largest error at the last epoch is at most twice the smallest',
      holds: measured(
        sizes.map((K) => [panelOf(K), steep, 10] as const),
        (errors) => Math.max(...errors) <= 2 * Math.min(...errors),
        { least: sizes.length, of: 'median' },
      ),
    },
    {
      text: 'the regularised attack gets slightly better with K at the last epoch (160 beside 10)',
      holds: measured(ends(steep), ([few, many]) => many! < few!, { least: 2, of: 'median' }),
    },
    {
      text: 'so does the naive attack',
      holds: measured(ends(naive), ([few, many]) => many! < few!, { least: 2, of: 'median' }),
    },
  ],
})
