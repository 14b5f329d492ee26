/** An audit on this machine: folders on disk, clients and attacks in worker threads. */
import { rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { AuditPorts, AuditThreads, RunFolder } from '../audit/ports.js'
import { type ClientPool, inlinePool } from '../federation/pool.js'
import type { Population } from '../federation/population.js'
import type { FederationSpec } from '../federation/spec.js'
import type { ConfinedPlugin } from './confined/confined-plugin.js'
import { datasetReader } from './files/dataset-files.js'
import { fileStore } from './files/file-store.js'
import { lockFolder } from './files/folder-lock.js'
import { readPlugin } from './files/plugin-file.js'
import { recordingPorts } from './recording-ports.js'
import { jobPool } from './threads/job-pool.js'
import { useOwnCrypto } from './threads/own-crypto.js'
import { areSoonFound, isSoonDone } from './threads/soon-done.js'
import { idleThreads, prepareThreads } from './threads/thread-line.js'
import { threadPool } from './threads/thread-pool.js'
import { version } from './version.js'

export interface NodePortsOptions {
  /** The run's folder; unless told, one below `runs/` that is named after the scenario and what it depends on. */
  readonly out?: string
  /** Where datasets are looked for first. */
  readonly dataDir?: string
  /** Threads; unless told, as many as there are cores. */
  readonly workers?: number
  /** Who runs the attacks; threads of this machine unless told. */
  readonly jobs?: AuditThreads['jobs']
  /** Whether code of plug-ins with attacks may run where the truth lies; unless told, it is confined. */
  readonly trustPlugins?: boolean
}

/** Files and threads of this machine, for `audit` and `simulate`. */
export function nodePorts(options: NodePortsOptions = {}): AuditPorts {
  const { out, dataDir, workers, jobs, trustPlugins: trust = false } = options
  useOwnCrypto()
  // Those that were loaded here: threads that start later load them too.
  const plugins: string[] = []
  const confined: ConfinedPlugin[] = []
  const threads = { plugins, ...(workers !== undefined && { workers }) }
  return {
    plugins: {
      async load(path) {
        const read = await readPlugin(path, trust)
        if (read.confined === undefined && !plugins.includes(read.file)) plugins.push(read.file)
        if (read.confined !== undefined && !confined.some(({ file }) => file === read.file))
          confined.push(read.confined)
        return read
      },
    },
    files: {
      ...recordingPorts,
      run: async (name) => openFolder(resolve(out ?? join('runs', name))),
      dataset: (name) => datasetReader(name, dataDir),
    },
    threads: {
      elsewhere: true,
      prepare: () => prepareThreads(workers),
      clients: (spec, population, { exchanging = false } = {}) => {
        // What clients of an exchange do besides training is no small work.
        const inThreads = () => threadPool(spec, { population, ...threads })
        return !exchanging && isSoonDone(spec, population) ? playedHere(spec, population, inThreads) : inThreads()
      },
      jobs: ({ secondsPerJob }) =>
        jobs?.({ secondsPerJob }) ??
        jobPool({ secondsPerJob, ...threads, confined, ...(dataDir !== undefined && { dataDir }) }),
    },
    versions: { overhear: version, node: process.version },
  }
}

/** Clients are played in this thread; what each would train alone may take longer than all of their turns. */
function playedHere(spec: FederationSpec, population: Population, inThreads: () => ClientPool): ClientPool {
  const here = inlinePool(spec, { population })
  return {
    ...here,
    async alone(searches) {
      if (areSoonFound(spec, population, { searches, idle: idleThreads() })) return here.alone(searches)
      const pool = inThreads()
      try {
        return await pool.alone(searches)
      } finally {
        await pool.close()
      }
    },
  }
}

/** A folder on disk, made if it is not there, and held against others until it is released. */
export async function openFolder(path: string): Promise<RunFolder> {
  await fileStore(path).makeFolder('')
  const release = lockFolder(path)
  return {
    release: async () => release(),
    path,
    folder: (below, options) => fileStore(join(path, below), options),
    forget: (below) => rm(join(path, below), { recursive: true, force: true }),
    shown: (file) => shownPath(join(path, file)),
  }
}

/** A path as people are told of it: from here, unless it lies elsewhere. */
export function shownPath(path: string): string {
  const near = relative('.', path)
  return near.startsWith('..') ? path : near
}
