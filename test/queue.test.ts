import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAddress } from '../src/node/queue/queue-address.js'
import { connect, queuePackages } from '../src/node/queue/queue-packages.js'
import { linesIn, overhear, type Running, root, sweepArgs, tables, until, work, writeSweep } from './queue-world.js'
import { noRedis, startRedis, type TestRedis } from './redis-server.js'

describe.skipIf(noRedis !== undefined)('a sweep through a queue', () => {
  let redis: TestRedis
  beforeAll(async () => {
    writeSweep()
    redis = await startRedis(work)
  })
  afterAll(() => redis.end())

  test('survives the death of a worker, of the coordinator and of the server: each trial once, the same bits', async () => {
    const alone = await overhear(work, ...sweepArgs('alone', '--workers', '1')).ended
    expect([alone.code, alone.stderr]).toEqual([0, ''])

    const look = new Redis(redis.url)
    look.on('error', () => {})
    const worker = (): Running => overhear(root, 'worker', '--queue', redis.url, '--concurrency', '1', '--lease', '2')
    const args = sweepArgs('queued', '--queue', redis.url, '--resume')
    const [first, second] = [worker(), worker()]
    const coordinator = overhear(work, ...args)
    await until('a trial is at work', async () => (await look.keys('bull:overhear-*:active')).length > 0)
    first.child.kill('SIGKILL')
    await until('two trials are kept', () => linesIn('queued').length >= 2)
    coordinator.child.kill('SIGKILL')
    await redis.restart()
    const end = await overhear(work, ...args).ended
    expect([end.code, end.stderr]).toEqual([0, ''])
    expect(JSON.parse(end.stdout)).toMatchObject({ total: 6, done: 6, failed: 0, complete: true })
    expect(tables('queued')).toEqual(tables('alone'))
    const ids = linesIn('queued').map((line) => (JSON.parse(line) as { id: string }).id)
    expect([ids.length, new Set(ids).size]).toEqual([6, 6])
    // Nothing is left in the queue, and the table, which is not where workers look, came through it.
    for (const id of ids) expect(await look.keys(`bull:*:${id}`)).toEqual([])
    const fetched = readdirSync(join(work, 'cache', 'overhear', 'by-sha256'))
    expect(fetched).toEqual([expect.stringMatching(/^[0-9a-f]{64}-wages\.csv$/)])
    look.disconnect()
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(130)
  })

  test('cells of a study: one worker dies, the other does its work, and the figures are those of this machine alone', async () => {
    const told = (out: string): { rows: unknown[]; run: object } =>
      JSON.parse(readFileSync(join(work, out, 'lmra-observations.json'), 'utf8'))
    const args = (out: string, ...more: string[]): string[] => [
      ...['reproduce', 'lmra-observations', '--quick', '--seeds', '1', '--quiet', '--json', '--out', join(work, out)],
      ...more,
    ]
    const alone = await overhear(work, ...args('cells-alone', '--workers', '1')).ended
    expect(alone.code).toBe(0)
    const look = new Redis(redis.url)
    look.on('error', () => {})
    const worker = (): Running => overhear(root, 'worker', '--queue', redis.url, '--concurrency', '1', '--lease', '2')
    const [first, second] = [worker(), worker()]
    const coordinator = overhear(work, ...args('cells', '--queue', redis.url))
    await until('a cell is at work', async () => (await look.keys('bull:overhear-*:active')).length > 0)
    first.child.kill('SIGKILL')
    expect((await coordinator.ended).code).toBe(0)
    expect(told('cells').rows).toEqual(told('cells-alone').rows)
    expect(told('cells').run).toMatchObject({ cells: 3, planned: 3, trouble: [] })
    const ids = readFileSync(join(work, 'cells', 'cells.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect([ids.length, new Set(ids).size]).toEqual([3, 3])
    for (const id of ids) expect(await look.keys(`bull:*:${id}`)).toEqual([])
    look.disconnect()
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(130)
  })

  test('attacks of an audit: a worker and the coordinator die, and the same bytes come out as on this machine', async () => {
    writeFileSync(
      join(work, 'audit.yaml'),
      `name: queued
repeats: 2
data: { name: csv, params: { file: wages.csv, label: wage, sensitive: union }, auxiliary: 0.2 }
partition: { name: iid, params: { clients: 2 } }
models: [{ kind: linear }]
training: { rounds: 10, batchSize: null, learningRate: 0.05 }
knowledge: { targets: ["0"], sensitive: [union] }
attacks: [last-returned, aia-model, lmra-active-ols]
observers: [eavesdropper, malicious-server]
controls: false
`,
    )
    const args = (out: string, ...more: string[]): string[] => [
      'audit',
      'audit.yaml',
      '--quiet',
      '--json',
      '--out',
      join(work, out),
      ...more,
    ]
    const told = (out: string): unknown =>
      JSON.parse(readFileSync(join(work, out, 'audit.json'), 'utf8').replaceAll(out, 'RUN'), (key, value) =>
        key === 'millis' ? 0 : value,
      )
    const results = (out: string): number => {
      const log = join(work, out, 'results.jsonl')
      return existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0
    }
    expect((await overhear(work, ...args('audit-alone', '--workers', '1')).ended).code).toBe(0)
    const look = new Redis(redis.url)
    look.on('error', () => {})
    const worker = (): Running => overhear(root, 'worker', '--queue', redis.url, '--concurrency', '1', '--lease', '2')
    const [first, second] = [worker(), worker()]
    const coordinator = overhear(work, ...args('audit-queued', '--queue', redis.url))
    await until('an attack is at work', async () => (await look.keys('bull:overhear-*:active')).length > 0)
    first.child.kill('SIGKILL')
    await until('two results are kept', () => results('audit-queued') >= 2)
    coordinator.child.kill('SIGKILL')
    const end = await overhear(work, ...args('audit-queued', '--queue', redis.url, '--resume')).ended
    expect([end.code, end.stderr]).toEqual([0, ''])
    expect(told('audit-queued')).toEqual(told('audit-alone'))
    expect(results('audit-queued')).toBe(results('audit-alone'))
    look.disconnect()
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(130)
    const plugged = await overhear(work, ...args('refused', '--queue', redis.url, '--plugin', 'own.mjs')).ended
    expect([plugged.code, plugged.stderr]).toEqual([2, expect.stringContaining('--queue and --plugin were given')])
  })

  test('a wrong password is told without it, and so is a server that is not there', async () => {
    const packages = await queuePackages()
    const wrong = readAddress(redis.url.replace('a%20password', 'another'))
    const found = `the queue at ${wrong.shown} cannot be used`
    await expect(connect(packages, wrong)).rejects.toThrow(`${found} (WRONGPASS`)
    await expect(connect(packages, readAddress('redis://127.0.0.1:1'))).rejects.toThrow(
      '127.0.0.1:1 cannot be used (connect',
    )
  })
})

test.runIf(noRedis !== undefined)(`a sweep through a queue is not tested: ${noRedis}`, () => {})
