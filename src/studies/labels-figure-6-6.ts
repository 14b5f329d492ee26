/** [labels] Fig. 6.6: how many records of each metaclass a batch holds. */
import { epochPart } from './central-training.js'
import { type Scale, salaryBatch, salaryEpochs, salaryStudy, scales } from './salary-batch.js'
import { defineStudy, type Measure } from './study.js'

const ways = {
  'Moore-Penrose (MP)': { solver: 'pinv' },
  'Tikhonov (T), slope -n/m': { solver: 'tikhonov', rule: 'slope-nm' },
  'best linear prediction (beyond the thesis)': { solver: 'blup' },
} as const
const shares = 'K times the auxiliary shares'
const [mp, tikhonov, blup] = Object.keys(ways) as [string, string, string]
const [mae, asr] = ['MAE', 'ASR'] as const
const panelOf = (scale: Scale, metric: string): string => `${scale}, ${metric}`

export const labelsFigure66 = defineStudy({
  ...salaryStudy,
  id: 'labels-figure-6-6',
  title: 'How many records of each group a batch holds (Salary; titles sorted into roles by patterns of our own)',
  where: 'Fig. 6.6',
  unit: 'MAE in records a group; ASR: the share of the records that are matched',
  async measure({ scale }, { seed, quick, ports }) {
    const run = await salaryBatch({ scale, seed, quick, ports })
    const found: Measure[] = []
    for (const x of salaryEpochs({ quick })) {
      for (const [series, params] of Object.entries(ways)) {
        const score = await run.scoreIfAny('metaclass-counts', { target: '0', params, part: epochPart(x) })
        if (score === undefined) continue
        const { value, also, chance } = score
        found.push({ panel: panelOf(scale, mae), series, x, value })
        found.push({ panel: panelOf(scale, asr), series, x, value: also.ASR! })
        if (series !== mp) continue
        found.push({ panel: panelOf(scale, mae), series: shares, x, value: chance! })
        found.push({ panel: panelOf(scale, asr), series: shares, x, value: also.chanceASR! })
      }
    }
    return found
  },
  published: [{ panel: panelOf('standardised', mae), series: tikhonov, x: 0, mean: 2.5 }],
  notes: {
    [tikhonov]: 'the thesis prints the median 2.5 of the first round',
    [shares]: 'what the same attacker may say without any message',
    [blup]: 'ours',
  },
  departs: [
    'The thesis compares with a random vector; the shares of the auxiliary records are what its attacker could have claimed.',
    'Where a gradient looks otherwise than the protocol says, the attack claims nothing, whatever its solver: such runs are left out.',
    '--quick: 5 experiments in place of 100, epochs 0, 1, 5 and 10.',
  ],
  claims: [
    {
      text: 'the median MAE of the regularised attack at the first round is 2.5 (within 0.6, standardised inputs)',
      holds(figures) {
        const ours = figures(panelOf('standardised', mae), tikhonov, 0)
        return ours === undefined ? null : Math.abs(ours.median - 2.5) <= 0.6
      },
    },
    {
      text: 'the attack is best at the first rounds and collapses as the model is trained (both inputs)',
      holds(figures) {
        const each = (Object.keys(scales) as Scale[]).map((scale) =>
          [0, 10].map((x) => figures(panelOf(scale, mae), tikhonov, x)?.median),
        )
        if (each.some(([first, later]) => first === undefined || later === undefined)) return null
        return each.every(([first, later]) => later! > first!)
      },
    },
    {
      text: 'at the first round it knows more than the auxiliary shares tell (standardised inputs)',
      holds(figures) {
        const panel = panelOf('standardised', mae)
        const [ours, guess] = [figures(panel, tikhonov, 0)?.median, figures(panel, shares, 0)?.median]
        return ours === undefined || guess === undefined ? null : ours < guess
      },
    },
  ],
})
