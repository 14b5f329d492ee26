/** What a thread does for an audit, in this one: a test is its other side, and does its jobs. */
import { beforeEach, expect, test, vi } from 'vitest'
import type { JobHooks } from '../../audit/job.js'
import type { JobRequest } from '../../audit/ports.js'
import { OverhearError } from '../../errors.js'
import { type JobReply, serveJobs } from './job-worker.js'

const thread = vi.hoisted(() => ({
  replies: [] as unknown[],
  order: [] as unknown[],
  ports: undefined as unknown,
  tell: (_pid: number, _alive: boolean): void => {},
  run: async (_request: unknown, _hooks: unknown): Promise<unknown> => undefined,
}))
const replies = thread.replies as JobReply[]
vi.mock('node:worker_threads', () => ({ parentPort: { postMessage: (reply: unknown) => thread.replies.push(reply) } }))
vi.mock('../../audit/job-runner.js', () => ({
  jobRunner(ports: unknown) {
    thread.ports = ports
    return (request: unknown, hooks: unknown) => thread.run(request, hooks)
  },
}))
vi.mock('../../audit/plants/plant-elsewhere.js', () => ({
  plantRunner:
    ({ folder }: { folder: string }) =>
    async (plant: string) =>
      `${plant} in ${folder}`,
}))
vi.mock('../confined/confined-process.js', () => ({
  endConfined: () => thread.order.push('processes ended'),
  tellProcesses(tell: typeof thread.tell) {
    thread.tell = tell
  },
}))
vi.mock('../files/plugin-file.js', () => ({ enterLoaded: async (plugins: unknown) => thread.order.push(plugins) }))
vi.mock('../files/dataset-files.js', () => ({ datasetReader: (...given: unknown[]) => given }))
vi.mock('../files/file-store.js', () => ({ fileStore: 'the store' }))
vi.mock('../files/kept-files.js', () => ({ keptFiles: 'kept files' }))
vi.mock('../recording-ports.js', () => ({ recordingPorts: { tables: 'tables' } }))
vi.mock('./own-crypto.js', () => ({ useOwnCrypto: () => thread.order.push('own crypto') }))

const request = (attack: string) => ({ job: { attack } }) as JobRequest
beforeEach(() => {
  thread.replies.length = 0
  thread.order.length = 0
  thread.run = async (one) => `result of ${(one as JobRequest).job.attack}`
})

test('a thread knows the files of this machine, and the plug-ins of the audit', async () => {
  await serveJobs({ dataDir: 'd', plugins: ['p.mjs'] })
  expect(thread.order).toEqual(['own crypto', { plugins: ['p.mjs'] }])
  expect(thread.ports).toMatchObject({ tables: 'tables', folder: 'the store', keptFiles: 'kept files' })
  expect((thread.ports as { dataset(name: string): unknown }).dataset('adult')).toEqual(['adult', 'd'])
  thread.tell(71, true)
  expect(replies).toEqual([{ kind: 'process', pid: 71, alive: true }])
})

test('it does one job after another, and ends what each has started', async () => {
  const answer = await serveJobs({})
  thread.order.length = 0
  let finish = (): void => {}
  thread.run = async (one) => {
    const { attack } = (one as JobRequest).job
    thread.order.push(`begun ${attack}`)
    if (attack === 'a') await new Promise<void>((resolve) => (finish = resolve))
    return attack
  }
  const both = [answer(request('a')), answer(request('b'))]
  await new Promise((resolve) => setImmediate(resolve))
  expect(thread.order).toEqual(['begun a'])
  finish()
  await Promise.all(both)
  expect(thread.order).toEqual(['begun a', 'processes ended', 'begun b', 'processes ended'])
  expect(replies).toEqual([
    { kind: 'done', result: 'a' },
    { kind: 'done', result: 'b' },
  ])
})

test('it trains what it is asked to, in the order in which it was asked', async () => {
  const answer = await serveJobs({})
  await Promise.all([answer({ plant: 'one' } as never), answer(request('a')), answer({ plant: 'two' } as never)])
  expect(replies).toEqual([
    { kind: 'planted', reply: 'one in the store' },
    { kind: 'done', result: 'result of a' },
    { kind: 'planted', reply: 'two in the store' },
  ])
})

test('it tells how far it is at most ten times a second, and what is claimed at once', async () => {
  let time = 5000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time)
  thread.run = async (_, given) => {
    const { onTick, onClaimed, now } = given as Required<JobHooks>
    expect(now()).toBe(time)
    for (const [millis, done] of [[99, 1], [1, 2], [99, 3], [1, 4]] as const) {
      time += millis
      onTick(done, 9)
    } // biome-ignore format: a table
    onClaimed('claimed' as never)
    return 'done'
  }
  await (await serveJobs({}))(request('a'))
  clock.mockRestore()
  expect(replies).toEqual([
    { kind: 'tick', done: 2, total: 9 },
    { kind: 'tick', done: 4, total: 9 },
    { kind: 'claimed', result: 'claimed' },
    { kind: 'done', result: 'done' },
  ])
})

test.each([
  [new OverhearError('E_VALUE', 'too deep'), { code: 'E_VALUE', message: 'too deep' }],
  [Object.assign(new Error('short'), { stack: 'where it was' }), { code: 'E_INTERNAL', message: 'where it was' }],
  [{ message: 'short' }, { code: 'E_INTERNAL', message: 'short' }],
])('%s is told of, a bug with its place, and the next job is done', async (error, told) => {
  const answer = await serveJobs({})
  thread.run = async () => {
    throw error
  }
  await answer(request('a'))
  expect(replies).toEqual([{ kind: 'error', ...told }])
  expect(thread.order.at(-1)).toBe('processes ended')
  thread.run = async () => 'fine'
  await answer(request('b'))
  expect(replies.at(-1)).toEqual({ kind: 'done', result: 'fine' })
})
