import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { attackIdOf, idOf, queueName, type TrialJob, versions } from './queue-job.js'
import { type QueueWorkerOptions, serveQueue } from './queue-worker.js'

/** The queue as one worker sees it: a test hands it jobs, and hears what it does. */
const queue = vi.hoisted(() => ({
  made: [] as unknown[][],
  ended: [] as string[],
  keys: [] as string[],
  tasks: [] as unknown[][],
  outcome: { kind: 'lost', reason: 'x' } as object,
  finders: [] as unknown[],
  found: {} as object,
  missing: '',
  evidence: undefined as unknown,
  folders: [] as string[],
  answer: async (_job: unknown, _token?: string): Promise<unknown> => undefined,
}))
class WaitingError extends Error {}
class UnrecoverableError extends Error {}
vi.mock('./queue-packages.js', () => {
  class Worker {
    constructor(name: string, answer: typeof queue.answer, options: unknown) {
      queue.made.push([name, options])
      queue.answer = answer
    }
    on(): void {}
    async close() {
      queue.ended.push('worker')
    }
  }
  const redis = {
    async scan(...asked: unknown[]) {
      expect(asked).toEqual(['0', 'MATCH', 'overhear:sweep:*', 'COUNT', 1000])
      return ['0', queue.keys]
    },
    disconnect: () => queue.ended.push('connection'),
  }
  return {
    queuePackages: async () => ({ bullmq: { Worker, WaitingError, UnrecoverableError } }),
    connectionOf: () => 'connection',
    connect: async () => redis,
  }
})
vi.mock('./file-exchange.js', () => ({
  fileFinder(_: unknown, options: unknown) {
    queue.finders.push(options)
    return async () => {
      if (queue.missing !== '') throw new Error(queue.missing)
      return queue.found
    }
  },
}))
vi.mock('./travelling-evidence.js', () => ({
  evidenceReader: (work: string) => {
    queue.folders.push(work)
    return async () => queue.evidence
  },
}))
vi.mock('../sweep/trial-processes.js', () => ({
  trialProcesses: () => ({
    run: async (...given: unknown[]) => {
      queue.tasks.push(given)
      return queue.outcome
    },
    close: async () => void queue.ended.push('processes'),
  }),
}))

const common = { versions: { ...versions }, files: {}, limits: { seconds: 9, megabytes: 300 }, label: 'rounds=3' }
const trial = async (over: Partial<TrialJob> = {}) => {
  const data = { format: 'overhear-job/1' as const, ...common, scenario: { name: 'tiny' }, ...over }
  return { id: await idOf(data), data, moveToWait: async (token: string) => void queue.ended.push(`waits ${token}`) }
}

let told: string[] = []
let stop = new AbortController()
let serving: Promise<number>
async function serve(parts: Partial<QueueWorkerOptions> = {}): Promise<void> {
  const tell = (line: string) => told.push(line)
  const own = { address: {} as never, concurrency: 2, lease: 30, signal: stop.signal, tell }
  serving = serveQueue({ ...own, ...parts })
  // It makes a folder first, for which no clock waits.
  await vi.waitFor(() => expect(queue.made).toHaveLength(1))
  await vi.advanceTimersByTimeAsync(0)
}
async function stopped(): Promise<number> {
  stop.abort()
  await vi.advanceTimersByTimeAsync(500)
  return serving
}
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  for (const list of [queue.made, queue.ended, queue.tasks, queue.finders, queue.folders]) list.length = 0
  Object.assign(queue, { keys: [], outcome: { kind: 'lost', reason: 'x' }, found: {}, missing: '' })
  told = []
  stop = new AbortController()
})
afterEach(async () => {
  await stopped()
  vi.useRealTimers()
})

describe('a worker of a queue', () => {
  test('takes jobs of its own version, and lets others have them when it gives no sign of life', async () => {
    await serve()
    const lasting = { lockDuration: 30_000, stalledInterval: 15_000, maxStalledCount: 3, runRetryDelay: 500 }
    expect(queue.made).toEqual([[queueName, { connection: 'connection', concurrency: 2, ...lasting }]])
  })

  test('runs a trial in a process with its limits, answers what came of it, and tells', async () => {
    queue.found = { 'a.csv': '/there/a.csv' }
    queue.outcome = { kind: 'done', result: 'found', seconds: 1.26, worker: 'w' }
    await serve({ dataDir: 'd' })
    expect(await queue.answer(await trial())).toEqual(queue.outcome)
    const task = { scenario: { name: 'tiny' }, places: queue.found, dataDir: 'd' }
    expect(queue.tasks).toEqual([[task, { seconds: 9, megabytes: 300 }, 'rounds=3']])
    expect(told).toEqual(['rounds=3: done in 1.3 s'])
    expect(await stopped()).toBe(1)
  })

  test.each(['lost', 'refused'])('that has a job %s says why, and counts it', async (kind) => {
    queue.outcome = { kind, reason: 'no such thing' }
    await serve()
    expect(await queue.answer(await trial())).toEqual({ kind, reason: 'no such thing' })
    expect(queue.tasks[0]![0]).not.toHaveProperty('dataDir')
    expect(told).toEqual([`rounds=3: ${kind}, no such thing`])
    expect(await stopped()).toBe(1)
  })

  test('looks for files where it is told to, and for evidence in a folder that does not last', async () => {
    await serve({ dataDir: 'd' })
    const [work] = queue.folders as [string]
    expect(queue.finders).toEqual([{ dataDir: 'd' }, { cache: join(work, 'by-sha256') }])
    queue.missing = 'no coordinator put it up'
    expect(await queue.answer(await trial())).toEqual({ kind: 'lost', reason: 'no coordinator put it up' })
    expect([queue.tasks, told]).toEqual([[], []])
    await stopped()
    expect(queue.ended).toEqual(['processes', 'worker', 'connection'])
    expect(existsSync(work)).toBe(false)
  })

  test('gives a job back that was stopped, for others to have at once', async () => {
    queue.outcome = { kind: 'stopped' }
    await serve()
    await expect(queue.answer(await trial(), 'token')).rejects.toBeInstanceOf(WaitingError)
    expect(queue.ended).toEqual(['waits token'])
    expect(await stopped()).toBe(0)
  })

  test('refuses a job that is not what it is called once and for all', async () => {
    await serve()
    const wrong = { ...(await trial()), id: 'b'.repeat(64) }
    await expect(queue.answer(wrong)).rejects.toBeInstanceOf(UnrecoverableError)
    expect(told).toEqual([expect.stringContaining('is not what it is called; somebody changed it on its way')])
  })

  test('names the files of an attack as whoever asked calls them', async () => {
    const request = {
      job: { attack: 'echo', observer: 'server', seed: 1, controls: false },
      paths: { transcript: '@0' },
    }
    const bases = [{ folder: '/theirs', files: {} }]
    const data = { format: 'overhear-attack-job/1' as const, ...common, request: request as never, bases }
    queue.evidence = { request: { here: true }, folders: ['/tmp/ours'] }
    queue.outcome = { kind: 'refused', reason: 'nothing in /tmp/ours/a and /tmp/ours/b' }
    await serve()
    const answer = await queue.answer({ id: await attackIdOf(data), data })
    expect(answer).toEqual({ kind: 'refused', reason: 'nothing in /theirs/a and /theirs/b' })
    expect(queue.tasks[0]![0]).toEqual({ request: { here: true }, places: {} })
  })

  test('says where sweeps of other versions wait', async () => {
    queue.keys = [`overhear:sweep:${queueName}`, 'overhear:sweep:overhear-0.0.1-abc']
    await serve()
    expect(told).toEqual([
      `a sweep of overhear-0.0.1-abc waits for workers of its own version; this one is ${queueName}`,
    ])
  })

  test('ends after as long without work as it is told, and not while it is at work', async () => {
    let finish: (outcome: object) => void = () => {}
    await serve({ idle: 60 })
    await vi.advanceTimersByTimeAsync(59_000)
    expect(queue.ended).toEqual([])
    queue.outcome = new Promise((resolve) => (finish = resolve)) as object
    const answer = queue.answer(await trial())
    await vi.advanceTimersByTimeAsync(600_000)
    expect(queue.ended).toEqual([])
    finish({ kind: 'refused', reason: 'x' })
    await answer
    await vi.advanceTimersByTimeAsync(59_000)
    expect(queue.ended).toEqual([])
    await vi.advanceTimersByTimeAsync(2000)
    expect(await serving).toBe(1)
    expect(queue.ended).toEqual(['processes', 'worker', 'connection'])
  })

  test('never ends by itself unless told', async () => {
    await serve()
    await vi.advanceTimersByTimeAsync(1e7)
    expect(queue.ended).toEqual([])
    expect(await stopped()).toBe(0)
  })
})
