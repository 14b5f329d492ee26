/** Where bytes come from: a file read piece by piece, a folder of them, and the same in memory for browsers and tests. */
import { OverhearError } from '../errors.js'

/** One file, read where it is needed. */
export interface ByteSource {
  readonly size: number
  /** Exactly `length` bytes from `offset`; fewer is an error of the source. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** The digest of all of it, for sources that need not have it in memory. */
  sha256?(): Promise<string>
  close?(): Promise<void>
}

/** A folder. Paths are relative, with slashes; a store may refuse more than `insidePath` does (links, say). */
export interface FileStore {
  /** Size in bytes, or undefined when there is no such file. */
  size(path: string): Promise<number | undefined>
  read(path: string): Promise<Uint8Array>
  open(path: string): Promise<ByteSource>
  /** What differs once the file was changed, without reading it: its times, say; undefined where that cannot be told. */
  stamp?(path: string): Promise<string | undefined>
  list?(folder: string): Promise<readonly string[]>
}

/** Refuses a path that could leave its folder, or mean another file on another system; `where` names who asked. */
export function insidePath(path: string, where: string): string {
  const parts = path.split('/')
  const plain = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  const hasControl = /[\\:\p{Cc}]/u.test(path)
  if (!plain || hasControl || path.length > 1024) {
    const hint = 'a relative path inside the folder is needed, with "/" between names, without "..", ":" or "\\"'
    throw new OverhearError('E_INPUT', `${where}: the path is ${JSON.stringify(path.slice(0, 200))}`, hint)
  }
  return path
}

export function noFile(path: string): OverhearError {
  return new OverhearError('E_INPUT', `there is no file ${JSON.stringify(path)}`, 'it should lie in the folder')
}

/** Bytes already in memory as a source. */
export function bytesSource(bytes: Uint8Array, name = 'bytes'): ByteSource {
  return {
    size: bytes.length,
    async read(offset, length) {
      if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length)) {
        const found = `${name}: ${length} bytes from ${offset} were asked of ${bytes.length}`
        throw new OverhearError('E_INPUT', found, 'the file is shorter than it says')
      }
      return bytes.subarray(offset, offset + length)
    },
  }
}

/** A folder in memory. */
export function memoryStore(files: ReadonlyMap<string, Uint8Array>): FileStore {
  const get = (path: string): Uint8Array => {
    const bytes = files.get(insidePath(path, 'a file'))
    if (bytes === undefined) throw noFile(path)
    return bytes
  }
  return {
    size: async (path) => files.get(path)?.length,
    read: async (path) => get(path),
    open: async (path) => bytesSource(get(path), path),
    list: async (folder) => [...files.keys()].filter((path) => path.startsWith(`${folder}/`)),
  }
}

/** Text of bytes that must be UTF-8. */
export function utf8(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new OverhearError('E_INPUT', `${where}: the bytes are not UTF-8 text`)
  }
}

/** A JavaScript string can hold no more. */
const textLimit = 500_000_000

/** A small file of a folder, whole. */
export async function readBytes(store: FileStore, path: string): Promise<Uint8Array> {
  const size = await store.size(path)
  if (size === undefined) throw noFile(path)
  if (size > textLimit) {
    throw new OverhearError('E_INPUT', `${path} has ${size} bytes`, `${textLimit} are the most that is read as text`)
  }
  return store.read(path)
}

export async function readText(store: FileStore, path: string): Promise<string> {
  return utf8(await readBytes(store, path), path)
}
