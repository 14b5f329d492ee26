/** The rounds of a transcript: entries of the manifest or lines of rounds.jsonl, settled and checked. */
import { OverhearError } from '../errors.js'
import { parseJson } from './json.js'
import type { RoundRaw } from './schema.js'
import { type FileStore, insidePath, readBytes, utf8 } from './store.js'
import { type Checked, check, distinct, shown } from './validate.js'

/** Who took part: one by one, or so many alike. */
export type Clients =
  | readonly { readonly id: string; readonly samples: number | null }[]
  | { readonly count: number; readonly samples: number | null }

/** The text of rounds.jsonl, empty when there is none yet: a run may have been killed before its first round ended. */
export async function readRoundLines(store: FileStore): Promise<string> {
  if ((await store.size('rounds.jsonl')) === undefined) return ''
  const bytes = await readBytes(store, 'rounds.jsonl')
  const whole = bytes.lastIndexOf(0x0a) + 1
  // A line may have been cut inside a character.
  return utf8(bytes.subarray(0, whole), 'rounds.jsonl') + new TextDecoder().decode(bytes.subarray(whole))
}

/** The entries of rounds.jsonl; a last line that was cut off is dropped, any other bad line is an error. */
export async function parseRoundLines(text: string, where = 'rounds.jsonl'): Promise<Checked<readonly RoundRaw[]>> {
  const { roundSchema } = await import('./schema.js')
  const lines = text.split('\n')
  if (lines[lines.length - 1] === '') lines.pop()
  const warnings: string[] = []
  const entries: RoundRaw[] = []
  for (const [i, line] of lines.entries()) {
    const here = `${where}: line ${i + 1}`
    if (i === lines.length - 1 && isTorn(line)) {
      warnings.push(`${here} was cut off: dropped`)
      break
    }
    const { value, warnings: unknown } = check(roundSchema, parseJson(line, here), here)
    entries.push(value)
    if (warnings.length < 20) warnings.push(...unknown)
  }
  return { value: entries, warnings }
}

/** Whether a line is not whole: the beginning of an object is never JSON itself. */
export function isTorn(line: string): boolean {
  try {
    JSON.parse(line)
    return false
  } catch {
    return true
  }
}

/** A round's entry with its number, file and ids settled. */
export interface RoundEntry {
  readonly round: number
  readonly file: string
  /** Null when the recording does not say. */
  readonly participants: readonly string[] | null
  readonly dropped: readonly string[]
  readonly tampered: readonly string[]
  readonly learningRate: number | null
  /** Who lost its place in secure aggregation, in which phase, and why; absent where nobody did. */
  readonly excluded?: readonly Exclusion[]
  /** Of the round's file, in small letters; absent when the recording does not say. */
  readonly sha256?: string
}

export interface Exclusion {
  readonly client: string
  readonly phase: string
  readonly reason: string
}

/** Settles the entries in order: rounds rise, files stay inside, ids are known. */
export function roundEntries(raw: readonly RoundRaw[], clients: Clients, where: string): readonly RoundEntry[] {
  const known = Array.isArray(clients) ? new Set(clients.map(({ id }) => id)) : undefined
  let last = -1
  return raw.map(({ participants, dropped, tampered, learningRate, excluded, sha256, ...entry }, i) => {
    const round = entry.round ?? last + 1
    const here = `${where}: entry ${i}`
    if (round <= last) {
      throw new OverhearError('E_INPUT', `${here}: round is ${round} after ${last}`, 'rounds must rise')
    }
    last = round
    const file = insidePath(entry.file ?? `rounds/${String(round).padStart(6, '0')}.safetensors`, `${here}: file`)
    const outOf = [...new Set(excluded?.map(({ client }) => client))]
    for (const [key, ids] of Object.entries({ participants: participants ?? [], dropped, tampered, excluded: outOf })) {
      distinct(ids, { key: `${key} of round ${round}`, where })
      const stranger = known === undefined ? undefined : ids.find((id) => !known.has(id))
      if (stranger !== undefined) {
        const found = `${here}: ${key} of round ${round} holds ${shown(stranger)}`
        throw new OverhearError('E_INPUT', found, 'every id must stand in clients')
      }
    }
    const present = new Set(participants)
    const both = dropped.find((id) => present.has(id))
    if (both !== undefined) {
      const found = `${here}: ${shown(both)} stands in participants and in dropped of round ${round}`
      throw new OverhearError('E_INPUT', found, 'participants are those inside the sum, dropped those that failed')
    }
    const told = excluded === undefined ? {} : { excluded }
    const settled = { ...entry, round, file, participants, dropped, tampered, learningRate, ...told }
    return sha256 === undefined ? settled : { ...settled, sha256: sha256.toLowerCase() }
  })
}
