/** Opens a recorded run from paths: its transcript, and what is known and true about it where that is given. */
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Evidence } from '../../audit/evidence.js'
import { OverhearError } from '../../errors.js'
import { parametersOf } from '../../models/index.js'
import type { TableOptions } from '../../transcript/encoded-table.js'
import { type KnowledgeFile, openKnowledge } from '../../transcript/knowledge-file.js'
import { openTranscript, type Transcript } from '../../transcript/read-transcript.js'
import { openTruth, type Truth } from '../../transcript/truth-file.js'
import { type FolderStore, fileStore } from './file-store.js'
import { readParquetCells } from './table-rows.js'

/** Each may name the folder or the JSON file in it. */
export interface RunPaths {
  readonly transcript: string
  readonly knowledge?: string
  readonly truth?: string
}

export interface OpenedRun {
  readonly transcript: Transcript
  readonly knowledge?: KnowledgeFile
  readonly truth?: Truth
}

/** Opens what the paths name; errors, also those of later reads, begin with the path. Tables may be Parquet too. */
export async function openRun(paths: RunPaths): Promise<OpenedRun> {
  const transcript = await opened(paths.transcript, 'transcript.json', ({ store, path }) => {
    if (path === 'transcript.json') return openTranscript(store, { parametersOf })
    throw new OverhearError('E_INPUT', 'this is no transcript', 'name its folder, or the transcript.json in it')
  })
  const knowledge =
    paths.knowledge === undefined
      ? undefined
      : await opened(paths.knowledge, 'knowledge.json', openTables(openKnowledge))
  const truth = paths.truth === undefined ? undefined : await opened(paths.truth, 'truth.json', openTables(openTruth))
  return { transcript, ...(knowledge !== undefined && { knowledge }), ...(truth !== undefined && { truth }) }
}

/** The same as what an audit reads. */
export async function openEvidence(paths: RunPaths): Promise<Evidence> {
  const { truth, ...sources } = await openRun(paths)
  return { sources, ...(truth !== undefined && { truth }) }
}

interface Place {
  readonly store: FolderStore
  readonly path: string
}

type Opener<T> = (store: FolderStore, options: TableOptions & { readonly path: string }) => Promise<T>

const openTables =
  <T>(open: Opener<T>) =>
  ({ store, path }: Place): Promise<T> =>
    open(store, { path, readParquet: async (_, file) => readParquetCells(await store.realPath(file)) })

async function opened<T extends object>(path: string, usual: string, open: (place: Place) => Promise<T>): Promise<T> {
  return naming(path, async () => named(path, await open(await placeOf(path, usual))))
}

async function placeOf(path: string, usual: string): Promise<Place> {
  const about = await stat(path).catch(() => undefined)
  if (about === undefined) {
    throw new OverhearError('E_INPUT', 'there is no such file or folder', `a folder with ${usual} is needed`)
  }
  if (about.isDirectory()) return { store: fileStore(path), path: usual }
  return { store: fileStore(dirname(path)), path: basename(path) }
}

/** The same object, whose functions name the path when they fail. */
function named<T extends object>(path: string, object: T): T {
  const entries = Object.entries(object).map(([key, value]: [string, unknown]) => {
    if (typeof value !== 'function') return [key, value]
    return [key, (...given: unknown[]): unknown => naming(path, () => Reflect.apply(value, object, given) as unknown)]
  })
  return Object.fromEntries(entries) as T
}

/** Runs, now or later, and puts the path before the message of an error. */
function naming<T>(path: string, run: () => T): T {
  const rethrow = (error: unknown): never => {
    if (!(error instanceof OverhearError) || error.code === 'E_INTERNAL') throw error
    const { code, hint, message } = error
    const found = hint === undefined ? message : message.slice(0, -`; ${hint}`.length)
    throw new OverhearError(code, `${path}: ${found}`, hint)
  }
  try {
    const result = run()
    return result instanceof Promise ? (result.catch(rethrow) as T) : result
  } catch (error) {
    return rethrow(error)
  }
}
