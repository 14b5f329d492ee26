/** An audit without a machine: files in memory, clients and attacks in this thread. For browsers, and for trying out. */
import { OverhearError } from '../errors.js'
import { inlinePool } from '../federation/pool.js'
import { memoryFolder } from '../transcript/memory-folder.js'
import { jobRunner } from './job-runner.js'
import type { AuditFiles, AuditPorts, JobPool } from './ports.js'

/** All may be left out. */
export interface MemoryPortsOptions {
  /** Where everything is written, by path; one of one's own can be looked into afterwards. */
  readonly files?: Map<string, Uint8Array>
  /** Reads the files of a dataset, for those that have files. */
  readonly dataset?: NonNullable<AuditFiles['dataset']>
  /** The clock that attacks are timed by, in milliseconds; unless told, no time passes. */
  now?(): number
}

/** Ports that need nothing. One attack runs after the other, and none can be stopped while it runs. */
export function memoryPorts({ files = new Map(), dataset, now = () => 0 }: MemoryPortsOptions = {}): AuditPorts {
  const folder = (path: string) => memoryFolder(files, path)
  const recordings: AuditFiles = {
    run: async (name) => ({
      path: name,
      folder: (below) => folder(below === '' ? name : `${name}/${below}`),
      shown: (file) => `${name}/${file}`,
    }),
    async locate(path, usual) {
      const cut = path.lastIndexOf('/')
      if (files.has(path)) return { store: folder(path.slice(0, Math.max(0, cut))), path: path.slice(cut + 1) }
      return files.has(`${path}/${usual}`) ? { store: folder(path), path: usual } : undefined
    },
    ...(dataset !== undefined && { dataset }),
  }
  return {
    files: recordings,
    threads: {
      clients: (spec, population) => inlinePool(spec, { population }),
      jobs: () => inlineJobs(jobRunner({ ...recordings, folder }), now),
    },
    versions: { overhear: 'memory' },
  }
}

/** One job at a time, in this thread; closing lets the one that runs finish. */
function inlineJobs(run: ReturnType<typeof jobRunner>, now: () => number): JobPool {
  let closed = false
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(request, hooks) {
      const own = last.then(() => {
        if (closed) throw new OverhearError('E_INTERRUPTED', 'interrupted')
        return run(request, { now, ...hooks })
      })
      last = own.catch(() => {})
      return own
    },
    async close() {
      closed = true
      await last
    },
  }
}
