import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../../test/property-world.js'
import { minimiseTerms, mtAdam } from '../../../numeric/optimise/mtadam.js'
import { rng } from '../../../numeric/random/rng.js'
import { type Likelihood, type Printing, type ProlinProblem, prolinLosses, prolinProblem } from './prolin-losses.js'
import { fitByMtAdam } from './prolin-mtadam.js'

const N = 5
const problems = [1, 2].map((seed) => {
  const { features } = featureWorld({ seed, N, n: 5 + seed, perRound: 2, gap: 2, plusStd: 1.3 })
  return prolinProblem(features, rng(seed).normals(N))
})
const tau = Float64Array.of(0.1, 0.5, 0.9, 0.3, 0.7)
const options = { likelihood: 'paper', gamma: 1, tau } as const

/** Every entry at what is expected of its client. */
const beginning = ({ start, expected, round }: ProlinProblem) => {
  const X = new Float64Array(round.length)
  for (let i = 0; i < N; i++) X.fill(expected[i]!, start[i]!, start[i + 1]!)
  return X
}

/** The same problem as one vector, its slopes by differences. */
function byDifferences(steps: number, likelihood: Likelihood, printing: Printing) {
  const sizes = problems.map(({ round }) => round.length)
  const total = sizes[0]! + sizes[1]!
  const valuesAt = (x: Float64Array): number[] => {
    const parts = [x.slice(0, sizes[0]), x.slice(sizes[0], total)]
    const losses = problems.map((one, f) =>
      prolinLosses(one, { X: parts[f]!, tau: x.slice(total) }, { likelihood, printing }),
    )
    return (['ml', 'reg', 'lstsq'] as const).map((key) => losses[0]![key] + losses[1]![key])
  }
  const objective = (x: Float64Array) => {
    const gradients = [0, 1, 2].map(() => new Float64Array(x.length))
    for (let j = 0; j < x.length; j++) {
      const at = (by: number) => valuesAt(x.map((v, k) => (k === j ? v + by : v)))
      const [up, down] = [at(1e-5), at(-1e-5)]
      for (const [k, gradient] of gradients.entries()) gradient[j] = (up[k]! - down[k]!) / 2e-5
    }
    return { values: valuesAt(x), gradients }
  }
  const groups = [
    { start: 0, end: sizes[0]! },
    { start: sizes[0]!, end: total },
    { start: total, end: total + N },
  ]
  const start = Float64Array.from([...problems.flatMap((one) => [...beginning(one)]), ...tau])
  const { x, termValues } = minimiseTerms(mtAdam({ terms: 3, groups }), objective, start, { maxIterations: steps })
  return { tau: x.slice(total), termValues }
}

describe('small steps of three balanced losses', () => {
  test('begin at what is expected and where tau is told', () => {
    const found = fitByMtAdam(problems, { ...options, steps: 0 })
    expect(found.turns).toBe(0)
    for (const [i, t] of tau.entries()) expect(found.tau[i]).toBeCloseTo(t, 12)
    const losses = problems.map((one) => prolinLosses(one, { X: beginning(one), tau }))
    for (const key of ['ml', 'reg', 'lstsq'] as const)
      expect(found.losses[key]).toBeCloseTo(losses[0]![key] + losses[1]![key], 9)
  })

  test.each([
    ['paper', 'corrected'],
    ['paper', 'printed'],
    ['code', 'corrected'],
  ] as const)('go as slopes by differences say: %s, %s', (likelihood, printing) => {
    for (const steps of [1, 4, 40]) {
      const found = fitByMtAdam(problems, { ...options, likelihood, printing, steps })
      expect(found.turns).toBe(steps)
      expect(found.probability).toEqual(found.tau)
      expect(found.probability).not.toBe(found.tau)
      const asked = byDifferences(steps, likelihood, printing)
      for (const [i, t] of asked.tau.entries()) expect(found.tau[i]).toBeCloseTo(t, 6)
      for (const [k, key] of (['ml', 'reg', 'lstsq'] as const).entries())
        expect(found.losses[key] / asked.termValues[k]!).toBeCloseTo(1, 6)
    }
  })

  test('keep tau between 0 and 1, and tell every hundredth how far they are', () => {
    const ticks: number[][] = []
    const edge = Float64Array.of(0, 1, 1, 0, 0.5)
    const tick = (...at: number[]) => void ticks.push(at)
    const found = fitByMtAdam(problems, { ...options, tau: edge, steps: 250, tick })
    for (const t of found.tau) expect(t >= 1e-9 && t <= 1 - 1e-9).toBe(true)
    expect(ticks).toEqual([0, 100, 200].map((done) => [done, 250]))
  })
})
