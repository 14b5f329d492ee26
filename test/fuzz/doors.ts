/** Every door through which files of strangers come in, each with how to knock on it in process. */
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { openResultLog } from '../../src/audit/folder/result-log.js'
import { memoryPorts } from '../../src/audit/memory-ports.js'
import { checkpointStore } from '../../src/federation/checkpoint-store.js'
import { parametersOf } from '../../src/models/index.js'
import { lockFolder, lockName } from '../../src/node/files/folder-lock.js'
import { loadScenario } from '../../src/node/files/scenario-file.js'
import { readRows } from '../../src/node/files/table-rows.js'
import { type ImportKind, importRecording, proposeMap } from '../../src/transcript/imports/import-recording.js'
import type { Inflate } from '../../src/transcript/imports/zip-archive.js'
import { openKnowledge } from '../../src/transcript/knowledge-file.js'
import { memoryFolder } from '../../src/transcript/memory-folder.js'
import { openTranscript } from '../../src/transcript/read-transcript.js'
import { openTruth } from '../../src/transcript/truth-file.js'

export interface Door {
  /** The file of the corpus's folder that is mutated. */
  readonly file: string
  knock(bytes: Uint8Array, folder: Files): Promise<unknown>
  /** Slow ones get one input in so many. */
  readonly oneIn?: number
}
type Files = ReadonlyMap<string, Uint8Array>

const work = mkdtempSync(join(tmpdir(), 'overhear-fuzz-'))
const onDisk = (name: string, bytes: Uint8Array): string => {
  const path = join(work, name)
  writeFileSync(path, bytes)
  return path
}
/** The corpus's folder with one file replaced. */
const store = (files: Files, file: string, bytes: Uint8Array) => memoryFolder(new Map([...files, [file, bytes]]))

async function recording(files: Files, file: string, bytes: Uint8Array): Promise<void> {
  const { rounds, contents, readRound } = await openTranscript(store(files, file, bytes), { parametersOf })
  for (const { round } of rounds().slice(0, 4)) {
    await contents(round)
    await readRound(round)
  }
}

async function knowledge(files: Files, file: string, bytes: Uint8Array): Promise<void> {
  const known = await openKnowledge(store(files, file, bytes))
  await known.records()
  await known.auxiliary()
  await known.candidates()
}

async function truth(files: Files, file: string, bytes: Uint8Array): Promise<void> {
  const told = await openTruth(store(files, file, bytes))
  for (const id of ['0', '1']) {
    await told.client(id)
    await told.heldBack(id)
    await told.ids(id)
    await told.optimum(id)
  }
}

/** A recording of one global model, as another program left it: what is in it is proposed, and taken over where that goes. */
async function archive(kind: ImportKind, file: string, bytes: Uint8Array): Promise<void> {
  const path = `round-0/${file}`
  const inflate: Inflate = (packed, most) => inflateRawSync(packed, { maxOutputLength: Math.max(1, most) })
  const ports = { kind, source: memoryFolder(new Map([[path, bytes]])), inflate, parametersOf }
  const { map } = await proposeMap([path], ports)
  await importRecording(map, { ...ports, target: memoryFolder(new Map()), where: 'the map' })
}

export const doors: Readonly<Record<string, Door>> = {
  scenario: {
    file: 'scenario.yaml',
    knock: (bytes) => loadScenario(onDisk('scenario.yaml', bytes), { ports: memoryPorts(), quiet: true }),
  },
  manifest: { file: 'transcript.json', knock: (bytes, files) => recording(files, 'transcript.json', bytes) },
  'list of rounds': { file: 'rounds.jsonl', knock: (bytes, files) => recording(files, 'rounds.jsonl', bytes) },
  round: {
    file: 'rounds/000000.safetensors',
    knock: (bytes, files) => recording(files, 'rounds/000000.safetensors', bytes),
  },
  knowledge: { file: 'knowledge.json', knock: (bytes, files) => knowledge(files, 'knowledge.json', bytes) },
  'known records': { file: 'public.csv', knock: (bytes, files) => knowledge(files, 'public.csv', bytes) },
  'an optimum': { file: 'optimum.safetensors', knock: (bytes, files) => truth(files, 'optimum.safetensors', bytes) },
  truth: { file: 'truth.json', knock: (bytes, files) => truth(files, 'truth.json', bytes) },
  'true records': { file: 'table.csv', knock: (bytes, files) => truth(files, 'table.csv', bytes) },
  csv: { file: 'own.csv', knock: (bytes) => readRows(onDisk('own.csv', bytes)) },
  'csv.gz': { file: 'own.csv.gz', knock: (bytes) => readRows(onDisk('own.csv.gz', bytes)) },
  json: { file: 'own.json', knock: (bytes) => readRows(onDisk('own.json', bytes)) },
  parquet: { file: 'own.parquet', knock: (bytes) => readRows(onDisk('own.parquet', bytes)), oneIn: 40 },
  npz: { file: 'global.npz', knock: (bytes) => archive('npz', 'global.npz', bytes) },
  pt: { file: 'global.pt', knock: (bytes) => archive('torch', 'global.pt', bytes) },
  'older pt': { file: 'legacy.pt', knock: (bytes) => archive('torch', 'global.pt', bytes) },
  results: {
    file: 'results.jsonl',
    async knock(bytes) {
      const open = (repair: boolean) =>
        openResultLog(memoryFolder(new Map([['results.jsonl', bytes]])), 'results.jsonl', { fresh: false, repair })
      await open(true)
      await open(false)
    },
  },
  checkpoint: {
    file: 'checkpoint-0.safetensors',
    knock: (bytes) => checkpointStore(memoryFolder(new Map([['checkpoint-0.safetensors', bytes]]))),
  },
  lock: {
    file: 'run.lock',
    // Who finds a lock half written waits a second for the rest.
    oneIn: 100,
    async knock(bytes) {
      // Long ago: whoever it names gives no signs of life.
      utimesSync(onDisk(lockName, bytes), 1, 1)
      lockFolder(work)()
    },
  },
}
