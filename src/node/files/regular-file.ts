/** Whether a path names a file that can be read to its end: a pipe could hang, a folder holds no text. */
import { type Stats, statSync } from 'node:fs'
import { OverhearError } from '../../errors.js'
import { faultOf } from './machine-faults.js'

/** Refuses anything else; `what` is needed there. */
export function requireRegular(path: string, what: string): void {
  let about: Stats
  try {
    about = statSync(path)
  } catch (error) {
    throw faultOf(error, path)
  }
  if (about.isFile()) return
  const found = about.isDirectory() ? 'a folder' : about.isFIFO() ? 'a pipe' : 'no regular file'
  throw new OverhearError('E_INPUT', `${path} is ${found}`, `${what} is needed`)
}
