import { describe, expect, test } from 'vitest'
import { type Tabled, tabledProblem } from '../../../../test/tabled-problem.js'
import { rng } from '../../../numeric/random/rng.js'
import { posteriorOf } from '../value-posterior.js'
import { sharesOf } from './coordinate-descent.js'
import { type Propagated, propagate } from './expectation-propagation.js'
import { allShares } from './linear-problem.js'
import { descend } from './projected-gradient.js'
import { plainMetric } from './residual-metric.js'
import { unswapped } from './swapped-values.js'
import { distancesOf } from './value-evidence.js'
import { likeliest, type SolveOptions, solvePass } from './weighted-fit.js'
import { assemble } from './weighted-squares.js'

/** Records of several values that change a message by columns of their own: [value - 1][record], and what was heard. */
function heard(columns: readonly (readonly number[])[][], message: readonly number[], weight = 1) {
  const n = columns[0]!.length
  const nothing = columns[0]!.map((one) => one.map(() => 0))
  const given: Tabled = { table: [nothing, ...columns], rounds: [{ mean: message.map((x) => x / n) }] }
  const offsets = [new Float64Array(message.length)]
  return { problem: tabledProblem(given), pass: { rounds: [0], weights: [weight], metric: plainMetric, offsets } }
}

/** Logarithms of the mean share of each value, none below a fiftieth, and what is known of each record. */
function priorOf(p: Float64Array, n: number, evidence = new Float64Array(p.length)): Float64Array[] {
  const K = p.length / n + 1
  const all = allShares(p, n)
  const means = Array.from({ length: K }, (_, v) =>
    Math.max(
      0.02,
      all.subarray(v * n, (v + 1) * n).reduce((sum, x) => sum + x / n, 0),
    ),
  )
  const total = means.reduce((sum, x) => sum + x, 0)
  return means.map((mean, v) =>
    Float64Array.from({ length: n }, (_, i) => Math.log(mean / total) + (v === 0 ? 0 : evidence[(v - 1) * n + i]!)),
  )
}

const close = (found: readonly Float64Array[], wanted: readonly Float64Array[], digits = 9): void => {
  expect(found).toHaveLength(wanted.length)
  for (const [v, one] of wanted.entries())
    for (const [i, x] of one.entries()) expect(found[v]![i]).toBeCloseTo(x, digits)
}

/** Columns along axes of their own, of these lengths: [value - 1][record]. */
const axes = (lengths: readonly (readonly number[])[]) =>
  lengths.map((own, v) =>
    own.map((length, i) => lengths.flatMap((other, u) => other.map((_, k) => (u === v && k === i ? length : 0)))),
  )

test('without a Gram matrix a value is as likely as its distance from where the record would go alone says', () => {
  const lengths = [
    [1, 2, 0.5],
    [0.75, 1.5, 1],
  ]
  const { problem, pass } = heard(axes(lengths), [0.75, 0.4, 0.4, 0.15, 0.3, 1.5], 4)
  const { gram: _, ...bare } = problem
  const evidence = Float64Array.of(0.5, -1, 2, 0, 0.25, -0.5)
  const { p, gradient } = descend(bare, pass)
  const Q = new Float64Array(36)
  for (const [c, x] of lengths.flat().entries()) Q[c * 7] = 4 * x * x
  const distances = distancesOf(Q, { p, gradient, sweeps: 0, settled: true }, 3)
  const { shares, scaleSq } = posteriorOf(distances, { residuals: 2, logWeights: priorOf(p, 3, evidence) })
  const found = solvePass(bare, pass, { units: 'none', evidence })
  close(
    found.shares,
    [0, 1, 2].map((v) => Float64Array.from({ length: 3 }, (_, i) => shares[3 * i + v]!)),
    8,
  )
  expect(found.overdispersion / scaleSq).toBeCloseTo(1, 8)
  expect(found.fitted).toEqual(p)
})

describe('by a Gram matrix', () => {
  const columns = [[[2, 0, 1], [0, 1, 1], [1, 1, 0]]] // biome-ignore format: a line
  const message = [2.5, 0.75, 1.5]

  test('a rough pass has the shares in their boxes alone, by few sweeps', () => {
    const { problem, pass } = heard(columns, message)
    const told: number[][] = []
    const tick = ((...by: number[]) => told.push(by)) as () => void
    const found = solvePass(problem, pass, { units: 'none', rough: true, tick })
    const { Q, b } = assemble(problem, pass, { ...problem, single: true })
    const { p } = sharesOf({ Q, b, records: 3 }, { maxSweeps: 200 })
    expect(found).toMatchObject({ overdispersion: 1, how: { sums: 'gram', shares: 'boxes' }, fitted: p })
    close(found.shares, [p.map((x) => 1 - x), p], 15)
    expect(told.at(-1)![1]).toBe(200)
  })

  test('others say how likely each value is', () => {
    const { problem, pass } = heard(columns, message)
    const told: number[][] = []
    const tick = ((...by: number[]) => told.push(by)) as () => void
    const evidence = Float64Array.of(1, -2, 0.5)
    const found = solvePass(problem, pass, { units: 'none', evidence, tick })
    const { Q, b } = assemble(problem, pass, problem)
    const first = sharesOf({ Q, b, records: 3 })
    const { shares, scaleSq } = posteriorOf(distancesOf(Q, first, 3), { residuals: 1, logWeights: priorOf(first.p, 3, evidence) }) // biome-ignore format: a line
    close(
      found.shares,
      [0, 1].map((v) => Float64Array.from({ length: 3 }, (_, i) => shares[2 * i + v]!)),
    )
    expect(found.overdispersion).toBeCloseTo(scaleSq, 12)
    expect([found.how.shares, found.determined]).toEqual(['boxes', undefined])
    expect(told.at(-1)![1]).toBe(2000)
  })

  test.each([
    [[0, 1, 0], 1 / 3],
    [[0, 0, 0], 0.02],
    [[1, 1, 1], 0.98],
  ])('unknowns are determined beyond what draws among the values leave open, of shares %j', (p, share) => {
    const lengths = [3, 1, 5]
    const { problem, pass } = heard(axes([lengths]), lengths.map((x, i) => x * p[i]!), 2) // biome-ignore format: a line
    const { determined, overdispersion } = solvePass(problem, pass, { units: 'residuals' })
    const prior = 1 / (share * (1 - share))
    const beyond = lengths.map((x) => 1 - prior / (2 * x * x + prior))
    expect(overdispersion).toBe(1)
    expect(determined!()).toBeCloseTo(beyond.reduce((sum, x) => sum + x, 0), 2) // biome-ignore format: a line
  })
})

test('each of several values is determined beyond draws of its own', () => {
  const lengths = [
    [3, 1, 5],
    [2, 4, 1],
  ]
  // The second record has the first of the two, nobody the other one.
  const { problem, pass } = heard(axes(lengths), [0, 1, 0, 0, 0, 0], 2)
  const { determined } = solvePass(problem, pass, { units: 'residuals' })
  const beyond = lengths.flatMap((own, v) => {
    const prior = [4.5, 1 / (0.02 * 0.98)][v]!
    return own.map((x) => 1 - prior / (2 * x * x + prior))
  })
  expect(determined!()).toBeCloseTo(
    beyond.reduce((sum, x) => sum + x, 0),
    2,
  )
})

describe('where much is open', () => {
  const [n, equations] = [12, 40]
  const truth = Array.from({ length: n }, (_, i) => Number(i % 3 === 0))

  /** Messages with errors of deviation 1 / 100 in so many equations; the last record is nearly like the first. */
  const noisy = (rows: number, { little = 0.02, weight = 1e4, error = 0.01 } = {}) => {
    const columns = Array.from({ length: n }, (_, i) => [...rng(7).fork(i).normals(rows)])
    columns[n - 1] = columns[0]!.map((x, r) => x + little * columns[n - 1]![r]!)
    const errors = rng(8).normals(rows, { std: error })
    const message = errors.map((e, r) => columns.reduce((sum, own, i) => sum + truth[i]! * own[r]!, e))
    return heard([columns], [...message], weight)
  }

  /** What propagation is given, and by how much errors were larger than weights say. */
  const givenIn = ({ problem, pass }: ReturnType<typeof heard>) => {
    const { Q, b } = assemble(problem, pass, { ...problem, single: true })
    const first = sharesOf({ Q, b, records: n })
    const logPrior = priorOf(first.p, n)
    const { scaleSq } = posteriorOf(distancesOf(Q, first, n), { residuals: 1, logWeights: logPrior })
    const by = Math.max(1, scaleSq)
    const given: Propagated = { Q: Q.map((x) => x / by), b: b.map((x) => x / by), records: n, logPrior }
    return { given, by }
  }
  const solved = ({ problem, pass }: ReturnType<typeof heard>, more: Partial<SolveOptions> = {}) =>
    solvePass(problem, pass, { units: 'noise', ...more })

  test('values are propagated, and held against each other where most are determined', () => {
    const made = noisy(equations, { error: 0.05, weight: 400 })
    const { given, by } = givenIn(made)
    const found = solved(made)
    const plain = propagate(given)
    const { shares, dispersion } = unswapped(given, plain)
    expect(plain.settled && found.determined!() >= 0.75 * n).toBe(true)
    close(found.shares, shares)
    expect(Math.max(...shares[0]!.map((x, i) => Math.abs(x - plain.shares[0]![i]!)))).toBeGreaterThan(1e-3)
    expect(found.how.shares).toBe('propagation')
    expect(found.overdispersion / (by * dispersion)).toBeCloseTo(1, 9)
    expect(found.ending!.dispersion).toBe(found.overdispersion)
  })

  test('and as they are where fewer are', () => {
    const made = noisy(7)
    const found = solved(made)
    const plain = propagate(givenIn(made).given)
    expect(plain.settled).toBe(true)
    expect(found.determined!()).toBeLessThan(0.75 * n)
    close(found.shares, plain.shares)
  })

  test('a propagation goes on where another ended, its dispersion in units of the messages', () => {
    const made = noisy(equations, { error: 0.05 })
    const { given, by } = givenIn(made)
    expect(by).toBeGreaterThan(2)
    const { ending } = solved(made)
    const again = solved(made, { from: ending })
    const from = { ...ending!, dispersion: ending!.dispersion / by }
    const wanted = unswapped({ ...given, from }, propagate({ ...given, from }))
    close(again.shares, wanted.shares)
    expect(again.overdispersion / (by * wanted.dispersion)).toBeCloseTo(1, 9)
  })
})

test('the likeliest value of a record is the first of equal ones', () => {
  const shares = [Float64Array.of(0.25, 0.5, 0.2), Float64Array.of(0.5, 0.5, 0.4), Float64Array.of(0.25, 0, 0.4)]
  expect([...likeliest(shares)]).toEqual([1, 0, 1])
})
