/** Every table of things that have a name: what is in it, where each came from, and how one is chosen by plain data. */
import { lookup, OverhearError } from './errors.js'
import { type Params, readParams, type ValuesOf } from './params.js'

/** What every entry of every table has. */
export interface Entry<P extends Params = Params> {
  readonly id: string
  /** What it is, in a line. */
  readonly title: string
  readonly params: P
  /** A key of the bibliography. */
  readonly paper?: string
}

/** The tables, by what one of their entries is called in an error. */
export type Kind =
  | 'attack'
  | 'compression'
  | 'oracle'
  | 'dataset'
  | 'defence'
  | 'generator'
  | 'initialiser'
  | 'local rule'
  | 'metric'
  | 'misbehaviour'
  | 'model'
  | 'observer'
  | 'optimizer'
  | 'partition'
  | 'sampling'
  | 'schedule'
  | 'setting'
  | 'study'

/** A table: its entries by their ids, in their order; plug-ins add theirs at the end. */
export type Table<E extends Entry> = { readonly [K in E['id']]: Extract<E, { readonly id: K }> }

/** Where what came with the package comes from. */
export const builtIn = 'built in'

interface Opened {
  readonly entries: Record<string, Entry>
  readonly from: Map<string, string>
}

const opened = new Map<Kind, Opened>()
const kindOf = new WeakMap<object, Kind>()

/** "an attack", "a dataset". */
export const aKind = (kind: Kind): string => `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`

/** What the entries of a table are called. */
export const kindOfTable = (entries: object): Kind => kindOf.get(entries)!

/** The one table of a kind, from the entries that the package brings. */
export function table<const E extends Entry>(kind: Kind, list: readonly E[]): Table<E> {
  const entries: Record<string, Entry> = Object.create(null)
  opened.set(kind, { entries, from: new Map() })
  kindOf.set(entries, kind)
  for (const one of list) add(entries, one, builtIn)
  return entries as Table<E>
}

let changes = 0
/** How often tables have changed: what was made from them holds while this stays. */
export const tableChanges = (): number => changes

/** Adds an entry of somebody else's; the same one twice is fine, another of the same name is not. */
export function add(to: object, entry: Entry, from: string): void {
  const kind = kindOf.get(to)!
  const { entries, from: origins } = openedTable(kind)
  const { id } = entry
  if (entries[id] === entry) return
  if (Object.hasOwn(entries, id)) {
    const found = `${from} brings ${aKind(kind)} "${id}", which there is already (${origins.get(id)})`
    throw new OverhearError('E_INPUT', found, 'give it another id')
  }
  if (typeof id !== 'string' || !/^[A-Za-z][A-Za-z0-9.-]{0,63}$/.test(id)) {
    const found = `${from} brings ${aKind(kind)} whose id is ${JSON.stringify(id)}`
    throw new OverhearError('E_INPUT', found, 'letters, digits, hyphens and dots are needed, a letter first')
  }
  entries[id] = entry
  origins.set(id, from)
  changes++
}

/** Takes out again what came from somewhere: for tests of plug-ins. */
export function removeFrom(origin: string): void {
  for (const { entries, from } of opened.values()) {
    for (const [id, one] of from) {
      if (one !== origin) continue
      delete entries[id]
      from.delete(id)
      changes++
    }
  }
}

function openedTable(kind: Kind): Opened {
  const found = opened.get(kind)
  if (found === undefined) throw new OverhearError('E_INTERNAL', `internal: the table of ${kind}s was never loaded`)
  return found
}

/** A table by its kind, for those who may not import the room where it is made. */
export function tableOf(kind: Kind): Readonly<Record<string, Entry>> {
  return openedTable(kind).entries
}

/** The names in a table; none where its room was not loaded. */
export const namesIn = (kind: Kind): string[] => Object.keys(opened.get(kind)?.entries ?? {})

/** The plug-in that an entry came with, or "built in". */
export function originOf(entries: Readonly<Record<string, Entry>>, id: string): string {
  const kind = kindOf.get(entries)
  return (kind === undefined ? undefined : openedTable(kind).from.get(id)) ?? builtIn
}

/** The entry of a table; an unknown name is an error that lists the known and the nearest. */
export function find<E extends Entry>(entries: Readonly<Record<string, E>>, id: string): E {
  return lookup(entries, id, kindOf.get(entries) ?? 'name')
}

/** The plain data that chooses an entry of a table: its name, and parameters that differ from their defaults. */
export type Named<T extends Readonly<Record<string, Entry>>> = {
  readonly [K in keyof T & string]: { readonly name: K } & Partial<ValuesOf<T[K]['params']>>
}[keyof T & string]

/** Finds the entry that is meant and reads its parameters; whatever is unknown or ill-typed is an error. */
export function chosen<E extends Entry>(
  entries: Readonly<Record<string, E>>,
  { name, ...given }: { readonly name: string },
): { readonly entry: E; readonly values: ValuesOf<E['params']> } {
  const entry = find(entries, name)
  const what = kindOf.get(entries) ?? ''
  return { entry, values: readParams(entry.params, given, `${what} ${name}`) as ValuesOf<E['params']> }
}
