/** [prolin] Figs. 6 and 7: the weights of the detectors of an ascent, and how members and inversions overlap, on CIFAR-10. */
import { meanOver, measured, together } from '../claims.js'
import { defineStudy, type Measure } from '../study.js'
import { detectorShapes } from './detector-shapes.js'
import type { Property } from './prolin-world.js'

const [weights, overlap] = ['Fig. 6, norm of the weights', 'Fig. 7, overlap (OVL)']
const rounds = [0, 10, 25, 50, 75, 100, 150, 200, 299]
/** What each figure is about, and the records of a client. */
const parts: Readonly<
  Record<Property, { readonly size: number; readonly pairs: readonly [quick: number, full: number] }>
> = {
  ascent: { size: 50, pairs: [16, 30] },
  membership: { size: 25, pairs: [60, 1000] },
  inversion: { size: 25, pairs: [16, 30] },
}

export const prolinFigure6 = defineStudy({
  id: 'prolin-figure-6',
  title: 'Weights and overlaps of the detectors (CIFAR-10, a fifth of its training files)',
  paper: 'prolin',
  where: 'Figs. 6 and 7',
  data: ['cifar10'],
  unit: 'see the tables',
  axis: 'round',
  seconds: { quick: 55, full: 4000 },
  seeds: { quick: 1, full: 3 },
  points: () =>
    (Object.keys(parts) as Property[]).map((property) => ({
      at: { property },
      effort: property === 'membership' ? 4 : 1,
    })),
  async measure({ property }: { readonly property: Property }, { seed, quick, ports }) {
    const { size, pairs } = parts[property]
    const some = rounds.filter((round) => !quick || round <= 100)
    const world = { dataset: 'cifar10', property, size, rounds: Math.max(...some) + 1, seed } as const
    const shapes = await detectorShapes(world, { rounds: some, pairs: pairs[quick ? 0 : 1] }, ports)
    return shapes.flatMap(({ round: x, weights: length, overlap: area }): Measure[] =>
      property === 'ascent'
        ? [{ panel: weights, series: 'gradient ascent, 50 records a client', x, value: length }]
        : [{ panel: overlap, series: `${property}, 25 records a client`, x, value: area }],
    )
  },
  published: [],
  departs: [
    'The figures are curves without numbers: the sentences are the claims below.',
    'Weights are of updates as they are; how the paper scales updates before its detectors is not in it.',
    'Detectors of 30 pairs, 1,000 of membership (the paper: 5,000; --quick: 16 and 60, rounds up to 100).',
  ],
  claims: [
    {
      text: 'the norm of the weights falls below 1 after round 100 (gradient ascent)',
      holds: measured(
        [150, 200, 299].map((x) => [weights, 'gradient ascent, 50 records a client', x] as const),
        (values) => values.every((value) => value < 1),
      ),
    },
    {
      text: 'the overlap is almost 0 over all rounds when inversion is looked for (0.1 or less on average)',
      holds: measured(
        rounds.map((x) => [overlap, 'inversion, 25 records a client', x] as const),
        (values) => meanOver(values) <= 0.1,
      ),
    },
    {
      text: 'it grows over the rounds for membership (round 100 above the first)',
      holds: together(
        [0, 100].map((x) => [overlap, 'membership, 25 records a client', x] as const),
        ([first, later]) => later! > first!,
      ),
    },
  ],
})
