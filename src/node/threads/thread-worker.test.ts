/** Where a thread begins, in this one: the roles that it takes up, and what it answers in them. */
import { beforeAll, expect, test, vi } from 'vitest'

const thread = vi.hoisted(() => ({
  order: [] as unknown[],
  hear: async (_message: unknown): Promise<void> => {},
}))
const role = vi.hoisted(() => (name: string) => async (input: unknown) => {
  thread.order.push([name, input])
  if (input === 'wrong') throw new Error('no such plug-in')
  return async (message: unknown) => void thread.order.push([name, input, message])
})
vi.mock('node:worker_threads', () => ({
  workerData: { kernels: 'kernels', warm: true },
  parentPort: {
    on(event: string, hear: typeof thread.hear) {
      expect(event).toBe('message')
      thread.hear = hear
    },
  },
}))
vi.mock('../../numeric/engine/kernels.js', () => ({ adoptKernels: (kernels: unknown) => thread.order.push(kernels) }))
vi.mock('./lock-intrinsics.js', () => ({ lockIntrinsics: () => thread.order.push('locked') }))
vi.mock('./client-worker.js', () => {
  thread.order.push('clients loaded')
  return { serveClients: role('clients') }
})
vi.mock('./job-worker.js', () => {
  thread.order.push('jobs loaded')
  return { serveJobs: role('jobs') }
})

beforeAll(async () => {
  await import('./thread-worker.js')
})

test('it adopts the kernels, locks what all share, and loads what it may need before it is asked', () => {
  expect(thread.order.slice(0, 2)).toEqual(['kernels', 'locked'])
  expect(thread.order.slice(2).sort()).toEqual(['clients loaded', 'jobs loaded'])
})

test('it answers in the role that it was told last, as soon as it is ready', async () => {
  thread.order.length = 0
  const all = [{ role: 'jobs', input: 1 }, { job: 'a' }].map(thread.hear)
  await Promise.all(all)
  await thread.hear({ role: 'clients', input: 2 })
  await thread.hear({ turns: [] })
  expect(thread.order).toEqual([
    ['jobs', 1],
    ['jobs', 1, { job: 'a' }],
    ['clients', 2],
    ['clients', 2, { turns: [] }],
  ])
})

test('a role that it cannot take up ends it', async () => {
  await expect(thread.hear({ role: 'jobs', input: 'wrong' })).rejects.toThrow('no such plug-in')
})
