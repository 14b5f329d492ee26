/** Recordings on this machine's disk: what a path names, and Parquet where it can be read. */
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Place, RecordingPorts } from '../audit/open-recording.js'
import { type FolderStore, fileStore } from './files/file-store.js'
import { readParquetCells } from './files/table-rows.js'

/** How paths of this machine name recordings. */
export const recordingPorts: RecordingPorts = {
  locate,
  readParquet: async (store, file) => readParquetCells(await (store as FolderStore).realPath(file)),
}

async function locate(path: string, usual: string): Promise<Place | undefined> {
  const about = await stat(path).catch(() => undefined)
  if (about === undefined) return undefined
  if (about.isDirectory()) return { store: fileStore(path), path: usual }
  return { store: fileStore(dirname(path)), path: basename(path) }
}
