/** The process that a plug-in is confined to, as the thread that started it knows it: a test speaks for it. */
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fromRoot } from '../package-root.js'
import type { FromProcess, Task, ToProcess } from './confined-messages.js'
import { type Confined, endConfined, openConfined, Refused, tellProcesses } from './confined-process.js'

class FakeChild extends EventEmitter {
  readonly heard: ToProcess[] = []
  readonly kills: string[] = []
  connected = true
  constructor(readonly pid: number | undefined) {
    super()
  }
  send(message: ToProcess): boolean {
    this.heard.push(message)
    return true
  }
  kill(signal: string): void {
    this.kills.push(signal)
  }
  say(message: FromProcess): void {
    this.emit('message', message)
  }
}
const forked = vi.hoisted(() => ({
  calls: [] as unknown[][],
  children: [] as unknown[],
  pid: 71 as number | undefined,
}))
vi.mock('node:child_process', () => ({
  fork(...given: unknown[]) {
    forked.calls.push(given)
    const child = new FakeChild(forked.pid)
    forked.children.push(child)
    return child
  },
}))
const children = forked.children as FakeChild[]
const told: [number, boolean][] = []
tellProcesses((pid, alive) => told.push([pid, alive]))

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const task: Task = { do: 'load', files: ['a.mjs'] }
/** One whose code is loaded. */
async function opened(): Promise<{ confined: Confined; child: FakeChild }> {
  const opening = openConfined(['a.mjs'])
  const child = children.at(-1)!
  child.say({ kind: 'ready' })
  await soon()
  child.say({ kind: 'done', value: 'described' })
  const { confined, loaded } = await opening
  expect(loaded).toBe('described')
  return { confined, child }
}
beforeEach(() => {
  for (const list of [forked.calls, children, told]) list.length = 0
  forked.pid = 71
})
afterEach(() => {
  for (const child of children) child.emit('exit', 0, null)
})

describe('a confined process', () => {
  test('may read the code of the package alone, knows nothing of its surroundings, and says nothing elsewhere', async () => {
    await opened()
    const [[script, args, options]] = forked.calls as [[string, unknown, Record<string, unknown>]]
    const path = (below: string): string => fileURLToPath(fromRoot(below))
    expect(script).toBe(path('dist/bundle/node/confined/confined-child.js'))
    expect(args).toEqual([])
    const [confining, ...flags] = options.execArgv as string[]
    expect(confining).toMatch(/^--(experimental-)?permission$/)
    expect(flags).toEqual([
      `--allow-fs-read=${path('dist/')}`,
      `--allow-fs-read=${path('package.json')}`,
      '--experimental-vm-modules',
      '--disallow-code-generation-from-strings',
      '--no-warnings',
    ])
    expect(options).toMatchObject({
      env: {},
      cwd: path('.'),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
  })

  test('is not begun by a Node that cannot confine it', async () => {
    const { allowedNodeEnvironmentFlags: known } = process
    Object.defineProperty(process, 'allowedNodeEnvironmentFlags', {
      value: new Set(['--no-warnings']),
      configurable: true,
    })
    try {
      await expect(openConfined(['a.mjs'])).rejects.toThrow(`this Node (${process.version}) cannot confine a plug-in`)
    } finally {
      Object.defineProperty(process, 'allowedNodeEnvironmentFlags', { value: known, configurable: true })
    }
    expect(forked.calls).toEqual([])
  })

  test('is told of when it begins and when it ends, by its number', async () => {
    const { child } = await opened()
    expect(told).toEqual([[71, true]])
    child.emit('exit', 0, null)
    expect(told).toEqual([[71, true], [71, false]]) // biome-ignore format: a line
    forked.pid = undefined
    const { child: unborn } = await opened()
    unborn.emit('exit', 0, null)
    expect(told).toHaveLength(2)
  })

  test('is handed nothing before it is ready', async () => {
    const opening = openConfined(['a.mjs'])
    await soon()
    const [child] = children as [FakeChild]
    expect(child.heard).toEqual([])
    child.say({ kind: 'ready' })
    await soon()
    expect(child.heard).toEqual([{ kind: 'task', task: { do: 'load', files: ['a.mjs'] } }])
    child.say({ kind: 'done', value: 1 })
    await opening
    expect(child.kills).toEqual([])
  })

  test('that cannot load the code is ended, and says why', async () => {
    const opening = openConfined(['a.mjs'])
    const refused = opening.catch((error: unknown) => error)
    const [child] = children as [FakeChild]
    child.say({ kind: 'ready' })
    await soon()
    child.say({ kind: 'failed', error: { code: 'E_INPUT', message: 'no plug-in' } })
    const error = (await refused) as Refused
    expect(error).toBeInstanceOf(Refused)
    expect([error.message, error.error]).toEqual(['no plug-in', { code: 'E_INPUT', message: 'no plug-in' }])
    expect(child.kills).toEqual(['SIGKILL'])
  })

  test.each([
    [['exit', 3, null], 'its process ended with code 3'],
    [['exit', null, 'SIGKILL'], 'its process was ended by SIGKILL'],
    [['error', new Error('EAGAIN')], 'its process could not be started: EAGAIN'],
  ])('that goes by %j says so, before it is ready and after', async (how, message) => {
    const [event, ...what] = how as [string, ...unknown[]]
    const opening = openConfined(['a.mjs']).catch((error: unknown) => error)
    children[0]!.emit(event, ...what)
    expect(await opening).toMatchObject({ error: { code: '', message } })
    const { confined, child } = await opened()
    const acting = confined.act(task, {}).catch((error: unknown) => error)
    await soon()
    child.emit(event, ...what)
    expect(await acting).toMatchObject({ error: { code: '', message } })
    await expect(confined.act(task, {})).rejects.toThrow(message)
    if (event === 'error') child.emit('exit', 0, null)
  })

  test('has answers to what it asks for by name, and hears what is wrong with others', async () => {
    const { confined, child } = await opened()
    const answers = {
      'view.exchanges': async (round: never) => ({ round }),
      broken: () => {
        throw new Error('out of reach')
      },
    }
    const acting = confined.act(task, answers)
    await soon()
    child.heard.length = 0
    child.say({ kind: 'ask', id: 4, to: 'view.exchanges', given: [2] })
    child.say({ kind: 'ask', id: 5, to: 'broken', given: [] })
    child.say({ kind: 'ask', id: 6, to: 'toString', given: [] })
    child.say({ kind: 'ask', id: 7, to: 'source', given: ['./table.csv', 'file:///a.mjs'] })
    await soon()
    const byId = new Map(child.heard.map((one) => [(one as { id: number }).id, one]))
    expect(byId.get(4)).toEqual({ kind: 'answer', id: 4, value: { round: 2 } })
    expect(byId.get(5)).toEqual({ kind: 'answer', id: 5, error: 'out of reach' })
    expect(byId.get(6)).toMatchObject({ error: expect.stringContaining('nothing answers to toString') })
    expect(byId.get(7)).toMatchObject({ error: expect.stringContaining('modules in .mjs or .js') })
    child.say({ kind: 'done', value: 'claimed' })
    expect(await acting).toBe('claimed')
    child.connected = false
    child.heard.length = 0
    child.say({ kind: 'ask', id: 8, to: 'view.exchanges', given: [3] })
    await soon()
    expect(child.heard).toEqual([])
  })

  test('tells how far it is; whoever hears it may stop it by an error', async () => {
    const { confined, child } = await opened()
    const ticks: number[][] = []
    const acting = confined.act(task, {}, (...tick) => {
      ticks.push(tick)
      if (tick[0] === 2) throw new Error('time is up')
    })
    const stopped = expect(acting).rejects.toThrow('time is up')
    await soon()
    child.say({ kind: 'tick', done: 1, total: 9 })
    expect(child.kills).toEqual([])
    child.say({ kind: 'tick', done: 2, total: 9 })
    await stopped
    expect([ticks, child.kills]).toEqual([[[1, 9], [2, 9]], ['SIGKILL']]) // biome-ignore format: a line
    child.say({ kind: 'done', value: 'late' })
    const { confined: other, child: deaf } = await opened()
    const untold = other.act(task, {})
    await soon()
    deaf.say({ kind: 'tick', done: 1, total: 9 })
    deaf.say({ kind: 'done', value: 'claimed' })
    expect(await untold).toBe('claimed')
    other.end()
    expect(deaf.kills).toEqual(['SIGKILL'])
  })

  test('ends with all others of its thread, unless it has ended already', async () => {
    const [{ child: gone }, { child: one }, { child: two }] = [await opened(), await opened(), await opened()]
    gone.emit('exit', 0, null)
    endConfined()
    expect([gone.kills, one.kills, two.kills]).toEqual([[], ['SIGKILL'], ['SIGKILL']])
    expect(process.listeners('exit')).toContain(endConfined)
  })
})
