/** How strongly a quadratic speaks for each value of a record, the others staying where they are. */
import { solve } from '../../../numeric/linalg/lu.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import type { Shares } from './coordinate-descent.js'

/**
 * (u_v - p*)^T Q_i (u_v - p*) for each value v, u_v its corner of the simplex and p* where record i alone would go if
 * nothing held it: squared distances in units of what the messages resolve. [value][record]
 */
export function distancesOf(Q: Float64Array, { p, gradient }: Shares, n: number): Float64Array[] {
  const N = p.length
  const m = N / n
  const distances = Array.from({ length: m + 1 }, () => new Float64Array(n))
  for (let i = 0; i < n; i++) {
    const own = Array.from({ length: m }, (_, v) => v * n + i)
    const block = matrix(m, m, Float64Array.from(own.flatMap((a) => own.map((b) => Q[a * N + b]!))))
    const away = awayFrom(
      block,
      own.map((a) => gradient[a]!),
    )
    for (let v = 0; v <= m; v++) {
      const d = own.map((a, u) => Number(u === v - 1) - p[a]! + away[u]!)
      let sum = 0
      for (let a = 0; a < m; a++) for (let b = 0; b < m; b++) sum += d[a]! * block.data[a * m + b]! * d[b]!
      distances[v]![i] = Math.max(0, sum)
    }
  }
  return distances
}

/** Q_i^-1 g: what separates p from p*. Nothing where the messages say nothing. */
function awayFrom(block: ReturnType<typeof matrix>, g: readonly number[]): readonly number[] {
  const m = g.length
  if (m === 1) return block.data[0]! > 0 ? [g[0]! / block.data[0]!] : [0]
  const size = Math.max(...Array.from({ length: m }, (_, a) => block.data[a * m + a]!))
  if (!(size > 0)) return g.map(() => 0)
  const lifted = matrix(
    m,
    m,
    block.data.map((x, at) => x + (at % (m + 1) === 0 ? 1e-12 * size : 0)),
  )
  return [...solve(lifted, matrix(m, 1, Float64Array.from(g))).data]
}
