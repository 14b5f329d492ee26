/** The space of sums, for few and many rounds, lengths that fall, and sums that are nothing. */
import { spacesOfSums } from '../src/attacks/properties/participation/space-of-sums.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Aggregate, Series } from '../src/threat/granted-keys.js'
import { pinResults } from './pinned-results.js'

interface Made {
  readonly rounds: number
  readonly clients: number
  readonly length?: number
  /** What a sum is multiplied by, by its place. */
  readonly size?: (t: number) => number
  readonly noise?: number
  /** Who is assumed to be there. */
  readonly asked?: number
}

const spaces =
  ({ rounds: n, clients, length = 9, size = () => 1, noise = 0, asked = clients }: Made) =>
  () => {
    const draws = rng(7).fork('sums')
    const own = Array.from({ length: clients }, (_, i) => draws.fork('update', i).normals(length))
    const sums = new Map<number, Float64Array>()
    for (let t = 0; t < n; t++) {
      const there = draws.fork('round', t).normals(clients)
      const noises = draws.fork('noise', t).normals(length)
      const sum = new Float64Array(length)
      for (const [i, update] of own.entries()) if (there[i]! > -0.3) for (const [j, x] of update.entries()) sum[j]! += x
      sums.set(3 * t, sum.map((x, j) => size(t) * (x + noise * noises[j]!))) // biome-ignore format: a line
    }
    const read = async (round: number): Promise<Aggregate> => ({ round, dThetaSum: sums.get(round)!, derived: false })
    const series: Series<Aggregate> = { rounds: [...sums.keys()], read }
    return spacesOfSums(series, series.rounds, asked)
  }

pinResults('participation', {
  'spaces of sums': [
    ...[1, 2, 3, 5, 12, 30].flatMap((rounds) => [1, 2, 4, 9].map((clients) => spaces({ rounds, clients }))),
    ...[0.01, 0.3, 3].flatMap((noise) => [2, 4].map((clients) => spaces({ rounds: 24, clients, noise }))),
    ...[1, 3, 6, 40].map((asked) => spaces({ rounds: 14, clients: 4, asked, noise: 0.1 })),
    spaces({ rounds: 25, clients: 3, size: (t) => 0.9 ** t }),
    spaces({ rounds: 25, clients: 3, size: (t) => 0.5 ** t, noise: 0.2 }),
    spaces({ rounds: 25, clients: 3, size: (t) => (t < 12 ? 1 : 0) }),
    spaces({ rounds: 25, clients: 3, size: (t) => (t === 12 ? 100 : 1) }),
    spaces({ rounds: 4, clients: 2, size: () => 0 }),
    spaces({ rounds: 6, clients: 3, length: 1 }),
    spaces({ rounds: 6, clients: 3, length: 2, noise: 0.5 }),
  ],
})
