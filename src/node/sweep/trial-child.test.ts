/** A worker process as whoever started it knows it, in this one. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest'

const channel = vi.hoisted(() => ({
  told: [] as unknown[],
  order: [] as string[],
  listeners: {} as Record<string, (message?: unknown) => void>,
  /** Ends what is under way. */
  ends: [] as (() => void)[],
}))
vi.mock('../threads/lock-intrinsics.js', () => ({ lockIntrinsics: () => channel.order.push('locked') }))
vi.mock('../threads/own-crypto.js', () => ({ useOwnCrypto: () => channel.order.push('own crypto') }))
vi.mock('./trial-task.js', () => ({
  answerTo: (task: { scenario: string }) =>
    new Promise((resolve) => {
      channel.order.push(task.scenario)
      channel.ends.push(() => resolve(`trial ${task.scenario}`))
    }),
}))
vi.mock('../studies/index.js', () => ({ answerToCell: async ({ cell }: { cell: string }) => `cell ${cell}` }))
vi.mock('../queue/attack-task.js', () => ({
  answerToAttack: async ({ request }: { request: string }) => `attack ${request}`,
}))

const { send } = process
beforeAll(async () => {
  const listening = vi.spyOn(process, 'on').mockImplementation(((event: string, listener: () => void) => {
    channel.listeners[event] = listener
    return process
  }) as never)
  await import('./trial-child.js')
  listening.mockRestore()
})
afterEach(() => {
  process.send = send as never
  vi.restoreAllMocks()
})

const hand = (task: object): void => channel.listeners.message!(task)
async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setImmediate(resolve))
}

test('it locks what all share first, heeds no Ctrl-C, and ends with whoever started it', () => {
  expect(channel.order[0]).toBe('locked')
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  channel.listeners.SIGINT!()
  expect(exit).not.toHaveBeenCalled()
  channel.listeners.disconnect!()
  expect(exit).toHaveBeenCalledOnce()
})

test('it answers one task after another, each by what it asks for', async () => {
  process.send = ((message: unknown) => channel.told.push(message)) as never
  for (const task of [{ scenario: 'a' }, { cell: 'b' }, { request: 'c' }, { scenario: 'd' }]) hand(task)
  await until(() => channel.ends.length === 1)
  expect([channel.order, channel.told]).toEqual([['locked', 'own crypto', 'a'], []])
  channel.ends[0]!()
  await until(() => channel.ends.length === 2)
  expect(channel.told).toEqual(['trial a', 'cell b', 'attack c'])
  channel.ends[1]!()
  await until(() => channel.told.length === 4)
  expect(channel.told[3]).toBe('trial d')
})
