/** Results of an audit as they come: one line each, on the disk before the next job begins. */
import { OverhearError } from '../errors.js'
import { readBytes, utf8 } from '../transcript/store.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import type { AttackResult } from './attack-result.js'

/** How a line holds a result: one in another format is left where it is, and its job is run again. */
export const resultFormat = 'overhear-result/2'

/** A result, or what was claimed before its controls ran. */
type Line = { readonly format: typeof resultFormat; readonly hash: string } & (
  | { readonly result: AttackResult }
  | { readonly claimed: AttackResult }
)

/** Finished results by their job's hash, one line each; a torn last line is dropped. */
export interface ResultLog {
  readonly finished: ReadonlyMap<string, AttackResult>
  /** What was claimed whose controls were cut off. */
  readonly claimed: ReadonlyMap<string, AttackResult>
  /** Kept once the promise is. */
  add(hash: string, result: AttackResult): Promise<void>
  /** Keeps a claim before its controls run: a crash there costs the controls alone. */
  addClaim(hash: string, claimed: AttackResult): Promise<void>
}

const newline = 10
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** Opens the log `path` of a folder; a fresh one forgets what was there. */
export async function openResultLog(
  store: WritableStore,
  path: string,
  { fresh }: { readonly fresh: boolean },
): Promise<ResultLog> {
  const [finished, claimed] = [new Map<string, AttackResult>(), new Map<string, AttackResult>()]
  const there = (await store.size(path)) !== undefined
  const bytes = there && !fresh ? await readBytes(store, path) : new Uint8Array(0)
  // By bytes: a line may be torn inside a letter.
  const whole = bytes.subarray(0, bytes.lastIndexOf(newline) + 1)
  for (const [i, line] of utf8(whole, path).split('\n').entries()) {
    if (line === '') continue
    const known = parsed(line, `${path}, line ${i + 1}`)
    if (known === undefined) continue
    if ('result' in known) finished.set(known.hash, known.result)
    else claimed.set(known.hash, known.claimed)
  }
  if (!there || fresh) {
    await store.write(path, new Uint8Array(0))
    await store.syncFolder('')
  }
  // Cut, not written anew: a crash right here must not cost what was finished.
  else if (whole.length < bytes.length) await store.truncate(path, whole.length)
  let last: Promise<void> = Promise.resolve()
  const keep = async (line: Line): Promise<void> => {
    const before = last
    last = before.then(() => store.append(path, bytesOf(`${JSON.stringify(line)}\n`)))
    // Each caller hears of its own failure.
    last.catch(() => {})
    await last
  }
  return {
    finished,
    claimed,
    async add(hash, result) {
      await keep({ format: resultFormat, hash, result })
      finished.set(hash, result)
    },
    addClaim: (hash, claim) => keep({ format: resultFormat, hash, claimed: claim }),
  }
}

function parsed(line: string, where: string): Line | undefined {
  try {
    const value = JSON.parse(line) as Line | null
    return value?.format === resultFormat ? value : undefined
  } catch {
    throw new OverhearError('E_INPUT', `${where} is not JSON`, 'delete the line, or begin again without --resume')
  }
}
