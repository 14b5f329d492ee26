/** [labels] Fig. 6.8: mean labels of groups from models whose last layer has fewer or more units. */
import { measured, together } from '../claims.js'
import { mp, steep } from './group-errors.js'
import { salaryRobustness } from './salary-robustness.js'

const widths = [8, 12, 24, 48] as const
const panelOf = (M: number): string => `last layer ${M}`
/** How much larger the error at epoch 10 is with 8 units than with 48. */
const growth = (series: string) => [8, 48].map((M) => [panelOf(M), series, 10] as const)

export const labelsFigure68 = salaryRobustness({
  id: 'labels-figure-6-8',
  where: 'Fig. 6.8',
  what: 'by the width of the last layer',
  changes: Object.fromEntries(widths.map((M) => [panelOf(M), { hidden: [48, M] }])),
  departs: ['The widths of the figure are not in the text: 8, 12, 24 and 48 here.'],
  claims: [
    {
      text: 'the mean error grows as the last layer is made smaller (8 units beside 48, Moore-Penrose, epoch 10)',
      holds: measured(growth(mp), ([narrow, wide]) => narrow! > wide!, { least: 2 }),
    },
    {
      text: 'Moore-Penrose is more sensitive to it than the regularised attack',
      holds: together([...growth(mp), ...growth(steep)], ([a, b, c, d]) => a! / b! > c! / d!),
    },
  ],
})
