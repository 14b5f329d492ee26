/** What an upload is: a table with guessed columns, a recording, or arrays of other people's that a recording can be made of. */
import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { UploadAbout } from '../../api/answers.js'
import { openRecording, type RecordingPaths } from '../../audit/open-recording.js'
import { OverhearError } from '../../errors.js'
import { type ImportKind, importKinds, importRecording, proposeMap } from '../../transcript/imports/import-recording.js'
import { fileStore } from '../files/file-store.js'
import { filesIn, importPorts } from '../files/import-source.js'
import { readRows } from '../files/table-rows.js'
import { recordingPorts } from '../recording-ports.js'
import { guessColumns, valuesOf } from './guess-columns.js'
import { tableScenario } from './table-scenario.js'

const tableEnding = /\.(csv|tsv|txt|data|json|jsonl|ndjson|parquet)(\.gz)?$/i

/** `path` is where it lies. */
export async function aboutUpload(name: string, path: string): Promise<UploadAbout> {
  const folder = lstatSync(path).isDirectory()
  if (folder && recordingAt(path) !== null) return aboutRecording(name, path)
  const kind = arraysAt(path, folder)
  if (kind !== null) {
    const { map, asks } = await proposeMap(arrayFiles(path, folder), importPorts(kind, folder ? path : dirname(path)))
    const { rounds, clients, model } = map
    return { kind: 'arrays', name, rounds: rounds.length, clients: clients.length, model: model.kind, asks }
  }
  if (!folder && tableEnding.test(name)) return aboutTable(name, path)
  const hint =
    'a table (.csv), the folder of a recording (transcript.json), or .npz, .safetensors or .pt files are needed'
  throw new OverhearError('E_INPUT', `it cannot be told what ${JSON.stringify(name)} is`, hint)
}

async function aboutTable(name: string, path: string): Promise<UploadAbout> {
  const table = await readRows(path)
  const guess = guessColumns(table)
  const columns = table.columns.map((one) => ({
    name: one.name,
    numbers: one.kind === 'number',
    values: valuesOf(one),
  }))
  return { kind: 'table', name, rows: table.rows, columns, guess, yaml: tableScenario(name, table, guess) }
}

/** The files of a recording in a folder that was dropped, as simulate writes them or the transcript alone; null: it is none. */
export function recordingAt(path: string): RecordingPaths | null {
  const [own, below] = [join(path, 'transcript.json'), join(path, 'transcript', 'transcript.json')]
  if (existsSync(own)) return { transcript: path }
  if (!existsSync(below)) return null
  const [knowledge, truth] = [join(path, 'knowledge.json'), join(path, 'truth')]
  return {
    transcript: join(path, 'transcript'),
    ...(existsSync(knowledge) && { knowledge }),
    ...(existsSync(truth) && { truth }),
  }
}

async function aboutRecording(name: string, path: string): Promise<UploadAbout> {
  const paths = recordingAt(path)!
  const { sources } = await openRecording(paths, recordingPorts)
  const { manifest } = sources.transcript
  return {
    kind: 'recording',
    name,
    rounds: sources.transcript.rounds().length,
    clients: 'count' in manifest.clients ? manifest.clients.count : manifest.clients.length,
    model: manifest.model.kind,
    knowledge: paths.knowledge !== undefined,
    truth: paths.truth !== undefined,
  }
}

const arrayFiles = (path: string, folder: boolean): string[] =>
  folder ? filesIn(path) : [path.slice(dirname(path).length + 1)]

/** The kind of arrays that a file or all files of a folder hold; null: none. */
function arraysAt(path: string, folder: boolean): ImportKind | null {
  const files = arrayFiles(path, folder)
  const kinds = Object.entries(importKinds) as [ImportKind, (typeof importKinds)[ImportKind]][]
  return kinds.find(([, { files: ending }]) => files.some((file) => ending.test(file)))?.[0] ?? null
}

/** Makes a recording of arrays, by the map that is proposed for them, in a folder that is not there yet. */
export async function importUpload(path: string, out: string): Promise<void> {
  const folder = lstatSync(path).isDirectory()
  const kind = arraysAt(path, folder)
  if (kind === null) throw new OverhearError('E_INPUT', 'it holds no arrays that could be imported')
  const ports = importPorts(kind, folder ? path : dirname(path))
  const { map } = await proposeMap(arrayFiles(path, folder), ports)
  const target = fileStore(out)
  await target.makeFolder('')
  await importRecording(map, { ...ports, target, where: 'the proposed map' })
}
