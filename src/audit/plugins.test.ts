import { afterEach, describe, expect, test } from 'vitest'
import { misbehaviours } from '../federation/misbehaviour/index.js'
import { removeFrom } from '../registry.js'
import { definePlugin, enter, loadPlugins } from './plugins.js'

const entry = (id: string, more: object = {}) => ({ id, title: 'T', params: {}, act: () => ({ fine: 1 }), ...more })
/** Other tests of this thread see the same tables. */
afterEach(() => {
  for (const name of ['p', 'h']) removeFrom(`plug-in ${name}`)
})
let count = 0
const fresh = () => `planted-${count++}`
const bring = (one: unknown, list = 'misbehaviours') => enter({ name: 'p', [list]: [one] }, 'here')

describe('a plug-in', () => {
  test('must be one', () => {
    expect(() => enter(undefined, 'x.mjs')).toThrow('x.mjs brings nothing')
    expect(() => enter(null, 'x.mjs')).toThrow('x.mjs brings null')
    expect(() => enter('text', 'x.mjs')).toThrow('x.mjs brings "text"')
    expect(() => enter({ name: 3 }, 'x.mjs')).toThrow('x.mjs brings {"name":3}')
    expect(() => enter({ name: 'p', atacks: [] }, 'x')).toThrow(/atacks.*did you mean "attacks"/)
    expect(enter(definePlugin({ name: 'p' }), 'x')).toBe('p')
  })

  test.each([
    [null],
    [{ id: 'a', title: 'T', params: {} }],
    [{ id: 'a', params: {}, act: (): number => 0 }],
    [{ id: 'a', title: 'T', act: (): number => 0 }],
    [{ id: 'a', title: 'T', params: {}, act: 3 }],
  ])('that brings %j lacks something', (one) => {
    expect(() => bring(one)).toThrow(/plug-in "p" brings a misbehaviour that lacks id, title, params or act/)
  })

  test('may name what is there alone', () => {
    const attack = { id: fresh(), title: 'T', params: {}, run: () => 0, target: 'labels', needs: ['model'], uses: ['loss'] }
    expect(() => bring({ ...attack, needs: ['modle'] }, 'attacks')).toThrow(/key in needs of attack .*modle/)
    expect(() => bring({ ...attack, uses: ['lost'] }, 'attacks')).toThrow(/key in uses/)
    expect(() => bring({ ...attack, target: 'nothing' }, 'attacks')).toThrow(/nothing/)
    const observer = { id: fresh(), title: 'T', params: {}, mayKnow: new Set(['nobody']) }
    expect(() => bring(observer, 'observers')).toThrow(/key in hears/)
    const rule = { id: fresh(), title: 'T', params: {}, plan: () => 0, obeys: ['rouns'] }
    expect(() => bring(rule, 'localRules')).toThrow(/setting in obeys/)
    expect(() => bring({ id: 'data.mine', title: 'T', params: {} }, 'settings')).toThrow('stands where nothing reads it')
    expect(() => bring({ id: 'xtraining.mine', title: 'T', params: {} }, 'settings')).toThrow('stands where')
  }) // biome-ignore format: lists
})

describe('what a plug-in brings', () => {
  const entered = (act: unknown) => {
    const id = fresh()
    bring(entry(id, { act }))
    return (misbehaviours as unknown as Record<string, { act(...given: unknown[]): unknown }>)[id]!
  }

  test('throws errors of ours alone, at once or later, with its place', async () => {
    expect(entered((x: number) => x + 1).act(2)).toBe(3)
    const fails = () => {
      throw new TypeError('no')
    }
    expect(() => entered(fails).act()).toThrow(
      /^plug-in p, misbehaviour planted-\d+ threw TypeError: no \(.*:\d+:\d+\)$/,
    )
    expect(() => entered(() => { throw 'text' }).act()).toThrow(/threw text$/) // biome-ignore format: a line
    await expect(entered(async () => fails()).act()).rejects.toThrow(/threw TypeError: no/)
    expect(await (entered(async () => 5).act() as Promise<number>)).toBe(5)
  })

  test('is guarded in what it makes, too', () => {
    const hooks = entered(() => ({ hook: () => { throw new Error('later') }, kept: 3 })).act() as { hook(): void; kept: number } // biome-ignore format: a line
    expect(() => hooks.hook()).toThrow(/threw Error: later/)
    expect(hooks.kept).toBe(3)
    const made = entered(() => () => { throw new Error('call') }).act() as () => void // biome-ignore format: a line
    expect(made).toThrow(/threw Error: call/)
    const [numbers, values] = [Float64Array.of(1), { plain: 1 }]
    expect(entered(() => numbers).act()).toBe(numbers)
    expect(entered(() => values).act()).toBe(values)
    expect(entered(() => null).act()).toBeNull()
  })
})

describe('plug-ins are loaded', () => {
  const load = (given: never, more: object = {}) => loadPlugins([given], { threads: {}, ...more } as never)

  test('from files through a port, or as they are where nobody else works', async () => {
    const port = { load: async (path: string) => ({ plugin: { name: 'filed' }, hash: `hash of ${path}`, file: path }) }
    expect(await load('x.mjs' as never, { plugins: port })).toEqual([{ name: 'filed', file: 'x.mjs', hash: 'hash of x.mjs' }]) // biome-ignore format: a line
    await expect(load('x.mjs' as never)).rejects.toThrow('plug-in x.mjs is a file')
    await expect(load({ name: 'o' } as never, { threads: { elsewhere: true } })).rejects.toThrow('"o" is an object of this thread') // biome-ignore format: a line
    const [own] = await load({ name: 'o' } as never, { threads: { elsewhere: false } })
    expect(own).toMatchObject({ name: 'o', file: null })
  })

  test('the hash of an object is that of its code', async () => {
    const hashes = new Set<string>()
    for (const act of [() => 1, () => 2, () => 3]) {
      const [loaded] = await load({ name: 'h', misbehaviours: [entry(fresh(), { act })] } as never)
      hashes.add(loaded!.hash)
    }
    expect(hashes.size).toBe(3)
  })
})
