/** [lmra] Table 1: the model that a client would train alone, decoded from its messages, on LEAF's synthetic data. */
import { recordedRun } from '../recorded-run.js'
import { defineStudy, type Measure, type Published } from '../study.js'

const [last, decoded] = ['last returned', 'decoded (lmra-mapping)']
const direct = 'linear, direct (lmra-ols)'
const optimum = 'local optimum (oracle)'
const all = 'mean of the clients'

const panelOf = (steps: number): string => `${steps} local step${steps === 1 ? '' : 's'}`
const clientOf = (c: number): string => `client ${c}`

/** Of Table 1: clients 0 to 4, and their mean. */
const printed: readonly [steps: number, series: string, figures: readonly number[]][] = [
  [1, last, [53.9, 49.7, 85.1, 28.3, 75.8, 58.6]],
  [1, decoded, [67.0, 74.3, 80.6, 77.9, 91.0, 78.1]],
  [5, last, [60.1, 54.6, 87.6, 33.6, 79.2, 63.0]],
  [5, decoded, [65.6, 72.9, 76.9, 72.5, 86.2, 74.8]],
  [10, last, [69.4, 60.4, 90.6, 42.3, 83.9, 69.3]],
  [10, decoded, [67.5, 79.5, 78.1, 75.8, 88.9, 78.0]],
]

export const lmraTable1 = defineStudy({
  id: 'lmra-table-1',
  title: 'Accuracy of reconstructed local models (LEAF synthetic data, drawn anew by its published procedure)',
  paper: 'lmra',
  where: 'Table 1',
  data: [],
  unit: "accuracy on the client's training records, %",
  seconds: { quick: 35, full: 110 },
  seeds: { quick: 3, full: 10 },
  points: () => [1, 5, 10].map((steps) => ({ at: { steps }, effort: 1 })),
  async measure({ steps }, { seed, ports }) {
    const run = await recordedRun(
      {
        name: 'lmra-table-1',
        seed,
        heldBack: 0.2,
        data: { name: 'leaf-synthetic', validation: 0, auxiliary: 0 },
        partition: { name: 'by-column', params: { column: 'client' } },
        models: [{ kind: 'logistic' }],
        training: { rounds: 100, localEpochs: null, localSteps: steps, batchSize: 256, learningRate: 0.01 },
        knowledge: { targets: 'all' },
      },
      ports,
    )
    const found: Measure[] = []
    const ways = [
      [last, 'last-returned'],
      [decoded, 'lmra-mapping'],
      [direct, 'lmra-ols'],
      [optimum, 'model-oracle'],
    ] as const
    for (const [series, id] of ways) {
      const accuracies: number[] = []
      for (const [c, target] of run.targets.entries()) {
        const { accuracy } = await run.score(id, { target })
        accuracies.push(100 * accuracy!)
        if (series === last || series === decoded) {
          found.push({ panel: panelOf(steps), series: `${series}, ${clientOf(c)}`, value: 100 * accuracy! })
        }
      }
      const mean = accuracies.reduce((a, b) => a + b, 0) / accuracies.length
      found.push({ panel: panelOf(steps), series: `${series}, ${all}`, value: mean })
    }
    return found
  },
  published: printed.flatMap(([steps, series, figures]) =>
    figures.map((mean, c): Published => {
      return { panel: panelOf(steps), series: `${series}, ${c < 5 ? clientOf(c) : all}`, mean }
    }),
  ),
  notes: {
    [`${direct}, ${all}`]: 'ours: the same messages by least squares, at a small part of the cost',
    [`${optimum}, ${all}`]: 'what a perfect reconstruction would have',
  },
  departs: [
    'The data of the paper are a draw that is not published: clients 0 to 4 of ours hold other data, and only the means compare.',
    'Draws of the data differ by more than the models do (deviations over seeds); three seeds (--quick) decide little.',
    'The number of rounds is not in the paper; 100 here.',
    'Outputs of the mapping are centred and scaled one by one: without that it decodes nothing (docs/model-reconstruction.md).',
  ],
  claims: [
    {
      text: 'with one local step, the decoded model is 10 points or more above the last returned one',
      believed:
        'It fails with the three seeds of --quick and holds with ten: draws of the data differ by more than the models do.',
      holds(figures) {
        const [ours, base] = [decoded, last].map((series) => figures(panelOf(1), `${series}, ${all}`)?.mean)
        return ours === undefined || base === undefined ? null : ours - base >= 10
      },
    },
    {
      text: 'on average over clients and local steps, the decoded model is 10 points or more above the last returned one',
      believed:
        "The gain is that of one local step: with five and ten the last returned model is as good by then (87.8 and 89.2 here, 63.0 and 69.3 there). Tried: inputs scaled in three ways, two minimisers, and the authors' own covariance, under which one step gains 1.1 (docs/model-reconstruction.md). We believe that the paper's draw is one on which FedAvg does badly.",
      holds(figures) {
        const gains = [1, 5, 10].map((steps) => {
          const [ours, base] = [decoded, last].map((series) => figures(panelOf(steps), `${series}, ${all}`)?.mean)
          return ours === undefined || base === undefined ? undefined : ours - base
        })
        if (gains.some((gain) => gain === undefined)) return null
        return gains.reduce<number>((sum, gain) => sum + gain!, 0) / gains.length >= 10
      },
    },
    {
      text: 'the accuracy of the last returned model grows with the number of local steps',
      believed: 'It fails with the three seeds of --quick and holds with ten.',
      holds(figures) {
        const [one, five, ten] = [1, 5, 10].map((steps) => figures(panelOf(steps), `${last}, ${all}`)?.mean)
        return one === undefined || five === undefined || ten === undefined ? null : one < five && five < ten
      },
    },
    {
      text: 'the decoded model is almost insensitive to the number of local steps (within 5 points)',
      holds(figures) {
        const means = [1, 5, 10].map((steps) => figures(panelOf(steps), `${decoded}, ${all}`)?.mean)
        if (means.some((mean) => mean === undefined)) return null
        return Math.max(...(means as number[])) - Math.min(...(means as number[])) <= 5
      },
    },
  ],
})
