/** [aia] Table 1: attribute inference on neural networks, passive and active. */

import { recordedRun } from '../recorded-run.js'
import { defineStudy, type Extent, type Figures, type Measure } from '../study.js'
import { accuracies, printedRows, type RowName, rowNames } from './aia-run.js'
import { incomeA, incomeADeparts } from './income-a.js'

const [medical, income, regions] = ['Medical', 'Income-L', 'Income-A']
const { grad, gradOracle, passive, active10, active50, oracle, beyond } = rowNames
const paperRows: readonly RowName[] = ['grad', 'gradOracle', 'passive', 'active10', 'active50', 'oracle']
const wholeGrid = { fractions: [0.01, 0.05, 0.1, 0.2, 0.5, 1], rates: [1e2, 1e3, 1e4, 1e5, 1e6] }
const smallGrid = { fractions: [0.01, 0.05], rates: [1e3, 1e4, 1e5] }

/** The least of some series less the most of others, over the datasets that have all of them; null where none has. */
function leastGain(figures: Figures, [ours, theirs]: readonly [string, string]): number | null {
  const gains = [medical, income, regions].flatMap((panel) => {
    const [a, b] = [figures(panel, ours)?.mean, figures(panel, theirs)?.mean]
    return a === undefined || b === undefined ? [] : [a - b]
  })
  return gains.length === 0 ? null : Math.min(...gains)
}

const above = (figures: Figures, pair: readonly [string, string], points: number): boolean | null => {
  const gain = leastGain(figures, pair)
  return gain === null ? null : gain >= points
}

/** On Income a try over all messages takes minutes: Grad has the small grid there, and the dear rows are of fewer clients. */
const searchOf = ({ quick }: Extent, dataset: 'medical' | 'income' | 'regions') => ({
  trials: quick ? 10 : 50,
  grid: quick || dataset !== 'medical' ? smallGrid : wholeGrid,
})
const dearRows: readonly RowName[] = ['grad', 'gradOracle', 'active10', 'active50']
const cheapRows: readonly RowName[] = ['majority', 'passive', 'oracle']

const setting = {
  medical: {
    data: { name: 'medical', validation: 0.1, auxiliary: 0 },
    partition: { name: 'iid', params: { clients: 2 } },
    learningRate: 2e-6,
    sensitive: ['smoker'],
  },
  income: {
    data: { name: 'acs-income', params: { part: 'louisiana' }, validation: 0.1, auxiliary: 0 },
    partition: { name: 'heterogeneous', params: { clients: 10, heterogeneity: 0.4 } },
    learningRate: 5e-7,
    sensitive: ['SEX'],
  },
} as const

async function ofRegions(extent: Parameters<typeof incomeA>[0]): Promise<Measure[]> {
  const { run, bySize } = await incomeA(extent)
  const middle = Math.floor(bySize.length / 2)
  const around = (width: number) => bySize.slice(middle - width, middle + width + 1).map(({ id }) => id)
  const common = { reconstruct: 'last-returned', ...searchOf(extent, 'regions'), panel: regions } as const
  if (extent.quick) return accuracies(run, { ...common, clients: around(1), rows: ['majority', ...paperRows] })
  const everybody = { ...common, clients: bySize.map(({ id }) => id), rows: cheapRows }
  return [
    ...(await accuracies(run, everybody)),
    ...(await accuracies(run, { ...common, clients: around(2), rows: dearRows })),
  ]
}

export const aiaTable1 = defineStudy({
  id: 'aia-table-1',
  title: 'Attribute inference on neural networks (Medical; Income-L and Income-A by the survey of 2024)',
  paper: 'aia',
  where: 'Table 1',
  data: ['medical', 'acs-income'],
  unit: 'values of the attribute that are right, %',
  seconds: { quick: 140, full: 6_800 },
  seeds: { quick: 1, full: 3 },
  points: ({ quick }) => [
    { at: { dataset: 'medical' }, effort: quick ? 30 : 270 },
    { at: { dataset: 'income' }, effort: quick ? 55 : 800 },
    { at: { dataset: 'regions' }, effort: quick ? 66 : 1200 },
  ],
  async measure({ dataset }: { readonly dataset: keyof typeof setting | 'regions' }, { seed, quick, ports }) {
    if (dataset === 'regions') return ofRegions({ seed, quick, ports })
    const { data, partition, learningRate, sensitive } = setting[dataset]
    const run = await recordedRun(
      {
        name: `aia-table-1-${dataset}`,
        seed,
        heldBack: 0,
        data,
        partition,
        models: [{ kind: 'mlp', hidden: [128] }],
        training: { rounds: 100, localEpochs: 1, batchSize: 32, learningRate },
        knowledge: { targets: quick && dataset === 'income' ? ['0'] : 'all', sensitive },
      },
      ports,
    )
    // aia-linear has no answer within minutes on the 500 inputs of Income-L.
    const rows: RowName[] = ['majority', ...paperRows, ...(dataset === 'medical' ? (['beyond'] as const) : [])]
    const dear: readonly RowName[] = quick && dataset === 'income' ? ['gradOracle', 'active50'] : []
    const common = { reconstruct: 'last-returned', ...searchOf({ quick }, dataset) } as const
    if (quick || dataset === 'medical') {
      const panel = dataset === 'medical' ? medical : income
      const own = { panel, rows: rows.filter((row) => !dear.includes(row)), clients: run.targets.length }
      return accuracies(run, { ...common, ...own })
    }
    return [
      ...(await accuracies(run, { ...common, panel: income, clients: run.targets, rows: cheapRows })),
      ...(await accuracies(run, { ...common, panel: income, clients: ['0', '9'], rows: dearRows })),
    ]
  },
  published: [
    ...printedRows(income, {
      grad: [60.36, 0.67],
      gradOracle: [71.44, 0.33],
      passive: [75.27, 0.32],
      active10: [82.02, 0.85],
      active50: [94.31, 0.11],
      oracle: [94.31, 0.11],
    }),
    ...printedRows(regions, {
      grad: [54.98, 0.29],
      gradOracle: [56.1, 1.12],
      passive: [55.75, 0.17],
      active10: [63.53, 0.73],
      active50: [78.09, 0.25],
      oracle: [78.31, 0.07],
    }),
    ...printedRows(medical, {
      grad: [87.26, 0.92],
      gradOracle: [91.06, 0.55],
      passive: [95.9, 0.04],
      active10: [95.93, 0.07],
      active50: [96.79, 0.79],
      oracle: [96.79, 0.79],
    }),
  ],
  notes: {
    [grad]: 'depends on how it is implemented by 4 to 7 points (docs/attribute-inference-tables.md)',
    [active10]: "tuned on the client's loss, which no attacker sees, as in the paper",
    [active50]: "tuned on the client's loss, which no attacker sees, as in the paper",
    [oracle]: 'Adam for 200 epochs as in the paper: no upper bound, it rises when it is run on',
    [beyond]: 'ours',
  },
  departs: [
    ...incomeADeparts,
    "The paper's survey year is not among the data: Income-L is Louisiana in 2024.",
    'On Income the cheap rows are of all clients; Grad, Grad-w-O and the active ones are of clients 0 and 9 of Income-L and of the five regions in the middle by size, and Grad tries 1 and 5 % of the rounds and rates from 1e3 to 1e5.',
    '--quick: one seed, 10 settings of Adam in place of 50, a small grid for Grad; of Income-L one client of ten, without Grad-w-O and 50 active rounds. Of Income-A 6,000 people and the three regions in the middle by size (about 60 people each, whom Grad and Model-w-O tell better than people of large regions).',
  ],
  claims: [
    {
      text: 'the passive attack beats Grad on every dataset run',
      believed:
        'On Medical it is 7 points above and on Income-L 13. On Income-A, where the paper has 0.8 between them, ours are level, and of other clients: all regions beside five.',
      holds: (figures) => above(figures, [passive, grad], 0),
    },
    {
      text: 'the passive attack beats Grad-w-O on every dataset run',
      believed:
        'On Medical and Income-L it does. On Income-A the five regions on which Grad-w-O was told the truth stand beside all 49; the paper has 0.4 between the two there.',
      holds: (figures) => above(figures, [passive, gradOracle], 0),
    },
    {
      text: 'ten active rounds are no worse than the passive attack (within half a point)',
      holds: (figures) => above(figures, [active10, passive], -0.5),
    },
    {
      text: '50 active rounds reach Model-w-O within a point',
      believed:
        "Medical with ten seeds had 96.7 beside 97.0 (docs/attribute-inference-tables.md), so that the point missing there is one seed's; on Income-L they are above it (two clients beside ten). On Income-A 90.0 and 92.8, of five regions and of all, both lie far above the paper's 78.",
      holds: (figures) => above(figures, [active50, oracle], -1),
    },
    {
      text: 'Model-w-O is an upper bound of what messages tell (Medical, beside aia-linear)',
      believed:
        "Tried: L-BFGS in place of the 200 epochs of Adam, which goes on from a loss of 11.6e6 to 0.4e6 and from 97.0 to 99.7 % (docs/attribute-inference-tables.md); and aia-linear, which reads every message. We believe that the paper's oracle is no bound.",
      holds(figures) {
        const [bound, ours] = [figures(medical, oracle)?.mean, figures(medical, beyond)?.mean]
        return bound === undefined || ours === undefined ? null : ours <= bound
      },
    },
  ],
})
