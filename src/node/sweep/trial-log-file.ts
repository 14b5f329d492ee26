/** Finished trials in trials.jsonl: one line each, flushed before it counts; those that come together are flushed together. */
import { createReadStream, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { OverhearError } from '../../errors.js'
import { readLine, type TrialLine, type TrialLog } from '../../sweep/trial-line.js'
import { fileStore } from '../files/file-store.js'
import { faultOf } from '../files/machine-faults.js'

const fileName = 'trials.jsonl'

export interface TrialLogFile extends TrialLog {
  /** How many trials are in it. */
  readonly size: number
  /** Ids in the order in which they were finished. */
  ids(): Iterable<string>
  close(): Promise<void>
}

interface Place {
  readonly at: number
  readonly length: number
  readonly state: 'done' | 'failed'
  /** Written by this process: what is there needs no check. */
  readonly own?: true
}

interface Waiting {
  readonly line: TrialLine
  readonly bytes: Buffer
  resolve(): void
  reject(error: unknown): void
}

export interface LogOptions {
  /** Whether it is only looked into, while somebody else may write. */
  readonly reading?: boolean
}

/** Opens the log of a folder; a line that was torn by a crash is cut off. */
export async function openTrialLog(folder: string, { reading = false }: LogOptions = {}): Promise<TrialLogFile> {
  const path = join(folder, fileName)
  const places = new Map<string, Place>()
  let end = 0
  const remember = (id: string, place: Place): void => {
    // What is done never changes; what failed may be done later.
    if (places.get(id)?.state !== 'done') places.set(id, place)
  }
  const handle = await opened(path, reading ? 'r' : 'a+')
  try {
    let number = 0
    for await (const { text, at, length } of linesOf(path)) {
      number++
      end = at + length
      if (text.trim() === '') continue
      const about = idIn(text, `${path}, line ${number}`)
      if (about !== undefined) remember(about.id, { at, length, state: about.state })
    }
    if (!reading) {
      await handle.truncate(end)
      // The file may be new: a line in it counts for nothing while its folder does not know of it.
      await fileStore(folder).syncFolder('')
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  let [waiting, writing]: [Waiting[], boolean] = [[], false]
  let broken: unknown
  const flush = async (): Promise<void> => {
    writing = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        if (broken !== undefined) throw broken
        await handle.appendFile(Buffer.concat(batch.map(({ bytes }) => bytes)))
        await handle.datasync()
        for (const { line, bytes } of batch) {
          remember(line.id, {
            at: end,
            length: bytes.length,
            state: line.result === null ? 'failed' : 'done',
            own: true,
          })
          end += bytes.length
        }
        for (const { resolve } of batch) resolve()
      } catch (error) {
        // A part of it may stand there: nothing may follow it.
        broken ??= faultOf(error, path)
        for (const { reject } of batch) reject(broken)
      }
    }
    writing = false
  }
  return {
    get size() {
      return places.size
    },
    ids: () => places.keys(),
    state: (id) => places.get(id)?.state,
    async read(id) {
      const place = places.get(id)
      if (place === undefined) return undefined
      const bytes = Buffer.alloc(place.length)
      // At once: a line is short, and asking for it to be told takes longer than to read it.
      readSync(handle.fd, bytes, 0, place.length, place.at)
      const text = bytes.toString('utf8')
      return place.own ? (JSON.parse(text) as TrialLine) : readLine(text, `${path}, the trial ${id}`)
    },
    add(line) {
      if (places.get(line.id)?.state === 'done') return Promise.resolve()
      return new Promise((resolve, reject) => {
        waiting.push({ line, bytes: Buffer.from(`${JSON.stringify(line)}\n`), resolve, reject })
        if (!writing) void flush()
      })
    },
    close: () => handle.close(),
  }
}

async function opened(path: string, flag: string): Promise<FileHandle> {
  try {
    return await open(path, flag)
  } catch (error) {
    throw faultOf(error, path)
  }
}

/** Whole lines with their places in the file. */
async function* linesOf(path: string): AsyncGenerator<{ text: string; at: number; length: number }> {
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer])
    let begin = 0
    for (let next = rest.indexOf(10); next >= 0; next = rest.indexOf(10, begin)) {
      yield { text: rest.toString('utf8', begin, next), at, length: next + 1 - begin }
      at += next + 1 - begin
      begin = next + 1
    }
    rest = rest.subarray(begin)
  }
}

/** Which trial a line tells of; whole lines are checked when they are read. */
function idIn(text: string, where: string): { id: string; state: Place['state'] } | undefined {
  let line: Partial<TrialLine> | null
  try {
    line = JSON.parse(text) as Partial<TrialLine> | null
  } catch {
    throw new OverhearError('E_INPUT', `${where} is not JSON`, 'delete that line, and its trial is run again')
  }
  if (line === null || line.format !== 'overhear-trial/1' || typeof line.id !== 'string') return undefined
  return { id: line.id, state: line.result == null ? 'failed' : 'done' }
}
