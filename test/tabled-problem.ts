/** Least squares over gradients that stand in a table: the same at every model but for a factor, its first parameter. */
import { writtenLayout } from '../src/attacks/attributes/linear/column-layout.js'
import { gramOf } from '../src/attacks/attributes/linear/difference-gram.js'
import type { Problem, RateMode } from '../src/attacks/attributes/linear/linear-problem.js'
import { factorsOf } from '../src/attacks/attributes/linear/record-columns.js'

export interface Tabled {
  /** [value][record][parameter] */
  readonly table: readonly (readonly (readonly number[])[])[]
  /** By round: its message over the records, and what multiplies the table. */
  readonly rounds: readonly { readonly mean: readonly number[]; readonly by?: number }[]
  readonly rate?: RateMode
  /** Records the client trains on, where some are not known. */
  readonly samples?: number
}

/** A problem with factors and a Gram matrix; those who leave them out have what the products are made of. */
export function tabledProblem({ table, rounds, rate = 'known', samples }: Tabled) {
  const [values, n, P] = [table.length, table[0]!.length, table[0]![0]!.length]
  const layout = writtenLayout({ n, values, size: P })
  const factors = factorsOf(layout, (theta, { host, first, rest }) => {
    const by = theta[0]!
    host.view('f64', first, n * (values - 1)).fill(0)
    const columns = table
      .slice(1)
      .flatMap((own) => own.flatMap((g, i) => g.map((x, j) => by * (x - table[0]![i]![j]!))))
    host.view('f64', rest, columns.length).set(columns)
    return Float64Array.from({ length: P }, (_, j) => table[0]!.reduce((sum, g) => sum + by * g[j]!, 0))
  })
  const gradients: Problem['gradients'] = {
    ...{ records: n, values, size: P },
    clipping: () => new Float64Array(n * values).fill(1),
    weighted: ([by], weights) =>
      Float64Array.from({ length: P }, (_, j) =>
        table.flat().reduce((sum, g, at) => sum + weights[at]! * by! * g[j]!, 0),
      ),
    along: ([by], r) => Float64Array.from(table.flat(), (g) => g.reduce((sum, x, j) => sum + by! * x * r[j]!, 0)),
  }
  const made = rounds.map(({ mean, by = 1 }, round) => {
    const at = new Float64Array(P).fill(by)
    return { round, theta: at, rate: 1, at, mean: Float64Array.from(mean), rounding: new Float64Array(P) }
  })
  const problem = { rounds: made, steps: 1, rate, samples: samples ?? n, gradients, factors, gram: gramOf(layout), plays: new WeakMap() } // biome-ignore format: a line
  return problem as unknown as Problem & Required<Pick<Problem, 'factors' | 'gram'>>
}

/** The same without factors and Gram matrix. */
export function bareProblem(given: Tabled): Problem {
  const { factors: _, gram: __, ...bare } = tabledProblem(given)
  return bare
}
