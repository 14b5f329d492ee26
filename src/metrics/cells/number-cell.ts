/** One number per record, graded on any rows: mean absolute error, with R2 beside it. */
import { finite, type Gradable, meanOn, type Rows } from './gradable.js'

export function numberCell(claimed: Float64Array, truth: Float64Array): Gradable {
  const errors = claimed.map((x, i) => Math.abs(x - truth[i]!))
  return {
    metric: 'MAE',
    better: 'lower',
    best: 0,
    of: 'records',
    on: (rows) => meanOn(errors, rows),
    also: (rows) => finite({ R2: determinationOn(errors, truth, rows) }),
  }
}

/** R2 = 1 - sum of error^2 / sum (y - mean y)^2; undefined where the truth is constant. */
export function determinationOn(errors: Float64Array, truth: Float64Array, rows: Rows): number | undefined {
  const mean = meanOn(truth, rows)
  let [missed, spread, differ] = [0, 0, false]
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    missed += errors[row]! * errors[row]!
    spread += (truth[row]! - mean) * (truth[row]! - mean)
    differ ||= truth[row] !== truth[rows[0]!]
  }
  return differ ? 1 - missed / spread : undefined
}
