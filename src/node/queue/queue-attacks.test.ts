import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AttackResult } from '../../audit/attack-result.js'
import type { Job } from '../../audit/plan-jobs.js'
import type { JobPool, JobRequest } from '../../audit/ports.js'
import type { Outcome } from '../../sweep/run-trials.js'
import type { JobQueueOptions } from './job-queue.js'
import type { QueueAddress } from './queue-address.js'
import { queueAttacks } from './queue-attacks.js'
import type { AttackJob } from './queue-job.js'

/** What came to the queue, and what it answers. */
const queue = vi.hoisted(() => ({
  opened: [] as unknown[],
  ran: [] as unknown[][],
  kept: [] as string[],
  closed: 0,
  answer: async (_attempt: number): Promise<unknown> => undefined,
}))
vi.mock('./job-queue.js', () => ({
  async jobQueue(options: unknown) {
    queue.opened.push(options)
    return {
      run: (...given: unknown[]) => queue.answer(queue.ran.push(given)),
      kept: async (id: string) => void queue.kept.push(id),
      close: async () => void queue.closed++,
    }
  },
}))
/** How many jobs have their id. */
const named = vi.hoisted(() => ({ count: 0 }))
vi.mock('./queue-job.js', async (actual) => {
  const { attackIdOf, ...rest } = await actual<typeof import('./queue-job.js')>()
  return {
    ...rest,
    async attackIdOf(job: AttackJob) {
      const id = await attackIdOf(job)
      named.count++
      return id
    },
  }
})
const answered = (outcome: (attempt: number) => Outcome<AttackResult>): void => {
  queue.answer = async (attempt) => outcome(attempt)
}
const done = { kind: 'done', result: { attack: 'echo', seed: 9 } as AttackResult, seconds: 1, worker: 'w' } as const

const folder = mkdtempSync(join(tmpdir(), 'overhear-queue-attacks-'))
afterAll(() => rmSync(folder, { recursive: true }))
const transcript = join(folder, 'transcript')
mkdirSync(transcript)
writeFileSync(join(transcript, 'transcript.json'), '{}')

const address = { shown: 'redis://there' } as QueueAddress
const request = (parts: Partial<JobRequest> = {}): JobRequest => ({
  job: { attack: 'echo', target: '0', params: {}, observer: 'server', seed: 4, controls: false } as unknown as Job,
  paths: { transcript },
  ...parts,
})
const jobAt = (at: number) => queue.ran[at]![1] as AttackJob
let pool: JobPool
const open = (secondsPerJob: number | null = null): JobPool => (pool = queueAttacks({ address })({ secondsPerJob }))

beforeEach(() => {
  for (const list of [queue.opened, queue.ran, queue.kept]) list.length = 0
  queue.closed = 0
  answered(() => done)
})

describe('attacks through a queue', () => {
  test('open it once there is one, and say of each what it is, with a week where there is no limit', async () => {
    open()
    expect(queue.opened).toEqual([])
    expect(await pool.run(request())).toEqual(done.result)
    await pool.run(request({ effort: 2 }))
    expect(queue.opened).toMatchObject([{ address }])
    expect(jobAt(0)).toMatchObject({
      format: 'overhear-attack-job/1',
      label: 'echo (server)',
      limits: { seconds: 604_800, megabytes: 4096 },
      files: {},
      request: { paths: { transcript: '@0' } },
      bases: [{ folder: transcript }],
    })
    const [id] = queue.ran[0] as [string]
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(queue.kept[0]).toBe(id)
    expect(queue.ran[1]![0]).not.toBe(id)
    const { isKept, placeOf } = queue.opened[0] as JobQueueOptions<AttackResult>
    expect(isKept(id)).toBe(false)
    const [sha256] = Object.values(jobAt(0).bases[0]!.files) as [string]
    expect([placeOf(sha256), placeOf('another')]).toEqual([join(transcript, 'transcript.json'), undefined])
  })

  test('that ask the same have one answer, which is kept once', async () => {
    open(60)
    let answer: (outcome: typeof done) => void = () => {}
    queue.answer = () => new Promise((resolve) => (answer = resolve))
    named.count = 0
    const both = [pool.run(request()), pool.run(request())]
    await vi.waitFor(() => expect(named.count).toBe(2))
    await new Promise((resolve) => setImmediate(resolve))
    answer(done)
    expect(await Promise.all(both)).toEqual([done.result, done.result])
    expect([queue.ran.length, queue.kept.length]).toEqual([1, 1])
    expect(jobAt(0).limits.seconds).toBe(60)
    answered(() => done)
    await pool.run(request())
    expect(queue.ran.length).toBe(2)
  })

  test('that are lost are tried three times in all', async () => {
    answered((attempt) => (attempt < 3 ? { kind: 'lost', reason: 'its worker was lost' } : done))
    expect(await open().run(request())).toEqual(done.result)
    expect(queue.ran).toHaveLength(3)
    queue.ran.length = 0
    answered(() => ({ kind: 'lost', reason: 'its worker was lost' }))
    await expect(pool.run(request())).rejects.toThrow(
      'echo could not be run through the queue: its worker was lost; see what its workers printed; --resume goes on',
    )
    expect(queue.ran).toHaveLength(3)
    expect(queue.kept).toHaveLength(1)
  })

  test('that are refused are not tried again, and may be asked anew', async () => {
    answered(() => ({ kind: 'refused', reason: 'no such thing' }))
    await expect(open().run(request())).rejects.toMatchObject({ code: 'E_INPUT' })
    expect(queue.ran).toHaveLength(1)
    answered(() => done)
    expect(await pool.run(request())).toEqual(done.result)
  })

  test('that took longer than they may are out of time, where there is a limit', async () => {
    answered(() => ({ kind: 'lost', reason: 'it took longer than 5 s' }))
    expect(await open(5).run(request())).toMatchObject({ status: 'failed', error: { code: 'E_TIME' }, millis: 5000 })
    expect(queue.ran).toHaveLength(1)
    await expect(open(6).run(request())).rejects.toThrow('it took longer than 5 s')
    await expect(open().run(request())).rejects.toThrow('it took longer than 5 s')
  })

  test('are interrupted where the queue is closed, and none is begun any more', async () => {
    answered(() => ({ kind: 'stopped' }))
    await expect(open().run(request())).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
    answered(() => ({ kind: 'lost', reason: 'x' }))
    const cut = expect(pool.run(request())).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
    await pool.close()
    await cut
    expect(queue.closed).toBe(1)
    const before = queue.ran.length
    await expect(pool.run(request())).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
    expect(queue.ran.length).toBe(before)
    await open().close()
    expect(queue.closed).toBe(1)
  })
})
