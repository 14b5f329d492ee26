/** Results of an audit as they come: one line each, on the disk before the next job begins. */
import { OverhearError } from '../../errors.js'
import { readBytes, utf8 } from '../../transcript/store.js'
import { check } from '../../transcript/validate.js'
import type { WritableStore } from '../../transcript/write-transcript.js'
import type { AttackResult } from '../attack-result.js'
import { resultFormat } from './result-format.js'

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

export interface LogOptions {
  /** Whether what was there is forgotten. */
  readonly fresh: boolean
  /** Whether lines that are not whole, or no results, are dropped in place of being an error. */
  readonly repair?: boolean
}

/** Opens the log `path` of a folder. */
export async function openResultLog(
  store: WritableStore,
  path: string,
  { fresh, repair = false }: LogOptions,
): Promise<ResultLog> {
  const [finished, claimed] = [new Map<string, AttackResult>(), new Map<string, AttackResult>()]
  const there = (await store.size(path)) !== undefined
  const bytes = there && !fresh ? await readBytes(store, path) : new Uint8Array(0)
  const kept: Uint8Array[] = []
  let dropped = 0
  for (const [i, line] of linesOf(bytes).entries()) {
    try {
      const known = await parsed(line, `${path}, line ${i + 1}`)
      kept.push(line)
      if (known === undefined) continue
      if ('result' in known) finished.set(known.hash, known.result)
      else claimed.set(known.hash, known.claimed)
    } catch (error) {
      if (!repair) throw error
      dropped++
    }
  }
  const whole = bytes.lastIndexOf(newline) + 1
  if (!there || fresh) {
    await store.write(path, new Uint8Array(0))
    await store.syncFolder('')
  } else if (dropped > 0) {
    await store.write(`${path}.tmp`, joined(kept))
    await store.rename(`${path}.tmp`, path)
    await store.syncFolder('')
  }
  // Cut, not written anew: a crash right here must not cost what was finished.
  else if (whole < bytes.length) await store.truncate(path, whole)
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

/** Whole lines with their ends; by bytes, because the last one may be torn inside a letter. */
function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let start = 0, end = bytes.indexOf(newline); end >= 0; start = end + 1, end = bytes.indexOf(newline, start)) {
    lines.push(bytes.subarray(start, end + 1))
  }
  return lines
}

function joined(lines: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(lines.reduce((n, line) => n + line.length, 0))
  let at = 0
  for (const line of lines) {
    all.set(line, at)
    at += line.length
  }
  return all
}

const whatToDo = 'give --repair to do without such lines, or begin again without --resume'

/** What a line holds; undefined of an empty one and of one in another format. */
async function parsed(bytes: Uint8Array, where: string): Promise<Line | undefined> {
  const text = utf8(bytes, where).trim()
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new OverhearError('E_INPUT', `${where} is not JSON`, whatToDo)
  }
  if ((value as Partial<Line> | null)?.format !== resultFormat) return undefined
  const { lineSchema } = await import('./result-schema.js')
  try {
    check(lineSchema, value, where)
  } catch (error) {
    throw new OverhearError('E_INPUT', (error as OverhearError).message, whatToDo)
  }
  return value as Line
}
