/** [prolin] Figs. 3 to 5: F1 of finding the clients with a property, after more and more rounds of secure sums. */
import type { ScenarioInput } from '../scenario/scenario-schema.js'
import { recordedRun } from './recorded-run.js'
import { defineStudy, type Extent, type Figures, type Measure, type StudyClaim, type StudyDefinition } from './study.js'

/** The paper's names, and the attacks. */
const methods = {
  BASELINE: 'disaggregation',
  OLS: 'property-ols',
  REG: 'property-reg',
  PROLIN: 'prolin',
  'posterior (beyond the paper)': 'property-posterior',
} as const

type Method = keyof typeof methods

/** All that are measured, quick or not. */
const allRounds = [20, 25, 40, 50, 60, 75, 80, 100, 150, 200, 300]

const panelOf = (size: number): string => `Fashion-MNIST, ${size} records a client`
const roundsIn = ({ quick }: Extent): readonly number[] =>
  quick ? [20, 40, 60, 80, 100] : [25, 50, 75, 100, 150, 200, 300]

interface At {
  readonly size: number
}

export interface CurvesOptions {
  readonly id: string
  readonly where: string
  readonly what: string
  readonly property: 'membership' | 'inversion' | 'ascent'
  readonly seconds: StudyDefinition<At>['seconds']
  /** Made-up updates with the property a round: few tell an inversion, membership takes many. */
  readonly pairs: { readonly quick: number; readonly full: number }
  readonly claims: readonly StudyClaim[]
  readonly departs: readonly string[]
}

/** Five of 50 clients, the same in every study. */
const guilty = ['3', '11', '24', '36', '47']

function scenarioFor(property: CurvesOptions['property'], { size }: At, seed: number, rounds: number): ScenarioInput {
  const [clients, auxiliary, all] = [50, 6000, 60_000]
  return {
    name: `prolin-${property}`,
    seed,
    heldBack: 0,
    data: { name: 'fashion-mnist', validation: 0, auxiliary: auxiliary / all },
    partition: { name: 'sizes', params: { sizes: Array.from({ length: clients }, () => size) } },
    models: [{ kind: 'lenet-mnist' }],
    training: {
      rounds,
      localEpochs: 1,
      batchSize: 10,
      learningRate: 0.01,
      aggregateWeights: 'one',
      sampling: { name: 'fraction', params: { fraction: 0.2 } },
      ...(property !== 'membership' && {
        misbehaving: Object.fromEntries(guilty.map((id) => [id, { name: property }])),
      }),
    },
    knowledge: {
      targets: [guilty[0]!],
      property,
      ...(property === 'membership' && { holders: guilty }),
    },
  }
}

/** A study of one of the three figures. */
export function prolinCurves(options: CurvesOptions) {
  const { id, where, what, property, pairs, seconds, claims, departs } = options
  return defineStudy({
    id,
    title: `${what} under secure aggregation (Fashion-MNIST of the three datasets)`,
    paper: 'prolin',
    where,
    data: ['fashion-mnist'],
    unit: 'F1 of the clients called guilty, by the published threshold',
    axis: 'rounds',
    seconds,
    seeds: { quick: 1, full: 3 },
    points: ({ quick }) => (quick ? [25] : [25, 50]).map((size) => ({ at: { size }, effort: size })),
    async measure({ size }: At, { seed, quick, ports }) {
      const rounds = roundsIn({ quick })
      const run = await recordedRun(scenarioFor(property, { size }, seed, Math.max(...rounds)), ports)
      const found: Measure[] = []
      for (const x of rounds) {
        for (const [series, attack] of Object.entries(methods)) {
          const params = {
            pairs: pairs[quick ? 'quick' : 'full'],
            rounds: x,
            curve: 0,
            ...(attack !== 'property-posterior' && { decision: 'paper' }),
            // Features in each detector's own units, as published.
            ...(['property-ols', 'property-reg', 'prolin'].includes(attack) && { units: 'own' }),
          }
          const { value } = await run.score(attack, { target: null, params })
          found.push({ panel: panelOf(size), series, x, value })
        }
      }
      return found
    },
    published: [],
    notes: {
      BASELINE: '[lam2021] gradient disaggregation with a detector a round',
      'posterior (beyond the paper)': 'ours; it accuses by its own probabilities',
    },
    departs: [
      'The figures of the paper are curves without numbers: its sentences are the claims below.',
      'MNIST and CIFAR-10 are not run; |D_i| 25 and 50 (--quick: 25 alone).',
      '--quick: one seed in place of 3, 100 rounds.',
      ...departs,
    ],
    claims,
  })
}

/** The mean F1 over the rounds measured, of one method. */
function meanOver(figures: Figures, size: number, method: Method): number | undefined {
  const at = allRounds.flatMap((x) => figures(panelOf(size), method, x)?.mean ?? [])
  return at.length === 0 ? undefined : at.reduce((a, b) => a + b, 0) / at.length
}

/** What two methods have is compared over as many runs as the paper has: one alone decides nothing. */
const fewestRuns = 3

/** Whether one method is at least as good as another over the rounds measured, within a margin. */
export const noWorse =
  ([ours, theirs]: readonly [Method, Method], margin = 0): StudyClaim['holds'] =>
  (figures) => {
    const [a, b] = [meanOver(figures, 25, ours), meanOver(figures, 25, theirs)]
    const runs = Math.max(0, ...allRounds.map((x) => figures(panelOf(25), ours, x)?.n ?? 0))
    return a === undefined || b === undefined || runs < fewestRuns ? null : a >= b - margin
  }

/** Whether the method has an F1 of 0.8 somewhere up to round 100; undecided where that round was not reached. */
export const detectedBy =
  (method: Method): StudyClaim['holds'] =>
  (figures) => {
    const at = allRounds.filter((x) => x <= 100).map((x) => figures(panelOf(25), method, x)?.mean)
    if (at.some((f1) => f1 !== undefined && f1 >= 0.8)) return true
    return figures(panelOf(25), method, 100) === undefined ? null : false
  }
