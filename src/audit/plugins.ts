/** Plug-ins: what people outside bring to the tables, checked and entered before a scenario is read. */
import { type Attack, Inapplicable } from '../attacks/attack.js'
import type { OwnClaim } from '../attacks/claim.js'
import { attacks } from '../attacks/index.js'
import type { DatasetEntry } from '../data/dataset-entry.js'
import type { DefenceEntry } from '../defences/defence-entry.js'
import { lookup, OverhearError } from '../errors.js'
import type { LocalRule } from '../federation/local-rules/local-rule.js'
import type { Misbehaviour } from '../federation/misbehaviour/misbehaviour.js'
import type { Sampling } from '../federation/sampling/sampling.js'
import type { Metric } from '../metrics/grading.js'
import { metrics } from '../metrics/index.js'
import type { PartitionEntry } from '../partition/partition-entry.js'
import { add, aKind, type Entry, find, type Kind, kindOfTable } from '../registry.js'
import { openTables } from '../scenario/world-tables.js'
import { settings, settingsIn } from '../settings/index.js'
import type { Setting } from '../settings/setting.js'
import { grants, type Observer } from '../threat/observer.js'
import { observers } from '../threat/observers.js'
import { hashOf } from './hash.js'
import type { AuditPorts } from './ports.js'

/** What a plug-in brings, made by `defineAttack` and its like; `name` says whose it is wherever one of them appears. */
export interface Plugin {
  readonly name: string
  readonly attacks?: readonly Attack[]
  readonly datasets?: readonly DatasetEntry[]
  readonly defences?: readonly DefenceEntry[]
  readonly localRules?: readonly LocalRule[]
  readonly metrics?: readonly Metric<OwnClaim['kind']>[]
  readonly misbehaviours?: readonly Misbehaviour[]
  readonly models?: readonly Entry[]
  readonly observers?: readonly Observer[]
  readonly partitions?: readonly PartitionEntry[]
  readonly samplings?: readonly Sampling[]
  readonly settings?: readonly AnySetting[]
}

/** A setting of whatever value. */
type AnySetting = Omit<Setting, 'acts'> & { acts?(value: never): object | undefined }

/** The plug-in as it was given, checked by the compiler. */
export const definePlugin = (plugin: Plugin): Plugin => plugin

const world = openTables()

/** The table that each list goes to, and what an entry there must be able to do. */
const lists: Readonly<Record<Exclude<keyof Plugin, 'name'>, { readonly to: object; readonly does?: string }>> = {
  // What others name comes first.
  settings: { to: settings },
  metrics: { to: metrics, does: 'grade' },
  observers: { to: observers },
  models: { to: world.models, does: 'create' },
  datasets: { to: world.datasets, does: 'load' },
  partitions: { to: world.partitions, does: 'deal' },
  samplings: { to: world.samplings, does: 'prepare' },
  localRules: { to: world.localRules, does: 'plan' },
  misbehaviours: { to: world.misbehaviours, does: 'act' },
  defences: { to: world.defences, does: 'create' },
  attacks: { to: attacks, does: 'run' },
}

/** A plug-in that was entered, with the hash of its code. */
export interface LoadedPlugin {
  readonly name: string
  /** The file that it came from; null: it was given as an object. */
  readonly file: string | null
  readonly hash: string
}

/**
 * Enters plug-ins in the tables of this process: paths of files whose default export is a plug-in, or plug-ins themselves.
 * They stay until the process ends; the same one twice is fine.
 */
export async function loadPlugins(
  given: readonly (string | Plugin)[],
  { plugins: port, threads }: Pick<AuditPorts, 'plugins' | 'threads'>,
): Promise<LoadedPlugin[]> {
  const loaded: LoadedPlugin[] = []
  for (const one of given) {
    if (typeof one === 'string') {
      if (port === undefined) throw new OverhearError('E_INPUT', `plug-in ${one} is a file`, 'there are no files here')
      const { plugin, hash, file } = await port.load(one)
      loaded.push({ name: enter(plugin, file), file, hash })
    } else {
      if (threads.elsewhere === true) {
        const found = `plug-in ${JSON.stringify(one.name)} is an object of this thread, and others do the work`
        throw new OverhearError('E_INPUT', found, 'give the path of its file')
      }
      loaded.push({ name: enter(one, 'this program'), file: null, hash: await hashOf(withCode(one)) })
    }
  }
  return loaded
}

/** Checks a plug-in and adds its entries to the tables; says what it is called. */
export function enter(plugin: unknown, where: string): string {
  if (typeof plugin !== 'object' || plugin === null || typeof (plugin as Plugin).name !== 'string') {
    const found = `${where} brings ${plugin === undefined ? 'nothing' : JSON.stringify(plugin)?.slice(0, 80)}`
    throw new OverhearError('E_INPUT', found, 'its default export must be a plug-in, as definePlugin makes one')
  }
  const { name, ...rest } = plugin as Plugin
  for (const key of Object.keys(rest)) lookup(lists, key, `list of plug-in "${name}"`)
  for (const [key, { to, does }] of Object.entries(lists)) {
    for (const entry of (rest as Readonly<Record<string, readonly unknown[] | undefined>>)[key] ?? []) {
      add(to, checked(entry, { name, kind: kindOfTable(to), does }), `plug-in ${name}`)
    }
  }
  return name
}

function checked(
  entry: unknown,
  { name, kind, does }: { readonly name: string; readonly kind: Kind; readonly does: string | undefined },
): Entry {
  const one = entry as Entry & Readonly<Record<string, unknown>>
  const whole =
    typeof one === 'object' && one !== null && typeof one.title === 'string' && typeof one.params === 'object'
  if (!whole || (does !== undefined && typeof one[does] !== 'function')) {
    const lacking = `lacks id, title, params${does === undefined ? '' : ` or ${does}`}`
    const found = `plug-in "${name}" brings ${aKind(kind)} that ${lacking}`
    throw new OverhearError('E_INPUT', found, `make it with the function that defines ${aKind(kind)}`)
  }
  checkNames(one, kind)
  return guarded(one, `plug-in ${name}, ${kind} ${one.id}`)
}

/** What an entry names must be there: a slip of the keyboard would otherwise do nothing, silently. */
function checkNames(one: Entry & Readonly<Record<string, unknown>>, kind: Kind): void {
  const named = (key: string, known: Iterable<string>, what: string): void => {
    const table = Object.fromEntries([...known].map((name) => [name, true]))
    for (const name of (one[key] ?? []) as Iterable<string>) lookup(table, name, `${what} of ${kind} ${one.id}`)
  }
  if (kind === 'attack') {
    find<Entry>(metrics, String(one.target))
    named('needs', grants, 'key in needs')
    named('uses', grants, 'key in uses')
  }
  if (kind === 'observer') named('mayKnow', grants, 'key in hears')
  if (kind === 'local rule') named('obeys', Object.keys(settingsIn('training')), 'setting in obeys')
  if (kind === 'setting' && !/^training\.[A-Za-z]+$/.test(one.id)) {
    const found = `setting ${one.id} stands where nothing reads it`
    throw new OverhearError('E_INPUT', found, 'settings of plug-ins are of the training: "training.changeNorm"')
  }
}

/** A plug-in with the text of its functions, which stands for its code. */
function withCode(value: unknown): unknown {
  if (typeof value === 'function') return String(value)
  if (value instanceof Set) return [...value].map(withCode)
  if (Array.isArray(value)) return value.map(withCode)
  if (value instanceof RegExp) return String(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withCode(one)]))
}

const guardedOf = new WeakMap<object, Entry>()

/** The same entry, whose functions throw nothing but errors of ours; one entry always gives the same. */
function guarded(entry: Entry, who: string): Entry {
  const made = guardedOf.get(entry) ?? withGuards(entry, who)
  guardedOf.set(entry, made)
  return made
}

type Call = (...given: unknown[]) => unknown

const isCall = (value: unknown): value is Call => typeof value === 'function'

const withGuards = <T extends object>(one: T, who: string): T =>
  Object.fromEntries(
    Object.entries(one).map(([key, value]) => [key, isCall(value) ? guardedCall(value, who) : value]),
  ) as T

function guardedCall(call: Call, who: string): Call {
  const fail = (error: unknown): never => {
    if (error instanceof OverhearError || error instanceof Inapplicable) throw error
    throw new OverhearError('E_INPUT', `${who} threw ${wordsOf(error)}`)
  }
  return function (this: unknown, ...given) {
    try {
      const found = call.apply(this, given)
      return found instanceof Promise ? found.catch(fail) : guardedResult(found, who)
    } catch (error) {
      return fail(error)
    }
  }
}

/** What an entry makes, such as a defence's hooks or a model's trace, is guarded in its turn. */
function guardedResult(found: unknown, who: string): unknown {
  if (isCall(found)) return guardedCall(found, who)
  if (typeof found !== 'object' || found === null || Object.getPrototypeOf(found) !== Object.prototype) return found
  return Object.values(found).some(isCall) ? withGuards(found, who) : found
}

/** What was thrown, and where: "TypeError: x is not a function (plug-in.mjs:12:5)". */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const place = /([^/\\\s(]+:\d+:\d+)\)?$/m.exec(error.stack ?? '')?.[1]
  return `${error.name}: ${error.message}${place === undefined ? '' : ` (${place})`}`
}
