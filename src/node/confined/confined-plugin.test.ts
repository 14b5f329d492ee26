import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Attack, type Context, Inapplicable, type Outcome } from '../../attacks/attack.js'
import { internal } from '../../errors.js'
import { rng } from '../../numeric/random/rng.js'
import type { DescribedAttack, Task } from './confined-messages.js'
import { confinedPlugin, describePlugin } from './confined-plugin.js'
import type { Answers } from './confined-view.js'

/** Processes that were opened, and what each is asked to do. */
const processes = vi.hoisted(() => ({
  opened: [] as unknown[],
  tasks: [] as unknown[][],
  ended: 0,
  answer: (_task: unknown, _tick?: (done: number, total: number) => void): unknown => undefined,
  loaded: (): unknown => ({ name: 'mine', attacks: [], others: [] }),
}))
vi.mock('./confined-process.js', () => {
  class Refused extends Error {
    constructor(readonly error: { readonly message: string }) {
      super(error.message)
    }
  }
  return {
    Refused,
    async openConfined(files: readonly string[]) {
      processes.opened.push(files)
      const confined = {
        async act(task: Task, answers: Answers, tick?: (done: number, total: number) => void) {
          processes.tasks.push([task, answers])
          return processes.answer(task, tick)
        },
        end: () => void processes.ended++,
      }
      return { confined, loaded: processes.loaded() }
    },
  }
})
const { Refused } = await import('./confined-process.js')
const refuse =
  (code: string, message: string, more: object = {}) =>
  () => {
    throw new Refused({ code, message, ...more })
  }

const claimed = { status: 'claimed', claims: [], warnings: [], details: {} } as const
const about = (parts: object = {}): DescribedAttack =>
  ({ id: 'echo', title: 'of a test', plant: null, shuffle: 'no order', ...parts }) as DescribedAttack
let file = 0
const attackOf = (parts: object = {}, beside = new Set<string>()): Attack => {
  const described = { name: 'mine', file: `mine-${file++}.mjs`, attacks: [about(parts)], others: [] }
  return confinedPlugin(described, beside).attacks![0]!
}
const ticks: number[][] = []
const context = (parts: Partial<Context> = {}): Context => ({
  params: { depth: 2 },
  rng: rng(3),
  tick: (...tick) => void ticks.push(tick),
  claimOf: async () => claimed,
  ...parts,
})
const view = { target: 'a', exchanges: { rounds: [0], read: async () => 'heard' } } as never
const failure = async (of: Promise<unknown>) => of.then(() => undefined, (error: unknown) => error) // biome-ignore format: a line

beforeEach(() => {
  for (const list of [processes.opened, processes.tasks, ticks]) list.length = 0
  processes.ended = 0
  processes.answer = () => ({ outcome: claimed })
  processes.loaded = () => ({ name: 'mine', attacks: [], others: [] })
})

describe('a plug-in', () => {
  test('is described by a process that is ended then', async () => {
    expect(await describePlugin('a.mjs')).toEqual({ name: 'mine', attacks: [], others: [] })
    expect([processes.opened, processes.ended]).toEqual([[['a.mjs']], 1])
  })

  test('that cannot be loaded is an error in its own words where it has a code', async () => {
    processes.loaded = refuse('E_VALUE', 'it is wrong')
    expect(await failure(describePlugin('a.mjs'))).toMatchObject({ code: 'E_VALUE', message: 'it is wrong' })
    processes.loaded = refuse('', 'TypeError: x\nat y')
    expect(await failure(describePlugin('a.mjs'))).toMatchObject({
      code: 'E_INPUT',
      message:
        'plug-in a.mjs could not be loaded where it is confined: TypeError: x; mend it, or give --trust-plugins if its code may read whatever you may',
    })
    processes.loaded = () => {
      throw internal('no child')
    }
    expect(await failure(describePlugin('a.mjs'))).toMatchObject({ code: 'E_INTERNAL' })
  })

  test('is the same one for a file every time', () => {
    const described = { name: 'mine', file: 'same.mjs', attacks: [about()], others: [] }
    const plugin = confinedPlugin(described, new Set())
    expect(confinedPlugin(described, new Set())).toBe(plugin)
    expect(plugin).toMatchObject({
      name: 'mine',
      attacks: [{ id: 'echo', title: 'of a test', shuffle: { none: 'no order' } }],
    })
    expect(confinedPlugin({ ...described, file: 'other.mjs' }, new Set())).not.toBe(plugin)
  })
})

describe('an attack', () => {
  test('runs in a process that loads those beside it first, and is ended then', async () => {
    const beside = new Set(['b.mjs'])
    const attack = attackOf({}, beside)
    beside.add('c.mjs')
    const given = context()
    expect(await attack.run(view, given)).toEqual(claimed)
    expect(processes.opened).toEqual([['b.mjs', 'c.mjs', expect.stringMatching(/^mine-/)]])
    const [[task, answers]] = processes.tasks as [[Task, Answers]]
    expect(task).toEqual({
      do: 'run',
      attack: 'echo',
      params: { depth: 2 },
      rng: given.rng.address(),
      view: { plain: { target: 'a' }, series: { exchanges: [0] } },
    })
    expect(Object.keys(answers).sort()).toEqual(['claimOf', 'view.exchanges'])
    expect(answers.claimOf).toBe(given.claimOf)
    expect([processes.ended, ticks]).toEqual([1, []])
  })

  test('hands on its ticks, the furthest last', async () => {
    processes.answer = (_, tick) => {
      tick?.(1, 9)
      return { outcome: claimed, ticked: { done: 3, total: 9 } }
    }
    await attackOf().run(view, context())
    expect(ticks).toEqual([[1, 9], [3, 9]]) // biome-ignore format: a line
  })

  test('that changed what all share counts for nothing', async () => {
    processes.answer = () => ({ outcome: claimed, changed: 'Math.max' })
    expect(await failure(attackOf().run(view, context()))).toMatchObject({
      code: 'E_VALUE',
      message: 'the attack changed what all share (Math.max): nothing that it says counts',
    })
    expect(processes.ended).toBe(1)
  })

  test.each([
    claimed,
    { ...claimed, claims: [{ kind: 'attribute', values: [1] }], warnings: ['w'], details: { a: 1 } },
    { ...claimed, claims: [{ kind: 'model', theta: new Float64Array(1) }] },
    { status: 'not-applicable', missing: ['rounds'], why: 'too few' },
  ])('may say %j', async (outcome) => {
    processes.answer = () => ({ outcome })
    expect(await attackOf().run(view, context())).toBe(outcome)
  })

  test.each([
    undefined,
    null,
    'claimed',
    { ...claimed, status: 'sure' },
    { ...claimed, claims: {} },
    { ...claimed, claims: [null] },
    { ...claimed, claims: ['a'] },
    { ...claimed, claims: [[]] },
    { ...claimed, claims: [{ kind: 4 }] },
    { ...claimed, claims: [{ kind: 'attribute' }, {}] },
    { ...claimed, claims: [{ kind: 'model', theta: [1] }] },
    { ...claimed, warnings: 'w' },
    { ...claimed, warnings: ['w', 1] },
    { ...claimed, details: [] },
    { ...claimed, details: null },
    { ...claimed, details: 'd' },
    { status: 'not-applicable', missing: 'rounds' },
    { status: 'not-applicable', missing: [1] },
  ])('may not say %j', async (outcome) => {
    processes.answer = () => ({ outcome: outcome as unknown as Outcome })
    expect(await failure(attackOf().run(view, context()))).toMatchObject({
      code: 'E_VALUE',
      message: 'what it returned is no claim; claimed() makes one',
    })
    expect(processes.ended).toBe(1)
  })

  test.each([
    ['E_VALUE', 'too deep', { code: 'E_VALUE', message: 'too deep' }],
    ['', 'TypeError: x', { code: 'E_INPUT', message: 'plug-in mine, attack echo threw TypeError: x' }],
    ['E_INTERRUPTED', 'x', { code: 'E_INPUT', message: 'plug-in mine, attack echo threw x' }],
    ['E_INTERNAL', 'x', { code: 'E_INPUT', message: 'plug-in mine, attack echo threw x' }],
    ['AE_VALUE', 'x', { code: 'E_INPUT' }],
    ['E_value', 'x', { code: 'E_INPUT' }],
  ])('that fails by "%s" is not believed in everything', async (code, message, expected) => {
    processes.answer = refuse(code, message)
    expect(await failure(attackOf().run(view, context()))).toMatchObject(expected)
    expect(processes.ended).toBe(1)
  })

  test('that is stopped here by an error of ours has failed by it', async () => {
    const ours = internal('time is up')
    processes.answer = () => {
      throw ours
    }
    expect(await failure(attackOf().run(view, context()))).toBe(ours)
  })
})

describe('a control', () => {
  const truth = {
    warnings: [],
    client: async () => 'records',
    optimum: async () => 'optimum',
    listed: () => ({ batches: [], properties: { late: ['b'] } }),
  }
  type Make = (input: object) => Promise<{ view: object }>
  const made = (attack: Attack, way: 'plant' | 'shuffle', more: object = {}) =>
    (attack[way] as unknown as Make)({ view, params: { depth: 1 }, rng: rng(4), ...more })

  test('is planted with the truth, and the attack then runs in the same process, which is ended', async () => {
    const attack = attackOf()
    processes.answer = () => ({ claims: { other: claimed }, params: { depth: 1 } })
    const world = await made(attack, 'plant', { truth })
    expect(world).toEqual({ view: {}, claims: { other: claimed }, params: { depth: 1 } })
    const [[task, answers]] = processes.tasks as [[Task, Answers]]
    expect(task).toMatchObject({ do: 'plant', attack: 'echo', params: { depth: 1 }, rng: rng(4).address() })
    expect(task).toMatchObject({ view: { plain: { target: 'a' } }, truth: { properties: { late: ['b'] } } })
    expect(Object.keys(answers).sort()).toEqual(['truth.client', 'truth.optimum', 'view.exchanges'])
    expect(processes.ended).toBe(0)
    processes.answer = () => ({ outcome: claimed })
    expect(await attack.run(world.view as never, context())).toEqual(claimed)
    expect([processes.opened.length, processes.ended]).toEqual([1, 1])
    const [, [run, more]] = processes.tasks as [unknown, [Task, Answers]]
    expect(run).not.toHaveProperty('view')
    expect(Object.keys(more).sort()).toEqual(['claimOf', 'truth.client', 'truth.optimum', 'view.exchanges'])
  })

  test('that shuffles gets no truth, and need say nothing of claims and parameters', async () => {
    processes.answer = () => ({})
    const world = await made(attackOf({ plant: 'nothing to plant', shuffle: null }), 'shuffle')
    expect(world).toEqual({ view: {} })
    expect((processes.tasks[0] as [Task])[0]).not.toHaveProperty('truth')
    expect(attackOf({ plant: 'nothing to plant' }).plant).toEqual({ none: 'nothing to plant' })
  })

  test('that cannot be made ends its process, and says what it lacks', async () => {
    processes.answer = refuse('', 'too few rounds', { missing: ['rounds'] })
    const error = await failure(made(attackOf(), 'plant', { truth }))
    expect(error).toBeInstanceOf(Inapplicable)
    expect((error as Inapplicable).outcome).toMatchObject({ missing: ['rounds'], why: 'too few rounds' })
    expect(processes.ended).toBe(1)
  })
})
