/** What a confined process does, in this one: what is sent to it is handed over, and what it tells is kept. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Context, defineAttack, Inapplicable } from '../../attacks/attack.js'
import { OverhearError } from '../../errors.js'
import { rng } from '../../numeric/random/rng.js'
import type { FromProcess, Task, ToProcess } from './confined-messages.js'

const channel = vi.hoisted(() => ({
  told: [] as unknown[],
  order: [] as string[],
  listeners: {} as Record<string, (message?: unknown) => void>,
  modules: {} as Record<string, unknown>,
  source: undefined as unknown,
  changed: undefined as string | undefined,
  time: 1000,
}))
const told = channel.told as FromProcess[]
vi.mock('./confined-globals.js', () => ({ scrubGlobals: () => channel.order.push('scrubbed') }))
vi.mock('../../audit/shared-intact.js', () => ({ mendShared: () => channel.changed }))
vi.mock('./confined-modules.js', () => ({
  confinedImports(source: unknown) {
    channel.source = source
    return async (file: string) => {
      if (!Object.hasOwn(channel.modules, file)) throw new Error(`there is no ${file}`)
      return { default: channel.modules[file] }
    }
  },
}))

beforeAll(async () => {
  // Whoever runs the tests has a channel, too: it is left alone.
  const { send } = process
  const { now } = performance
  performance.now = () => channel.time
  process.send = ((message: FromProcess) => {
    if (message.kind === 'ready') channel.order.push('ready')
    return channel.told.push(message)
  }) as never
  const listening = vi.spyOn(process, 'on').mockImplementation(((event: string, listener: () => void) => {
    channel.listeners[event] = listener
    return process
  }) as never)
  try {
    const { serveTasks } = await import('./confined-tasks.js')
    serveTasks()
  } finally {
    listening.mockRestore()
    process.send = send as never
    performance.now = now
  }
})
beforeEach(() => {
  channel.changed = undefined
  channel.told.length = 0
})
afterEach(() => vi.restoreAllMocks())

const hand = (message: ToProcess): void => channel.listeners.message!(message)
const asks = () => told.filter((one) => one.kind === 'ask')
async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setImmediate(resolve))
}
/** What a task ends in. */
async function ending(task: Task): Promise<FromProcess> {
  const isEnd = ({ kind }: FromProcess): boolean => kind === 'done' || kind === 'failed'
  hand({ kind: 'task', task })
  await until(() => told.some(isEnd))
  const found = told.findIndex(isEnd)
  return told.splice(found, 1)[0]!
}

let run: (view: Readonly<Record<string, unknown>>, context: Context) => unknown = () => claimed
const claimed = { status: 'claimed', claims: [], warnings: [], details: {} } as const
/** As plug-ins bring it, whose parameters were read and whose errors are caught elsewhere. */
const attack = (id: string, controls: object = {}) => ({
  ...defineAttack({
    id,
    title: 'of a test',
    target: 'attribute',
    needs: [],
    params: {},
    run: () => claimed,
    plant: { none: 'nothing to plant' },
    shuffle: { none: 'nothing to shuffle' },
  }),
  run: async (view: object, context: Context) => run(view as Readonly<Record<string, unknown>>, context),
  ...controls,
})

const world = { params: { depth: 3 }, rng: rng(5).address() }
const view = { plain: { target: 'a' }, series: { exchanges: [0, 1] } }
const runOf = (id: string, parts: object = {}): Task => ({ do: 'run', attack: id, view, ...world, ...parts }) as Task
const load = async (name: string, parts: object, before: readonly string[] = []): Promise<FromProcess> => {
  channel.modules[`${name}.mjs`] = { name, ...parts }
  return ending({ do: 'load', files: [...before, `${name}.mjs`] })
}

test('what is around is taken away before it says that it is ready', () => {
  expect(channel.order).toEqual(['scrubbed', 'ready'])
})

test('it ends when nobody is there any more', () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  channel.listeners.disconnect!()
  expect(exit).toHaveBeenCalledExactlyOnceWith(0)
})

test('texts of modules are asked for, and each answer goes to who asked', async () => {
  const source = channel.source as (specifier: string, from: string | null) => Promise<unknown>
  const [one, two] = [source('a.mjs', null), source('b.mjs', 'a.mjs')]
  const [first, second] = asks() as Extract<FromProcess, { kind: 'ask' }>[]
  expect([first, second]).toMatchObject([
    { to: 'source', given: ['a.mjs', null] },
    { to: 'source', given: ['b.mjs', 'a.mjs'] },
  ])
  expect(first!.id).not.toBe(second!.id)
  hand({ kind: 'answer', id: second!.id, error: 'there is none' })
  hand({ kind: 'answer', id: first!.id, value: { url: 'u', text: 't' } })
  hand({ kind: 'answer', id: first!.id, value: 'late' })
  expect(await one).toEqual({ url: 'u', text: 't' })
  await expect(two).rejects.toMatchObject({ code: 'E_INPUT', message: 'there is none' })
})

describe('a plug-in', () => {
  test('is described: its attacks with what is plain of them, whether there are controls, and what else it brings', async () => {
    const attacks = [attack('described', { plant: async () => ({ view: {} }) })]
    const done = await load('brings', { attacks, metrics: [], settings: [] })
    expect(done).toMatchObject({ kind: 'done', value: { name: 'brings', others: [] } })
    const { value } = done as { value: { attacks: object[] } }
    expect(value.attacks).toMatchObject([{ id: 'described', plant: null, shuffle: 'nothing to shuffle' }])
    expect(value.attacks[0]).not.toHaveProperty('run')
    const defaults = await load('odd', { attacks: [{ ...attack('odd'), plant: undefined, shuffle: {} }] })
    expect(defaults).toMatchObject({ value: { attacks: [{ plant: 'none', shuffle: 'none' }] } })
    expect(await load('empty', {})).toMatchObject({ value: { name: 'empty', attacks: [], others: [] } })
  })

  test('that is wrong says why; others that it may name need not be right', async () => {
    channel.modules['text.mjs'] = 'not a plug-in'
    expect(await ending({ do: 'load', files: ['text.mjs'] })).toMatchObject({ kind: 'failed' })
    const fine = await load('fine', { attacks: [attack('fine')] }, ['nowhere.mjs', 'text.mjs'])
    expect(fine).toMatchObject({ kind: 'done', value: { name: 'fine' } })
    expect(await ending({ do: 'load', files: ['nowhere.mjs'] })).toMatchObject({
      kind: 'failed',
      error: { code: '', message: expect.stringContaining('Error: there is no nowhere.mjs') },
    }) // biome-ignore format: a pattern
  })
})

describe('an attack', () => {
  beforeAll(() => load('runs', { attacks: [attack('runs')] }))

  test('runs on the view with its parameters and stream, and says what it claims', async () => {
    const seen: unknown[] = []
    run = (given, { params, rng: stream }) => {
      seen.push(given.target, params, stream.u32())
      return claimed
    }
    expect(await ending(runOf('runs'))).toEqual({
      kind: 'done',
      value: { outcome: claimed, ticked: undefined, changed: undefined },
    })
    expect(seen).toEqual(['a', { depth: 3 }, rng(5).u32()])
    channel.changed = 'Math.max'
    expect(await ending(runOf('runs'))).toMatchObject({ value: { changed: 'Math.max' } })
  })

  test('that nobody brought is unknown', async () => {
    expect(await ending(runOf('rums'))).toMatchObject({
      kind: 'failed',
      error: {
        code: 'E_UNKNOWN_NAME',
        message: expect.stringContaining('unknown attack: "rums" (did you mean "runs"?)'),
      },
    })
  })

  test('asks for rounds and for claims of others, with arrays of its own', async () => {
    const memory = new Float64Array([1, 2, 3, 4])
    const sent = {
      theta: memory.subarray(1, 3),
      list: [memory.subarray(0, 1)],
      by: new Map([['a', memory.subarray(3)]]),
    }
    const when = new Date(0)
    run = async ({ exchanges }, { claimOf }) => {
      const read = (await (exchanges as { read(round: number): Promise<typeof sent> }).read(1)) as typeof sent
      expect(await claimOf('other', { depth: 1 })).toBe(when)
      expect(await claimOf('none')).toBeNull()
      memory.fill(9)
      return { ...claimed, details: { read } }
    }
    const done = ending(runOf('runs'))
    const next = async (answer: unknown): Promise<FromProcess> => {
      await until(() => asks().length === 1)
      const [one] = told.splice(
        told.findIndex(({ kind }) => kind === 'ask'),
        1,
      ) as [{ id: number } & FromProcess]
      hand({ kind: 'answer', id: one.id, value: answer })
      return one
    }
    expect(await next(sent)).toMatchObject({ to: 'view.exchanges', given: [1] })
    expect(await next(when)).toMatchObject({ to: 'claimOf', given: ['other', { depth: 1 }] })
    expect(await next(null)).toMatchObject({ to: 'claimOf', given: ['none', undefined] })
    const { value } = (await done) as { value: { outcome: { details: { read: typeof sent } } } }
    const { theta, list, by } = value.outcome.details.read
    expect([theta, list, by]).toEqual([
      new Float64Array([2, 3]),
      [new Float64Array([1])],
      new Map([['a', new Float64Array([4])]]),
    ])
    expect(theta.buffer.byteLength).toBe(16)
  })

  test('ticks at most ten times a second, and its furthest tick comes with what it claims', async () => {
    run = (_, { tick }) => {
      for (const [millis, done] of [[99, 1], [1, 2], [99, 9], [100, 3]] as const) {
        channel.time += millis
        tick(done, 10)
      } // biome-ignore format: a table
      return claimed
    }
    const { value } = (await ending(runOf('runs'))) as { value: { ticked: object } }
    expect(value.ticked).toEqual({ done: 9, total: 10 })
    expect(told).toEqual([
      { kind: 'tick', done: 2, total: 10 },
      { kind: 'tick', done: 3, total: 10 },
    ])
  })

  test.each([
    [new OverhearError('E_VALUE', 'too deep', 'take less'), { code: 'E_VALUE', message: 'too deep; take less' }],
    [new Inapplicable(['rounds'], 'too few rounds'), { code: '', message: 'too few rounds', missing: ['rounds'] }],
    ['a word', { code: '', message: 'a word' }],
    [undefined, { code: '', message: 'undefined' }],
    [null, { code: '', message: 'null' }],
    [{ name: 'Odd', message: 'thing', stack: 'at f (/home/x/code.mjs:3:4)\nat g' }, { code: '', message: 'Odd: thing (code.mjs:3:4)' }],
    [{ name: 'Odd', message: 'thing', stack: 'at C:\\x\\code.js:3:4' }, { code: '', message: 'Odd: thing (code.js:3:4)' }],
    [{ name: 'Odd', message: 'thing' }, { code: '', message: 'Odd: thing' }],
  ])('that throws %s is told of in words', async (thrown, error) => {
    run = () => {
      throw thrown
    }
    expect(await ending(runOf('runs'))).toEqual({ kind: 'failed', error })
  }) // biome-ignore format: a table

  test('that says what cannot be sent has failed', async () => {
    run = () => ({ ...claimed, details: { call: () => 1 } })
    expect(await ending(runOf('runs'))).toMatchObject({ kind: 'failed', error: { code: '' } })
  })
})

describe('a control', () => {
  test('is made from the view and the truth, and the attack then runs in the world that was made', async () => {
    const seen: unknown[] = []
    const made = { view: { planted: true }, claims: { other: claimed }, params: { depth: 1 } }
    const plant = async (input: { view: { target: string }; truth: { property(name: string): unknown } }) => {
      seen.push(input.view.target, input.truth.property('late'))
      return made
    }
    const shuffle = async (input: object) => {
      seen.push('truth' in input)
      return undefined
    }
    await load('controls', { attacks: [{ ...attack('controls'), plant, shuffle }] })
    const truth = { warnings: [], batches: [], properties: { late: ['b'] } }
    const task = { attack: 'controls', view, ...world }
    expect(await ending({ ...task, do: 'plant', truth })).toEqual({
      kind: 'done',
      value: { claims: made.claims, params: made.params },
    })
    run = (given) => {
      seen.push(given)
      return claimed
    }
    await ending({ do: 'run', attack: 'controls', ...world })
    expect(seen).toMatchObject(['a', ['b'], { planted: true }])
    expect(await ending({ ...task, do: 'shuffle' })).toEqual({ kind: 'done', value: {} })
    expect(seen.at(-1)).toBe(false)
  })
})
