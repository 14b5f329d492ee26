/** The pool on lines that are spoken for by hand: what threads are told, and when. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AttackResult } from '../../audit/attack-result.js'
import type { Job } from '../../audit/plan-jobs.js'
import type { JobPool, JobRequest } from '../../audit/ports.js'
import { jobPool } from './job-pool.js'
import type { JobReply } from './job-worker.js'
import type { Ear, Opening } from './thread-line.js'

const lines = vi.hoisted(() => [] as unknown[])
interface FakeLine {
  readonly ear: Ear<JobReply>
  readonly opening: Opening
  /** What became of it, in order. */
  readonly log: string[]
}
vi.mock('./thread-line.js', () => ({
  openLine(opening: Opening, ear: Ear<JobReply>) {
    const log: string[] = []
    lines.push({ opening, ear, log } satisfies FakeLine)
    return {
      thread: lines.length,
      post: ({ job }: JobRequest) => log.push(`post ${job.target}${job.controls ? ' controls' : ''}`),
      ref: (alive: boolean) => log.push(alive ? 'ref' : 'unref'),
      release: () => log.push('release'),
      end: async () => void log.push('end'),
    }
  },
}))
const all = lines as FakeLine[]
const logs = (): string[][] => all.map(({ log }) => log)

const request = (target: string, parts: Partial<JobRequest> = {}, controls = false): JobRequest => ({
  job: { attack: 'echo', target, params: {}, observer: 'server', seed: 4, controls } as Job,
  paths: { transcript: 'nowhere' },
  ...parts,
})
const resultOf = (target: string, parts: Partial<AttackResult> = {}) =>
  ({ kind: 'done', result: { status: 'claimed', target, ...parts } as AttackResult }) as const
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

let pool: JobPool
beforeEach(() => void lines.splice(0))
afterEach(async () => {
  await pool.close()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('a pool of jobs', () => {
  test('keeps the process alive while a thread is at work, and no longer', async () => {
    pool = jobPool({ workers: 1, secondsPerJob: null })
    const first = pool.run(request('a'))
    await soon()
    expect(logs()).toEqual([['ref', 'post a']])
    all[0]!.ear.message(resultOf('a'))
    expect(await first).toMatchObject({ target: 'a' })
    expect(logs()).toEqual([['ref', 'post a', 'unref']])
    const second = pool.run(request('b'))
    await soon()
    expect(logs()).toEqual([['ref', 'post a', 'unref', 'ref', 'post b']])
    all[0]!.ear.message(resultOf('b'))
    await second
    await pool.close()
    expect(logs()[0]!.slice(5)).toEqual(['unref', 'release'])
  })

  test('opens its threads with what they need, for jobs', async () => {
    pool = jobPool({ workers: 1, secondsPerJob: null, plugins: ['p.mjs'], dataDir: 'd' })
    const run = pool.run(request('a'))
    await soon()
    expect(all[0]!.opening).toEqual({ role: 'jobs', input: { plugins: ['p.mjs'], dataDir: 'd' } })
    all[0]!.ear.message(resultOf('a'))
    await run
  })

  test('hands threads a job ahead only while more than two for each of them wait', async () => {
    pool = jobPool({ workers: 2, secondsPerJob: null })
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const runs = names.map((name) => pool.run(request(name)))
    await soon()
    // Two are at work, and of the other six two are handed out: four may wait.
    expect(logs()).toEqual([['ref', 'post a', 'post c'], ['ref', 'post b', 'post d']]) // biome-ignore format: a line
    const one = all[0]!
    one.ear.message(resultOf('a'))
    expect(one.log.slice(3)).toEqual([])
    // It has begun with c by itself: of four that wait none is handed out.
    const left = new Set(['b', 'c', 'd', 'e', 'f', 'g', 'h'])
    for (let round = 0; round < 20 && left.size > 0; round++) {
      for (const { log, ear } of all) {
        const next = log.flatMap((what) => (what.startsWith('post ') ? [what.slice(5)] : [])).find((what) => left.has(what)) // biome-ignore format: a line
        if (next === undefined) continue
        left.delete(next)
        ear.message(resultOf(next))
      }
    }
    expect((await Promise.all(runs)).map(({ target }) => target)).toEqual(names)
    expect(all).toHaveLength(2)
  })

  test('ends what is out of time with the processes that it started, and hears nothing of it any more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    pool = jobPool({ workers: 1, secondsPerJob: 3 })
    const ticks: number[] = []
    const run = pool.run(request('a'), { onTick: (done) => ticks.push(done) })
    await soon()
    const { ear, log } = all[0]!
    ear.message({ kind: 'process', pid: 71, alive: true })
    ear.message({ kind: 'process', pid: 72, alive: true })
    ear.message({ kind: 'process', pid: 71, alive: false })
    ear.message({ kind: 'tick', done: 1, total: 2 })
    vi.advanceTimersByTime(2999)
    expect(log).toEqual(['ref', 'post a'])
    vi.advanceTimersByTime(1)
    expect(log).toEqual(['ref', 'post a', 'end'])
    expect(await run).toMatchObject({ status: 'failed', error: { code: 'E_TIME' }, millis: 3000 })
    await soon()
    expect(log).toEqual(['ref', 'post a', 'end'])
    expect(kill.mock.calls).toEqual([[72, 'SIGKILL']])
    ear.message({ kind: 'tick', done: 2, total: 2 })
    ear.message(resultOf('a'))
    expect([ticks, log]).toEqual([[1], ['ref', 'post a', 'end']])
  })

  test('hears nothing of a thread that it has let go of: others may have it', async () => {
    pool = jobPool({ workers: 1, secondsPerJob: null })
    const run = pool.run(request('a'))
    await soon()
    all[0]!.ear.message(resultOf('a'))
    await run
    await pool.close()
    const before = [...all[0]!.log]
    all[0]!.ear.message(resultOf('a'))
    expect(all[0]!.log).toEqual(before)
  })

  test('ends all that is at work when it is closed, and lets go of what is idle', async () => {
    pool = jobPool({ workers: 2, secondsPerJob: null })
    const runs = [pool.run(request('a')), pool.run(request('b'))]
    await soon()
    all[0]!.ear.message(resultOf('a'))
    await runs[0]
    const lost = expect(runs[1]).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
    const closed = pool.close()
    all[1]!.ear.lost('ended with code 1')
    await closed
    await lost
    expect(logs()).toEqual([
      ['ref', 'post a', 'unref', 'release'],
      ['ref', 'post b', 'end', 'end'],
    ])
  })
})

describe('an attack of a plug-in with controls', () => {
  const truth = { paths: { transcript: 'nowhere', truth: 'truth' } }
  const open = () => (pool = jobPool({ workers: 8, secondsPerJob: null, plugins: ['p.mjs'] }))

  test('runs first without the truth told, then with it in a thread that runs nothing else any more', async () => {
    const claimed: unknown[] = []
    const run = open().run(request('a', truth, true), { onClaimed: (result) => claimed.push(result) })
    await soon()
    expect(logs()).toEqual([['ref', 'post a']])
    all[0]!.ear.message(resultOf('a', { seed: 1 }))
    await soon()
    expect(claimed).toMatchObject([{ seed: 1 }])
    expect(logs()).toEqual([
      ['ref', 'post a', 'unref'],
      ['ref', 'post a controls'],
    ])
    all[1]!.ear.message(resultOf('a', { seed: 2 }))
    expect(await run).toMatchObject({ seed: 2 })
    await pool.close()
    expect(logs().map((log) => log.at(-1))).toEqual(['release', 'end'])
  })

  test('has no control where it does not apply, or was out of time', async () => {
    for (const parts of [{ status: 'not-applicable' }, { error: { code: 'E_TIME', message: 'late' } }] as const) {
      lines.length = 0
      const claimed: unknown[] = []
      const run = open().run(request('a', truth, true), { onClaimed: (result) => claimed.push(result) })
      await soon()
      all[0]!.ear.message(resultOf('a', parts as Partial<AttackResult>))
      expect(await run).toMatchObject(parts)
      expect([all.length, claimed]).toEqual([1, []])
      await pool.close()
    }
  })

  test('whose claim is known goes on with its control, and tells nobody of it again', async () => {
    const claimed: unknown[] = []
    const known = { ...truth, claimed: resultOf('a').result }
    const run = open().run(request('a', known, true), { onClaimed: (result) => claimed.push(result) })
    await soon()
    expect(logs()).toEqual([['ref', 'post a controls']])
    all[0]!.ear.message(resultOf('a'))
    await run
    expect(claimed).toEqual([])
  })

  test('is told the truth in so many threads at a time as a quarter of all', async () => {
    const known = { ...truth, claimed: resultOf('a').result }
    open()
    const runs = ['a', 'b', 'c'].map((name) => pool.run(request(name, known, true)))
    await soon()
    expect(logs()).toEqual([['ref', 'post a controls'], ['ref', 'post b controls']]) // biome-ignore format: a line
    all[1]!.ear.message(resultOf('b'))
    await soon()
    expect(logs()[1]).toEqual(['ref', 'post b controls', 'unref', 'ref', 'post c controls'])
    all[0]!.ear.message(resultOf('a'))
    all[1]!.ear.message(resultOf('c'))
    expect((await Promise.all(runs)).map(({ target }) => target)).toEqual(['a', 'b', 'c'])
  })

  test.each([
    ['without controls', request('a', truth)],
    ['without a truth', request('a', {}, true)],
    ['that is asked in a cell', request('a', { ...truth, ask: {} as never }, true)],
  ])('%s runs once', async (_, one) => {
    const run = open().run(one)
    await soon()
    all[0]!.ear.message(resultOf('a'))
    await run
    expect(all).toHaveLength(1)
    expect(logs()[0]!.filter((what) => what.startsWith('post'))).toHaveLength(1)
  })
})
