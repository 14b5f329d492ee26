/** Evidence of an audit's jobs on other machines: what a request's paths name, marked by contents here and put together there. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import type { JobRequest } from '../../audit/ports.js'
import { sha256Of } from '../files/dataset-files.js'
import { makeFolders } from '../files/make-folder.js'

/** Files below one folder, with the hashes of what is in them. */
export interface Base {
  /** Where the coordinator has it: a worker of the same machine reads it there. */
  readonly folder: string
  readonly files: Readonly<Record<string, string>>
}

export interface PackedRequest {
  /** Paths are "@0", "@1/knowledge.json" and so on: the bases by their places. */
  readonly request: JobRequest
  readonly bases: readonly Base[]
}

/** Every path of a request changed by a function. */
function withPaths(request: JobRequest, change: (path: string) => string): JobRequest {
  const { paths, live, ask, kept } = request
  const { knowledgeOf, target, ...named } = paths
  const each = (some: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(some).map(([key, path]) => [key, change(path)]))
  return {
    ...request,
    paths: {
      ...(each(named) as typeof named),
      ...(target !== undefined && { target }),
      ...(knowledgeOf !== undefined && { knowledgeOf: each(knowledgeOf) }),
    },
    ...(live !== undefined && { live: { ...live, checkpoints: change(live.checkpoints) } }),
    ...(ask !== undefined && { ask: { ...ask, without: ask.without === null ? null : change(ask.without) } }),
    ...(kept !== undefined && { kept: change(kept) }),
  }
}

const isFileAt = (path: string): boolean => existsSync(path) && statSync(path).isFile()

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries.flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1)] : [],
  )
}

/** A JSON file, and the files beside or below it whose names are among its texts. */
function namedBy(path: string): string[] {
  const names = new Set([basename(path)])
  JSON.parse(readFileSync(path, 'utf8'), (_, value: unknown) => {
    if (typeof value !== 'string' || value === '' || isAbsolute(value)) return value
    const name = normalize(value)
    if (!name.startsWith('..') && isFileAt(join(dirname(path), name))) names.add(name)
    return value
  })
  return [...names]
}

/** Marks what requests name; a folder is looked through once. */
export function evidencePacker() {
  const bases = new Map<string, Promise<Base>>()
  const places = new Map<string, string>()
  const marked = async (folder: string, names: readonly string[]): Promise<Base> => {
    const files: [string, string][] = []
    for (const name of [...names].sort()) {
      const place = join(folder, name)
      const sha256 = await sha256Of(place)
      places.set(sha256, place)
      files.push([name, sha256])
    }
    return { folder, files: Object.fromEntries(files) }
  }
  return {
    placeOf: (sha256: string): string | undefined => places.get(sha256),
    async pack(request: JobRequest): Promise<PackedRequest> {
      const used: string[] = []
      const packed = withPaths(request, (path) => {
        // What is derived is kept where the job runs.
        if (path === request.kept) return '@kept'
        const isFile = isFileAt(path)
        // A transcript is all of its folder; any other file takes the tables that it names along: who knows what else lies beside it.
        const alone = isFile && basename(path) !== 'transcript.json'
        const folder = isFile ? dirname(path) : path
        const base = alone ? path : folder
        if (!bases.has(base)) bases.set(base, marked(folder, alone ? namedBy(path) : filesBelow(folder)))
        if (!used.includes(base)) used.push(base)
        return `@${used.indexOf(base)}${isFile ? `/${basename(path)}` : ''}`
      })
      return { request: packed, bases: await Promise.all(used.map((base) => bases.get(base)!)) }
    },
  }
}

/** Puts evidence together below a folder of this machine; `find` says where files with given hashes lie. */
export function evidenceReader(
  work: string,
  find: (files: Readonly<Record<string, string>>) => Promise<Readonly<Record<string, string>>>,
) {
  const known = new Map<string, Promise<string>>()
  const isHere = async ({ folder, files }: Base): Promise<boolean> => {
    for (const [path, sha256] of Object.entries(files)) {
      const place = join(folder, path)
      if (!existsSync(place) || (await sha256Of(place)) !== sha256) return false
    }
    return existsSync(folder)
  }
  const made = async (base: Base, name: string): Promise<string> => {
    if (await isHere(base)) return base.folder
    const folder = join(work, name)
    await makeFolders(folder)
    for (const [path, place] of Object.entries(await find(base.files))) {
      await makeFolders(dirname(join(folder, path)))
      await copyFile(place, join(folder, path))
    }
    return folder
  }
  const folderOf = (base: Base): Promise<string> => {
    const key = createHash('sha256').update(JSON.stringify(base)).digest('hex')
    const folder = known.get(key) ?? made(base, key.slice(0, 32))
    known.set(key, folder)
    // What failed once may be there the next time.
    folder.catch(() => known.delete(key))
    return folder
  }
  return async ({ request, bases }: PackedRequest): Promise<{ request: JobRequest; folders: string[] }> => {
    const folders = await Promise.all(bases.map(folderOf))
    const placed = withPaths(request, (path) => {
      if (path === '@kept') return join(work, 'kept')
      const [, place = '', rest = ''] = /^@(\d+)(.*)$/.exec(path) ?? []
      return folders[Number(place)]! + rest
    })
    return { request: placed, folders }
  }
}
