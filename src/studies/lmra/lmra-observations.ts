/** [lmra] Obs. 1, 2, 5, 6 and 7 as numbers, on least-squares federations of the toy of [aia] B.2. */
import { together } from '../claims.js'
import { type RecordedRun, recordedRun } from '../recorded-run.js'
import { defineStudy, type Measure, type StudyPorts } from '../study.js'
import { firstTellingMessage } from './hard-instance.js'

const d = 11
const obs1 = 'Obs. 1: full batches, d = 11, right decimal digits of the local optimum'
const obs2 = 'Obs. 2: the first message that tells two clients apart, d = 11'
const obs5 = 'Obs. 5 and 6: batches of 64, relative distance from the local optimum'
const obs7 = 'Obs. 7: labels of known records, R2'
const [enough, few] = ['d + 1 messages', 'd messages: claims made']
const [floor, printed, error, ceiling, inverseError, theorem] = [
  'lower bound, corrected (Obs. 6)',
  'lower bound, as printed (Obs. 6)',
  'lmra-ols, direct',
  'upper bound, corrected, at 95 % (Obs. 5)',
  'lmra-ols, inverse ([aia] Alg. 3)',
  'upper bound of [aia] Thm. 1, with the factor that it hides',
]
const labelWays = {
  'the local optimum (oracle)': 'model-oracle',
  'lmra-exact': 'lmra-exact',
  'last returned': 'last-returned',
} as const
const [best, ...others] = Object.keys(labelWays) as [string, ...string[]]

type What = 'exact' | 'noisy' | 'labels'

function toy(what: What, rounds: number, seed: number, ports: StudyPorts): Promise<RecordedRun> {
  return recordedRun(
    {
      name: `lmra-observations-${what}`,
      seed,
      heldBack: 0,
      data: { name: 'toy-least-squares', params: { clients: 12, heterogeneity: 1 }, validation: 0, auxiliary: 0 },
      partition: { name: 'by-column' },
      models: [{ kind: 'linear' }],
      training: {
        rounds,
        localEpochs: 1,
        batchSize: what === 'noisy' ? 64 : null,
        learningRate: what === 'noisy' ? 0.02 : 1 / d,
        precision: 'f64',
        sampling: { name: 'fraction', params: { fraction: 0.5 } },
      },
      knowledge: { targets: ['0'], sensitive: [], labels: what !== 'labels' },
    },
    ports,
  )
}

/** The first rounds in which the target took part. */
async function firstHeard(run: RecordedRun, count: number): Promise<number[]> {
  const { transcript } = await run.sources('0')
  return transcript
    .rounds()
    .filter(({ participants }) => participants!.includes('0'))
    .map(({ round }) => round)
    .slice(0, count)
}

const measures: Record<What, (seed: number, ports: StudyPorts) => Promise<Measure[]>> = {
  async exact(seed, ports) {
    const run = await toy('exact', 80, seed, ports)
    const { also } = await run.score('lmra-exact', { target: '0', heard: await firstHeard(run, d + 1) })
    const claim = await run.scoreIfAny('lmra-exact', { target: '0', heard: await firstHeard(run, d) })
    return [
      { panel: obs1, series: enough, value: also.digits! },
      { panel: obs1, series: few, value: claim === undefined ? 0 : 1 },
      ...[1, 5].map((steps) => {
        const series = steps === 1 ? 'one local step' : `${steps} local steps`
        return { panel: obs2, series, value: firstTellingMessage(d, steps) }
      }),
    ]
  },
  async noisy(seed, ports) {
    const run = await toy('noisy', 300, seed, ports)
    const { also } = await run.score('lmra-ols', { target: '0' })
    const inverse = await run.score('lmra-ols', { target: '0', params: { form: 'inverse' } })
    return [
      { panel: obs5, series: floor, value: also.obs6Floor! },
      { panel: obs5, series: printed, value: Math.sqrt(d) * also.obs6Floor! },
      { panel: obs5, series: error, value: also.relativeError! },
      { panel: obs5, series: ceiling, value: also.obs5Ceiling! },
      { panel: obs5, series: inverseError, value: inverse.also.relativeError! },
      { panel: obs5, series: theorem, value: inverse.also.theorem1Ceiling! },
    ]
  },
  async labels(seed, ports) {
    const run = await toy('labels', 80, seed, ports)
    const found: Measure[] = []
    for (const [series, from] of Object.entries(labelWays)) {
      const { also } = await run.score('lmra-label', { target: '0', params: { from } })
      found.push({ panel: obs7, series, value: also.R2! })
    }
    return found
  },
}

export const lmraObservations = defineStudy({
  id: 'lmra-observations',
  title: 'The observations on least squares as numbers (a toy of 12 clients, six a round)',
  paper: 'lmra',
  where: 'Obs. 1, 2, 5, 6 and 7',
  data: [],
  unit: 'see the tables',
  seconds: { quick: 10, full: 20 },
  seeds: { quick: 3, full: 10 },
  points: () => (Object.keys(measures) as What[]).map((what) => ({ at: { what }, effort: what === 'noisy' ? 4 : 1 })),
  measure: ({ what }: { readonly what: What }, { seed, ports }) => measures[what](seed, ports),
  published: [],
  notes: {
    [floor]: 'the paper hands the noise of all coordinates to a bound on one: a factor d too much',
    [ceiling]:
      'with the squares and roots that the paper forgets; it takes the models sent as given beforehand, which they are not',
    'one local step': 'd of the paper: as many messages are needed',
    '5 local steps': 'the paper claims d for any number of steps',
  },
  departs: [
    'The observations are theorems without figures; what they say is measured.',
    'Twelve clients of which six take part: with two that always do, the models sent lie in a small space and d + 1 messages do not suffice.',
  ],
  claims: [
    {
      text: 'Obs. 1: d + 1 messages of full batches give the local optimum (5 digits or more)',
      holds: together([[obs1, enough]], ([digits]) => digits! >= 5),
    },
    {
      text: 'Obs. 2: a client must be heard d times at least, one local step',
      holds: together([[obs2, 'one local step']], ([first]) => first! >= d),
    },
    {
      text: 'Obs. 2 for any number of local steps: five steps change nothing',
      believed:
        'Each local step moves one more coordinate of the hard instance, so that five steps tell the clients apart at the third message of d = 11. We believe a bound of d over the number of steps; [aia] claims it for one step alone.',
      holds: together([[obs2, '5 local steps']], ([first]) => first! >= d),
    },
    {
      text: 'Obs. 5: with batches the error of the reconstruction stays below its upper bound',
      holds: together(
        [
          [obs5, error],
          [obs5, ceiling],
        ],
        ([own, bound]) => own! <= bound!,
      ),
    },
    {
      text: 'Obs. 6: it stays above the lower bound, corrected',
      holds: together(
        [
          [obs5, error],
          [obs5, floor],
        ],
        ([own, bound]) => own! >= bound!,
      ),
    },
    {
      text: 'Obs. 7: no reconstruction predicts labels better than the local optimum',
      holds: together(
        [best, ...others].map((way) => [obs7, way] as const),
        ([own, ...rest]) => rest.every((r) => r <= own! + 1e-9),
      ),
    },
  ],
})
