/** Which trainings of a run have their messages in its folder, and one of them opened: by its place in that list alone. */
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { OverhearError } from '../../../errors.js'
import { parametersOf } from '../../../models/index.js'
import { openTranscript, type Transcript } from '../../../transcript/read-transcript.js'
import { readHeader, type SafetensorsHeader } from '../../../transcript/safetensors.js'
import { fileStore } from '../../files/file-store.js'
import type { RunList } from '../run-list.js'
import { startedTranscript } from '../start-audit.js'

/** A training with its messages, opened. */
export interface OpenedRun {
  readonly place: string
  readonly places: readonly string[]
  /** The folder that holds `transcript`, `truth` and the files of knowledge. */
  readonly beside: string
  readonly transcript: Transcript
  /** What a round's file holds, from its header. */
  header(file: string): Promise<SafetensorsHeader>
  bytes(file: string): Promise<number>
}

const [mostDepth, mostPlaces] = [3, 200]

/** Folders below a run that hold a recording, the run's own first; links are not followed. */
function placesIn(folder: string): string[] {
  const found: string[] = []
  const look = (path: string, depth: number): void => {
    const messages = join(folder, path, 'transcript')
    const about = lstatSync(messages, { throwIfNoEntry: false })
    if (about?.isDirectory() && existsSync(join(messages, 'transcript.json'))) found.push(path)
    if (depth === mostDepth || found.length >= mostPlaces) return
    for (const one of readdirSync(join(folder, path), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    ))
      if (one.isDirectory() && !['transcript', 'truth', 'checkpoints'].includes(one.name))
        look(path === '' ? one.name : `${path}/${one.name}`, depth + 1)
  }
  look('', 0)
  return found.sort((a, b) => a.split('/').length - b.split('/').length).slice(0, mostPlaces)
}

/** The recording that an audit of the page was started with, where that still lies below the folder of runs. */
function uploadedBeside(runs: RunList, id: string): string | null {
  const path = startedTranscript(runs.folder(id))
  if (path === null || !existsSync(join(path, 'transcript.json'))) return null
  const [top, real] = [realpathSync(runs.root), realpathSync(path)]
  return real.startsWith(top + sep) ? real : null
}

export interface Recordings {
  open(id: string, place: string): Promise<OpenedRun>
}

/** Keeps the one that was opened last: reading a list of rounds again for each page of it would take longer than the page. */
export function recordings(runs: RunList): Recordings {
  let last: { readonly key: string; readonly opened: Promise<OpenedRun> } | null = null
  return {
    open(id, place) {
      const folder = runs.folder(id)
      const key = `${id}\n${place}\n${lstatSync(folder).mtimeMs}`
      if (last?.key !== key) {
        const opened = openAt(runs, id, place)
        last = { key, opened }
        opened.catch(() => {
          if (last?.opened === opened) last = null
        })
      }
      return last.opened
    },
  }
}

async function openAt(runs: RunList, id: string, place: string): Promise<OpenedRun> {
  const folder = runs.folder(id)
  const own = placesIn(folder)
  const uploaded = own.length === 0 ? uploadedBeside(runs, id) : null
  const places = uploaded === null ? own : ['']
  if (places.length === 0) {
    const hint = 'audits of recordings that lie elsewhere keep none, and neither do those that have not begun'
    throw new OverhearError('E_UNKNOWN_NAME', `the run ${JSON.stringify(id)} has no messages in its folder`, hint)
  }
  const at = place === '' && !places.includes('') ? places[0]! : place
  if (!places.includes(at)) {
    throw new OverhearError(
      'E_UNKNOWN_NAME',
      `the run has no training ${JSON.stringify(at)}`,
      places.slice(0, 10).join(', '),
    )
  }
  const messages = uploaded ?? join(folder, at, 'transcript')
  const store = fileStore(messages)
  const transcript = await openTranscript(store, { parametersOf })
  return {
    place: at,
    places,
    beside: join(messages, '..'),
    transcript,
    bytes: async (file) => (await store.size(file)) ?? 0,
    async header(file) {
      const source = await store.open(file)
      try {
        return await readHeader(source, file)
      } finally {
        await source.close?.()
      }
    },
  }
}
