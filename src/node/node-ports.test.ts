/** An audit's machine: what it hands to whom, on pools that are played. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { lockName } from './files/folder-lock.js'
import { nodePorts, openFolder, shownPath } from './node-ports.js'
import { version } from './version.js'

const played = vi.hoisted(() => ({ asked: [] as unknown[][], soonDone: true, soonFound: true, closed: 0 }))
vi.mock('./files/plugin-file.js', () => ({
  readPlugin: async (path: string, trust: boolean) => {
    played.asked.push(['plugin', path, trust])
    return { plugin: {}, hash: 'h', file: `/${path}`, ...(path.startsWith('c') && { confined: { file: `/${path}` } }) }
  },
}))
vi.mock('./threads/soon-done.js', () => ({ isSoonDone: () => played.soonDone, areSoonFound: () => played.soonFound }))
vi.mock('./threads/thread-line.js', () => ({
  idleThreads: () => 0,
  prepareThreads: (count?: number) => played.asked.push(['prepare', count]),
}))
vi.mock('./threads/job-pool.js', () => ({
  jobPool: (options: unknown) => played.asked.push(['jobs', options]) && 'pool',
}))
vi.mock('./threads/own-crypto.js', () => ({ useOwnCrypto: () => {} }))
const poolOf = vi.hoisted(() => (where: string) => ({
  where,
  alone: async () => {
    if (played.asked.length > 9) throw new Error('too steep')
    return `found ${where}`
  },
  close: async () => void played.closed++,
}))
vi.mock('./threads/thread-pool.js', () => ({
  threadPool: (_: unknown, options: object) => {
    played.asked.push(['threads', Object.keys(options).sort(), options])
    return poolOf('in threads')
  },
}))
vi.mock('../federation/pool.js', () => ({ inlinePool: () => poolOf('here') }))

const folder = mkdtempSync(join(tmpdir(), 'overhear-ports-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  played.asked.length = 0
  played.soonDone = true
  played.soonFound = true
  played.closed = 0
})
interface Played {
  readonly where: string
  alone(searches: readonly unknown[]): Promise<string>
}
const clientsOf = (ports: ReturnType<typeof nodePorts>, exchanging?: boolean): Played =>
  ports.threads.clients({} as never, {} as never, ...(exchanging === undefined ? [] : [{ exchanging }])) as never

describe('clients', () => {
  test('are played here where that is soon done, unless they exchange messages', () => {
    expect(clientsOf(nodePorts()).where).toBe('here')
    expect(clientsOf(nodePorts(), false).where).toBe('here')
    expect(clientsOf(nodePorts(), true).where).toBe('in threads')
    played.soonDone = false
    expect(clientsOf(nodePorts()).where).toBe('in threads')
  })

  test('who are played here search alone in threads where that takes long, which are closed then', async () => {
    const clients = clientsOf(nodePorts({ workers: 3 }))
    expect(await clients.alone([])).toBe('found here')
    expect(played.asked).toEqual([])
    played.soonFound = false
    expect(await clients.alone([])).toBe('found in threads')
    expect(played.asked).toMatchObject([['threads', ['plugins', 'population', 'workers'], { workers: 3 }]])
    expect(played.closed).toBe(1)
    played.asked.push(...Array.from({ length: 9 }, () => []))
    await expect(clients.alone([])).rejects.toThrow('too steep')
    expect(played.closed).toBe(2)
  })
})

describe('threads', () => {
  test('are as many as is said, and load the plug-ins that were loaded here, each once', async () => {
    const ports = nodePorts({ workers: 3, dataDir: 'd', trustPlugins: true })
    ports.threads.prepare!()
    for (const path of ['a.mjs', 'a.mjs', 'c.mjs', 'c.mjs']) {
      expect(await ports.plugins!.load(path)).toMatchObject({ file: `/${path}` })
    }
    expect(ports.threads.jobs({ secondsPerJob: 5 })).toBe('pool')
    const jobs = { secondsPerJob: 5, workers: 3, plugins: ['/a.mjs'], confined: [{ file: '/c.mjs' }], dataDir: 'd' }
    expect(played.asked).toEqual([
      ['prepare', 3],
      ...['a.mjs', 'a.mjs', 'c.mjs', 'c.mjs'].map((path) => ['plugin', path, true]),
      ['jobs', jobs],
    ])
    expect(ports.threads.elsewhere).toBe(true)
    expect(ports.versions).toEqual({ overhear: version, node: process.version })
  })

  test('have nothing that nobody said, and trust no plug-in', async () => {
    const ports = nodePorts()
    await ports.plugins!.load('a.mjs')
    ports.threads.jobs({ secondsPerJob: null })
    const jobs = { secondsPerJob: null, plugins: ['/a.mjs'], confined: [] }
    expect(played.asked).toEqual([['plugin', 'a.mjs', false], ['jobs', jobs]]) // biome-ignore format: a line
  })

  test('give way to whoever else runs the attacks', () => {
    const ports = nodePorts({ jobs: ({ secondsPerJob }) => `others ${secondsPerJob}` as never })
    expect(ports.threads.jobs({ secondsPerJob: 5 })).toBe('others 5')
    expect(played.asked).toEqual([])
  })
})

describe('the folder of a run', () => {
  test('is made and held until it is released; what is below it is stored, shown and forgotten', async () => {
    const path = join(folder, 'a', 'run')
    const run = await nodePorts({ out: path }).files.run('unasked')
    expect(run.path).toBe(path)
    expect(readdirSync(path)).toEqual([lockName])
    await expect(openFolder(path)).rejects.toThrow(`${path} is in use by process ${process.pid}`)
    await run.folder('truth').makeFolder('')
    writeFileSync(join(path, 'truth', 'x'), '')
    expect(run.shown('truth/x')).toBe(join(path, 'truth', 'x'))
    await run.forget!('truth')
    await run.forget!('nowhere')
    expect(existsSync(join(path, 'truth'))).toBe(false)
    await run.release!()
    expect(readdirSync(path)).toEqual([])
  })

  test('is below runs unless it is named', async () => {
    const here = process.cwd()
    mkdirSync(join(folder, 'cwd'))
    process.chdir(join(folder, 'cwd'))
    try {
      const run = await nodePorts().files.run('tiny-abc')
      expect(run.shown('report.html')).toBe(join('runs', 'tiny-abc', 'report.html'))
      await run.release!()
    } finally {
      process.chdir(here)
    }
    expect(existsSync(join(folder, 'cwd', 'runs', 'tiny-abc'))).toBe(true)
  })

  test('is told of from here, unless it lies elsewhere', () => {
    expect(shownPath(join(process.cwd(), 'runs', 'x'))).toBe(join('runs', 'x'))
    expect(shownPath('/elsewhere/x')).toBe('/elsewhere/x')
  })
})
