import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import type { JobReply } from './job-worker.js'
import { type Line, openLine } from './thread-line.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-line-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const plugin = join(folder, 'plug-in.mjs')
writeFileSync(plugin, "export default { name: 'nothing' }\n")

const open: Line[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(open.splice(0).map((line) => line.end()))
})
const ignored = { message: () => {}, lost: () => {} }
function lineFor(plugins: readonly string[] = []): Line {
  const line = openLine({ role: 'jobs', input: { plugins } }, ignored)
  open.push(line)
  return line
}

test('a thread that was released serves the next, in whatever role', () => {
  const first = lineFor()
  const second = lineFor()
  expect(second.thread).not.toBe(first.thread)
  first.release()
  const spec = { model: { kind: 'linear', inputs: 1, outputs: 1 }, rule: { algorithm: 'fedavg' }, rounds: 1 }
  const population = { kind: 'generated', clients: 1, seed: 1, generator: { name: 'toy-least-squares' } }
  const third = openLine({ role: 'clients', input: { spec, population } as never }, ignored)
  open.push(third)
  expect(third.thread).toBe(first.thread)
})

test('one whose tables hold a plug-in serves nobody who did not ask for it', () => {
  const first = lineFor([plugin])
  first.release()
  const second = lineFor()
  expect(second.thread).not.toBe(first.thread)
  expect(lineFor([plugin]).thread).toBe(first.thread)
})

test('as many are begun ahead as are asked for, those that are idle among them', async () => {
  vi.resetModules()
  const { openLine: openFresh, prepareThreads } = await import('./thread-line.js')
  prepareThreads(2)
  prepareThreads(2)
  const after = new Worker('', { eval: true })
  const threads = [1, 2, 3].map(() => {
    const line = openFresh({ role: 'jobs', input: {} }, ignored)
    open.push(line)
    return line.thread
  })
  expect(threads.map((thread) => Math.sign(thread - after.threadId))).toEqual([-1, -1, 1])
  expect(threads[1]).toBe(threads[0]! + 1)
  expect(after.threadId).toBe(threads[1]! + 1)
})

test('one that nobody needs for a while ends', () => {
  vi.useFakeTimers()
  const first = lineFor()
  first.release()
  vi.advanceTimersByTime(60_000)
  expect(lineFor().thread).not.toBe(first.thread)
})

test('one that ends at work takes no idle one with it', async () => {
  const [first, second] = [lineFor(), lineFor()]
  first.release()
  second.release()
  const next = lineFor()
  expect([first.thread, second.thread]).toContain(next.thread)
  const other = next.thread === first.thread ? second : first
  await next.end()
  await new Promise((resolve) => setImmediate(resolve))
  expect(lineFor().thread).toBe(other.thread)
})

test('answers in the role that it was opened for, and a slip of its own is heard', async () => {
  const heard = await new Promise<JobReply>((message) => {
    const line = openLine<JobReply>({ role: 'jobs', input: {} }, { message, lost: () => {} })
    open.push(line)
    line.ref(true)
    line.post({ job: { attack: 'no-such' }, paths: { transcript: folder } })
  })
  expect(heard).toMatchObject({ kind: 'error' })
  const lost = await new Promise<Error | undefined>((resolve) => {
    const input = { plugins: [join(folder, 'nowhere.mjs')] }
    open.push(openLine({ role: 'jobs', input }, { message: () => {}, lost: (_, error) => resolve(error) }))
  })
  expect(lost?.message).toContain('there is no such file')
})
