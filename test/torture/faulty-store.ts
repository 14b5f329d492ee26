/** A folder that fails as disks do: at some operation it refuses, tears what it writes, lies about what lasts, or loses its power. */
import { OverhearError } from '../../src/errors.js'
import { memoryStore } from '../../src/transcript/store.js'
import type { WritableStore } from '../../src/transcript/write-transcript.js'

/**
 * What goes wrong. `full`: refused, as by a full disk; `torn`: half is written, then refused; `power`: all that was not synced is lost;
 * `lies`: so is what was reported as synced of late. */
export type Fault = 'full' | 'torn' | 'power' | 'lies'

/** Changes that a lying disk forgets at most. */
const mostForgotten = 12

export class Cut extends Error {}

export interface FaultyOptions {
  readonly files: Map<string, Uint8Array>
  /** The operation, counted from 0, at which the fault comes; none unless told. */
  readonly at?: number
  readonly fault?: Fault
  /** Which of the unsynced writes are lost when the power goes: names out of their order, as disks do. */
  lost?(index: number): boolean
}

/** A disk in memory, and how many operations were done on it. */
export function faultyDisk({ files, at = Number.POSITIVE_INFINITY, fault = 'full', lost = () => true }: FaultyOptions) {
  let done = 0
  let dead = false
  /** How to undo what no sync of its folder has made last. */
  let unsynced: { folder: string; undo: () => void }[] = []
  /** The same for what was done last, synced or not: a disk that lies may have kept none of it. */
  const late: (() => void)[] = []
  const changed = (folder: string, undo: () => void, lasting: boolean): void => {
    late.push(undo)
    if (late.length > mostForgotten) late.shift()
    if (!lasting) unsynced.push({ folder, undo })
  }
  const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const put = (path: string, bytes: Uint8Array): void => {
    const before = files.get(path)
    files.set(path, bytes)
    const undo = (): void => void (before === undefined ? files.delete(path) : files.set(path, before))
    changed(folderOf(path), undo, before !== undefined)
  }
  const operate = async (whole: () => void, half: () => void = () => {}): Promise<void> => {
    if (dead) throw new Cut()
    if (done++ !== at) return whole()
    if (fault === 'full') throw new OverhearError('E_INPUT', 'the disk is full')
    half()
    if (fault === 'torn') throw new OverhearError('E_INPUT', 'the device reports an error')
    dead = true
    const undoing = fault === 'lies' ? late : unsynced.map(({ undo }) => undo)
    for (const [i, undo] of undoing.toReversed().entries()) if (lost(i)) undo()
    unsynced = []
    throw new Cut()
  }
  const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
    const all = new Uint8Array(a.length + b.length)
    all.set(a)
    all.set(b, a.length)
    return all
  }
  const folder = (root: string): WritableStore => {
    const name = (path: string): string => [root, path].filter((part) => part !== '').join('/')
    const reading = memoryStore(files)
    return {
      size: (path) => reading.size(name(path)),
      read: async (path) => (await reading.read(name(path))).slice(),
      open: (path) => reading.open(name(path)),
      makeFolder: () => operate(() => {}),
      write: (path, bytes) =>
        operate(
          () => put(name(path), bytes.slice()),
          () => put(name(path), bytes.slice(0, bytes.length >> 1)),
        ),
      rename: (from, to) =>
        operate(() => {
          const [moved, before] = [files.get(name(from))!, files.get(name(to))]
          files.delete(name(from))
          files.set(name(to), moved)
          const undo = (): void => void (before === undefined ? files.delete(name(to)) : files.set(name(to), before))
          changed(folderOf(name(to)), undo, false)
        }),
      syncFolder: (path) =>
        operate(() => {
          unsynced = unsynced.filter((one) => one.folder !== name(path))
        }),
      append: (path, bytes) => {
        const old = files.get(name(path)) ?? new Uint8Array(0)
        return operate(
          () => put(name(path), joined(old, bytes)),
          () => put(name(path), joined(old, bytes.slice(0, bytes.length >> 1))),
        )
      },
      truncate: (path, size) => operate(() => put(name(path), files.get(name(path))!.slice(0, size))),
    }
  }
  return { folder, operations: () => done }
}
