/** A folder of files that several threads fill: each is written whole under its name, and claimed while it is made. */
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import type { KeptFiles } from '../../audit/kept/keeper.js'

export interface KeptFilesOptions {
  /** Milliseconds after which a claim counts as left behind, by a thread that was ended. */
  readonly patience?: number
}

/** Nothing is flushed, and nothing fails: what is not there, or not whole, is made again. */
export function keptFiles(folder: string, { patience = 30_000 }: KeptFilesOptions = {}): KeptFiles {
  const at = (name: string): string => join(folder, name)
  const claimOf = (name: string): string => `${at(name)}.claim`
  const made = mkdir(folder, { recursive: true }).catch(() => undefined)
  const read = (name: string): Promise<Uint8Array | undefined> => readFile(at(name)).catch(() => undefined)
  const drop = (name: string): Promise<void> => rm(claimOf(name), { force: true }).catch(() => undefined)
  return {
    read,
    drop,
    async write(name, bytes) {
      await made
      const own = `${at(name)}.${process.pid}-${threadId}`
      try {
        await writeFile(own, bytes)
        await rename(own, at(name))
      } catch {
        await rm(own, { force: true }).catch(() => undefined)
      }
      await drop(name)
    },
    async claim(name) {
      await made
      try {
        await (await open(claimOf(name), 'wx')).close()
        return true
      } catch (error) {
        // A folder that cannot be written keeps nobody from making it.
        return (error as NodeJS.ErrnoException).code !== 'EEXIST'
      }
    },
    async wait(name) {
      for (;;) {
        const claimed = await stat(claimOf(name)).catch(() => undefined)
        const bytes = await read(name)
        if (bytes !== undefined) return bytes
        if (claimed === undefined || performance.timeOrigin + performance.now() - claimed.mtimeMs > patience)
          return undefined
        await pause(5)
      }
    },
  }
}
