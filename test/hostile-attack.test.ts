import { describe, expect, test } from 'vitest'
import { type Context, claimed, defineAttack } from '../src/attacks/attack.js'
import { runAttack } from '../src/audit/run-attack.js'
import { parametersOf } from '../src/models/index.js'
import { rng } from '../src/numeric/random/rng.js'
import { grant, type Sources } from '../src/threat/grant.js'
import type { Grant, View } from '../src/threat/granted-keys.js'
import { openKnowledge } from '../src/transcript/knowledge-file.js'
import { openTranscript } from '../src/transcript/read-transcript.js'
import { encode } from '../src/transcript/safetensors.js'
import { memoryStore } from '../src/transcript/store.js'
import { openTruth } from '../src/transcript/truth-file.js'
import { foreignNames, wrongImports } from '../tools/layers.mjs'
import { reachingOut } from '../tools/reach.mjs'
import { readSources, withoutTests } from '../tools/sources.mjs'

/** Another client. Put together here, so that the text of this file, which the runner keeps, does not hold it. */
const other = ['ber', 'tha'].join('')
/** What an eavesdropper on "a" must not find: what others sent, who they are, and the truth. */
const secrets = [31337, 4242, 7777, other]
const flat = (owner: string, ...values: number[]) => ({
  name: `${owner}/*`,
  shape: [values.length],
  data: Float64Array.from(values),
})
const text = (value: object | string) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

async function world() {
  const files = new Map<string, Uint8Array>([
    [
      'transcript.json',
      text({
        format: 'overhear-transcript/1',
        model: { kind: 'mlp', inputs: 1, outputs: 1, hidden: [1], comment: 7777 },
        loss: 'mse',
        protocol: { share: 'delta', learningRate: 0.5, differentialPrivacy: { mechanism: 'x', seed: 7777 } },
        clients: [
          { id: 'a', samples: 10 },
          { id: other, samples: 4242 },
        ],
        rounds: [
          { participants: ['a', other] },
          { participants: [other] },
          { participants: ['a', other], tampered: [other] },
        ],
      }),
    ],
    ...[0, 1, 2].map((t) => {
      const own = t === 1 ? [] : [flat('client/a', t, 1, 2, 3)]
      const theirs = flat(`client/${other}`, 31337, 31337, 31337, 31337)
      return [
        `rounds/00000${t}.safetensors`,
        encode([flat('global', t === 1 ? 31337 : t, 0, 0, 0), ...own, theirs]),
      ] as const
    }),
    [
      'knowledge.json',
      text({
        format: 'overhear-knowledge/1',
        target: 'a',
        property: { name: 'p', record: 0 },
        metaclassCounts: [1, 2],
        records: { file: 'r.csv', label: 'y' },
        sensitive: [{ name: 's', columns: ['x'], kind: 'binary', values: [[0], [1]], words: ['no', 'yes'] }],
        auxiliary: { file: 'aux.csv', label: 'y', metaclass: 'm', metaclasses: ['p', 'q'] },
      }),
    ],
    ['r.csv', text('w,x,y\n1,,2\n')],
    ['aux.csv', text('w,y,m\n1,2,p\n')],
    ['truth.json', text({ format: 'overhear-truth/1', clients: { a: { file: 't.csv', label: 'y' } } })],
    ['t.csv', text('w,x,y\n1,7777,2\n')],
  ])
  const store = memoryStore(files)
  const sources: Sources = {
    transcript: await openTranscript(store, { parametersOf }),
    knowledge: await openKnowledge(store),
  }
  return { sources, truth: await openTruth(store) }
}

const needs = [
  ...(['exchanges', 'globals', 'model', 'protocol', 'parameters', 'records', 'records.label', 'sensitive'] as const),
  ...(['auxiliary', 'auxiliary.metaclass', 'metaclasses', 'metaclassCounts', 'property', 'target'] as const),
] satisfies Grant[]
type Needs = (typeof needs)[number]
type Handed = View<Needs>

async function handed(sources: Sources): Promise<Handed> {
  const { view } = await grant(sources, 'eavesdropper', needs)
  return view!
}

/** Whether a secret lies anywhere in what was carried off: keys, members, symbols, prototypes, buffers, closures' names. */
function find(loot: unknown, seen = new Set<unknown>()): unknown {
  if (secrets.includes(loot as number)) return loot
  if (typeof loot === 'string') return secrets.find((secret) => typeof secret === 'string' && loot.includes(secret))
  if ((typeof loot !== 'object' && typeof loot !== 'function') || loot === null || seen.has(loot)) return undefined
  seen.add(loot)
  if (ArrayBuffer.isView(loot)) {
    const whole = loot.buffer
    const values = [...new Float64Array(whole, 0, whole.byteLength >> 3), ...Array.from(loot as Float64Array)]
    return values.find((v) => secrets.includes(v))
  }
  const inside: unknown[] = loot instanceof Map || loot instanceof Set ? [...loot] : []
  for (const key of Reflect.ownKeys(loot)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(loot, key)!
    inside.push(typeof key === 'string' ? key : key.description, descriptor.value, descriptor.get, descriptor.set)
  }
  inside.push(Object.getPrototypeOf(loot))
  for (const one of inside) {
    const found = find(one, seen)
    if (found !== undefined) return found
  }
  return undefined
}

test('the search finds a secret wherever it lies', async () => {
  const { sources, truth } = await world()
  expect(find(await truth.client('a'))).toBe(7777)
  expect(find({ a: [new Map([['k', Float64Array.of(1, 31337)]])] })).toBe(31337)
  expect(find({ [Symbol(`of ${other}`)]: 1 })).toBe(other)
  expect(find(Float64Array.of(31337, 1).subarray(1))).toBe(31337)
  expect(find(Object.create({ hidden: 4242 }))).toBe(4242)
  const { view } = await grant(sources, 'server', ['updates'])
  expect(find(await view!.updates.read(1))).toBe(other)
})

type Attempt = (view: Handed, context: Context) => unknown
// biome-ignore lint/suspicious/noExplicitAny: an attack that casts everything away
type Anything = any

const settled = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work()
  } catch (error) {
    return error
  }
}

/** Each carries off what it can. */
const thefts: Record<string, Attempt> = {
  'a cast to a wider view': (view) => {
    const wide = view as unknown as View<Grant>
    return [wide.updates, wide.participation, wide.sampleCounts, wide.aggregates, wide.tampered, wide.channel]
  },
  'names that might lie behind': (view) =>
    ['truth', 'transcript', 'sources', 'knowledge', 'store', 'manifest', '_', 'clients'].map(
      (key) => (view as Anything)[key],
    ),
  'the prototype of the view': (view) => [
    Object.getPrototypeOf(view),
    ...['__proto__', 'constructor', 'prototype'].map((key) => (view as Anything)[key]),
  ],
  'every own key, hidden and by symbol': (view) =>
    Reflect.ownKeys(view).map((key) => Reflect.getOwnPropertyDescriptor(view, key)),
  'every own key of a series and of its functions': ({ exchanges, globals }) =>
    [exchanges, globals, exchanges.read, globals.read].map((one) => Object.getOwnPropertyDescriptors(one)),
  'prototypes of what is inside': ({ exchanges, records, model }) =>
    [exchanges, exchanges.read, records.features, model].map((one) => Object.getPrototypeOf(one)),
  'who called': ({ exchanges }) =>
    ['caller', 'arguments', 'callee'].map((key) => settled(() => (exchanges.read as Anything)[key])),
  'who called me': async ({ exchanges }) => {
    const self = new Function('return function f() { return f.caller }')() as () => unknown
    await exchanges.read(0)
    return settled(() => self())
  },
  'functions and receivers on the stack': async ({ exchanges }) => {
    const before = Error.prepareStackTrace
    const sites: unknown[] = []
    Error.prepareStackTrace = (error, calls) => {
      for (const call of calls) sites.push(call.getFunction(), call.getThis())
      return error
    }
    try {
      const error = await settled(() => exchanges.read(99))
      return [sites, (error as Error).stack, error]
    } finally {
      Error.prepareStackTrace = before as typeof Error.prepareStackTrace
    }
  },
  'the error and all that hangs on it': ({ exchanges }) => settled(() => exchanges.read(1)),
  'names of the module, through the constructor of its function': ({ exchanges }) =>
    ['transcript', 'sources', 'tables', 'makers', 'view', 'rounds', 'store', 'files'].map((name) =>
      settled(() => (exchanges.read.constructor as Anything)(`return ${name}`)()),
    ),
  'the same through a function that is not async': ({ records }) =>
    settled(() => (records.columns.map.constructor as Anything)('return [sources, transcript]')()),
  'what hangs on the global object': () =>
    Reflect.ownKeys(globalThis)
      .filter((key) => !String(key).includes('vitest')) // the runner's own books
      .map((key) => Reflect.getOwnPropertyDescriptor(globalThis, key)?.value as unknown),
  'the process': () => [process.argv, process.env, process.execArgv, process.title],
  'rounds of others and rounds that are none': ({ exchanges, globals }) => {
    const rounds = [
      1,
      -1,
      3,
      0.5,
      NaN,
      Infinity,
      '0',
      '1',
      [0],
      null,
      undefined,
      { valueOf: () => 1 },
      1n,
      Symbol.iterator,
    ]
    return Promise.all(rounds.flatMap((r) => [exchanges, globals].map((s) => settled(() => s.read(r as number)))))
  },
  'a round whose name changes': ({ exchanges }) => {
    let asked = 0
    const round = { valueOf: () => asked++, toString: () => String(asked++), [Symbol.toPrimitive]: () => asked++ }
    return settled(() => exchanges.read(round as unknown as number))
  },
  'more arguments': async ({ exchanges, globals }) => {
    const read = exchanges.read as Anything
    const more = [{ clients: [other] }, other, [other], { client: other }, undefined]
    const got = await Promise.all(more.flatMap((one) => [read(0, one), (globals.read as Anything)(0, one)]))
    return got
  },
  'another receiver': async ({ exchanges }) => {
    const read = exchanges.read as Anything
    const receivers = [{ rounds: [1], may: new Set([1]) }, globalThis, null]
    return Promise.all(receivers.map((one) => settled(() => read.call(one, 1))))
  },
  'a longer list of rounds': async ({ exchanges }) => [
    await settled(() => (exchanges.rounds as number[]).push(1)),
    await settled(() => Object.defineProperty(exchanges, 'rounds', { value: [0, 1, 2] })),
    await settled(() => Object.setPrototypeOf(exchanges, { rounds: [1] })),
    await settled(() => exchanges.read(1)),
  ],
  'the rest of the memory behind an array': async (view) => {
    const { received, update } = await view.exchanges.read(0)
    const arrays = [received!, 'dTheta' in update ? update.dTheta : received!, await view.globals.read(2)]
    for (const array of arrays) expect(array.buffer.byteLength).toBe(array.byteLength)
    return [...arrays, view.records.features.data, view['records.label']]
  },
  'a promise that is watched': async ({ exchanges }) => {
    const seen: unknown[] = []
    const promise = exchanges.read(0)
    promise.then((one) => seen.push(one))
    await promise
    return [seen, Object.getOwnPropertyDescriptors(promise)]
  },
  'a thenable for a round': async ({ exchanges }) => {
    const seen: unknown[] = []
    // biome-ignore lint/suspicious/noThenProperty: the point of it
    const thenable = { then: (...given: unknown[]) => seen.push(given) }
    return [await settled(() => exchanges.read(thenable as unknown as number)), seen]
  },
  'what the context holds': (_, context) => [
    Object.getOwnPropertyDescriptors(context),
    Object.getOwnPropertyDescriptors(context.rng),
    Object.getPrototypeOf(context.rng),
    ['caller', 'arguments'].map((key) => settled(() => (context.tick as Anything)[key])),
  ],
  'what another attack would claim, by a wrong name': (_, context) =>
    Promise.all(['hostile', '__proto__', 'constructor', 'truth'].map((id) => settled(() => context.claimOf(id)))),
}

/** Runs an attempt as an attack in an audit, and says what it carried off. */
async function loot(attempt: Attempt): Promise<unknown> {
  const { sources } = await world()
  let carried: unknown
  const hostile = defineAttack({
    ...({ id: 'hostile', title: 'takes all', paper: 'lmra', where: '', target: 'model', needs, params: {} } as const),
    async run(view, context) {
      carried = await Promise.resolve(await attempt(view, context)).then((all) =>
        Array.isArray(all) ? Promise.all(all) : all,
      )
      return claimed({ kind: 'model', client: 'a', theta: Float64Array.of(1) })
    },
    plant: { none: 'a test' },
    shuffle: { none: 'a test' },
  })
  const result = await runAttack(hostile, {}, { sources, observer: 'eavesdropper', rng: rng(1) })
  expect(result.status).toBe('claimed')
  return carried
}

describe('an attack that takes what it can gets no more than its view', () => {
  test.each(Object.entries(thefts))('%s', async (_, attempt) => {
    expect(find(await loot(attempt))).toBeUndefined()
  })
})

/** Everything of a view as plain text, its series read. */
async function snapshot(view: Handed): Promise<string> {
  const { exchanges, globals, ...plain } = view
  const turns = await Promise.all(exchanges.rounds.map((t) => exchanges.read(t)))
  const thetas = await Promise.all(globals.rounds.map((t) => globals.read(t)))
  return JSON.stringify([plain, turns, thetas, exchanges.rounds], (_, v: unknown) =>
    ArrayBuffer.isView(v) ? Array.from(v as Float64Array, String) : v,
  )
}

/** Each tries to change what the next one reads. */
const spoilers: Record<string, (view: Handed) => unknown> = {
  'writing into the messages': async ({ exchanges, globals }) => {
    const { received, update } = await exchanges.read(0)
    received!.fill(6)
    if ('dTheta' in update) update.dTheta.fill(6)
    ;(update as Anything).kind = 'gradient'
    ;(await globals.read(0)).fill(6)
  },
  'writing into the tables': (view) => {
    view.records.features.data.fill(6)
    view['records.label'].fill(6)
    view['auxiliary.metaclass'].fill(6)
    ;(view.records.columns as string[]).push('more')
    ;(view.auxiliary as Anything).features = view.records.features
  },
  'writing into the model and the protocol': ({ model, protocol, parameters }) => {
    ;(model as Anything).hidden.push(6)
    ;(model as Anything).kind = 'opaque'
    ;(protocol as Anything).learningRate = 6
    ;(protocol as Anything).differentialPrivacy.mechanism = 'none'
    ;(parameters as Anything)[0].shape[0] = 6
  },
  'writing into what is known': ({ sensitive, metaclasses, metaclassCounts, property }) => {
    ;(sensitive as Anything)[0].values[0][0] = 6
    ;(sensitive as Anything)[0].words.reverse()
    ;(metaclasses as string[]).length = 0
    ;(metaclassCounts as number[])[0] = 6
    ;(property as Anything).record = 6
  },
  'freezing what comes out': async ({ exchanges, model, sensitive }) => {
    const turn = await exchanges.read(0)
    for (const one of [turn, turn.update, model, sensitive, sensitive[0]]) Object.freeze(one)
  },
  'accessors in place of values': async ({ exchanges, model, property }) => {
    const turn = (await exchanges.read(0)) as Anything
    Object.defineProperty(turn, 'received', { get: () => 'mine' })
    for (const one of [model, property]) Object.defineProperty(one, 'kind', { get: () => 'mine', configurable: true })
  },
  'other prototypes': async ({ exchanges, records, sensitive }) => {
    for (const one of [await exchanges.read(0), records, sensitive]) Object.setPrototypeOf(one, { mine: true })
  },
}

describe('an attack that spoils what it is handed spoils it for itself alone', () => {
  test.each(Object.entries(spoilers))('%s', async (_, spoil) => {
    const { sources } = await world()
    const view = await handed(sources)
    const before = await snapshot(await handed(sources))
    const again = await handed(sources)
    await spoil(view)
    expect(await snapshot(await handed(sources))).toBe(before)
    expect(await snapshot(again)).toBe(before)
    expect((await view.exchanges.read(0)).received![1]).toBe(0)
  })

  test('nor can the view or its series be replaced', async () => {
    const view = (await handed((await world()).sources)) as Anything
    expect(() => (view.updates = 1)).toThrow(TypeError)
    expect(() => (view.exchanges = 1)).toThrow(TypeError)
    expect(() => (view.exchanges.read = 1)).toThrow(TypeError)
    expect(() => delete view.exchanges).toThrow(TypeError)
    expect(() => Object.setPrototypeOf(view, {})).toThrow(TypeError)
    expect(() => Object.defineProperty(view, 'target', { value: other })).toThrow(TypeError)
  })

  test('nor does a line into the federation carry more than models', async () => {
    const { sources } = await world()
    let received: Float64Array | undefined
    const channel = Object.assign(
      async (_: string, theta: Float64Array) => {
        received = theta
        return theta
      },
      { federation: 31337, restart: () => channel },
    )
    const { view } = await grant({ ...sources, channel }, 'malicious-server', ['channel'])
    expect(find(view)).toBeUndefined()
    expect(find(view!.channel.restart!())).toBeUndefined()
    const theta = Float64Array.of(1)
    const back = await view!.channel('a', theta)
    theta[0] = back[0] = 6
    expect(received![0]).toBe(1)
    expect(() => ((view!.channel as Anything).more = 1)).toThrow(TypeError)
  })
})

describe('a forged list of grants', () => {
  const granted = async (list: unknown) => {
    const { sources } = await world()
    return grant(sources, 'eavesdropper', list as Grant[], list as Grant[])
  }
  const flips = (first: unknown, then: unknown) => {
    let asked = 0
    return () => (asked++ === 0 ? first : then)
  }

  test.each<[string, () => unknown]>([
    ['an element that changes', () => Object.defineProperty(['model'], 0, { get: flips('model', 'updates') })],
    ['a filter of its own', () => Object.assign(['updates'], { filter: () => [], map: () => [] })],
    ['a filter that adds', () => Object.assign(['model'], { filter: () => ['updates'], map: () => ['updates'] })],
    [
      'an iterator that changes',
      () => Object.assign(['model'], { [Symbol.iterator]: flips(['model'].values(), ['updates'].values()) }),
    ],
    [
      'a proxy',
      () =>
        new Proxy(['model'], {
          get: (list, key, me) => (key === '0' ? 'updates' : (Reflect.get(list, key, me) as unknown)),
        }),
    ],
    [
      'a word that changes',
      () => [{ toString: flips('model', 'updates'), [Symbol.toPrimitive]: flips('model', 'updates') }],
    ],
    ['keys of every object', () => ['__proto__', 'constructor', 'toString', 'hasOwnProperty']],
    ['symbols and numbers', () => [Symbol.iterator, 0, null, undefined, ['updates']]],
    ['what is not for this observer', () => ['model', 'participation']],
  ])('%s', async (_, list) => {
    const result = await granted(list())
    for (const key of ['updates', 'participation', 'sampleCounts', 'aggregates', 'constructor']) {
      expect(result.view ?? {}).not.toHaveProperty([key])
    }
    const view = (result.view ?? {}) as Partial<View<Grant>>
    expect(find([result, await settled(() => view.updates?.read(1))])).toBeUndefined()
  })

  test('an attack whose needs change between two readings', async () => {
    const { sources } = await world()
    let seen: unknown
    const hostile = defineAttack({
      ...({ id: 'hostile', title: 'asks twice', paper: 'lmra', where: '', target: 'model', params: {} } as const),
      needs: ['model'],
      run(view) {
        seen = view
        return claimed({ kind: 'model', client: 'a', theta: Float64Array.of(1) })
      },
      plant: { none: 'a test' },
      shuffle: { none: 'a test' },
    })
    const twice = Object.defineProperty({ ...hostile }, 'needs', { get: flips(['model'], ['updates']) })
    await runAttack(twice, {}, { sources, observer: 'eavesdropper', rng: rng(1) })
    expect(Reflect.ownKeys(seen as object)).toEqual(['model'])
  })
})

describe('what no check at run time can stop is refused before it runs', () => {
  const refused = (source: string): string[] => {
    const sources = { 'attacks/hostile.ts': source }
    return [...wrongImports(sources), ...foreignNames(sources), ...reachingOut(sources)]
  }
  const layers = ['data', 'partition', 'federation', 'defences', 'metrics', 'audit', 'report', 'node', 'web']

  test.each(layers)('imports of %s, of types too', (layer) => {
    for (const what of [
      'import { x }',
      'import type { X }',
      'import * as x',
      'export *',
      'export { x }',
      'import x, { y }',
    ]) {
      expect(refused(`${what} from '../${layer}/index.js'`)).not.toEqual([])
    }
    expect(refused(`import '../${layer}/index.js'`)).not.toEqual([])
    expect(refused(`await import('../${layer}/index.js')`)).not.toEqual([])
  })

  test.each([
    ...["import { openTruth } from '../transcript/truth.js'", "import { type Truth } from '../transcript/truth.js'"],
    ...["export { openTruth } from '../transcript/truth.js'", "export * from '../transcript/truth.js'"],
    ...["import '../transcript/store.js'", "import * as t from '../transcript/reader.js'"],
    ...[
      "import { grant } from '../threat/grant.js'",
      "import { openTruth } from 'overhear/transcript'",
      "import 'overhear/node'",
    ],
    ...["import { openTruth } from '../index.js'", "import { truth } from '../../test/truth.js'"],
    ...[
      "import { readFileSync } from 'node:fs'",
      "import fs from 'fs'",
      "import { DuckDBInstance } from '@duckdb/node-api'",
    ],
    ...[
      "import { z } from 'zod'",
      "import x from 'file:///run/truth/truth.json'",
      "import x from 'data:text/javascript,1'",
    ],
    ...[
      "import x from '/run/truth.js'",
      "import x from '../numeric/%2e%2e/data/index.js'",
      "import x from '../numeric/a.js?x'",
    ],
    ...["import x from '../numeric/..\\\\data\\\\index.js'", "import x from './../data/../metrics/score.js'"],
  ])('%s', (source) => {
    expect(refused(source)).not.toEqual([])
  })

  test.each([
    "const m = await import('../numeric/vector.js')",
    'const m = await import(name)',
    `import(\`../da\${x}/index.js\`)`,
    "const fs = require('fs')",
    "import fs = require('fs')",
    'const here = import.meta.url',
    'import . meta . dirname',
    "eval('1')",
    '(0, eval)(x)',
    'new Function(x)',
    'Function(x)',
    'const F = Function',
    'ev\\u0061l(x)',
    '[].map.constructor(x)()',
    "[].map['constructor'](x)()",
    '[].map["con\\x73tructor"](x)()',
    'x[`constructor`]',
    "x['con' + 'structor']",
    "x[['con', 'struct', 'or'].join('')]",
    'const kept = new Map()',
    'const kept: Truth[] = []',
    'export const kept: Record<string, Truth> = {}',
    "new BroadcastChannel('x')",
    'setTimeout(later, 1)',
    'const { constructor: C } = x',
    'x?.constructor',
    'x.\n  constructor(y)',
    'f.caller',
    'arguments.callee',
    'globalThis.stores',
    'process.env',
    "process.getBuiltinModule('fs')",
    'Deno.readFile',
    'fetch(url)',
    'new Worker(x)',
    'Object.prototype.then = take',
    'Map.prototype.get = take',
    'x.__proto__.then = take',
    "x['__proto__']",
    'Object.getPrototypeOf(x).then = take',
    'Object.setPrototypeOf(x, y)',
    'Object.defineProperty(x, y, z)',
    'Reflect.set(x, y, z)',
    'new Proxy(x, y)',
    'Error.prepareStackTrace = take',
    'x.__defineGetter__(y, z)',
    'RegExp.$1',
    'RegExp.lastMatch',
    "RegExp['$_']",
    'Array.from = take',
    'Float64Array.from ??= take',
    'Object.assign(Math, mine)',
    'Number.isFinite = () => true',
    'let stolen',
    'export let stolen = 1',
    'var stolen',
    "import { rng as mine } from '../numeric/random/rng.js'",
  ])('%s', (source) => {
    expect(refused(source)).not.toEqual([])
  })

  test('an honest attack passes, words in comments and strings too', () => {
    const honest = `/** eval, process and globalThis are words. */
import { log } from '../numeric/special/elementary-functions.js'
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import type { View } from '../threat/knowledge.js'
import type { Truth } from '../transcript/truth.js'
import { claimed } from './attack.js'
export class Odd extends Error {
  constructor(readonly why: string) { super('the process could not require it') }
}
export const processed = (x: number) => { let y = log(x); return rng.fork('prototype of', y) }
const table = new Map([['a', 1]])
const H = { rows: 1 }; H.rows = 2
if (x instanceof Map && Array.isArray(y)) z = Object.assign({}, Math.max(1, 2))`
    expect(refused(honest)).toEqual([])
  })

  test('the attacks of the package pass', () => {
    const sources = withoutTests(readSources('src'))
    expect(Object.keys(sources)).toContain('attacks/attack.ts')
    expect(reachingOut(sources)).toEqual([])
    expect(reachingOut({ 'audit/a.ts': 'eval(x)' })).toEqual([])
  })
})
