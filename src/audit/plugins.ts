/** Plug-ins: what people outside bring to the tables, checked and entered before a scenario is read. */
import type { Attack } from '../attacks/attack.js'
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
import { add, type Entry, find, type Kind, kindOfTable } from '../registry.js'
import { openTables } from '../scenario/world-tables.js'
import { settings } from '../settings/index.js'
import type { Setting } from '../settings/setting.js'
import type { Observer } from '../threat/observer.js'
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
    const found = `plug-in "${name}" brings a ${kind} that lacks id, title, params${does === undefined ? '' : ` or ${does}`}`
    throw new OverhearError('E_INPUT', found, `make it with the function that defines a ${kind}`)
  }
  if (kind === 'attack') find<Entry>(metrics, String(one.target))
  return one
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
