/** Folders made one below the other: where the system makes none, that is said at once. */
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OverhearError } from '../../errors.js'
import { faultOf, systemCode } from './machine-faults.js'

/** Makes the folder and those above it that are not there. (Node's own way of doing so never ends below /proc.) */
export async function makeFolders(path: string): Promise<void> {
  const missing: string[] = []
  for (let at = path; !(await isFolder(at)); at = dirname(at)) {
    missing.unshift(at)
    if (dirname(at) === at) break
  }
  for (const one of missing) await makeOne(one)
}

async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw faultOf(error, path)
  }
  throw new OverhearError('E_INPUT', `${path} is there already, and no folder`, 'take another place')
}

async function makeOne(path: string): Promise<void> {
  try {
    // What an audit makes is about people: for its owner alone.
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const code = systemCode(error)
    // Somebody else made it meanwhile.
    if (code === 'EEXIST' && (await isFolder(path))) return
    if (code === 'ENOENT') {
      throw new OverhearError(
        'E_INPUT',
        `${path} cannot be made: the system has no room for folders there`,
        'take another place',
      )
    }
    throw faultOf(error, path)
  }
}
