/** The published ways to solve the metaclass systems: pseudo-inverse, truncated SVD, Tikhonov with a rule for beta. */
import { OverhearError } from '../../../errors.js'
import { identity, type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { columnNorms, residual } from '../../../numeric/linalg/matrix-vector.js'
import { numericalRank } from '../../../numeric/linalg/pseudo-inverse.js'
import { standardForm } from '../../../numeric/linalg/standard-form.js'
import { singularValues } from '../../../numeric/linalg/svd.js'
import {
  combine,
  type DiagonalProblem,
  diagonalise,
  type TikhonovPoint,
  tikhonovBetas,
  tikhonovCurve,
  tikhonovSolution,
} from '../../../numeric/linalg/tikhonov.js'
import { cornerOfLCurve, leastCrossValidation, smallestBetaWithSlope } from '../../../numeric/linalg/tikhonov-choice.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { LCurve, LCurvePoint, Workings } from '../../workings.js'

export const rules = ['slope-nm', 'slope-1', 'corner', 'gcv', 'discrepancy'] as const
export type Rule = (typeof rules)[number]
export const scalings = ['none', 'rows', 'columns', 'both'] as const
export type Scaling = (typeof scalings)[number]
export const penalties = ['size', 'spread'] as const
export type Penalty = (typeof penalties)[number]

export interface SolverOptions {
  readonly solver: 'pinv' | 'tsvd' | 'tikhonov'
  readonly rule: Rule
  /** Singular values that `tsvd` keeps; 0: as many as cross-validation wants. */
  readonly rank: number
  readonly scaling: Scaling
  /** What `tikhonov` keeps small: the unknowns, which is what there is unless told, or how far they are from their mean. */
  readonly penalty?: Penalty
  /** Variance of each entry of b, for the rule of discrepancy. */
  readonly noise: Float64Array
}

export interface Solved {
  readonly x: Float64Array
  /** Of the scaled system; null for one without columns or of zeros. */
  readonly condition: number | null
  /** Effective degrees of freedom: the trace of what takes b to A x. */
  readonly freedom: number
  readonly beta: number
  readonly misfit: number
  readonly warnings: readonly string[]
  /** As regularisation of the scaled system grows; none of a system without anything to solve. */
  readonly lCurve?: LCurve
  /** The system that was solved, to solve it again under constraints: rows of A and b, x in units of `columns`. */
  readonly scaled: { readonly A: Matrix; readonly b: Float64Array; readonly columns: Float64Array }
}

export function solveSystem(A: Matrix, b: Float64Array, options: SolverOptions): Solved {
  const scaled = scaledSystem(A, b, options)
  const problem = diagonalise(scaled.A, scaled.b)
  const { s } = problem
  const warnings: string[] = []
  const full = Math.min(A.rows, A.cols)
  if (s.length < full) warnings.push(`the system has rank ${s.length} of ${full}: dead units or metaclasses alike`)
  const chosen =
    norm(b) === 0
      ? { y: new Float64Array(A.cols), freedom: 0, beta: 0 }
      : options.solver === 'tikhonov' && options.penalty === 'spread'
        ? chooseEven(scaled, options, warnings)
        : choose(problem, { ...options, noise: scaled.noise }, warnings)
  const x = chosen.y.map((value, j) => value / scaled.columns[j]!)
  const r = residual(A, x, b)
  return {
    x,
    freedom: chosen.freedom,
    beta: chosen.beta,
    warnings,
    misfit: Math.sqrt(dot(r, r)),
    condition: ratioOf(s),
    ...(chosen.lCurve !== undefined && { lCurve: chosen.lCurve }),
    scaled,
  }
}

/** One in four points of the curve, and of the one that was chosen. */
function lCurveOf(problem: DiagonalProblem, rule: string, chosen: TikhonovPoint | null = null): LCurve | undefined {
  const usable = tikhonovCurve(problem, tikhonovBetas(problem)).filter(
    ({ misfitSq, normSq }, k) => k % 4 === 0 && misfitSq > 0 && normSq > 0 && Number.isFinite(misfitSq),
  )
  if (usable.length < 2) return undefined
  return { points: usable.map(placeOf), chosen: chosen === null ? null : placeOf(chosen), rule }
}

/** The curve of a solver that chose on it, or of the system that one without it has solved. */
export function curveShown(
  { A, b }: { readonly A: Matrix; readonly b: Float64Array },
  { solver, solved }: { readonly solver: string; readonly solved?: Pick<Solved, 'lCurve'> | undefined },
): { readonly workings?: Workings } {
  const lCurve = solved === undefined ? lCurveOf(diagonalise(A, b), solver) : solved.lCurve
  return lCurve === undefined ? {} : { workings: { lCurve } }
}

const placeOf = ({ beta, misfitSq, normSq }: TikhonovPoint): LCurvePoint => {
  const short = (x: number): number => Number(x.toPrecision(5))
  return { beta: short(beta), misfit: short(Math.sqrt(misfitSq)), size: short(Math.sqrt(normSq)) }
}

/** Largest over smallest singular value that is not zero. */
export function conditionOf(A: Matrix): number | null {
  const s = singularValues(A)
  return ratioOf(s.slice(0, numericalRank(s, Math.max(A.rows, A.cols) * Number.EPSILON)))
}

const ratioOf = (s: Float64Array): number | null => (s.length === 0 ? null : s[0]! / s.at(-1)!)

interface Choice {
  readonly y: Float64Array
  readonly freedom: number
  readonly beta: number
  readonly lCurve?: LCurve | undefined
}

type Scaled = Solved['scaled'] & { readonly noise: Float64Array }

/** Rows and columns of length 1, where asked; those of zeros stay. */
function scaledSystem(A: Matrix, b: Float64Array, { scaling, noise }: SolverOptions): Scaled {
  const { rows: m, cols: n } = A
  const data = A.data.slice()
  const right = b.slice()
  const variances = noise.slice()
  const columns = new Float64Array(n).fill(1)
  if (scaling === 'columns' || scaling === 'both') {
    for (const [j, size] of columnNorms(A).entries()) if (size > 0) columns[j] = size
    for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) data[i * n + j]! /= columns[j]!
  }
  if (scaling === 'rows' || scaling === 'both') {
    for (let i = 0; i < m; i++) {
      const row = data.subarray(i * n, (i + 1) * n)
      const size = norm(row)
      if (size === 0) continue
      for (let j = 0; j < n; j++) row[j]! /= size
      right[i]! /= size
      variances[i]! /= size * size
    }
  }
  return { A: matrix(m, n, data), b: right, columns, noise: variances }
}

function choose(problem: DiagonalProblem, options: SolverOptions, warnings: string[]): Choice {
  switch (options.solver) {
    case 'pinv':
      return { y: tikhonovSolution(problem, 0), freedom: problem.s.length, beta: 0, lCurve: lCurveOf(problem, 'pinv') }
    case 'tsvd': {
      const rank = options.rank > 0 ? Math.min(options.rank, problem.s.length) : crossValidatedRank(problem)
      const kept = problem.c.slice(0, rank).map((value, p) => value / problem.s[p]!)
      return { y: combine(problem, kept), freedom: rank, beta: 0, lCurve: lCurveOf(problem, 'tsvd') }
    }
    case 'tikhonov': {
      const point = chosenBeta(problem, options, warnings)
      const { beta, degreesOfFreedom: freedom } = point
      return { y: tikhonovSolution(problem, beta), freedom, beta, lCurve: lCurveOf(problem, options.rule, point) }
    }
  }
}

/** [labels] Eq. (4.17) with an L that takes the mean off: what all have in common is fitted freely, and counts as one degree. */
function chooseEven({ A, b, columns, noise }: Scaled, options: SolverOptions, warnings: string[]): Choice {
  const n = A.cols
  const L = matrix(
    n,
    n,
    identity(n).data.map((value, at) => (value - 1 / n) / columns[at % n]!),
  )
  const { B, c, back } = standardForm(A, b, L)
  const problem = diagonalise(B, c)
  if (problem.s.length === 0) return { y: back(new Float64Array(n)), freedom: 1, beta: 0 }
  const point = chosenBeta(problem, { ...options, noise }, warnings)
  const { beta, degreesOfFreedom } = point
  const lCurve = lCurveOf(problem, options.rule, point)
  return { y: back(tikhonovSolution(problem, beta)), freedom: 1 + degreesOfFreedom, beta, lCurve }
}

/** The rank of least m |A x - b|^2 / (m - rank)^2, at least 1. */
function crossValidatedRank({ rows: m, s, c, outsideSq }: DiagonalProblem): number {
  let [best, least] = [Math.min(1, s.length), Number.POSITIVE_INFINITY]
  let misfitSq = outsideSq
  for (let rank = s.length; rank >= 1; rank--) {
    const left = m - rank
    const score = left === 0 ? Number.POSITIVE_INFINITY : misfitSq / (left * left)
    if (score < least) [best, least] = [rank, score]
    misfitSq += c[rank - 1]! * c[rank - 1]!
  }
  return best
}

/** [labels] 4.3.4.2 takes the slope -n/m. departs: of two crossings the smaller beta; other rules on demand. */
function chosenBeta(problem: DiagonalProblem, options: SolverOptions, warnings: string[]): TikhonovPoint {
  const curve = tikhonovCurve(problem, tikhonovBetas(problem))
  const bySlope = (slope: number): TikhonovPoint => {
    const { point, reached } = smallestBetaWithSlope(curve, slope)
    if (!reached) warnings.push(`the L-curve is nowhere as steep as ${slope}: its steepest point was taken`)
    return point
  }
  try {
    switch (options.rule) {
      case 'slope-nm':
        return bySlope(-problem.V.rows / problem.rows)
      case 'slope-1':
        return bySlope(-1)
      case 'corner':
        return cornerOfLCurve(curve)
      case 'gcv':
        return leastCrossValidation(curve)
      case 'discrepancy': {
        const expected = totalOf(options.noise)
        return curve.findLast(({ misfitSq }) => misfitSq <= expected) ?? curve[0]!
      }
    }
  } catch (error) {
    if (!(error instanceof OverhearError)) throw error
    warnings.push(`the rule ${options.rule} finds no beta here: the smallest was taken`)
    return curve[0]!
  }
}
