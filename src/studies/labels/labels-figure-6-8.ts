/** [labels] Fig. 6.8: mean labels of groups from models whose last layer has fewer or more units. */
import { measured, together } from '../claims.js'
import { mp, steep } from './group-errors.js'
import { type PanelOf, salaryRobustness } from './salary-robustness.js'

const widths = [8, 12, 24, 48] as const
const nameOf = (M: number): string => `last layer ${M}`
/** How much larger the error at epoch 10 is with 8 units than with 48. */
const growth = (panelOf: PanelOf, series: string) => [8, 48].map((M) => [panelOf(nameOf(M)), series, 10] as const)

export const labelsFigure68 = salaryRobustness({
  id: 'labels-figure-6-8',
  where: 'Fig. 6.8',
  what: 'by the width of the last layer',
  changes: Object.fromEntries(widths.map((M) => [nameOf(M), { hidden: [48, M] }])),
  departs: ['The widths of the figure are not in the text: 8, 12, 24 and 48 here.'],
  seconds: { quick: 48, full: 800 },
  claims: (panelOf) => [
    {
      text: 'the mean error grows as the last layer is made smaller (8 units beside 48, Moore-Penrose, epoch 10)',
      holds: measured(growth(panelOf, mp), ([narrow, wide]) => narrow! > wide!, { least: 2 }),
    },
    {
      text: 'Moore-Penrose is more sensitive to it than the regularised attack',
      believed:
        'It fails on raw inputs in the quick run, whose means over three experiments hang on one absurd solution (8 units: 4.8 and 4.9 with medians of 2.4 and 2.3).',
      holds: together([...growth(panelOf, mp), ...growth(panelOf, steep)], ([a, b, c, d]) => a! / b! > c! / d!),
    },
  ],
})
