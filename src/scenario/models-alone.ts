/** The models that targets would train alone, sought by whoever plays the clients. */
import { OverhearError } from '../errors.js'
import type { ClientPool } from '../federation/pool.js'
import type { Population } from '../federation/population.js'

/** Iterations behind the optimum that a simulation writes into the truth, at most. */
export const truthIterations = 500

export interface Alone {
  readonly pool: ClientPool
  readonly population: Population
  /** Where searches begin: the last model of the federation. */
  readonly from: Float64Array
  readonly signal: { readonly aborted: boolean } | undefined
}

/** By id. */
export async function modelsAlone(
  ids: readonly string[],
  { pool, population, from, signal }: Alone,
): Promise<ReadonlyMap<string, Float64Array>> {
  if (ids.length === 0) return new Map()
  if (signal?.aborted === true) throw new OverhearError('E_INTERRUPTED', 'interrupted after the last round')
  const searches = ids.map((id) => ({ client: population.indexOf(id)!, from, maxIterations: truthIterations }))
  const found = await pool.alone(searches)
  return new Map(ids.map((id, k) => [id, found[k]!]))
}
