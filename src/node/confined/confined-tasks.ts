/** What a confined process does: it loads a plug-in's code, and does with it what it is asked. */
import process from 'node:process'
import { serialize } from 'node:v8'
import { type Attack, type ControlWorld, Inapplicable } from '../../attacks/attack.js'
import { enter, type Plugin } from '../../audit/plugins.js'
import { mendShared } from '../../audit/shared-intact.js'
import { lookup, OverhearError } from '../../errors.js'
import { streamAt } from '../../numeric/random/rng.js'
import { scrubGlobals } from './confined-globals.js'
import type { CarriedError, DescribedPlugin, FromProcess, ModuleText, Task, ToProcess } from './confined-messages.js'
import { confinedImports } from './confined-modules.js'
import { unpackContext, unpackTruth, unpackView } from './confined-view.js'

/** The most that an attack may say, in bytes. */
const mostSaid = 256 * 1024 * 1024
const tickEvery = 100 // ms

const tell = process.send!.bind(process) as (message: FromProcess) => boolean
const now = performance.now.bind(performance)
const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
let asked = 0

const ask = (to: string, ...given: readonly unknown[]): Promise<never> =>
  new Promise((resolve, reject) => {
    const id = ++asked
    waiting.set(id, { resolve, reject })
    tell({ kind: 'ask', id, to, given })
  })

const importConfined = confinedImports((specifier, from) => ask('source', specifier, from) as Promise<ModuleText>)

/** The last that is loaded is the one that it is about; others bring what it may name, such as models. */
async function load(files: readonly string[]): Promise<DescribedPlugin> {
  for (const file of files.slice(0, -1)) {
    try {
      enter((await importConfined(file)).default, file)
    } catch {} // it is not what was asked about
  }
  const own = (await importConfined(files.at(-1)!)).default as Plugin
  const name = enterAttacks(own, files.at(-1)!)
  const { name: _, attacks: mine = [], ...rest } = own
  const others = Object.entries(rest).flatMap(([key, list]) => (Array.isArray(list) && list.length > 0 ? [key] : []))
  return { name, attacks: mine.map(described), others }
}

/** What its attacks claim may be graded by metrics of plug-ins that are not here: that is looked at where they are graded. */
function enterAttacks(own: Plugin, file: string): string {
  const name = enter(typeof own === 'object' ? { ...own, attacks: [] } : own, file)
  for (const attack of own.attacks ?? []) mineById.set(attack.id, attack)
  return name
}
const mineById = new Map<string, Attack>()

const described = (attack: Attack): DescribedPlugin['attacks'][number] => {
  const { run: _, plant, shuffle, ...about } = attack
  return { ...about, plant: whyNone(plant), shuffle: whyNone(shuffle) }
}
const whyNone = (control: unknown): string | null =>
  typeof control === 'function' ? null : String((control as { none?: unknown } | undefined)?.none ?? 'none')

let world: ControlWorld<NonNullable<ControlWorld<object>['view']>> | undefined
let ticked: { done: number; total: number } | undefined
let told = now()

function tick(done: number, total: number): void {
  if (ticked === undefined || done >= ticked.done) ticked = { done, total }
  if (now() - told < tickEvery) return
  told = now()
  tell({ kind: 'tick', done, total })
}

async function act(task: Task): Promise<unknown> {
  if (task.do === 'load') return load(task.files)
  const attack = lookup(Object.fromEntries(mineById), task.attack, 'attack')
  const rng = streamAt(task.rng)
  const { params } = task
  if (task.do === 'run') {
    const view = task.view === undefined ? world!.view : unpackView(task.view, ask)
    const outcome = await attack.run(view, unpackContext({ params, rng, tick }, ask))
    return { outcome, ticked, changed: mendShared() }
  }
  const make = attack[task.do] as (input: object) => Promise<typeof world>
  const truth = task.truth && unpackTruth(task.truth, ask)
  world = await make({ view: unpackView(task.view, ask), params, rng, ...(truth !== undefined && { truth }) })
  return { claims: world?.claims, params: world?.params }
}

/** The same with arrays of its own: as they come, they are windows on the memory of the channel. */
function owned<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value)) return (value as unknown as Float64Array).slice() as T
  if (Array.isArray(value)) return value.map(owned) as T
  if (value instanceof Map) return new Map(Array.from(value, ([key, one]) => [key, owned(one)])) as T
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, owned(one)])) as T
}

/** An error in words, whatever was thrown. */
function carried(error: unknown): CarriedError {
  if (error instanceof Inapplicable) return { code: '', message: error.message, missing: error.outcome.missing }
  if (error instanceof OverhearError) return { code: error.code, message: error.message }
  const { name, message, stack } = (error ?? {}) as Partial<Error>
  const place = /([^/\\\s(]+\.m?js:\d+:\d+)\)?$/m.exec(String(stack ?? ''))?.[1]
  const words = message === undefined ? String(error) : `${name}: ${message}`
  return { code: '', message: `${words}${place === undefined ? '' : ` (${place})`}` }
}

function sized(value: unknown): unknown {
  const { byteLength } = serialize(value)
  if (byteLength <= mostSaid) return value
  throw new OverhearError('E_VALUE', `it says ${byteLength} bytes`, `${mostSaid} are allowed`)
}

/** Takes away what is not for the code, and waits for what there is to do. */
export function serveTasks(): void {
  process.on('message', (message: ToProcess) => {
    if (message.kind === 'answer') {
      const { id, value, error } = message
      const one = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) one?.resolve(owned(value) as never)
      else one?.reject(new OverhearError('E_INPUT', error))
      return
    }
    act(owned(message.task))
      .then(
        (value) => tell({ kind: 'done', value: sized(value) }),
        (error: unknown) => tell({ kind: 'failed', error: carried(error) }),
      )
      .catch((error: unknown) => tell({ kind: 'failed', error: carried(error) }))
  })
  process.on('disconnect', () => process.exit(0))

  scrubGlobals()
  tell({ kind: 'ready' })
}
