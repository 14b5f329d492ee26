import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type JobQueue, type JobQueueOptions, jobQueue } from './job-queue.js'
import type { QueueAddress } from './queue-address.js'
import { type QueueJob, queueName, versions } from './queue-job.js'

interface Held {
  readonly data: unknown
  returnvalue: unknown
  failedReason: string
  state: 'waiting' | 'completed' | 'failed'
}

/** A server that holds what it is handed, and lets a test do what workers would. */
const server = vi.hoisted(() => ({
  jobs: new Map<string, unknown>(),
  options: [] as unknown[],
  removed: [] as string[],
  marks: [] as unknown[][],
  ended: [] as string[],
  wanted: [] as string[],
  counts: { waiting: 0, active: 0 } as object,
  away: false,
}))
const jobs = server.jobs as Map<string, Held>
const files = vi.hoisted(() => vi.fn(async () => {}))
vi.mock('./file-exchange.js', () => ({ serveFiles: files }))
vi.mock('./queue-packages.js', () => {
  const reachable = (): void => {
    if (server.away) throw new Error('ECONNREFUSED')
  }
  class Queue {
    constructor(name: string, options: unknown) {
      server.options.push([name, options])
    }
    on(): void {}
    async add(name: string, data: unknown, options: { readonly jobId: string }) {
      reachable()
      server.options.push([name, options])
      const held = jobs.get(options.jobId)
      if (held === undefined) jobs.set(options.jobId, { data, returnvalue: null, failedReason: '', state: 'waiting' })
    }
    async getJob(id: string) {
      return jobs.get(id)
    }
    async remove(id: string) {
      server.removed.push(id)
      jobs.delete(id)
    }
    async getRanges(states: readonly string[], from: number, to: number) {
      reachable()
      expect([from, to]).toEqual([0, -1])
      return [...jobs].flatMap(([id, { state }]) => (states.includes(state) ? [id, id] : []))
    }
    async getJobCounts(...states: string[]) {
      expect(states).toEqual(['waiting', 'active'])
      return server.counts
    }
    toKey(id: string): string {
      return `key of ${id}`
    }
    async close() {
      server.ended.push('queue')
    }
  }
  const redis = {
    set: async (...mark: unknown[]) => void server.marks.push(mark),
    pipeline: (asked: readonly (readonly [string, string])[]) => ({
      exec: async () => asked.map(([, key]) => [null, jobs.has(key.slice('key of '.length)) ? 1 : 0]),
    }),
    disconnect: () => server.ended.push('connection'),
  }
  return {
    queuePackages: async () => ({ bullmq: { Queue } }),
    connectionOf: () => 'connection',
    connect: async () => redis,
  }
})

let queue: JobQueue<string>
const kept = new Set<string>()
const open = async (parts: Partial<JobQueueOptions<string>> = {}): Promise<void> => {
  queue = await jobQueue<string>({
    address: { shown: 'there' } as QueueAddress,
    placeOf: () => undefined,
    isKept: (id) => kept.has(id),
    read(id, json) {
      if (json === 'nonsense') throw new Error(`the answer to ${id} is none`)
      return { kind: 'done', result: String(json), seconds: 1, worker: 'w' }
    },
    ...parts,
  })
}
/** A worker has answered, or the queue has given up. */
const end = (id: string, returnvalue: unknown, failedReason = ''): void => {
  Object.assign(jobs.get(id)!, { returnvalue, failedReason, state: failedReason === '' ? 'completed' : 'failed' })
}
const looks = (count: number) => vi.advanceTimersByTimeAsync(150 * count)
const job = (label: string) => ({ label }) as unknown as QueueJob

beforeEach(async () => {
  vi.useFakeTimers()
  for (const list of [server.options, server.removed, server.marks, server.ended]) list.length = 0
  jobs.clear()
  kept.clear()
  files.mockClear()
  server.counts = { waiting: 0, active: 0 }
  server.away = false
})
afterEach(async () => {
  const closed = queue.close()
  await looks(1)
  await closed
  vi.useRealTimers()
})

describe('a queue of jobs', () => {
  test('holds each by its id until it is answered, and lets what is done stay until it is kept', async () => {
    await open()
    expect([queue.size, server.options]).toEqual([1000, [[queueName, { connection: 'connection' }]]])
    const run = queue.run('one', job('first'))
    await looks(1)
    const kind = { jobId: 'one', attempts: 1, removeOnComplete: false, removeOnFail: false }
    expect(server.options[1]).toEqual(['trial', kind])
    expect(jobs.get('one')).toMatchObject({ data: { label: 'first' } })
    end('one', 'found')
    await looks(1)
    expect(await run).toMatchObject({ kind: 'done', result: 'found' })
    expect(server.removed).toEqual([])
    await queue.kept('one')
    expect(server.removed).toEqual(['one'])
  })

  test.each([
    [null, 'job stalled more than allowable limit', 'job stalled more than allowable limit'],
    [undefined, '', 'its worker was lost'],
    ['nonsense', '', 'the answer to one is none'],
  ])('answered %j with "%s" is lost, and taken out before it is tried again', async (answer, failed, reason) => {
    await open()
    const run = queue.run('one', job('first'))
    await looks(1)
    end('one', answer, failed)
    await looks(1)
    expect(await run).toEqual({ kind: 'lost', reason })
    expect(server.removed).toEqual(['one'])
  })

  test('takes out what an earlier coordinator kept, and leaves what others wait for', async () => {
    await open()
    kept.add('known')
    for (const id of ['known', 'foreign']) {
      jobs.set(id, { data: {}, returnvalue: 'x', failedReason: '', state: 'completed' })
    }
    await looks(1)
    expect(new Set(server.removed)).toEqual(new Set(['known']))
    expect([...jobs.keys()]).toEqual(['foreign'])
  })

  test('looks every 20th time whether a job was lost, says that it is there, and counts', async () => {
    await open()
    expect(queue.doing()).toBe('0 at work, 0 waiting in the queue')
    const run = queue.run('one', job('first'))
    server.counts = { waiting: 2, active: 3 }
    await looks(1)
    const mark = [`overhear:sweep:${queueName}`, versions.overhear, 'EX', 60]
    expect(server.marks).toEqual([mark])
    jobs.clear()
    await looks(18)
    expect([server.marks.length, jobs.size]).toEqual([1, 0])
    await looks(1)
    expect([server.marks.length, [...jobs.keys()]]).toEqual([2, ['one']])
    expect(queue.doing()).toBe('3 at work, 2 waiting in the queue')
    end('one', 'found')
    await looks(1)
    expect(await run).toMatchObject({ result: 'found' })
  })

  test('puts nothing up again that is still there, or answered', async () => {
    await open()
    const run = queue.run('one', job('first'))
    await looks(21)
    expect(server.options).toHaveLength(2)
    end('one', 'found')
    await looks(1)
    await run
    jobs.clear()
    await looks(20)
    expect(jobs.size).toBe(0)
  })

  test('serves files with every look', async () => {
    const placeOf = (): string => '/there'
    await open({ placeOf })
    await looks(2)
    expect(files.mock.calls.length).toBe(3)
    expect((files.mock.calls[0] as unknown[])[1]).toBe(placeOf)
  })

  test('whose server is away goes on when it is back', async () => {
    await open()
    const run = queue.run('one', job('first'))
    await looks(1)
    end('one', 'found')
    server.away = true
    await looks(5)
    server.away = false
    await looks(1)
    expect(await run).toMatchObject({ result: 'found' })
  })

  test('rejects what it could not put up', async () => {
    await open()
    server.away = true
    await expect(queue.run('one', job('first'))).rejects.toThrow('ECONNREFUSED')
  })

  test('closed stops what waits, takes it out, and runs nothing more', async () => {
    await open()
    const runs = [queue.run('one', job('first')), queue.run('two', job('second'))]
    await looks(1)
    end('two', 'found')
    const outcomes: unknown[] = []
    for (const run of runs) void run.then((outcome) => outcomes.push(outcome))
    const closed = queue.close()
    await looks(1)
    expect(outcomes).toEqual([{ kind: 'stopped' }, { kind: 'stopped' }])
    await closed
    expect(server.removed).toEqual(['one', 'two'])
    expect(server.ended).toEqual(['queue', 'connection'])
    expect(await queue.run('three', job('third'))).toEqual({ kind: 'stopped' })
    expect(jobs.has('three')).toBe(false)
    await queue.close()
    expect(server.ended).toHaveLength(2)
    const served = files.mock.calls.length
    await looks(10)
    expect(files.mock.calls.length).toBe(served)
  })
})
