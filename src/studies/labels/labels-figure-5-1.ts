/** [labels] Figs. 5.1 and 5.2: how labels are distributed in each metaclass of the two datasets. */
import { readScenario } from '../../audit/read-scenario.js'
import { asWords, columnOf } from '../../data/table.js'
import { meanOf, varianceOf } from '../../numeric/special/summaries.js'
import { poolsOf } from '../../scenario/simulate.js'
import { stageOf } from '../../scenario/simulate-model.js'
import { together } from '../claims.js'
import { defineStudy, type Measure } from '../study.js'

const panels = { 'metaclass-synthetic': 'Fig. 5.1, synthetic', salary: 'Fig. 5.2, Salary (units of 10,000)' } as const
const explained = 'share of the variance of the labels between the metaclasses'

export const labelsFigure51 = defineStudy({
  id: 'labels-figure-5-1',
  title: 'Labels in each metaclass of the two datasets (synthetic data drawn anew; Salary with its copies of rows)',
  paper: 'labels',
  where: 'Figs. 5.1 and 5.2',
  data: ['salary'],
  unit: 'tenth, fiftieth and ninetieth hundredth of the labels of each metaclass',
  axis: 'percentile',
  seconds: { quick: 4, full: 10 },
  seeds: { quick: 1, full: 5 },
  points: () => (Object.keys(panels) as (keyof typeof panels)[]).map((name) => ({ at: { name }, effort: 1 })),
  async measure({ name }: { readonly name: keyof typeof panels }, { seed, ports }) {
    const scenario = readScenario({
      name: 'labels-figure-5-1',
      seed,
      heldBack: 0,
      data: { name, params: name === 'salary' ? { duplicates: 'keep' } : {}, validation: 0, auxiliary: 0 },
      partition: { name: 'iid', params: { clients: 1 } },
      models: [{ kind: 'linear' }],
    })
    const { world } = await stageOf(scenario, 0, { pools: await poolsOf(scenario, ports) })
    const { rows } = world.clients[0]!
    const { labels } = world.encode(rows).records
    const { codes, words } = asWords(columnOf(world.source.table, world.source.metaclass!))
    const of = words.map((_, c) => labels.filter((_y, i) => codes[rows[i]!] === c).sort())
    const panel = panels[name]
    const found = words.flatMap((word, c) =>
      [10, 50, 90].map((x): Measure => ({ panel, series: word, x, value: at(of[c]!, x / 100) })),
    )
    const all = meanOf(labels)
    const between = of.reduce((sum, own) => sum + own.length * squared(meanOf(own) - all), 0) / labels.length
    return [...found, { panel: explained, series: name, value: between / varianceOf(labels, labels.length) }]
  },
  published: [],
  departs: [
    'The figures are pictures of densities without numbers; of Salary the thesis says that salaries range from 2.5 to 25.',
  ],
  claims: [
    {
      text: 'education tells salaries apart: a quarter of their variance or more lies between its four levels',
      holds: together([[explained, 'salary']], ([share]) => share! >= 0.25),
    },
    {
      text: 'the synthetic metaclasses are told apart: half of the variance or more lies between them',
      holds: together([[explained, 'metaclass-synthetic']], ([share]) => share! >= 0.5),
    },
  ],
})

const at = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
const squared = (x: number): number => x * x
