/** A world in which a client's own optimum is certain: exact affine turns toward it from models spread around it. */

import { dot, norm } from '../../numeric/linalg/vector.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Exchange, View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import type { ControlWorld } from '../attack.js'
import { optimumOf, returning } from '../shared/turn-controls.js'

export interface PlantOptions<V> {
  readonly view: V
  readonly truth: Truth
  readonly rng: Rng
  /** Turns to have at least; d + 2 unless told. */
  readonly least?: (d: number) => number
}

/** Delta = W (theta - theta*), W = 0.6 I + 0.3 (I - 2 u u^T): eigenvalues 0.9 and 0.3, in a random direction. */
export async function plantedAffine<V extends View<'exchanges' | 'target'>>({
  view,
  truth,
  rng,
  least = (d) => d + 2,
}: PlantOptions<V>): Promise<ControlWorld<V>> {
  const optimum = await optimumOf(truth, view.target)
  const { exchanges } = view
  const d = optimum.length
  const first = await exchanges.read(exchanges.rounds[0]!)
  const from = first.received
  const distance = from === undefined ? 0 : norm(from.map((v, j) => v - optimum[j]!))
  const std = (distance || norm(optimum) || 1) / Math.sqrt(d)
  const u = rng.fork('direction').normals(d)
  const length = norm(u)
  u.forEach((v, j) => {
    u[j] = v / length
  })
  const last = exchanges.rounds.at(-1)!
  const more = Math.max(0, least(d) - exchanges.rounds.length)
  const added = new Set(Array.from({ length: more }, (_, i) => last + 1 + i))
  return {
    view: {
      ...view,
      exchanges: {
        rounds: [...exchanges.rounds, ...added],
        async read(round: number): Promise<Exchange> {
          const template = added.has(round) ? { ...first, round } : await exchanges.read(round)
          const step = rng.fork('round', round).normals(d, { mean: 0, std })
          const received = optimum.map((v, j) => v + step[j]!)
          const along = 0.6 * dot(u, step)
          const returned = received.map((v, j) => v - (0.9 * step[j]! - along * u[j]!))
          return returning({ ...template, received }, returned)
        },
      },
    },
  }
}
