/** Of which files a scenario's dataset is made, what is in them, and where they lie on this machine. */
import { resolve } from 'node:path'
import type { DatasetEntry, FileReader, FileSpec } from '../../data/dataset-entry.js'
import { datasets } from '../../data/index.js'
import { rng } from '../../numeric/random/rng.js'
import { find } from '../../registry.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { FileMarks } from '../../sweep/trial.js'
import { canonical } from '../../transcript/canonical.js'
import { dataFolders, datasetReader, fileState, sha256Of } from '../files/dataset-files.js'

export interface DatasetMarks {
  marksOf(data: Pick<Scenario['data'], 'name' | 'params'>): Promise<FileMarks>
  /** Where a file with this hash lies, of those that were marked. */
  placeOf(sha256: string): string | undefined
}

/** Looks each dataset up once, by loading it: which files it reads may depend on its parameters. */
export function datasetMarks(dataDir?: string): DatasetMarks {
  const known = new Map<string, Promise<FileMarks>>()
  const places = new Map<string, string>()
  return {
    marksOf({ name, params }) {
      const key = canonical({ name, params })
      const before = known.get(key)
      if (before !== undefined) return before
      const marks = look(name, params, { places, ...(dataDir !== undefined && { dataDir }) })
      known.set(key, marks)
      return marks
    },
    placeOf: (sha256) => places.get(sha256),
  }
}

interface Looking {
  readonly dataDir?: string
  readonly places: Map<string, string>
}

async function look(
  name: string,
  params: Scenario['data']['params'],
  { dataDir, places }: Looking,
): Promise<FileMarks> {
  const entry = find<DatasetEntry>(datasets, name)
  if (entry.origin !== 'files') return {}
  const reader = datasetReader(name, dataDir)
  const used = new Map<string, FileSpec>()
  const noting: FileReader = {
    table(file, options) {
      used.set(file.path, file)
      return reader.table(file, options)
    },
    bytes(file) {
      used.set(file.path, file)
      return reader.bytes(file)
    },
  }
  await entry.load({ rng: rng(1), files: noting }, params)
  const folders = dataFolders(dataDir === undefined ? {} : { dataDir })
  const marks: [string, string][] = []
  for (const file of used.values()) {
    const { path } = await fileState(file, folders)
    const place = resolve(path ?? file.path)
    const sha256 = file.sha256 ?? (await sha256Of(place))
    places.set(sha256, place)
    marks.push([file.path, sha256])
  }
  return Object.fromEntries(marks)
}
