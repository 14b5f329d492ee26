/** Faults of the machine, such as a full disk, as errors that say what to do: they are no bugs of ours. */
import { OverhearError } from '../../errors.js'

const faults: Readonly<Record<string, readonly [found: string, todo: string]>> = {
  EACCES: ['may not be used: permission denied', 'take another place, or change who may write there'],
  EPERM: ['may not be used: the system does not allow it', 'take another place'],
  EROFS: ['cannot be written: the file system is read-only', 'take another place'],
  ENOSPC: ['cannot be written: the disk is full', 'make room and go on with --resume'],
  EDQUOT: ['cannot be written: the quota is used up', 'make room and go on with --resume'],
  EFBIG: ['cannot be written: the file would be too large for this system', 'take another place'],
  EIO: ['could not be used: the device reports an error', 'look at the disk'],
  EMFILE: ['could not be opened: too many files are open', 'raise the limit (ulimit -n) or take fewer --workers'],
  ENFILE: ['could not be opened: the system has too many files open', 'close other programs'],
  ENAMETOOLONG: ['has a name that is too long for this system', 'take a shorter one'],
  ENOTDIR: ['lies below something that is no folder', 'take another place'],
  EEXIST: ['is there already, and no folder', 'take another place'],
  EISDIR: ['is a folder', 'name a file'],
  ENOENT: ['is not there', 'look at the name'],
  ELOOP: ['is a link that leads in a circle', 'take another place'],
  EPIPE: ['could not be written: nobody reads it any more', 'keep the other end open'],
  ENOMEM: ['could not be used: the machine is out of memory', 'take fewer --workers, or a smaller scenario'],
  EAGAIN: ['could not be used: the machine is out of resources', 'take fewer --workers'],
}

/** The code that the system gave an error; undefined of one that is not the system's. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  return code !== undefined && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** A fault of the system as our error, naming the file; any other error stays what it is. */
export function faultOf(error: unknown, path: string): unknown {
  const code = systemCode(error)
  if (error instanceof OverhearError || code === undefined) return error
  const [found, todo] = faults[code] ?? [`could not be used: ${code}`, 'look at it and at the disk']
  return new OverhearError('E_INPUT', `${shownPath(path)} ${found}`, todo)
}

const shownPath = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}...` : path)

const outOfMemory =
  /Invalid (?:string|array|typed array) length|Array buffer allocation failed|memory size exceeded|could not allocate memory|Map maximum size exceeded|Set maximum size exceeded/i

/** What ended a command, where it is no bug of ours but the machine that is too small or does not allow it. */
export function machineFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OverhearError) return error
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || (error instanceof RangeError && outOfMemory.test(error.message))) {
    const hint = 'take fewer --workers, fewer records or a smaller model'
    return new OverhearError('E_VALUE', `this needs more memory than there is (${error.message})`, hint)
  }
  if (code === 'ERR_WORKER_INIT_FAILED') {
    return new OverhearError('E_INPUT', `a thread could not be started: ${error.message}`, 'take fewer --workers')
  }
  return faultOf(error, path ?? 'a file')
}
