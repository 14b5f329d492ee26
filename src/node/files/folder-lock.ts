/** One writer for a folder: a file that says who holds it. The lock of a process that is gone counts no more. */
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { harmless, OverhearError } from '../../errors.js'
import { faultOf } from './machine-faults.js'

/** What the file is called. */
export const lockName = 'run.lock'

interface Holder {
  readonly pid: number
  readonly host: string
  /** When the process began, where the system tells: numbers of processes are given again. */
  readonly began: string | null
  readonly token: string
}

export interface LockOptions {
  /** Milliseconds between two signs of life, for whoever looks from another machine. */
  readonly beat?: number
  /** Milliseconds without one after which a process of another machine counts as gone. */
  readonly patience?: number
}

/** Those that this process holds. */
const held = new Map<string, string>()
process.on('exit', () => {
  for (const [path, token] of held) if (readHolder(path)?.token === token) tried(() => rmSync(path))
})

/** Takes the folder, which must be there; gives how to let go of it. Somebody else's is an error that names them. */
export function lockFolder(folder: string, { beat = 10_000, patience = 120_000 }: LockOptions = {}): () => void {
  const path = join(folder, lockName)
  const own: Holder = { pid: process.pid, host: hostname(), began: beganOf(process.pid), token: randomUUID() }
  const take = (): boolean => {
    try {
      writeFileSync(path, `${JSON.stringify(own)}\n`, { flag: 'wx' })
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw faultOf(error, folder)
    }
  }
  for (let attempt = 0; !take(); attempt++) {
    const there = readHolder(path)
    // Somebody let go of it just now, or has yet to write into it.
    if (there === undefined && attempt < 50) pause(20)
    else if (attempt >= 100 || (there !== undefined && isAlive(there, path, patience))) throw inUse(folder, there)
    else removeStale(path, there?.token ?? 'unreadable')
  }
  held.set(path, own.token)
  const timer = setInterval(() => tried(() => touch(path)), beat)
  timer.unref()
  return () => {
    clearInterval(timer)
    held.delete(path)
    if (readHolder(path)?.token === own.token) tried(() => rmSync(path))
  }
}

function inUse(folder: string, there: Holder | undefined): OverhearError {
  const who = there === undefined ? 'another process' : `process ${there.pid} on ${harmless(there.host).slice(0, 80)}`
  return new OverhearError(
    'E_INPUT',
    `${folder} is in use by ${who}`,
    `wait until it has ended, or take another --out; where no such process runs, delete ${join(folder, lockName)}`,
  )
}

/**
 * Removes the lock of a process that is gone. A second file, named after the lock's token, lets one process alone do so: whoever
 * comes later finds that the lock is another's by then.
 */
function removeStale(path: string, token: string): void {
  const claim = `${path}.${token}`
  try {
    writeFileSync(claim, '', { flag: 'wx' })
  } catch {
    // Somebody is at it; one who died meanwhile left the file behind.
    const since = tried(() => statSync(claim).mtimeMs)
    if (since !== undefined && clock() - since > 10_000) tried(() => rmSync(claim))
    pause(20)
    return
  }
  if ((readHolder(path)?.token ?? 'unreadable') === token) tried(() => rmSync(path))
  tried(() => rmSync(claim))
}

function isAlive(there: Holder, path: string, patience: number): boolean {
  if (there.host !== hostname()) {
    const beaten = tried(() => statSync(path).mtimeMs)
    return beaten !== undefined && clock() - beaten < patience
  }
  if (there.pid === process.pid) return held.get(path) === there.token
  try {
    process.kill(there.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const began = beganOf(there.pid)
  return began === null || there.began === null || began === there.began
}

/** When a process began, in the words of the system; null where it does not tell. */
function beganOf(pid: number): string | null {
  return (
    tried(() => {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // After the name, which may hold blanks and brackets: the 20th is the time of its start.
      return `${boot} ${line.slice(line.lastIndexOf(')') + 2).split(' ')[19]}`
    }) ?? null
  )
}

function readHolder(path: string): Holder | undefined {
  return tried(() => {
    const { pid, host, began, token } = JSON.parse(readFileSync(path, 'utf8')) as Holder
    if (!Number.isInteger(pid) || typeof host !== 'string' || !/^[\w-]{1,64}$/.test(token)) return undefined
    return { pid, host, began: typeof began === 'string' ? began : null, token }
  })
}

const clock = (): number => performance.timeOrigin + performance.now()

function touch(path: string): void {
  const now = clock() / 1000
  utimesSync(path, now, now)
}

/** Waits without letting anything else happen: locks are taken before any work begins. */
function pause(millis: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
}

/** What it gives, or undefined where it fails. */
function tried<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
