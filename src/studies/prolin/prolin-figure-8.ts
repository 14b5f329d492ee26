/** [prolin] Fig. 8: the same number of guilty clients among more and more others. */
import { type Spot, together } from '../claims.js'
import { recordedRun } from '../recorded-run.js'
import { defineStudy, type Measure } from '../study.js'
import { methodNames, methodNotes, methodParams, methods, type Property, prolinScenario } from './prolin-world.js'

const sizes = [50, 100, 200]
const panels = { ascent: 'gradient ascent', membership: 'membership' } as const
const named = (method: string, property: 'ascent' | 'membership' = 'ascent'): Spot[] =>
  sizes.map((x) => [panels[property], method, x] as const)

interface At {
  readonly property: keyof typeof panels & Property
  readonly clients: number
}

export const prolinFigure8 = defineStudy({
  id: 'prolin-figure-8',
  title: 'Five guilty clients among more and more (CIFAR-10, a fifth of its training files)',
  paper: 'prolin',
  where: 'Fig. 8',
  data: ['cifar10'],
  unit: 'F1 of the clients called guilty after the last round, by the published threshold',
  axis: 'clients',
  seconds: { quick: 150, full: 12_000 },
  seeds: { quick: 1, full: 3 },
  points: ({ quick }) =>
    (quick ? (['ascent'] as const) : (['ascent', 'membership'] as const)).flatMap((property) =>
      // CIFAR-10's one file has 5,000 records for clients: 200 of 25 use all of them.
      sizes.map((clients) => ({ at: { property, clients } as At, effort: property === 'membership' ? 10 : 1 })),
    ),
  async measure({ property, clients }: At, { seed, quick, ports }) {
    const rounds = quick ? 100 : 300
    const run = await recordedRun(
      prolinScenario({ dataset: 'cifar10', property, size: 25, rounds, seed, clients }),
      ports,
    )
    const pairs = property === 'membership' ? 300 : quick ? 16 : 30
    const found: Measure[] = []
    for (const series of methodNames) {
      const { value } = await run.score(methods[series], {
        target: null,
        params: methodParams(series, { pairs, rounds }),
      })
      found.push({ panel: panels[property], series, x: clients, value })
    }
    return found
  },
  published: [
    { series: 'BASELINE', figures: [1, 0.69, 0.21] },
    { series: 'OLS', figures: [0.83, 0.62, 0.24] },
  ].flatMap(({ series, figures }) => figures.map((mean, i) => ({ panel: panels.ascent, series, x: sizes[i]!, mean }))),
  notes: methodNotes,
  departs: [
    'The published figures are those of its text (maxima over the rounds); ours are of the last round.',
    'Detectors of 30 pairs, 300 of membership (the paper: 5,000). --quick: one seed, gradient ascent alone, 100 rounds in place of 300, 16 pairs.',
  ],
  claims: [
    {
      text: 'BASELINE and OLS lose with the number of clients: both are below 0.5 at 200 (ascent)',
      holds: together([named('BASELINE')[2]!, named('OLS')[2]!], (values) => values.every((value) => value < 0.5)),
    },
    {
      text: 'PROLIN loses less than BASELINE does, from 50 to 200 clients (ascent)',
      holds: together(
        [named('PROLIN')[0]!, named('PROLIN')[2]!, named('BASELINE')[0]!, named('BASELINE')[2]!],
        ([p50, p200, b50, b200]) => p50! - p200! < b50! - b200!,
      ),
    },
    {
      text: 'PROLIN stays better than REG at 200 clients (ascent)',
      holds: together([named('PROLIN')[2]!, named('REG')[2]!], ([p, r]) => p! > r!),
    },
  ],
})
