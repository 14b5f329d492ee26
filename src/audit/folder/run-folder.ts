/** The folder of a run: marked with what made it, so that nothing else is written into it or taken up from it. */
import { OverhearError } from '../../errors.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import { readText } from '../../transcript/store.js'
import type { WritableStore } from '../../transcript/write-transcript.js'
import { hashOf } from '../hash.js'
import type { AuditPorts, RunFolder } from '../ports.js'
import { changedFiles, type Marks } from './content-marks.js'

/** Settles on the folder; `of` is what it is named after besides the code. */
export async function settleFolder(
  { files, versions }: AuditPorts,
  { name, of }: { readonly name: string; readonly of: unknown },
): Promise<RunFolder> {
  const own = await hashOf({ hash: of, version: versions.overhear, kernelHash })
  return files.run(`${name}-${own.slice(0, 12)}`)
}

/** Marks the folder for a scenario or recording with this hash; that of another, or of another version, is refused. */
export async function markFolder(run: RunFolder, hash: string, { versions }: AuditPorts): Promise<void> {
  const mine = { format: 'overhear-run/1', hash, overhear: versions.overhear, kernels: kernelHash, node: versions.node }
  const there = await markOf(run.folder(''))
  if (there !== undefined && there.hash !== hash) {
    throw new OverhearError(
      'E_INPUT',
      `${run.path} holds the audit of another scenario, or of other data`,
      'take another folder',
    )
  }
  // Its recording would be taken up as it is, and another version might not make the same.
  if (there !== undefined && (there.overhear !== mine.overhear || there.kernels !== kernelHash)) {
    throw new OverhearError(
      'E_INPUT',
      `${run.path} holds an audit by another version of overhear`,
      'take another folder',
    )
  }
  await writeText(run, 'run.json', `${JSON.stringify(mine, null, 2)}\n`)
}

const contentsFormat = 'overhear-contents/1'

/** What the recording held whose audit is in the folder; nothing where none is, or its list cannot be read. */
export async function readContents(run: RunFolder): Promise<Marks> {
  const read = (await jsonOf(run.folder(''), 'contents.json')) as { format?: string; files?: Marks } | undefined
  return read?.format === contentsFormat ? (read.files ?? {}) : {}
}

export interface Contents {
  readonly before: Marks
  readonly now: Marks
  /** Whether results of before are to count. */
  readonly resume: boolean
}

/** Keeps the list of what was audited. Where something was changed, nothing is resumed; whoever begins anew may go on. */
export async function keepContents(run: RunFolder, { before, now, resume }: Contents): Promise<void> {
  const changed = changedFiles(before, now)
  if (Object.keys(before).length > 0 && changed.length > 0) {
    if (resume) {
      const found = `${run.path} holds results of another recording than the one that is there now: ${changed.join(', ')}`
      throw new OverhearError('E_INPUT', found, 'begin again without --resume, or bring the old files back')
    }
    await writeText(run, 'run.json', '{}\n')
    await writeText(run, 'results.jsonl', '')
  }
  await writeText(run, 'contents.json', `${JSON.stringify({ format: contentsFormat, files: now })}\n`)
}

interface Mark {
  readonly hash?: string
  readonly overhear?: string
  readonly kernels?: string
}

/** What marks the folder; a mark that cannot be read, or says nothing, is none. */
async function markOf(store: WritableStore): Promise<Mark | undefined> {
  const mark = (await jsonOf(store, 'run.json')) as Mark | undefined
  return mark?.hash === undefined ? undefined : mark
}

/** An object from a file of our own; undefined where it is not there or no object. */
async function jsonOf(store: WritableStore, path: string): Promise<object | undefined> {
  try {
    const value = JSON.parse(await readText(store, path)) as unknown
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Writes one of the run's files whole: under another name first, so that a fault on the way leaves the old one. */
export async function writeText({ folder }: RunFolder, path: string, text: string): Promise<void> {
  const store = folder('')
  await store.write(`${path}.tmp`, new TextEncoder().encode(text))
  await store.rename(`${path}.tmp`, path)
}
