/** [labels] 6.2: the label of a client that holds one record, by Eq. (4.4). */
import { log } from '../../numeric/special/elementary-functions.js'
import { together } from '../claims.js'
import { recordedRun } from '../recorded-run.js'
import { defineStudy, type Measure } from '../study.js'

const panel = 'Salary, one record a client'
const [untrained, trained] = ['untrained model', 'after 100 rounds']
const [digits, exact, guess] = [
  'right decimal digits of the salary',
  'salaries right to 3 digits, %',
  'digits, the mean salary of auxiliary records',
]
const nameOf = (what: string, state: string): string => `${what}, ${state}`
/** Of the claim's error beside the salary, at most what a double holds. */
const digitsOf = (error: number, truth: number): number =>
  -log(Math.max(error / Math.abs(truth), Number.EPSILON)) * Math.LOG10E

export const labelsSection62 = defineStudy({
  id: 'labels-section-6-2',
  title: 'The salary of a client that holds one record (Salary; titles sorted into roles by patterns of our own)',
  paper: 'labels',
  where: 'Section 6.2',
  data: ['salary'],
  unit: 'see the rows',
  seconds: { quick: 10, full: 40 },
  seeds: { quick: 2, full: 20 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed, ports }) {
    const clients = 40
    const run = await recordedRun(
      {
        name: 'labels-section-6-2',
        seed,
        heldBack: 0,
        data: { name: 'salary', params: { scale: 'standardise' }, validation: 0, auxiliary: 0.1 },
        partition: { name: 'sizes', params: { sizes: Array.from({ length: clients }, () => 1) } },
        models: [{ kind: 'mlp', hidden: [48, 24] }],
        training: { algorithm: 'fedsgd', share: 'gradient', rounds: 101, learningRate: 1e-3 },
        knowledge: { targets: 'all', sensitive: [] },
      },
      ports,
    )
    const found: Measure[] = []
    for (const [state, round] of [
      [untrained, 0],
      [trained, 100],
    ] as const) {
      const sums = { digits: 0, exact: 0, guess: 0 }
      for (const target of run.targets) {
        const { value, also, chance } = await run.score('regression-label', { target, heard: [round] })
        const right = digitsOf(value, also.truth!)
        sums.digits += right / clients
        sums.exact += (right >= 3 ? 100 : 0) / clients
        sums.guess += digitsOf(chance!, also.truth!) / clients
      }
      for (const [series, value] of [
        [digits, sums.digits],
        [exact, sums.exact],
        [guess, sums.guess],
      ] as const) {
        found.push({ panel, series: nameOf(series, state), value })
      }
    }
    return found
  },
  published: [untrained, trained].map((state) => ({ panel, series: nameOf(exact, state), mean: 100 })),
  notes: { [nameOf(exact, untrained)]: 'the thesis: no error, but for numerical ones' },
  departs: [
    'The thesis prints no figure: it derives that there is no error.',
    'Messages are in single precision. --quick: 2 seeds of 40 clients.',
  ],
  claims: [
    {
      text: 'the label of a single record is reconstructed without error (to 3 digits for 99 % of the clients or more, trained or not)',
      holds: together(
        [untrained, trained].map((state) => [panel, nameOf(exact, state)] as const),
        (shares) => shares.every((share) => share >= 99),
      ),
    },
  ],
})
