/** The folder of a run: marked with what made it, so that nothing else is written into it or taken up from it. */
import { OverhearError } from '../errors.js'
import { kernelHash } from '../numeric/engine/kernel-bytes.js'
import { readText } from '../transcript/store.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import { hashOf } from './hash.js'
import type { AuditPorts, RunFolder } from './ports.js'

/** Opens the folder for a scenario or recording with this hash; that of another, or of another version, is refused. */
export async function openRunFolder(
  { files, versions }: AuditPorts,
  { name, hash }: { readonly name: string; readonly hash: string },
): Promise<RunFolder> {
  const own = await hashOf({ hash, version: versions.overhear, kernelHash })
  const run = await files.run(`${name}-${own.slice(0, 12)}`)
  const mine = { format: 'overhear-run/1', hash, overhear: versions.overhear, kernels: kernelHash, node: versions.node }
  const there = await markOf(run.folder(''))
  if (there !== undefined && there.hash !== hash) {
    throw new OverhearError('E_INPUT', `${run.path} holds the audit of another scenario`, 'take another folder')
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
  return run
}

interface Mark {
  readonly hash?: string
  readonly overhear?: string
  readonly kernels?: string
}

/** What marks the folder; a mark that cannot be read is none. */
async function markOf(store: WritableStore): Promise<Mark | undefined> {
  try {
    return JSON.parse(await readText(store, 'run.json')) as Mark
  } catch {
    return undefined
  }
}

/** Writes one of the run's files whole. */
export async function writeText({ folder }: RunFolder, path: string, text: string): Promise<void> {
  await folder('').write(path, new TextEncoder().encode(text))
}
