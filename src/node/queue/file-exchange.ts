/** Files of datasets through the queue: a worker asks for one by its hash, and the coordinator that has it puts it up for an hour. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { OverhearError } from '../../errors.js'
import { cacheFolder, dataFolders, fileState, sha256Of } from '../files/dataset-files.js'
import { makeFolders } from '../files/make-folder.js'
import { queueName } from './queue-job.js'
import type { Redis } from './queue-packages.js'

const wanted = `overhear:${queueName}:wanted`
const keyOf = (sha256: string): string => `overhear:${queueName}:file:${sha256}`
const pieceBytes = 4 << 20
const keptSeconds = 3600

/** Puts up what is asked for, of the files that are here. */
export async function serveFiles(redis: Redis, placeOf: (sha256: string) => string | undefined): Promise<void> {
  for (const sha256 of await redis.smembers(wanted)) {
    const place = placeOf(sha256)
    if (place === undefined) continue
    if ((await redis.exists(keyOf(sha256))) === 0) await putUp(redis, sha256, place)
    await redis.srem(wanted, sha256)
  }
}

async function putUp(redis: Redis, sha256: string, place: string): Promise<void> {
  const handle = await open(place, 'r')
  try {
    const piece = Buffer.alloc(pieceBytes)
    let pieces = 0
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, pieceBytes)
      if (bytesRead === 0) break
      await redis.set(`${keyOf(sha256)}:${pieces++}`, piece.subarray(0, bytesRead), 'EX', keptSeconds + 600)
    }
    // Last: whoever sees it finds all pieces.
    await redis.set(keyOf(sha256), String(pieces), 'EX', keptSeconds)
  } finally {
    await handle.close()
  }
}

export interface FetchOptions {
  readonly dataDir?: string
  /** Where fetched files are kept; among those of datasets unless told. */
  readonly cache?: string
  /** How long a coordinator is waited for, in milliseconds. */
  readonly patience?: number
}

/** Where the files of datasets are on this machine: found by path and hash, kept from an earlier time, or fetched. */
export function fileFinder(
  redis: Redis,
  { dataDir, cache = resolve(cacheFolder(), 'by-sha256'), patience = 120_000 }: FetchOptions = {},
) {
  const folders = dataFolders(dataDir === undefined ? {} : { dataDir })
  const known = new Map<string, Promise<string>>()
  const placeOf = async (path: string, sha256: string): Promise<string> => {
    const here = await fileState({ path, sha256, content: '' }, folders)
    if (here.path !== null && here.state === 'whole') return here.path
    const kept = join(cache, `${sha256}-${basename(path).replace(/[^\w.-]/g, '_')}`)
    if (existsSync(kept) && (await sha256Of(kept)) === sha256) return kept
    await makeFolders(cache)
    await fetched(redis, { sha256, path, to: kept, patience })
    return kept
  }
  return async (files: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const places = Object.entries(files).map(async ([path, sha256]) => {
      const key = `${sha256} ${path}`
      const found = known.get(key) ?? placeOf(path, sha256)
      known.set(key, found)
      // What failed once may be there the next time.
      found.catch(() => known.delete(key))
      return [path, await found] as const
    })
    return Object.fromEntries(await Promise.all(places))
  }
}

interface Fetching {
  readonly sha256: string
  readonly path: string
  readonly to: string
  readonly patience: number
}

async function fetched(redis: Redis, { sha256, path, to, patience }: Fetching): Promise<void> {
  const until = performance.now() + patience
  let pieces = await redis.get(keyOf(sha256))
  while (pieces === null) {
    if (performance.now() > until) {
      const found = `${path} (sha256 ${sha256}) is not on this machine, and no coordinator put it up`
      throw new OverhearError('E_INPUT', found, 'put it into a folder of datasets')
    }
    await redis.sadd(wanted, sha256)
    await pause(200)
    pieces = await redis.get(keyOf(sha256))
  }
  const fresh = `${to}.${process.pid}.tmp`
  const hash = createHash('sha256')
  const handle = await open(fresh, 'w')
  try {
    for (let i = 0; i < Number(pieces); i++) {
      const piece = await redis.getBuffer(`${keyOf(sha256)}:${i}`)
      if (piece === null) break
      hash.update(piece)
      await handle.writeFile(piece)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (hash.digest('hex') !== sha256) {
    await rm(fresh, { force: true })
    throw new OverhearError(
      'E_INPUT',
      `${path} came through the queue with another content`,
      'it is fetched anew the next time',
    )
  }
  await rename(fresh, to)
}
