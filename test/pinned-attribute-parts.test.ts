import { refined } from '../src/attacks/attributes/refine-values.js'
import { searchValues } from '../src/attacks/attributes/search-values.js'
import type { Unknown } from '../src/attacks/attributes/unknown-columns.js'
import { posteriorOf } from '../src/attacks/attributes/value-posterior.js'
import type { Batch } from '../src/models/functions.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const grid = (from: number, to: number, points: number): number[][] =>
  Array.from({ length: points }, (_, k) => [from + ((to - from) * k) / (points - 1)])
const measured = (place: number, points = 9): Unknown => ({
  sensitive: { name: `m${place}`, columns: [`m${place}`], kind: 'continuous', range: [-1, 3] },
  places: [place],
  candidates: grid(-1, 3, points),
})
const coded = (place: number, values: number): Unknown => ({
  sensitive: { name: `c${place}`, columns: [`c${place}`], kind: 'categorical', values: grid(0, values - 1, values), words: [] }, // biome-ignore format: one line
  places: [place],
  candidates: grid(0, values - 1, values),
})
const lowest = [-1.5, -1, -0.97, 0.123, 0.5, 1.31, 2.99, 3, 4]
const n = lowest.length
const shapes: Readonly<Record<string, (x: number, at: number) => number>> = {
  parabola: (x, at) => (x - at) * (x - at),
  corner: (x, at) => Math.abs(x - at),
  skewed: (x, at) => (x > at ? 3 * (x - at) : (x - at) * (x - at) * (x - at) * (x - at)),
  flat: () => 1,
  steps: (x, at) => Math.floor(4 * Math.abs(x - at)),
}

/** The least point of each record between those of a grid, and all that were tried. */
function refining(shape: (x: number, at: number) => number, points: number) {
  return () => {
    const tried: number[][] = []
    const energies = ({ features }: Batch) => {
      tried.push(Array.from({ length: n }, (_, i) => features.data[2 * i + 1]!))
      return Float64Array.from(lowest, (at, i) => shape(features.data[2 * i + 1]!, at))
    }
    const attribute = measured(1, points)
    const costs = attribute.candidates.map(([x]) => Float64Array.from(lowest, (at) => shape(x!, at)))
    const best = Int32Array.from(lowest, (_, i) =>
      costs.reduce((least, cost, k) => (cost[i]! < costs[least]![i]! ? k : least), 0),
    )
    const unknowns = { attributes: [attribute], known: matrix(n, 2), labels: new Float64Array(n) }
    return [refined(unknowns, best, { energies, costs }), tried]
  }
}

/** Values of several attributes at once or in turns, from a sum of what each adds to a label. */
function searching(attributes: readonly Unknown[], more: object = {}) {
  return () => {
    const cols = attributes.length + 1
    const known = matrix(n, cols, rng('known').normals(n * cols))
    const labels = rng('labels').normals(n, { std: 2 })
    const energies = ({ features, labels: y }: Batch) =>
      y.map((v, i) => {
        let sum = 0
        for (let j = 0; j < cols; j++) sum += (1 + j / 2) * features.data[i * cols + j]!
        return (v - sum) * (v - sum)
      })
    return searchValues({ attributes, known, labels }, { energies, residuals: 1, ...more })
  }
}
const priors = [
  [-0.1, -2.3],
  [-1, -0.5, -3],
]

/** What is believed of records by their energies, and of the noise in them. */
function believing(K: number, count: number, options: object = {}) {
  return () => {
    const draws = rng('energies')
    const energies = Array.from({ length: K }, (_, v) =>
      draws
        .fork(v)
        .normals(count)
        .map((x) => x * x * (1 + v)),
    )
    return posteriorOf(energies, { residuals: 1, ...options } as never)
  }
}
const even = (K: number) => Array.from({ length: K }, (_, v) => -1 - v / 2)

pinResults('attribute-parts', {
  'posteriors of values': [
    ...[2, 3, 5].flatMap((K) => [1, 30].map((count) => believing(K, count))),
    ...[1, 3].map((residuals) => believing(3, 40, { residuals, logPrior: even(3) })),
    believing(3, 40, { residuals: null }),
    believing(3, 40, { residuals: null, logPrior: even(3) }),
    believing(2, 20, { logWeights: [new Float64Array(20), rng('weights').normals(20)] }),
    believing(2, 20, { residuals: null, logWeights: [new Float64Array(20), rng('weights').normals(20)] }),
    ...[2000, 2001, 4001].map((count) => believing(4, count)), // more than are learned from
  ],
  'values between the points of a grid': Object.values(shapes).flatMap((shape) =>
    [2, 9, 33].map((points) => refining(shape, points)),
  ),
  'values searched for': [
    searching([coded(0, 2)]),
    searching([coded(0, 2), coded(1, 3)]),
    searching([coded(0, 2), coded(1, 3)], { logPriors: priors }),
    searching([coded(0, 2), coded(1, 3)], { logPriors: [undefined, priors[1]] }),
    searching([coded(0, 2), coded(1, 3)], { residuals: null }),
    searching([coded(0, 9), coded(1, 9)]),
    searching([coded(0, 8), coded(2, 8)]),
    searching([measured(0)]),
    searching([measured(0), coded(1, 2)]),
    searching([measured(1, 33), coded(0, 3)], { logPriors: [undefined, priors[1]] }),
    searching([measured(0), measured(2), coded(1, 2)]),
  ],
})
