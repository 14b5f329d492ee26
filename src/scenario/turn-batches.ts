/** Which of a client's records made each of its updates, for the truth: the turns' own draws, drawn again. */
import { batchRows, readsAll } from '../federation/batches.js'
import type { Defence } from '../federation/hooks.js'
import type { Population } from '../federation/population.js'
import { type FederationSpec, settle } from '../federation/spec.js'
import { turnStream } from '../federation/turn.js'
import type { RoundEntry } from '../transcript/round-list.js'
import type { TruthToWrite } from '../transcript/write-truth.js'

export interface Turns {
  readonly targets: readonly string[]
  readonly rounds: readonly Pick<RoundEntry, 'round' | 'participants'>[]
  readonly defences: readonly Defence[]
}

/** Rows of all steps of a turn, each once; turns that read the whole table are left out, which says the same. */
export function turnBatches(
  { spec, population }: { readonly spec: FederationSpec; readonly population: Population },
  { targets, rounds, defences }: Turns,
): NonNullable<TruthToWrite['batches']> {
  const settled = settle(spec)
  const sampleRate = defences.find(({ step }) => step !== undefined)?.step?.sampleRate
  return targets.flatMap((id) => {
    const client = population.indexOf(id)!
    const n = population.samples(client)
    if (readsAll(n, { plan: settled.plan, sampleRate })) return []
    return rounds.flatMap(({ round, participants }) => {
      if (participants !== null && !participants.includes(id)) return []
      const turn = { plan: settled.plan, rng: turnStream(settled, { round, client }), sampleRate }
      const rows = new Set(batchRows(n, turn).flatMap((step) => [...step]))
      return rows.size === n ? [] : [{ round, client: id, rows: [...rows] }]
    })
  })
}
