/** Files that were dropped on the page: kept below the folder of runs, within limits, and looked at before they are used. */
import { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { placeName } from '../../api/requests.js'
import { OverhearError } from '../../errors.js'
import { faultOf } from '../files/machine-faults.js'
import { uploadsFolder } from './run-list.js'
import type { UploadLimits } from './server-options.js'

const usualLimits: UploadLimits = { file: 256 * 1024 * 1024, bytes: 2 * 1024 * 1024 * 1024, files: 20_000 }

export interface Uploads {
  /** Keeps a file under a name, or inside of a folder of that name. */
  put(name: string, inside: readonly string[], body: ReadableStream<Uint8Array> | null): Promise<void>
  /** Where an upload lies that is there. */
  path(name: string): string
  names(): string[]
  remove(name: string): void
  /** Puts a file that was uploaded into another folder, under its own name. */
  into(name: string, folder: string): Promise<void>
}

const mostDepth = 6
let count = 0

export function uploads(root: string, limits: UploadLimits = usualLimits): Uploads {
  const top = join(root, uploadsFolder)
  const checked = (name: string): string => {
    if (placeName.test(name)) return name
    const hint = 'letters, digits, dots, hyphens and underscores are needed, a letter or digit first'
    throw new OverhearError('E_INPUT', `${JSON.stringify(name)} is no name for a file`, hint)
  }
  const path = (name: string): string => {
    const place = join(top, checked(name))
    const about = lstatSync(place, { throwIfNoEntry: false })
    if (about?.isFile() || about?.isDirectory()) return place
    throw new OverhearError('E_UNKNOWN_NAME', `there is no upload ${JSON.stringify(name)}`)
  }
  const placeFor = (name: string, inside: readonly string[]): string => {
    if (inside.length > mostDepth) throw new OverhearError('E_INPUT', `${inside.join('/')} lies too deep`)
    return join(top, checked(name), ...inside.map(checked))
  }
  /** Counted once, and kept up to date: a folder may hold thousands of files, sent one by one. */
  let used: Used | null = null
  return {
    path,
    names: () => (existsSync(top) ? readdirSync(top).filter((name) => placeName.test(name)) : []),
    remove(name) {
      used = null
      rmSync(path(name), { recursive: true, force: true })
    },
    async put(name, inside, body) {
      let place: string
      try {
        place = placeFor(name, inside)
        used ??= usedBelow(top)
        if (used.files >= limits.files) {
          throw new OverhearError('E_WORK', `there are ${limits.files} uploaded files`, `clear ${top} away`)
        }
      } catch (error) {
        await dropped(body)
        throw error
      }
      const room = Math.min(limits.file, limits.bytes - used.bytes)
      const part = join(top, `.part-${process.pid}-${count++}`)
      try {
        mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
        const source = body === null ? Readable.from([]) : Readable.fromWeb(body as never)
        // Opened before anything is read: one that is opened while it fails would come to be after it was taken away.
        const file = await open(part, 'wx', 0o600)
        await pipeline(source, atMost(room), file.createWriteStream())
        const [before, now] = [lstatSync(place, { throwIfNoEntry: false }), lstatSync(part)]
        renameSync(part, place)
        used = {
          files: used.files + (before === undefined ? 1 : 0),
          bytes: used.bytes + now.size - (before?.size ?? 0),
        }
      } catch (error) {
        rmSync(part, { force: true })
        throw error instanceof OverhearError ? error : faultOf(error, 'the upload')
      }
    },
    async into(name, folder) {
      const [from, to] = [path(name), join(folder, name)]
      if (!lstatSync(from).isFile()) throw new OverhearError('E_INPUT', `${name} is no file`)
      try {
        linkSync(from, to)
      } catch {
        await copyFile(from, to) // another disk, or one without links
      }
    },
  }
}

/** Lets so many bytes through. What is more is read and dropped, so that the sender hears why; far more hangs up. */
function atMost(bytes: number): Transform {
  const hint = 'leave it on the disk, and audit it by the command'
  const fault = new OverhearError('E_WORK', `the upload is larger than the ${bytes} bytes that there is room for`, hint)
  let left = bytes
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      left -= chunk.length
      if (left >= 0) done(null, chunk)
      else done(left < -mostDropped ? fault : null)
    },
    flush: (done) => done(left < 0 ? fault : null),
  })
}

const mostDropped = 1024 * 1024 * 1024

/** Reads what nobody wants, so that whoever sends it gets to the answer. */
async function dropped(body: ReadableStream<Uint8Array> | null): Promise<void> {
  let bytes = 0
  if (body === null || body.locked) return
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > mostDropped) return
  }
}

interface Used {
  files: number
  bytes: number
}

function usedBelow(folder: string): Used {
  const used = { files: 0, bytes: 0 }
  if (!existsSync(folder)) return used
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    used.files++
    used.bytes += lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  }
  return used
}
