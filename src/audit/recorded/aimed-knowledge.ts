/** Whom a recording's attacks look at: a client that is in it, named by the knowledge or one after the other. */
import { OverhearError } from '../../errors.js'
import type { KnowledgeFile } from '../../transcript/knowledge-file.js'
import type { Transcript } from '../../transcript/read-transcript.js'
import { some } from '../../transcript/validate.js'

/** Clients that a recording names: in its list, or in its rounds where it only counts them. */
export function idsIn({ manifest: { clients }, rounds }: Transcript): string[] {
  if (!('count' in clients)) return clients.map(({ id }) => id)
  return [...new Set(rounds().flatMap(({ participants }) => participants ?? []))]
}

/** The knowledge with its target checked; or aimed at another client, of whom it knows nothing but what holds for all. */
export function aimedAt(
  knowledge: KnowledgeFile | undefined,
  transcript: Transcript,
  target: string | undefined,
): KnowledgeFile | undefined {
  const named = knowledge?.target ?? target
  if (named === undefined) return knowledge
  if (target !== undefined && named !== target) {
    const found = `the knowledge is of client "${named}", and client "${target}" was asked for`
    throw new OverhearError('E_INPUT', found, 'leave one of the two out')
  }
  requireClient(named, transcript)
  if (knowledge?.target !== undefined) return knowledge
  const { round: _, batchSize: __, metaclassCounts: ___, ...common } = knowledge ?? nothing
  return { ...common, target: named, records: async () => undefined }
}

const nothing: KnowledgeFile = {
  warnings: [],
  records: async () => undefined,
  auxiliary: async () => undefined,
  candidates: async () => undefined,
}

function requireClient(target: string, transcript: Transcript): void {
  const { recordedFor, clients } = transcript.manifest
  const ids = idsIn(transcript)
  const told = `the target is client "${target}"`
  if (recordedFor.kind === 'eavesdropper' && recordedFor.client !== target) {
    throw new OverhearError('E_INPUT', told, `the recording is of the line of client "${recordedFor.client}"`)
  }
  if (ids.includes(target) || ('count' in clients && ids.length === 0)) return
  const mend = 'write these into the client column, or give the recorder aliases for them'
  throw new OverhearError('E_INPUT', told, `the recording has the clients ${some(ids)}: ${mend}`)
}

export interface Targets {
  readonly targets: readonly string[]
  /** Clients that were left out. */
  readonly left: number
}

/** The clients whose own messages a recording holds, the first ones of many. */
export async function targetsIn(transcript: Transcript, most: number): Promise<Targets> {
  const heard = new Set<string>()
  for (const { round } of transcript.rounds())
    for (const id of (await transcript.contents(round)).clients) heard.add(id)
  const all = idsIn(transcript).filter((id) => heard.has(id))
  return { targets: all.slice(0, most), left: Math.max(0, all.length - most) }
}
