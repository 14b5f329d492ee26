/** Checkpoints in a folder: the last two, each replaced whole, so that a run killed at any moment finds one. */
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
    const { checkpoint, extra } = await decodeCheckpoint(await store.read(name), name)
    found.push({ checkpoint, recorded: extra.recorded as number | null, place })
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
      await store.write(`${name}.tmp`, encodeCheckpoint(checkpoint, { recorded }))
      await store.rename(`${name}.tmp`, name)
      await store.syncFolder('')
      next = 1 - next
    },
  }
}
