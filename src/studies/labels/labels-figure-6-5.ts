/** [labels] Fig. 6.5: how many records of each metaclass a batch of the synthetic data holds. */
import { always, measured } from '../claims.js'
import { defineStudy } from '../study.js'
import { asr, countsErrors, fewer, groupNotes, inMetric, leftOut, mae, mp, shares, tikhonov } from './group-errors.js'
import { salaryEpochs, syntheticBatch } from './salary-batch.js'

const panel = 'synthetic'
const epochs = [0, 1, 2, 5, 10, 20]
const random = 'a random split of K (the thesis)'

export const labelsFigure65 = defineStudy({
  id: 'labels-figure-6-5',
  title: 'How many records of each metaclass a batch holds (synthetic data, drawn anew by the published procedure)',
  paper: 'labels',
  where: 'Fig. 6.5',
  data: [],
  unit: 'MAE in records a metaclass; ASR: the share of the records that are matched',
  axis: 'epoch',
  seconds: { quick: 12, full: 130 },
  seeds: { quick: 5, full: 100 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed, quick, ports }) {
    const run = await syntheticBatch({ seed, quick, ports })
    return countsErrors(run, { panel, epochs: salaryEpochs({ quick }) })
  },
  published: [],
  notes: groupNotes,
  departs: [
    'The figure is a picture without numbers: its sentences are the claims below.',
    `The thesis compares with ${random}; K times the shares of the auxiliary records is what its attacker could have claimed.`,
    'How far records lie from the mean of their metaclass is not in the thesis and decides: 0.3 here.',
    leftOut,
    fewer(5),
  ],
  claims: [
    {
      text: 'the attack is best at the first rounds and collapses as the model is trained (epoch 10 beside epoch 0, MAE)',
      holds: measured(
        [mp, tikhonov].flatMap((way) => [0, 10].map((x) => [inMetric(panel, mae), way, x] as const)),
        ([a, b, c, d]) => b! > a! && d! > c!,
        { least: 4, of: 'median' },
      ),
    },
    {
      text: 'the regularised attack is never worse than Moore-Penrose (median MAE)',
      holds: always(
        epochs.map((x) => [[inMetric(panel, mae), tikhonov, x] as const, [inMetric(panel, mae), mp, x] as const]),
        (t, p) => t <= p + 1e-9,
        'median',
      ),
    },
    {
      text: 'at the first round it knows more than the auxiliary shares tell (median ASR)',
      holds: always(
        [[[inMetric(panel, asr), tikhonov, 0] as const, [inMetric(panel, asr), shares, 0] as const]],
        (t, s) => t > s,
        'median',
      ),
    },
  ],
})
