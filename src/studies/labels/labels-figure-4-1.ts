/** [labels] Fig. 4.1, the L-curve of one system of the attack on means, and the example of Eq. (4.16). */
import { readScenario } from '../../audit/read-scenario.js'
import { asWords, columnOf } from '../../data/table.js'
import { functionsOf } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import {
  diagonalise,
  tikhonovBetas,
  tikhonovCurve,
  tikhonovPoint,
  tikhonovSolution,
} from '../../numeric/linalg/tikhonov.js'
import { cornerOfLCurve, smallestBetaWithSlope } from '../../numeric/linalg/tikhonov-choice.js'
import { norm } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import { log, power } from '../../numeric/special/elementary-functions.js'
import { poolsOf } from '../../scenario/simulate.js'
import { stageOf } from '../../scenario/simulate-model.js'
import { always, together } from '../claims.js'
import { defineStudy, type Measure, type StudyPorts } from '../study.js'

const curve = 'L-curve (Salary, first round)'
const [size, misfit] = ['log10 of the norm of the solution', 'log10 of the misfit']
const example = 'Eq. (4.16), noise 0.01'
const rules = 'log10 of beta by each rule'
const exponents = [-10, -8, -6, -4, -2, 0]
const log10 = (x: number): number => log(x) * Math.LOG10E

/** A and b of Eq. (4.8) for one batch of 40 salaries, an untrained MLP 48-24 and the embeddings of 500 others. */
async function system(seed: number, ports: StudyPorts) {
  const scenario = readScenario({
    name: 'labels-figure-4-1',
    seed,
    heldBack: 0,
    data: { name: 'salary', params: { duplicates: 'keep' }, rows: 540, validation: 0, auxiliary: 0 },
    partition: { name: 'sizes', params: { sizes: [40, 500] } },
    models: [{ kind: 'mlp', hidden: [48, 24] }],
  })
  const { world, choice, population } = await stageOf(scenario, 0, { pools: await poolsOf(scenario, ports) })
  const functions = functionsOf(choice.model, { loss: choice.loss })
  const theta = initialise(choice.model, rng(seed).fork('studies', 'l-curve'))
  const [batch, others] = [population.records(0), population.records(1)]
  const { codes, words } = asWords(columnOf(world.source.table, world.source.metaclass!))
  const groupOf = (client: number) => Array.from(world.clients[client]!.rows, (row) => codes[row]!)
  const [own, theirs] = [groupOf(0), groupOf(1)]
  const { grad } = functions.gradient(theta, batch)
  const embeddings = functions.penultimate(theta, others.features)
  const M = embeddings.cols
  // The last layer's weights and bias end the list of parameters.
  const b = Float64Array.from([grad.at(-1)!, ...grad.subarray(grad.length - 1 - M, grad.length - 1)])
  const live = words.flatMap((_, c) => (own.includes(c) && theirs.includes(c) ? [c] : []))
  const A = matrix(M + 1, live.length)
  for (const [j, c] of live.entries()) {
    const rows = theirs.flatMap((group, i) => (group === c ? [i] : []))
    const share = own.filter((group) => group === c).length / own.length
    A.data[j] = 2 * share
    for (let a = 0; a < M; a++) {
      const mean = rows.reduce((sum, i) => sum + embeddings.data[i * M + a]!, 0) / rows.length
      A.data[(a + 1) * live.length + j] = 2 * share * mean
    }
  }
  return { A, b }
}

export const labelsFigure41 = defineStudy({
  id: 'labels-figure-4-1',
  title: 'The L-curve of an attack, and the example of a regularised system (Salary)',
  paper: 'labels',
  where: 'Fig. 4.1 and Eq. (4.16)',
  data: ['salary'],
  unit: 'see the rows',
  axis: 'log10(beta / s1^2)',
  seconds: { quick: 3, full: 10 },
  seeds: { quick: 3, full: 20 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed, ports }) {
    const { A, b } = await system(seed, ports)
    const problem = diagonalise(A, b)
    const unit = problem.s[0]! * problem.s[0]!
    const found = exponents.flatMap((x): Measure[] => {
      const { logNorm, logMisfit } = tikhonovPoint(problem, unit * power(10, x))
      return [
        { panel: curve, series: size, x, value: logNorm * Math.LOG10E },
        { panel: curve, series: misfit, x, value: logMisfit * Math.LOG10E },
      ]
    })
    const points = tikhonovCurve(problem, tikhonovBetas(problem))
    const [n, m] = [A.cols, A.rows]
    const chosen = {
      'slope -n/m (the thesis)': smallestBetaWithSlope(points, -n / m).point,
      'slope -1': smallestBetaWithSlope(points, -1).point,
      'largest curvature': cornerOfLCurve(points),
    }
    for (const [series, { beta }] of Object.entries(chosen)) {
      found.push({ panel: rules, series, value: log10(Math.max(beta / unit, 1e-20)) })
    }
    const noise = 0.01
    const drugs = diagonalise(matrix(2, 3, Float64Array.of(noise, 0, 1, 1, -1, noise)), Float64Array.of(1, 0))
    const [plain, regular] = [0, 1e-3].map((beta) => tikhonovSolution(drugs, beta))
    found.push(
      { panel: example, series: 'norm of the pseudo-inverse solution', value: norm(plain!) },
      { panel: example, series: 'its third entry', value: plain![2]! },
      { panel: example, series: 'norm of the solution with beta 0.001', value: norm(regular!) },
    )
    return found
  },
  published: [
    { panel: example, series: 'norm of the pseudo-inverse solution', mean: 141.4 },
    { panel: example, series: 'its third entry', mean: 0 },
  ],
  notes: { 'norm of the pseudo-inverse solution': 'the thesis says (1/noise, 1/noise, 0)' },
  departs: [
    'The figure is a picture of one curve; ours is of the first round of a batch of 40 salaries.',
    'Betas are in units of the largest singular value, squared.',
  ],
  claims: [
    {
      text: 'a larger beta makes the solution smaller and the misfit larger, all along the curve',
      holds: (figures) => {
        const [smaller, larger] = [size, misfit].map((series) =>
          always(
            exponents.slice(1).map((x, i) => [[curve, series, exponents[i]!] as const, [curve, series, x] as const]),
            series === size ? (a, b) => b <= a + 1e-9 : (a, b) => b >= a - 1e-9,
          )(figures),
        )
        return smaller === null || larger === null ? null : smaller! && larger!
      },
    },
    {
      text: 'the pseudo-inverse gives the absurd solution (1/noise, 1/noise, 0) in the example of Eq. (4.16)',
      believed:
        'Solved by hand and by singular values: (1/noise, 1/noise, 0) is a solution, and nearly (0, 0, 1) is the one of least norm, which the pseudo-inverse gives. We believe that the example is wrong.',
      holds: together([[example, 'norm of the pseudo-inverse solution']], ([length]) => length! > 100),
    },
  ],
})
