/** Files of other people's recordings on this machine's disk, as importing needs them. */
import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { OverhearError } from '../../errors.js'
import { parametersOf } from '../../models/index.js'
import type { ImportKind, ImportPorts } from '../../transcript/imports/import-recording.js'
import { fileStore } from './file-store.js'

const mostFiles = 1_000_000

export const importPorts = (kind: ImportKind, folder: string): ImportPorts => ({
  kind,
  source: fileStore(folder),
  inflate: (bytes, most) => inflateRawSync(bytes, { maxOutputLength: Math.max(1, most) }),
  parametersOf,
})

/** Every file below a folder, with forward slashes. */
export function filesIn(folder: string): string[] {
  const found: string[] = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) found.push(relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    if (found.length > mostFiles)
      throw new OverhearError('E_INPUT', `more than ${mostFiles} files`, 'give a smaller folder')
  }
  return found
}
