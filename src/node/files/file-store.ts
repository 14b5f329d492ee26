/** A folder on disk as a store: reads stay inside it, links included, and writes are flushed before they count. */
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  truncate,
} from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { OverhearError } from '../../errors.js'
import { type ByteSource, insidePath, noFile } from '../../transcript/store.js'
import type { WritableStore } from '../../transcript/write-transcript.js'

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** Turns what the system says into our error. */
async function asked<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined || error instanceof OverhearError) throw error
    if (code === 'ENOENT' || code === 'ENOTDIR') throw noFile(path)
    throw new OverhearError('E_INPUT', `the file ${JSON.stringify(path)} could not be used: ${code}`)
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
    let about = await lstat(real)
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

  return {
    size: (path) =>
      asked(path, async () => {
        try {
          return (await regular(path)).size
        } catch (error) {
          if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
          throw error
        }
      }),
    read: (path) => asked(path, async () => readFile((await regular(path)).real)),
    open: (path) => asked(path, async () => sourceOf(await regular(path), path)),
    realPath: (path) => asked(path, async () => (await regular(path)).real),
    list: (folder) => asked(folder, async () => (await readdir(inside(folder))).map((name) => `${folder}/${name}`)),
    makeFolder: (path) =>
      asked(path, async () => {
        await mkdir(inside(path), { recursive: true })
      }),
    write: (path, bytes) => asked(path, () => flushed(path, 'w', (handle) => handle.writeFile(bytes))),
    append: (path, bytes) => asked(path, () => flushed(path, 'a', (handle) => handle.writeFile(bytes))),
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

/** A file up to so many bytes is read at once: asking for its pieces would take longer. */
const readWhole = 1 << 20

async function sourceOf({ real, size }: { real: string; size: number }, path: string): Promise<ByteSource> {
  const small = size <= readWhole ? await readFile(real) : undefined
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
    close: async () => handle?.close(),
  }
}
