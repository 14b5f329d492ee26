/** Where what attacks derive is kept: in the memory of this thread, within a limit, and in files that other threads read. */
import type { Doubles } from '../../attacks/derivation.js'
import { packed, unpacked } from './packed-doubles.js'

/** Files that several threads and runs may read and write at once. None of it may fail: what cannot be kept is made again. */
export interface KeptFiles {
  /** undefined when it is not there. */
  read(name: string): Promise<Uint8Array | undefined>
  /** Whole or not at all; ends a claim. */
  write(name: string, bytes: Uint8Array): Promise<void>
  /** Whether it is this thread's to make; false while another one makes it. */
  claim(name: string): Promise<boolean>
  /** Ends a claim with nothing made. */
  drop(name: string): Promise<void>
  /** What another thread makes, when it has; undefined when nothing will come of it. */
  wait(name: string): Promise<Uint8Array | undefined>
}

/** By a key that holds a hash of everything that the value depends on. */
export interface Keeper {
  read(key: string): Promise<Doubles | undefined>
  write(key: string, value: Doubles): Promise<void>
  claim(key: string): Promise<boolean>
  drop(key: string): Promise<void>
  wait(key: string): Promise<Doubles | undefined>
}

export interface MemoryKeeper extends Keeper {
  /** The same memory before files. */
  beside(files: KeptFiles): Keeper
}

const usualBytes = 64 * 1024 * 1024

/** What was read or written longest ago goes first. */
export function memoryKeeper({ maxBytes = usualBytes }: { readonly maxBytes?: number } = {}): MemoryKeeper {
  const held = new Map<string, Doubles>()
  let bytes = 0
  const size = (value: Doubles): number => value.reduce((sum, one) => sum + one.byteLength, 0)
  /** Whoever gets a list may write into it: what is held is never handed out. */
  const copy = (value: Doubles): Doubles => value.map((one) => one.slice())
  const take = (key: string): Doubles | undefined => {
    const value = held.get(key)
    if (value === undefined) return undefined
    held.delete(key)
    bytes -= size(value)
    return value
  }
  const hold = (key: string, value: Doubles): void => {
    take(key)
    if (size(value) > maxBytes) return
    held.set(key, value)
    bytes += size(value)
    for (const oldest of held.keys()) {
      if (bytes <= maxBytes) break
      take(oldest)
    }
  }
  const inMemory = (key: string): Doubles | undefined => {
    const value = take(key)
    if (value === undefined) return undefined
    hold(key, value)
    return copy(value)
  }
  const found = async (key: string, read: Promise<Uint8Array | undefined>): Promise<Doubles | undefined> => {
    const file = await read
    const value = file && unpacked(file)
    if (value !== undefined) hold(key, copy(value))
    return value
  }
  return {
    read: async (key) => inMemory(key),
    write: async (key, value) => hold(key, copy(value)),
    claim: async () => true,
    drop: async () => {},
    wait: async () => undefined,
    beside: (files) => ({
      read: async (key) => inMemory(key) ?? found(key, files.read(key)),
      async write(key, value) {
        hold(key, copy(value))
        await files.write(key, packed(value))
      },
      claim: files.claim,
      drop: files.drop,
      wait: (key) => found(key, files.wait(key)),
    }),
  }
}
