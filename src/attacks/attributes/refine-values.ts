/** Least loss between the points of a grid, all records at once: parabolas, golden sections where they fail. */
import { matrix } from '../../numeric/linalg/matrix.js'
import type { Energies } from './record-losses.js'
import { fillInto, type Unknowns } from './unknown-columns.js'

const golden = (3 - Math.sqrt(5)) / 2
const steps = 40

/** `best`: each record's best grid point; `costs`: energies at every grid point. Returns encoded numbers. */
export function refined(
  { attributes, known, labels }: Unknowns,
  best: Int32Array,
  { energies, costs }: { readonly energies: Energies; readonly costs: readonly Float64Array[] },
): Float64Array {
  const [attribute] = attributes
  const grid = attribute!.candidates.map((row) => row[0]!)
  const [n, last] = [best.length, grid.length - 1]
  // A bracket a <= b <= c with the least seen at b.
  const at = (move: number): Float64Array =>
    Float64Array.from(best, (g) => grid[Math.min(last, Math.max(0, g + move))]!)
  const cost = (move: number): Float64Array =>
    Float64Array.from(best, (g, i) => costs[Math.min(last, Math.max(0, g + move))]![i]!)
  const [a, b, c] = [at(-1), at(0), at(1)]
  const [fa, fb, fc] = [cost(-1), cost(0), cost(1)]
  const features = matrix(known.rows, known.cols, known.data.slice())
  const tried = new Float64Array(n)
  const tolerance = 1e-10 * (grid[last]! - grid[0]!)
  for (let step = 0; step < steps; step++) {
    let open = false
    for (let i = 0; i < n; i++) {
      tried[i] = nextPoint([a[i]!, b[i]!, c[i]!], [fa[i]!, fb[i]!, fc[i]!], step)
      open ||= c[i]! - a[i]! > tolerance
    }
    if (!open) break
    fillInto(features, attribute!, (i) => tried[i]!)
    const f = energies({ features, labels })
    for (let i = 0; i < n; i++) {
      const [x, fx] = [tried[i]!, f[i]!]
      if (fx < fb[i]!) {
        if (x < b[i]!) [c[i], fc[i]] = [b[i]!, fb[i]!]
        else [a[i], fa[i]] = [b[i]!, fb[i]!]
        b[i] = x
        fb[i] = fx
      } else if (x < b[i]!) [a[i], fa[i]] = [x, fx]
      else [c[i], fc[i]] = [x, fx]
    }
  }
  return b
}

type Three = readonly [number, number, number]

/** The vertex of the parabola on two steps of three, else a golden section of the longer part. */
function nextPoint([a, b, c]: Three, [fa, fb, fc]: Three, step: number): number {
  const [left, right] = [(b - a) * (fb - fc), (b - c) * (fb - fa)]
  const vertex = b - ((b - a) * left - (b - c) * right) / (2 * (left - right))
  if (step % 3 !== 2 && vertex > a && vertex < c && vertex !== b) return vertex
  return c - b > b - a ? b + golden * (c - b) : b - golden * (b - a)
}
