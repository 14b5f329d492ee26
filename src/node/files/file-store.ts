/** A folder on disk as a store: reads stay inside it, links included, and writes are flushed before they count. */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, type Stats, writeFileSync } from 'node:fs'
import { type FileHandle, open, readdir, readFile, realpath, rename, stat, truncate } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { OverhearError } from '../../errors.js'
import { type ByteSource, insidePath, noFile } from '../../transcript/store.js'
import type { WritableStore } from '../../transcript/write-transcript.js'
import { faultOf, systemCode } from './machine-faults.js'
import { makeFolders } from './make-folder.js'

/** Turns what the system says into our error. */
async function asked<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') throw noFile(path)
    throw faultOf(error, `the file ${JSON.stringify(path)}`)
  }
}

export interface FolderStore extends WritableStore {
  /** Where a file of the folder really lies, for programs that open it themselves. */
  realPath(path: string): Promise<string>
}

export interface FileStoreOptions {
  /** Whether what is written must survive a loss of power before it counts; it does unless told. */
  readonly lasting?: boolean
}

/** The folder `root`; it must exist for reading, and `makeFolder('')` makes it. */
export function fileStore(root: string, { lasting = true }: FileStoreOptions = {}): FolderStore {
  const inside = (path: string): string => (path === '' ? root : join(root, ...insidePath(path, 'a file').split('/')))

  const within = (real: string, folder: string): boolean =>
    real.startsWith(folder.endsWith(sep) ? folder : folder + sep)

  /** Where the folders that files lie in really are, looked up once; those that lead out are not kept. */
  const folders = new Map<string, string>()
  const folderOf = async (place: string): Promise<string | undefined> => {
    const known = folders.get(place)
    if (known !== undefined) return known
    const [top, real] = [await realpath(root), await realpath(place)]
    if (real !== top && !within(real, top)) return undefined
    folders.set(place, real)
    return real
  }

  /** The real path of a regular file inside the folder; a link may not lead out, a pipe could hang. */
  const regular = async (path: string): Promise<{ real: string; size: number }> => {
    const place = inside(path)
    const folder = await folderOf(dirname(place))
    let real = folder === undefined ? place : join(folder, basename(place))
    let about: Stats = lstatSync(real)
    if (folder === undefined || about.isSymbolicLink()) {
      real = await realpath(place)
      if (!within(real, await realpath(root))) {
        const found = `the file ${JSON.stringify(path)} is a link that leads out of its folder`
        throw new OverhearError('E_INPUT', found, 'copy it into the folder')
      }
      about = await stat(real)
    }
    if (!about.isFile()) throw new OverhearError('E_INPUT', `${JSON.stringify(path)} is no regular file`)
    return { real, size: about.size }
  }

  const flushed = async (path: string, flags: string, work: (handle: FileHandle) => Promise<void>): Promise<void> => {
    const handle = await open(inside(path), flags)
    try {
      await work(handle)
      if (lasting) await handle.sync()
    } finally {
      await handle.close()
    }
  }

  /** What need not last is written at once where it is small. */
  const put = async (path: string, flag: 'w' | 'a', bytes: Uint8Array): Promise<void> => {
    if (lasting || bytes.length > atOnce) return flushed(path, flag, (handle) => handle.writeFile(bytes))
    writeFileSync(inside(path), bytes, { flag })
  }

  return {
    size: (path) =>
      asked(path, async () => {
        try {
          return (await regular(path)).size
        } catch (error) {
          if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
          throw error
        }
      }),
    read: (path) => asked(path, async () => wholeOf(await regular(path))),
    open: (path) => asked(path, async () => sourceOf(await regular(path), path)),
    stamp: (path) => asked(path, async () => stampOf((await regular(path)).real)),
    realPath: (path) => asked(path, async () => (await regular(path)).real),
    list: (folder) => asked(folder, async () => (await readdir(inside(folder))).map((name) => `${folder}/${name}`)),
    makeFolder: (path) => makeFolders(inside(path)),
    write: (path, bytes) => asked(path, () => put(path, 'w', bytes)),
    append: (path, bytes) => asked(path, () => put(path, 'a', bytes)),
    rename: (from, to) => asked(from, () => rename(inside(from), inside(to))),
    truncate: (path, size) =>
      asked(path, async () => {
        await truncate(inside(path), size)
        await flushed(path, 'r+', async () => {})
      }),
    syncFolder: (path) =>
      asked(path, async () => {
        // Windows cannot open a folder; its file systems log renames themselves.
        if (lasting && process.platform !== 'win32') await flushed(path, 'r', async () => {})
      }),
  }
}

/** The times of a file are told in steps of a few milliseconds: of one that was just changed they do not tell it from the next. */
const settledAfter = 2000

/** Size, place and times of a file; undefined while it is too young for these to tell a change. */
async function stampOf(real: string): Promise<string | undefined> {
  const { size, dev, ino, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = await stat(real, { bigint: true })
  const now = performance.timeOrigin + performance.now()
  if (now - Math.max(Number(mtimeMs), Number(ctimeMs)) < settledAfter) return undefined
  return [size, dev, ino, mtimeNs, ctimeNs].join('-')
}

const pieceSize = 1 << 20

/** Piece by piece: a file may be larger than the memory. */
async function digestOf(of: Uint8Array | FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256')
  if (of instanceof Uint8Array) return hash.update(of).digest('hex')
  const piece = new Uint8Array(Math.min(pieceSize, size))
  for (let at = 0; at < size; ) {
    const { bytesRead } = await of.read(piece, 0, Math.min(piece.length, size - at), at)
    if (bytesRead === 0) break // it was cut off meanwhile: another digest
    hash.update(piece.subarray(0, bytesRead))
    at += bytesRead
  }
  return hash.digest('hex')
}

/** A file up to so many bytes is read or written at once, and waited for: its pieces, or to be told, would take longer. */
const atOnce = 1 << 20

const wholeOf = async ({ real, size }: { real: string; size: number }): Promise<Buffer> =>
  size <= atOnce ? readFileSync(real) : readFile(real)

async function sourceOf({ real, size }: { real: string; size: number }, path: string): Promise<ByteSource> {
  const small = size <= atOnce ? readFileSync(real) : undefined
  const handle = small === undefined ? await open(real, 'r') : undefined
  return {
    size,
    read: (offset, length) =>
      asked(path, async () => {
        const cut = () => new OverhearError('E_INPUT', `${path} ends before byte ${offset + length}`, 'it is cut off')
        if (!(offset >= 0 && length >= 0 && offset + length <= Math.min(size, small?.length ?? size))) throw cut()
        if (handle === undefined) return new Uint8Array(small!.buffer, small!.byteOffset + offset, length)
        const bytes = new Uint8Array(length)
        let done = 0
        while (done < length) {
          const { bytesRead } = await handle.read(bytes, done, length - done, offset + done)
          if (bytesRead === 0) throw cut()
          done += bytesRead
        }
        return bytes
      }),
    sha256: () => asked(path, async () => digestOf(small ?? handle!, size)),
    close: async () => handle?.close(),
  }
}
