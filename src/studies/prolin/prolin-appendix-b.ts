/** [prolin] App. B: the error of features of reconstructed updates beside that of reconstructed features. */
import { matrix } from '../../numeric/linalg/matrix.js'
import { pseudoInverse } from '../../numeric/linalg/pseudo-inverse.js'
import { norm } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import { always, measured } from '../claims.js'
import { defineStudy, type Measure } from '../study.js'

const panel = 'error of updates over error of features, over the norm of the weights'
const [dense, sparse] = ['weights of all coordinates', 'weights of three coordinates']
const lengths = [0.1, 0.5, 1, 2, 10]
/** Rounds, clients, coordinates; a fifth of the clients takes part in each. */
const [n, N, z] = [100, 50, 400]

export const prolinAppendixB = defineStudy({
  id: 'prolin-appendix-b',
  title: 'Reconstructed updates beside reconstructed features (drawn numbers)',
  paper: 'prolin',
  where: 'App. B',
  data: [],
  unit: 'E |g(W) - g(W~)|_1 / (E |G - G~|_1 |alpha|), by the norm |alpha| of the weights of g',
  axis: 'norm of the weights',
  seconds: { quick: 5, full: 20 },
  seeds: { quick: 3, full: 20 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed }) {
    const root = rng(seed).fork('studies', 'appendix-b')
    const A = matrix(n, N)
    for (let r = 0; r < n; r++) for (const i of root.fork('round', r).sample(N, N / 5)) A.data[r * N + i] = 1
    const inverse = pseudoInverse(A).inverse
    /** |A^+ noise|_1 of a column of noise. */
    const errorOf = (noise: Float64Array): number => {
      let sum = 0
      for (let i = 0; i < N; i++) {
        let own = 0
        for (let r = 0; r < n; r++) own += inverse.data[i * n + r]! * noise[r]!
        sum += Math.abs(own)
      }
      return sum
    }
    const features = errorOf(root.fork('features').normals(n))
    const noise = root.fork('updates').normals(n * z)
    const kinds = { [dense]: root.fork('dense').normals(z), [sparse]: root.fork('sparse').normals(z).fill(0, 3) }
    return Object.entries(kinds).flatMap(([series, drawn]) =>
      lengths.map((x): Measure => {
        const weights = drawn.map((a) => (a * x) / norm(drawn))
        const through = Float64Array.from({ length: n }, (_one, r) =>
          weights.reduce((sum, a, j) => sum + a * noise[r * z + j]!, 0),
        )
        return { panel, series, x, value: errorOf(through) / features / x }
      }),
    )
  },
  published: lengths.flatMap((x) => [dense, sparse].map((series) => ({ panel, series, x, mean: 1 }))),
  departs: [
    'The appendix has orders of magnitude: a factor of the norm of the weights (one feature), by which ours is divided.',
    'Noise of one deviation in all coordinates and in the feature, as the appendix assumes "just for the sake of comparison".',
  ],
  claims: [
    {
      text: 'the error of reconstructed updates is larger by the norm of the weights (within a half, weights of all coordinates)',
      holds: measured(
        lengths.map((x) => [panel, dense, x] as const),
        (ratios) => ratios.every((ratio) => ratio > 0.5 && ratio < 1.5),
        { least: lengths.length },
      ),
    },
    {
      text: 'sparse weights make the two comparable: of the same norm, they lower the factor',
      believed:
        'Tried: weights of all coordinates and of three, of the same norm. The participation matrix drops out of the ratio, which leaves the norm alone (docs/property-inference.md). We believe that how sparse they are does not matter.',
      holds: always(
        lengths.map((x) => [[panel, sparse, x] as const, [panel, dense, x] as const]),
        (a, b) => a < 0.8 * b,
      ),
    },
  ],
})
