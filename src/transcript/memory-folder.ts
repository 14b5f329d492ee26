/** A folder in memory that can be written, for browsers and tests. */
import { OverhearError } from '../errors.js'
import { memoryStore, noFile } from './store.js'
import type { WritableStore } from './write-transcript.js'

/** The folder `root` of some files by path; '' is all of them. What is read or written are copies. */
export function memoryFolder(files: Map<string, Uint8Array>, root = ''): WritableStore {
  const at = (path: string): string => [root, path].filter((part) => part !== '').join('/')
  const reading = memoryStore(files)
  const bytesAt = (path: string): Uint8Array => {
    const bytes = files.get(at(path))
    if (bytes === undefined) throw noFile(path)
    return bytes
  }
  return {
    size: (path) => reading.size(at(path)),
    read: async (path) => bytesAt(path).slice(),
    open: (path) => reading.open(at(path)),
    list: async (folder) =>
      (await reading.list!(at(folder))).map((path) => path.slice(root === '' ? 0 : root.length + 1)),
    makeFolder: async () => {},
    write: async (path, bytes) => void files.set(at(path), bytes.slice()),
    async rename(from, to) {
      files.set(at(to), bytesAt(from))
      files.delete(at(from))
    },
    syncFolder: async () => {},
    async append(path, bytes) {
      const before = files.get(at(path)) ?? new Uint8Array(0)
      const joined = new Uint8Array(before.length + bytes.length)
      joined.set(before)
      joined.set(bytes, before.length)
      files.set(at(path), joined)
    },
    async truncate(path, size) {
      const bytes = bytesAt(path)
      if (size > bytes.length) throw new OverhearError('E_INPUT', `${path} has ${bytes.length} bytes, not ${size}`)
      files.set(at(path), bytes.slice(0, size))
    },
  }
}
