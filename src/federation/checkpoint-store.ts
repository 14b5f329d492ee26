/** Checkpoints in a folder: the last two, each replaced whole, so that a run killed at any moment finds one. */
import { OverhearError } from '../errors.js'
import { sha256Of } from '../transcript/file-digest.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from './checkpoint.js'

export interface SavedCheckpoint {
  readonly checkpoint: Checkpoint
  /** Rounds that the transcript held by then; null when none was written. */
  readonly recorded: number | null
}

export interface CheckpointStore {
  /** What was there when it was opened. */
  readonly found: readonly SavedCheckpoint[]
  /** Replaces the older of the two; it counts once the promise is kept. */
  save(checkpoint: Checkpoint, recorded: number | null): Promise<void>
}

const names = ['checkpoint-0.safetensors', 'checkpoint-1.safetensors'] as const

export async function checkpointStore(store: WritableStore): Promise<CheckpointStore> {
  await store.makeFolder('')
  const found: (SavedCheckpoint & { readonly place: number })[] = []
  for (const [place, name] of names.entries()) {
    if ((await store.size(name)) === undefined) continue
    const saved = await whole(store, name)
    if (saved !== undefined) found.push({ ...saved, place })
  }
  const newest = found.reduce<(typeof found)[number] | undefined>(
    (a, b) => (a === undefined || b.checkpoint.nextRound > a.checkpoint.nextRound ? b : a),
    undefined,
  )
  let next = newest === undefined ? 0 : 1 - newest.place
  return {
    found,
    async save(checkpoint, recorded) {
      const name = names[next]!
      const sum = await sha256Of(encodeCheckpoint(checkpoint, { recorded }))
      await store.write(`${name}.tmp`, encodeCheckpoint(checkpoint, { recorded, sum }))
      await store.rename(`${name}.tmp`, name)
      await store.syncFolder('')
      next = 1 - next
    },
  }
}

/** A checkpoint; undefined of one that is cut off or changed: the other one is older, and gives the same bits. */
async function whole(store: WritableStore, name: string): Promise<SavedCheckpoint | undefined> {
  const bytes = await store.read(name)
  try {
    const { checkpoint, extra } = await decodeCheckpoint(bytes, name)
    const { sum, ...rest } = extra
    if (sum !== undefined && sum !== (await sha256Of(encodeCheckpoint(checkpoint, rest)))) return undefined
    const recorded = typeof rest.recorded === 'number' ? rest.recorded : null
    return Number.isInteger(checkpoint.nextRound) && checkpoint.theta instanceof Float64Array
      ? { checkpoint, recorded }
      : undefined
  } catch (error) {
    if (error instanceof OverhearError || error instanceof TypeError) return undefined
    throw error
  }
}
