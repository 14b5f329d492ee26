/** PROLIN's joint optimisation as published: many small steps of MTAdam, for comparison with the exact solution. */
import { minimiseTerms, mtAdam } from '../../../numeric/optimise/mtadam.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { ProlinFit, ProlinOptions } from './prolin-fit.js'
import {
  type Printing,
  type ProlinGradients,
  type ProlinLosses,
  type ProlinProblem,
  prolinLosses,
} from './prolin-losses.js'

/**
 * [prolin] Section 6.3.1: the three losses balanced by [malkiel2020], anchored on L_ml, tau kept in [0, 1].
 * departs: X begins at the expected features; from uniform draws everybody comes out positive.
 */
export function fitByMtAdam(
  problems: readonly ProlinProblem[],
  {
    likelihood,
    printing = 'corrected',
    tau,
    tick,
    steps,
  }: ProlinOptions & { readonly printing?: Printing; readonly steps: number },
): ProlinFit {
  const sizes = problems.map(({ round }) => round.length)
  const total = totalOf(sizes)
  const N = tau.length
  const start = new Float64Array(total + N)
  let at = 0
  const places = problems.map(({ start: begin, expected, round }) => {
    for (let i = 0; i < N; i++) start.fill(expected[i]!, at + begin[i]!, at + begin[i + 1]!)
    const place = { from: at, to: at + round.length }
    at = place.to
    return place
  })
  start.set(tau, total)
  const gradients = [0, 1, 2].map(() => new Float64Array(start.length)) as [Float64Array, Float64Array, Float64Array]
  const objective = (x: Float64Array): { values: number[]; gradients: readonly Float64Array[] } => {
    for (const one of gradients) one.fill(0)
    const values = [0, 0, 0]
    for (const [f, problem] of problems.entries()) {
      const { from, to } = places[f]!
      const own: ProlinGradients = {
        mlX: gradients[0].subarray(from, to),
        mlTau: gradients[0].subarray(total),
        regX: gradients[1].subarray(from, to),
        lstsqX: gradients[2].subarray(from, to),
      }
      const here = { X: x.subarray(from, to), tau: x.subarray(total) }
      const { ml, reg, lstsq } = prolinLosses(problem, here, { likelihood, printing, gradients: own })
      values[0]! += ml
      values[1]! += reg
      values[2]! += lstsq
    }
    return { values, gradients }
  }
  const groups = [...places.map(({ from, to }) => ({ start: from, end: to })), { start: total, end: total + N }]
  const found = minimiseTerms(mtAdam({ terms: 3, groups }), objective, start, {
    maxIterations: steps,
    projectInto: (x) => {
      for (let i = total; i < x.length; i++) x[i] = Math.min(Math.max(x[i]!, 1e-9), 1 - 1e-9)
    },
    aborted: ({ iteration }) => {
      if (iteration % 100 === 0) tick?.(iteration, steps)
      return false
    },
  })
  const [ml, reg, lstsq] = found.termValues as unknown as [number, number, number]
  const losses: ProlinLosses = { ml, reg, lstsq }
  const end = found.x.slice(total)
  return { tau: end, probability: end.slice(), losses, turns: found.iterations }
}
