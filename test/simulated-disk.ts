/** A disk whose power can go at any operation: what is not synced is lost, what was being written is half there. */
import { memoryStore } from '../src/transcript/store.js'
import type { WritableStore } from '../src/transcript/write-transcript.js'

export class PowerCut extends Error {}

/** A disk in memory. After `life` operations the power goes: the last one is half done, and unsynced names are lost. */
export function disk(life = Number.POSITIVE_INFINITY, files = new Map<string, Uint8Array>()) {
  let left = life
  /** How to undo what no folder sync has made last. */
  let unsynced: { folder: string; undo: () => void }[] = []
  const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const put = (path: string, bytes: Uint8Array) => {
    const before = files.get(path)
    files.set(path, bytes)
    if (before === undefined) unsynced.push({ folder: folderOf(path), undo: () => files.delete(path) })
  }
  const operate = async (whole: () => void, half?: () => void) => {
    if (left-- > 0) return whole()
    half?.()
    for (const { undo } of unsynced.toReversed()) undo()
    unsynced = []
    throw new PowerCut()
  }
  const joined = (a: Uint8Array, b: Uint8Array) => Uint8Array.from([...a, ...b])
  const store: WritableStore = {
    ...memoryStore(files),
    makeFolder: () => operate(() => {}),
    write: (path, bytes) =>
      operate(
        () => put(path, bytes),
        () => put(path, bytes.slice(0, bytes.length >> 1)),
      ),
    rename: (from, to) =>
      operate(() => {
        const [moved, before] = [files.get(from)!, files.get(to)]
        files.delete(from)
        files.set(to, moved)
        const undo = () => (before === undefined ? files.delete(to) : files.set(to, before))
        unsynced.push({ folder: folderOf(to), undo })
      }),
    syncFolder: (path) =>
      operate(() => {
        unsynced = unsynced.filter(({ folder }) => folder !== path)
      }),
    append: (path, bytes) => {
      const old = files.get(path) ?? new Uint8Array(0)
      return operate(
        () => put(path, joined(old, bytes)),
        () => put(path, joined(old, bytes.slice(0, bytes.length >> 1))),
      )
    },
    truncate: (path, size) => operate(() => put(path, files.get(path)!.slice(0, size))),
  }
  return { store, files }
}

/** A folder of a store as a store of its own. */
export function folderOf(store: WritableStore, folder: string): WritableStore {
  const at = (path: string) => (path === '' ? folder : `${folder}/${path}`)
  return {
    size: (path) => store.size(at(path)),
    read: (path) => store.read(at(path)),
    open: (path) => store.open(at(path)),
    makeFolder: (path) => store.makeFolder(at(path)),
    write: (path, bytes) => store.write(at(path), bytes),
    rename: (from, to) => store.rename(at(from), at(to)),
    syncFolder: (path) => store.syncFolder(at(path)),
    append: (path, bytes) => store.append(at(path), bytes),
    truncate: (path, size) => store.truncate(at(path), size),
  }
}
