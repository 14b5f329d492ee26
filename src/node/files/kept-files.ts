/** A folder of files that several threads fill: each is written whole under its name, and claimed while it is made. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import type { KeptFiles } from '../../audit/kept/keeper.js'

export interface KeptFilesOptions {
  /** Milliseconds after which a claim counts as left behind, by a thread that was ended. */
  readonly patience?: number
}

/**
 * Nothing is flushed, and nothing fails: what is not there, or not whole, is made again. Files are small and the thread has
 * nothing else to do: every call waits for the disk, which is sooner done than waiting to be told.
 */
export function keptFiles(folder: string, { patience = 30_000 }: KeptFilesOptions = {}): KeptFiles {
  const at = (name: string): string => join(folder, name)
  const claimOf = (name: string): string => `${at(name)}.claim`
  tried(() => mkdirSync(folder, { recursive: true }))
  /** Claims of this thread, open to be written: under its name a claim is what was made. */
  const open = new Map<string, number>()
  const end = (name: string): void => {
    const file = open.get(name)
    if (file === undefined) return
    open.delete(name)
    tried(() => closeSync(file))
  }
  /** A file that is not there is no error: those cost more than looking. */
  const read = (name: string): Uint8Array | undefined =>
    tried(() => (statSync(at(name), { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(at(name))))
  const drop = (name: string): void => {
    end(name)
    tried(() => unlinkSync(claimOf(name)))
  }
  return {
    read: async (name) => read(name),
    drop: async (name) => drop(name),
    async write(name, bytes) {
      const claimed = open.get(name)
      const own = claimed === undefined ? `${at(name)}.${process.pid}-${threadId}` : claimOf(name)
      try {
        writeFileSync(claimed ?? own, bytes)
        end(name)
        renameSync(own, at(name))
        if (claimed === undefined) drop(name) // somebody left it behind
      } catch {
        end(name)
        tried(() => rmSync(own, { force: true }))
      }
    },
    async claim(name) {
      try {
        open.set(name, openSync(claimOf(name), 'wx'))
        return true
      } catch (error) {
        // A folder that cannot be written keeps nobody from making it.
        return (error as NodeJS.ErrnoException).code !== 'EEXIST'
      }
    },
    async wait(name) {
      for (;;) {
        const claimed = tried(() => statSync(claimOf(name)))
        const bytes = read(name)
        if (bytes !== undefined) return bytes
        if (claimed === undefined || performance.timeOrigin + performance.now() - claimed.mtimeMs > patience)
          return undefined
        await pause(5)
      }
    },
  }
}

/** What it gives, or undefined where it fails. */
function tried<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
