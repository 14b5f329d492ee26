/** [prolin] Figs. 3 to 5: F1 of finding the clients with a property, after more and more rounds of secure sums. */

import { recordedRun } from '../recorded-run.js'
import {
  defineStudy,
  type Extent,
  type Figures,
  type Measure,
  type StudyClaim,
  type StudyDefinition,
} from '../study.js'
import {
  type Method,
  methodNames,
  methodNotes,
  methodParams,
  methods,
  type PictureSet,
  type Property,
  pictureSets,
  prolinScenario,
} from './prolin-world.js'

/** All that are measured, quick or not. */
const allRounds = [20, 25, 40, 50, 60, 75, 80, 100, 150, 200, 300]

const panelOf = (dataset: PictureSet, size: number): string => `${pictureSets[dataset].title}, ${size} records a client`
/** Which curve most claims are about. */
const usual = panelOf('fashion-mnist', 25)
/** After how many rounds: other seeds than the first end early, where the curves rise. */
const roundsIn = ({ quick, seed }: Extent & { readonly seed: number }): readonly number[] =>
  quick ? [20, 40, 60, 80, 100] : seed === 1 ? [25, 50, 75, 100, 150, 200, 300] : [25, 50, 75, 100]

interface At {
  readonly dataset: PictureSet
  readonly size: number
}

export interface CurvesOptions {
  readonly id: string
  readonly where: string
  readonly what: string
  readonly property: Property
  readonly seconds: StudyDefinition<At>['seconds']
  /** Made-up updates with the property a round: few tell an inversion, membership takes many. */
  readonly pairs: { readonly quick: number; readonly full: number }
  readonly claims: readonly StudyClaim[]
  readonly departs: readonly string[]
}

/** A study of one of the three figures. */
export function prolinCurves(options: CurvesOptions) {
  const { id, where, what, property, pairs, seconds, claims, departs } = options
  return defineStudy({
    id,
    title: `${what} under secure aggregation (of CIFAR-10 a fifth of the training files)`,
    paper: 'prolin',
    where,
    data: Object.keys(pictureSets),
    unit: 'F1 of the clients called guilty, by the published threshold',
    axis: 'rounds',
    seconds,
    seeds: { quick: 1, full: 3 },
    points: ({ quick }) =>
      (quick ? (['fashion-mnist'] as const) : (Object.keys(pictureSets) as PictureSet[])).flatMap((dataset) =>
        (quick ? [25] : [25, 50]).map((size) => ({
          at: { dataset, size },
          effort: size * (dataset === 'cifar10' ? 3 : 1),
        })),
      ),
    async measure({ dataset, size }: At, { seed, quick, ports }) {
      const rounds = roundsIn({ quick, seed })
      const world = { dataset, property, size, rounds: Math.max(...rounds), seed }
      const run = await recordedRun(prolinScenario(world), ports)
      const found: Measure[] = []
      for (const x of rounds) {
        for (const series of methodNames) {
          const params = methodParams(series, { pairs: pairs[quick ? 'quick' : 'full'], rounds: x })
          const { value } = await run.score(methods[series], { target: null, params })
          found.push({ panel: panelOf(dataset, size), series, x, value })
        }
      }
      return found
    },
    published: [],
    notes: methodNotes,
    departs: [
      'The figures of the paper are curves without numbers: its sentences are the claims below.',
      'Beyond round 100 the first seed alone is measured; claims about two methods are of the rounds that every seed has.',
      '--quick: Fashion-MNIST alone of the three datasets, |D_i| 25 alone of 25 and 50, one seed in place of 3, 100 rounds.',
      ...departs,
    ],
    claims,
  })
}

/** The mean F1 of one method over the rounds that are measured with all seeds. */
function meanOver(figures: Figures, panel: string, method: Method): { readonly mean: number; readonly runs: number } {
  const at = allRounds.flatMap((x) => figures(panel, method, x) ?? [])
  const runs = Math.max(0, ...at.map(({ n }) => n))
  const of = at.filter(({ n }) => n === runs)
  return { mean: of.reduce((sum, { mean }) => sum + mean, 0) / of.length, runs }
}

/** What two methods have is compared over as many runs as the paper has: one alone decides nothing. */
const fewestRuns = 3

/** Whether one method is at least as good as another over the rounds that every seed has, within a margin. */
export const noWorse =
  ([ours, theirs]: readonly [Method, Method], margin = 0, panel = usual): StudyClaim['holds'] =>
  (figures) => {
    const [a, b] = [meanOver(figures, panel, ours), meanOver(figures, panel, theirs)]
    return Math.min(a.runs, b.runs) < fewestRuns ? null : a.mean >= b.mean - margin
  }

/** Whether the method has an F1 of 0.8 somewhere up to round 100; undecided where that round was not reached. */
export const detectedBy =
  (method: Method): StudyClaim['holds'] =>
  (figures) => {
    const at = allRounds.filter((x) => x <= 100).map((x) => figures(usual, method, x)?.mean)
    if (at.some((f1) => f1 !== undefined && f1 >= 0.8)) return true
    return figures(usual, method, 100) === undefined ? null : false
  }
