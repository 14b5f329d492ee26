/** [aia] Section 5.4, "impact of the local dataset size": small clients of Income-A beside large ones. */

import { always, type Spot } from '../claims.js'
import { defineStudy, type Measure } from '../study.js'
import { accuracies, type RowName, rowNames } from './aia-run.js'
import { incomeA, incomeADeparts } from './income-a.js'

const panel = 'Income-A'
const thirds = ['smallest clients', 'middle clients', 'largest clients'] as const
const rows: readonly RowName[] = ['majority', 'grad', 'active50']
const at = (third: number, series: string): Spot => [`${panel}, ${thirds[third]}`, series]
const { grad, active50 } = rowNames

export const aiaDatasetSize = defineStudy({
  id: 'aia-dataset-size',
  title: 'Active attribute inference by the size of a client (Income-A by 49 regions of the survey of 2024)',
  paper: 'aia',
  where: 'Section 5.4, local dataset size',
  data: ['acs-income'],
  unit: 'values of the attribute that are right, %, and records a client',
  seconds: { quick: 70, full: 60_000 },
  seeds: { quick: 1, full: 3 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed, quick, ports }) {
    const { run, bySize } = await incomeA({ seed, quick, ports })
    const third = Math.floor(bySize.length / 3)
    const found: Measure[] = []
    for (const [i, name] of thirds.entries()) {
      const from = i === 2 ? bySize.length - third : i * third
      const all = bySize.slice(from, from + third)
      const some = quick ? all.slice(i === 2 ? -2 : 0).slice(0, 2) : all
      const targets = some.map(({ id }) => id)
      const own = `${panel}, ${name}`
      found.push({
        panel: own,
        series: 'records',
        value: some.reduce((sum, one) => sum + one.samples, 0) / some.length,
      })
      found.push(
        ...(await accuracies(
          { ...run, targets },
          {
            panel: own,
            rows,
            clients: targets.length,
            reconstruct: 'last-returned',
            trials: quick ? 6 : 50,
            grid: { fractions: [0.01, 0.05], rates: [1e3, 1e4, 1e5] },
          },
        )),
      )
    }
    return found
  },
  published: [],
  departs: [
    'The figure is a cloud of points without numbers: clients are put into thirds by their size.',
    ...incomeADeparts,
    '--quick: two clients of each third, 6 settings of Adam, a small grid for Grad.',
  ],
  claims: [
    {
      text: 'clients with smaller datasets are more vulnerable to the active attack (smallest beside largest)',
      holds: always([[at(0, active50), at(2, active50)]], (small, large) => small > large),
    },
    {
      text: 'so they are to Grad',
      holds: always([[at(0, grad), at(2, grad)]], (small, large) => small > large),
    },
  ],
})
