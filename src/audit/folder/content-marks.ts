/** What a recording holds, file by file: results are taken up only where none of it was changed. */
import { OverhearError } from '../../errors.js'
import { digestOf } from '../../transcript/file-digest.js'
import { parseJson } from '../../transcript/json.js'
import type { Transcript } from '../../transcript/read-transcript.js'
import { type FileStore, insidePath, readText } from '../../transcript/store.js'
import type { RecordingPaths, RecordingPorts } from '../open-recording.js'

/** One file: what is in it, and what told so without reading it. */
export interface FileMark {
  readonly sha256: string
  readonly stamp?: string
}

/** By the part of a recording and the path in it: "transcript/rounds/000000.safetensors", "truth/0.csv". */
export type Marks = Readonly<Record<string, FileMark>>

interface MarkedFile {
  readonly name: string
  readonly store: FileStore
  readonly path: string
  /** What a recording says of it. */
  readonly sha256?: string
}

/** The marks of all files that an audit of the paths may read; what has its old stamp is not read again. */
export async function contentMarks(
  paths: RecordingPaths,
  transcript: Transcript,
  { ports, known }: { readonly ports: RecordingPorts; readonly known: Marks },
): Promise<Marks> {
  const marks: Record<string, FileMark> = {}
  for (const file of await filesOf(paths, transcript, ports)) {
    const mark = await markOf(file, Object.hasOwn(known, file.name) ? known[file.name] : undefined)
    if (file.sha256 !== undefined && file.sha256 !== mark.sha256) {
      const found = `${paths.transcript}: ${file.path} was changed after it was recorded: its sha256 is ${mark.sha256}`
      throw new OverhearError('E_INPUT', found, `rounds.jsonl says ${file.sha256}: record it again, or bring it back`)
    }
    marks[file.name] = mark
  }
  return marks
}

async function markOf({ store, path, name }: MarkedFile, known: FileMark | undefined): Promise<FileMark> {
  // A table that is not there fails whoever asks for it, and nobody else; a round would be missed by all.
  if (!name.startsWith('transcript/') && (await store.size(path)) === undefined) return { sha256: 'not there' }
  const stamp = await store.stamp?.(path)
  if (stamp !== undefined && known?.stamp === stamp) return known
  const source = await store.open(path)
  try {
    return { sha256: await digestOf(source), ...(stamp !== undefined && { stamp }) }
  } finally {
    await source.close?.()
  }
}

async function filesOf(paths: RecordingPaths, transcript: Transcript, ports: RecordingPorts): Promise<MarkedFile[]> {
  const files: MarkedFile[] = []
  const at = await ports.locate(paths.transcript, 'transcript.json')
  if (at !== undefined) {
    const own = ['transcript.json']
    if ((await at.store.size('rounds.jsonl')) !== undefined) own.push('rounds.jsonl')
    files.push(...own.map((path) => ({ name: `transcript/${path}`, store: at.store, path })))
    for (const { file: path, sha256 } of transcript.rounds()) {
      files.push({ name: `transcript/${path}`, store: at.store, path, ...(sha256 !== undefined && { sha256 }) })
    }
  }
  const { knowledge, knowledgeOf = {}, truth, model } = paths
  const parts = [
    ['knowledge', knowledge],
    ...Object.entries(knowledgeOf).map(([id, path]) => [`knowledge/${id}`, path] as const),
    ['truth', truth],
    ['model', model],
  ] as const
  for (const [part, path] of parts) {
    const place = path === undefined ? undefined : await ports.locate(path, `${part.split('/')[0]}.json`)
    if (place === undefined) continue
    const named = namesIn(parseJson(await readText(place.store, place.path), place.path))
    for (const one of new Set([place.path, ...named])) {
      files.push({ name: `${part}/${one}`, store: place.store, path: insidePath(one, place.path) })
    }
  }
  return files
}

/** The files that knowledge.json or truth.json names. */
function namesIn(json: unknown, key = ''): string[] {
  if (typeof json === 'string') return key === 'file' || key === 'heldBack' ? [json] : []
  if (typeof json !== 'object' || json === null) return []
  if (key === 'optimum') return Object.values(json).filter((one) => typeof one === 'string')
  return Object.entries(json).flatMap(([name, value]) => namesIn(value, name))
}

/** What differs, in words; a few of many. */
export function changedFiles(before: Marks, now: Marks): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  const words = names.flatMap((name) => {
    const [old, fresh] = [before[name]?.sha256, now[name]?.sha256]
    if (old === fresh) return []
    return [`${name} ${old === undefined ? 'is new' : fresh === undefined ? 'is gone' : 'was changed'}`]
  })
  return words.length > 8 ? [...words.slice(0, 8), `${words.length - 8} more`] : words
}
