/** [aia] Fig. 2: the toy of B.2, its optimal local model reconstructed from 12 messages (left), and the attribute (right). */
import { measured, rising, together } from '../claims.js'
import { recordedRun } from '../recorded-run.js'
import { defineStudy, type Measure } from '../study.js'

const [left, right] = [
  'left: relative distance from the optimal local model',
  'right: values of the attribute that are right, %',
]
const published = 'as described: 2 clients, 12 messages'
const spread = '12 clients, six a round, all messages heard'
const batches = [64, 256, 1024]

interface At {
  readonly batchSize: number
  readonly many: boolean
}

export const aiaFigure2 = defineStudy({
  id: 'aia-figure-2',
  title: 'A linear model reconstructed from its messages, and the attribute (the toy, drawn anew)',
  paper: 'aia',
  where: 'Fig. 2',
  data: [],
  unit: 'see the tables',
  axis: 'batch size',
  seconds: { quick: 20, full: 25 },
  seeds: { quick: 3, full: 5 },
  points: () =>
    batches.flatMap((batchSize) =>
      [false, true].map((many) => ({ at: { batchSize, many } as At, effort: many ? 3 : 1 })),
    ),
  async measure({ batchSize, many }: At, { seed, ports }) {
    const run = await recordedRun(
      {
        name: 'aia-figure-2',
        seed,
        heldBack: 0,
        data: {
          name: 'toy-least-squares',
          params: { clients: many ? 12 : 2, heterogeneity: 1 },
          validation: 0,
          auxiliary: 0,
        },
        partition: { name: 'by-column' },
        models: [{ kind: 'linear' }],
        training: {
          rounds: 300,
          localEpochs: 1,
          batchSize,
          learningRate: 0.05,
          precision: 'f64',
          ...(many && { sampling: { name: 'fraction', params: { fraction: 0.5 } } }),
        },
        knowledge: { targets: ['0'], sensitive: ['coin'] },
      },
      ports,
    )
    const heard = many ? {} : { heard: Array.from({ length: 12 }, (_, i) => 20 * i) }
    const found: Measure[] = []
    const params = { form: 'inverse' }
    const model = await run.scoreIfAny('lmra-ols', { target: '0', params, ...heard })
    const attribute = await run.scoreIfAny('aia-model', {
      target: '0',
      params: { from: 'lmra-ols' },
      fromParams: params,
      ...heard,
    })
    const oracle = await run.score('aia-model', { target: '0', params: { from: 'model-oracle' } })
    const series = many ? spread : published
    const put = (panel: string, name: string, value: number | undefined): void => {
      if (value !== undefined) found.push({ panel, series: name, x: batchSize, value })
    }
    put(left, series, model?.also.relativeError)
    put(right, series, attribute?.accuracy === undefined ? undefined : 100 * attribute.accuracy)
    put(right, `${series}: optimal local model (oracle)`, 100 * oracle.accuracy!)
    return found
  },
  published: [],
  departs: [
    'The figure is drawn without numbers: its sentences are the claims below.',
    'The rate of the training is not in the paper (0.05 here); each client has a law of its own.',
    'As described, two clients of full batches keep the models in a small space: 12 messages do not tell the map (docs/model-reconstruction.md). Twelve clients of which six take part do.',
    '--quick: 3 seeds in place of 5.',
  ],
  claims: [
    {
      text: 'left: the reconstructed model is closer to the optimum the larger the batch, as described',
      holds: measured(
        [...batches].reverse().map((x) => [left, published, x] as const),
        (distances) => rising(distances),
        { least: 3, of: 'median' },
      ),
    },
    {
      text: 'left: with full batches it is close to exact, as described (a hundredth or less)',
      believed:
        'Tried: 12 of the messages, all 300, and models perturbed by 0.1. Two clients with full batches keep the models in a Krylov space (condition numbers of 1e16, docs/model-reconstruction.md); perturbed, or with clients that take turns, the optimum is exact. We believe that the toy was run in another way than it is described.',
      holds: together([[left, published, 1024]], ([distance]) => distance! <= 0.01, 'median'),
    },
    {
      text: 'left: both hold where many clients take turns',
      believed:
        'Full batches are exact there (1e-13). Batches of 64 come out nearer than those of 256 in the inverse form of the paper, which has the noise of batches on both sides and is not consistent; of that order we have no explanation.',
      holds: measured(
        [...batches].reverse().map((x) => [left, spread, x] as const),
        (distances) => rising(distances) && distances[0]! <= 0.01,
        { least: 3, of: 'median' },
      ),
    },
    {
      text: 'right: the accuracy of the attribute grows with the batch, as described (within half a point)',
      holds: measured(
        batches.map((x) => [right, published, x] as const),
        (accuracy) => rising(accuracy, 0.5),
        { least: 3, of: 'median' },
      ),
    },
  ],
})
