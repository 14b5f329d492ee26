import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rng } from '../../src/numeric/random/rng.js'
import { noRedis, startRedis } from '../redis-server.js'
import { soFar } from './findings.js'
import { overhear } from './killed-command.js'
import { emptyTally } from './torture.js'

// At length alone: test/queue.test.ts does it once, with every kind of death.
const minutes = Number(process.env.TORTURE_MINUTES ?? 0)
const first = Number(process.env.TORTURE_SEED ?? 1)

const tables = (out: string): string[] =>
  ['trials', 'questions', 'scores', 'utility'].map((name) => readFileSync(join(out, `${name}.csv`), 'utf8'))
const idsIn = (out: string): string[] =>
  readFileSync(join(out, 'trials.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; result: unknown })
    // One whose workers were killed too often is kept as failed, until it is tried again.
    .flatMap(({ id, result }) => (result === null ? [] : [id]))
const sweepArgs = (out: string, ...more: string[]): string[] => [
  ...['sweep', 'test/sweeps/tiny.yaml', '--out', out, '--quiet', '--json'],
  ...more,
]

test.skipIf(minutes === 0 || noRedis !== undefined)(
  'a sweep through a queue whose workers, coordinator and server are killed again and again ends in the same tables',
  async () => {
    const work = mkdtempSync(join(tmpdir(), 'overhear-queue-torture-'))
    mkdirSync(join(work, 'redis'))
    const redis = await startRedis(join(work, 'redis'))
    try {
      expect((await overhear(sweepArgs(join(work, 'alone')))).code).toBe(0)
      const tally = emptyTally()
      const end = performance.now() + 0.1 * minutes * 60_000
      for (let seed = first; seed === first || performance.now() < end; seed++) {
        const draws = rng(seed).fork('queue')
        const between = (low: number, high: number): number => low + draws.integer(high - low)
        const out = join(work, String(seed))
        let done = false
        const serving = [1, 2].map(async () => {
          const args = ['worker', '--queue', redis.url, '--concurrency', '1', '--lease', '2', '--idle', '3', '--quiet']
          while (!done) if ((await overhear(args, { after: between(6000, 30_000) })).killed) tally.kills++
        })
        for (let attempt = 0; !done; attempt++) {
          const after = attempt < 2 ? { after: between(2000, 12_000) } : {}
          const run = await overhear(sweepArgs(out, '--queue', redis.url, '--retry-failed'), after)
          done = run.code === 0
          if (run.killed) tally.kills++
          else if (!done && run.code !== 4) tally.losses.push(run.stderr)
          if (!done && draws.integer(2) === 0) {
            await redis.restart()
            tally.faults++
          }
          if (attempt > 20) break
        }
        done = true
        await Promise.all(serving)
        tally.tries++
        const ids = idsIn(out)
        if (new Set(ids).size !== ids.length) tally.unequal.push(`${seed}: a trial was kept twice`)
        if (JSON.stringify(tables(out)) !== JSON.stringify(tables(join(work, 'alone'))))
          tally.unequal.push(`${seed}: tables`)
        soFar('queues', tally)
      }
      soFar('queues', tally, { end: true })
      expect(tally).toMatchObject({ losses: [], unequal: [] })
      expect(tally.kills).toBeGreaterThan(0)
    } finally {
      await redis.end()
      rmSync(work, { recursive: true, force: true })
    }
  },
  (minutes + 10) * 60_000,
)
