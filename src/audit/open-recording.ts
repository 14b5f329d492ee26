/** Opens a recorded run from paths: its transcript, and what is known and true about it where that is given. */
import { OverhearError } from '../errors.js'
import { parametersOf } from '../models/index.js'
import type { OpenTables, RawTable, ReadTable } from '../transcript/encoded-table.js'
import { parseJson } from '../transcript/json.js'
import { openKnowledge } from '../transcript/knowledge-file.js'
import { openTranscript, type Transcript } from '../transcript/read-transcript.js'
import { type FileStore, readText } from '../transcript/store.js'
import { openTruth } from '../transcript/truth-file.js'
import type { Evidence } from './evidence.js'
import { aimedAt } from './recorded/aimed-knowledge.js'
import { withOptima } from './recorded/computed-optima.js'

/** Each may name the folder or the JSON file in it. */
export interface RecordingPaths {
  readonly transcript: string
  readonly knowledge?: string
  /** Or one for each client that is to be attacked, by its id: then nothing is asked of the others. */
  readonly knowledgeOf?: Readonly<Record<string, string>>
  readonly truth?: string
  /** Whom to look at where the knowledge names nobody. */
  readonly target?: string
  /** A JSON file that says which model it is, where the recording does not. */
  readonly model?: string
}

/** A folder, and the file in it that a path meant. */
export interface Place {
  readonly store: FileStore
  readonly path: string
}

/** What opening a recording needs of the machine. */
export interface RecordingPorts {
  /** What a path names; `usual` is the file when the path is a folder, undefined is nothing at all. */
  locate(path: string, usual: string): Promise<Place | undefined>
  /** Reads a Parquet file of a folder; without it such a file is an error that says so. */
  readParquet?(store: FileStore, file: string): Promise<RawTable>
  /** Reads tables, and may have read them before; each anew unless told. */
  readonly tables?: ReadTable
}

/** Opens what the paths name; errors, also those of later reads, begin with the path. */
export async function openRecording(paths: RecordingPaths, ports: RecordingPorts): Promise<Evidence> {
  const model =
    paths.model === undefined
      ? undefined
      : await opened(paths.model, 'model.json', ports, async ({ store, path }) => {
          return { said: parseJson(await readText(store, path), path) }
        })
  const transcript = await opened(paths.transcript, 'transcript.json', ports, ({ store, path }) => {
    if (path === 'transcript.json') return openTranscript(store, { parametersOf, ...(model && { model: model.said }) })
    throw new OverhearError('E_INPUT', 'this is no transcript', 'name its folder, or the transcript.json in it')
  })
  return openBeside(transcript, paths, ports)
}

/** Evidence from a transcript that is open, and what is known and true about it. */
export async function openBeside(
  transcript: Transcript,
  paths: Omit<RecordingPaths, 'transcript'>,
  ports: RecordingPorts,
): Promise<Evidence> {
  const { readParquet, tables: read } = ports
  const options = { ...(readParquet !== undefined && { readParquet }), ...(read !== undefined && { tables: read }) }
  const tables =
    <T>(open: Opener<T>) =>
    ({ store, path }: Place): Promise<T> =>
      open(store, { path, ...options })
  const known =
    paths.knowledge === undefined
      ? undefined
      : await opened(paths.knowledge, 'knowledge.json', ports, tables(openKnowledge))
  const knowledge = naming(paths.knowledge ?? 'the recording', () => aimedAt(known, transcript, paths.target))
  const truth =
    paths.truth === undefined
      ? undefined
      : withOptima(await opened(paths.truth, 'truth.json', ports, tables(openTruth)), transcript)
  return {
    sources: { transcript, ...(knowledge !== undefined && { knowledge }) },
    ...(truth !== undefined && { truth }),
  }
}

type Opener<T> = (store: FileStore, options: OpenTables) => Promise<T>

async function opened<T extends object>(
  path: string,
  usual: string,
  { locate }: RecordingPorts,
  open: (place: Place) => Promise<T>,
): Promise<T> {
  return naming(path, async () => {
    const place = await locate(path, usual)
    if (place !== undefined) return named(path, await open(place))
    throw new OverhearError('E_INPUT', 'there is no such file or folder', `a folder with ${usual} is needed`)
  })
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
