/** [aia] Figs. 4 and 5: active attacks that begin at other rounds, or last longer. */

import { always, measured, rising, together } from '../claims.js'
import { defineStudy, type Measure } from '../study.js'
import { accuracies, rowNames } from './aia-run.js'
import { incomeAttacks, incomeDeparts, incomeRun } from './income-run.js'

const [starts, lasting] = ['Fig. 4, the round in which 50 active rounds begin', 'Fig. 5, active rounds after round 100']
const beginnings = { quick: [10, 50, 100], full: [10, 20, 40, 60, 80, 100] } as const
const numbers = { quick: [10, 25, 50], full: [10, 20, 30, 40, 50] } as const
const active = rowNames.active50
/** Where both curves meet: 50 rounds after the last of the training. */
const [lastStart, longest] = [100, 50]
const every = (list: { readonly quick: readonly number[]; readonly full: readonly number[] }): number[] =>
  [...new Set([...list.quick, ...list.full])].sort((a, b) => a - b)

export const aiaFigure4 = defineStudy({
  id: 'aia-figure-4',
  title:
    'Active attribute inference by its first round and its length (Income-L by the survey of 2024 in place of 2018)',
  paper: 'aia',
  where: 'Figs. 4 and 5',
  data: ['acs-income'],
  unit: 'values of the attribute that are right, %',
  axis: 'round',
  seconds: { quick: 50, full: 120_000 },
  seeds: { quick: 1, full: 3 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed, quick, ports }) {
    const extent = quick ? 'quick' : 'full'
    const run = await incomeRun({ seed, quick, ports })
    const asked = incomeAttacks({ quick })
    const found: Measure[] = []
    for (const x of beginnings[extent]) {
      found.push(...(await accuracies(run, { ...asked, panel: starts, x, rows: ['active50'], activeFrom: x })))
    }
    for (const x of numbers[extent]) {
      const activeRounds = { active50: x }
      if (x === longest) continue
      found.push(...(await accuracies(run, { ...asked, panel: lasting, x, rows: ['active50'], activeRounds })))
    }
    const both = found.filter((one) => one.panel === starts && one.x === lastStart)
    found.push(...both.map((one) => ({ ...one, panel: lasting, x: longest })))
    const beside = await accuracies(run, { ...asked, panel: lasting, rows: ['grad', 'passive'] })
    return [
      ...found.map((one) => (one.panel === lasting ? { ...one, series: 'active (oracle)' } : one)),
      ...beside.flatMap((one) => numbers[extent].map((x) => ({ ...one, x }))),
      ...beside.flatMap((one) => beginnings[extent].map((x) => ({ ...one, panel: starts, x }))),
    ]
  },
  published: [
    { panel: lasting, series: 'active (oracle)', x: 10, mean: 82.02, std: 0.85 },
    { panel: lasting, series: 'active (oracle)', x: 50, mean: 94.31, std: 0.11 },
  ],
  departs: [
    'The figures are drawn without numbers; those of Table 1 stand in brackets.',
    'Grad and the passive attack hear all 100 rounds, wherever the active attack begins: one figure each, repeated along the curve.',
    'A client that is sent models from an earlier round on is the one that it would have been there: its data and its draws are the same.',
    ...incomeDeparts,
  ],
  claims: [
    {
      text: 'Fig. 4: the active attack gets slightly better when it is launched later (round 100 no worse than round 10)',
      believed:
        "Two small clients of whom nearly all are right at every start: the figures are four people apart. Not run at the paper's size.",
      holds: together(
        [
          [starts, active, 10],
          [starts, active, 100],
        ],
        ([early, late]) => late! >= early!,
      ),
    },
    {
      text: 'Fig. 4: it stays 12 points or more above Grad',
      holds: always(
        every(beginnings).map((x) => [[starts, active, x] as const, [starts, rowNames.grad, x] as const]),
        (a, g) => a >= g + 12,
      ),
    },
    {
      text: 'Fig. 5: it gets more powerful with the number of active rounds',
      holds: measured(
        every(numbers).map((x) => [lasting, 'active (oracle)', x] as const),
        (values) => rising(values, 0.5),
        { least: 3 },
      ),
    },
  ],
})
