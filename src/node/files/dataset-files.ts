/** Where the files of datasets lie: the folders looked into, whether a file is whole, and the reader over them. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { DatasetEntry, FileReader, FileSpec } from '../../data/dataset-entry.js'
import { datasets } from '../../data/index.js'
import { OverhearError } from '../../errors.js'
import { find } from '../../registry.js'
import { requireRegular } from './regular-file.js'
import { mostBytes } from './table-limits.js'
import { readRows } from './table-rows.js'

export interface FolderOptions {
  /** What --data-dir says. */
  readonly dataDir?: string
  /** Where files lie that were found by what is in them, by their paths: these are not looked for. */
  readonly places?: Readonly<Record<string, string>>
}

/** The folders in the order in which they are looked into. */
export function dataFolders({ dataDir }: FolderOptions = {}): string[] {
  const folders = [dataDir, process.env.OVERHEAR_DATA, 'data', cacheFolder(), '../shared/data']
  return [...new Set(folders.filter((folder) => folder !== undefined && folder !== '').map((f) => resolve(f!)))]
}

/** The user's folder of what can be had again. */
export function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  const caches = {
    darwin: join(homedir(), 'Library', 'Caches'),
    win32: LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'),
  } as Readonly<Record<string, string>>
  return join(XDG_CACHE_HOME ?? caches[process.platform] ?? join(homedir(), '.cache'), 'overhear')
}

/** The first place where the file is, if any. */
export function findFile(file: FileSpec, folders: readonly string[]): string | undefined {
  const { path } = file
  if (isAbsolute(path)) return existsSync(path) ? path : undefined
  return placesOf(file, folders).find((place) => existsSync(place))
}

/** Where a file is looked for, in order: a user's own may be named from where they stand. */
function placesOf({ path, sha256 }: FileSpec, folders: readonly string[]): string[] {
  const own = sha256 === undefined ? [resolve(path)] : []
  return [...new Set([...own, ...folders.map((folder) => join(folder, path))])]
}

export async function sha256Of(path: string): Promise<string> {
  requireRegular(path, 'a file of a dataset')
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

export interface FileState {
  readonly file: string
  readonly content: string
  /** Where it is; null when it is nowhere. */
  readonly path: string | null
  readonly state: 'whole' | 'changed' | 'missing' | 'unchecked'
  readonly sha256: string | null
}

export async function fileState(file: FileSpec, folders: readonly string[]): Promise<FileState> {
  const path = findFile(file, folders)
  const about = { file: file.path, content: file.content, path: path ?? null, sha256: file.sha256 ?? null }
  if (path === undefined) return { ...about, state: 'missing' }
  if (file.sha256 === undefined) return { ...about, state: 'unchecked' }
  return { ...about, state: (await sha256Of(path)) === file.sha256 ? 'whole' : 'changed' }
}

/** Reads files from the folders; a missing or changed one is an error that tells what to do. */
export function fileReader(entry: Pick<DatasetEntry, 'id' | 'obtain'>, options: FolderOptions = {}): FileReader {
  const folders = dataFolders(options)
  const whole = async (file: FileSpec): Promise<string> => {
    const place = options.places?.[file.path]
    const { path, state } = await fileState(place === undefined ? file : { ...file, path: place }, folders)
    if (path === null) {
      const where = file.sha256 === undefined ? placesOf(file, folders).map((place) => dirname(place)) : folders
      const found = `dataset "${entry.id}": ${file.path} (${file.content}) is not in ${where.join(', ')}`
      const from = entry.obtain === undefined ? '' : `; to be had from ${entry.obtain}`
      const sum = file.sha256 === undefined ? '' : `; its sha256 is ${file.sha256}`
      throw new OverhearError('E_INPUT', found, `put it there or name its folder by --data-dir${from}${sum}`)
    }
    if (state === 'changed') {
      const found = `dataset "${entry.id}": ${path} is not the file it should be (sha256 ${await sha256Of(path)})`
      throw new OverhearError('E_INPUT', found, `expected ${file.sha256}: ${file.content}`)
    }
    return path
  }
  return {
    table: async (file, tableOptions) => readRows(await whole(file), tableOptions),
    bytes: async (file) => {
      const bytes = readFileSync(await whole(file))
      const gzip = bytes[0] === 0x1f && bytes[1] === 0x8b
      if (!gzip) return bytes
      try {
        return gunzipSync(bytes, { maxOutputLength: mostBytes() })
      } catch (error) {
        throw new OverhearError('E_INPUT', `dataset "${entry.id}": ${file.path}: ${(error as Error).message}`)
      }
    },
  }
}

/** The reader for a dataset of the table. */
export function datasetReader(name: string, dataDir?: string, places: FolderOptions['places'] = {}): FileReader {
  return fileReader(find<DatasetEntry>(datasets, name), { places, ...(dataDir !== undefined && { dataDir }) })
}
